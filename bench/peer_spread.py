"""Runs in the peers' environment: how long EoN, ndlib and cosasi take to spread a message and to find its author.

Prints one line of JSON: for each job its seconds, or what went wrong.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable

NODES, EDGES, STEPS = 100_000, 500_000, 20


def took(job: Callable[[], object]) -> float | str:
    """Seconds, or the error in a word or two."""
    start = time.perf_counter()
    try:
        job()
    except Exception as error:  # A peer that fails is a finding, not a failure of the bench.
        return f"{type(error).__name__}: {error}"[:60]
    return time.perf_counter() - start


def spreads() -> dict[str, float | str]:
    """SI from one node of a random graph until everybody has it."""
    import networkx as nx
    import numpy as np

    graph = nx.Graph()
    graph.add_nodes_from(range(NODES))
    graph.add_edges_from(np.random.default_rng(1).integers(0, NODES, (EDGES, 2)).tolist())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))

    def eon() -> None:
        import EoN

        EoN.fast_SIR(graph, 1.0, 0.0, initial_infecteds=[0], tmax=STEPS)

    def ndlib() -> None:
        from ndlib.models import ModelConfig, epidemics

        model, settings = epidemics.SIModel(graph), ModelConfig.Configuration()
        settings.add_model_parameter("beta", 0.5)
        settings.add_model_initial_configuration("Infected", [0])
        model.set_initial_status(settings)
        model.iteration_bunch(STEPS)

    return {"EoN fast_SIR": took(eon), "ndlib SIModel": took(ndlib)}


def centres() -> dict[str, float | str]:
    """Source detection on a random tree of holders."""
    import networkx as nx

    def tree(holders: int) -> "nx.Graph[int]":
        return nx.random_labeled_tree(holders, seed=1)

    def find(name: str, holders: int) -> Callable[[], object]:
        def job() -> object:
            import cosasi

            graph = tree(holders)
            return getattr(cosasi.single_source, name)(graph, graph)

        return job

    jobs = (("rumor_centrality", 200), ("rumor_centrality", 300), ("jordan_centrality", 2000))
    return {f"cosasi {name}, {holders} holders": took(find(name, holders)) for name, holders in jobs}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    out, sys.stdout = sys.stdout, sys.stderr  # Peers print progress of their own.
    found = spreads() | centres()
    print(json.dumps(found), file=out)
