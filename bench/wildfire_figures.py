"""The figures that the messenger's page shows before somebody posts: made by the laboratory, shipped with the package.

`python -m bench.wildfire_figures [--trials 100]` writes src/banister/apps/wildfire/figures.json anew; it takes some
twenty minutes. For each number of links that an author may have, and each share of spies, it measures how often the
adversaries of the laboratory name the author of one post, and of three posts that are known to be by one author.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from banister import files
from banister.spread import Study, load_graph
from banister.spread.lab.graph import Graph

GRAPH = "social:9502:20"
SEED = 1
PROTOCOL = "hybrid:switch=8,rate=1,cap=3"
"""What `spread.node.wildfire` runs."""
STEPS = 8
BANDS = ((3, 4), (5, 7), (8, 12), (13, 20), (21, 10_000))
SHARES = (0.05, 1 / 6, 0.3)
OUT = Path(__file__).parents[1] / "src" / "banister" / "apps" / "wildfire" / "figures.json"


def measured(graph: Graph, least: int, most: int, trials: int) -> dict[str, list[float]]:
    """Mean and 95 % interval for each adversary, over authors with so many contacts."""
    authors = np.flatnonzero((graph.degrees >= least) & (graph.degrees <= most))
    kinds = [f"{kind}:{share:.4g}" for share in SHARES for kind in ("spies", "snapshot+spies")]
    study = Study(
        graph,
        protocols=[PROTOCOL],
        adversaries=["snapshot", *kinds, "posts:3"],
        steps=[STEPS],
        trials=trials,
        seed=SEED,
        authors=[int(author) for author in authors],
    )
    rows = study.run(workers=1).rows
    found = {
        row.adversary: [round(x, 4) for x in (row.detection.mean, row.detection.low, row.detection.high)]
        for row in rows
    }
    return {"authors": [len(authors)], "holders": [round(rows[0].holders, 1)], **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    trials = parser.parse_args().trials
    graph = load_graph(GRAPH, seed=SEED)
    assert isinstance(graph, Graph)
    bands = []
    for least, most in BANDS:
        bands.append({"least": least, "most": most, "measured": measured(graph, least, most, trials)})
        print(bands[-1], flush=True)
    made = {
        "format": 1,
        "graph": f"{GRAPH}, seed {SEED}",
        "protocol": PROTOCOL,
        "steps": STEPS,
        "trials": trials,
        "shares": [float(f"{share:.4g}") for share in SHARES],
        "bands": bands,
    }
    files.whole_text(OUT, json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
