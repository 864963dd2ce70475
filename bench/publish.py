"""Publishing whole data sets: exact noise for many cells, a wide table, a cut sketch, and what the floor would be else.

Run `python -m bench.publish --adult adult.csv --domain adult-domain.json` to include the census-income table (UCI,
CC BY 4.0), which does not come with the package. `--full` sketches a graph of 10^5 nodes and 10^6 edges.
"""

import argparse
import json
import math
import resource
import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from banister.accounting.filters import AsYouGo
from banister.accounting.ledger import Ledger
from banister.core.laws.histograms import limit_distortion, per_cell_distortion
from banister.core.laws.table_programs import program_optimum
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.publish.fidelity import Fidelity
from banister.publish.noise import FixedTotal, PerCell
from banister.publish.sketches.cut import CutSketch, rows_for
from banister.publish.wide import plan_wide, sanitize_wide
from banister.sampling.bits import SYSTEM
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain

ORDERED = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}


def timed(job: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median wall and processor seconds."""
    wall, work = [], []
    for _ in range(repeats):
        start, begun = time.perf_counter(), time.process_time()
        job()
        wall.append(time.perf_counter() - start)
        work.append(time.process_time() - begun)
    return statistics.median(wall), statistics.median(work)


def programs() -> None:
    """The least distortion of few records in three cells, by symmetric linear program."""
    for records in (6, 12, 18):
        start = time.process_time()
        found = program_optimum(records, [Fraction(1, 3)] * 3, math.log(5))
        below = 1 - found.distortion / limit_distortion(3, math.log(5))
        print(
            f"{records:>9,} records in 3 cells: {time.process_time() - start:.2f} s of processor, {below:.4f} below "
            f"the limit, certified to {found.distortion - found.lower_bound:.1e}"
        )


def cells() -> None:
    """Exact noise over all cells, against independent geometric noise in the same run."""
    for count in (44_064, 1_000_000):
        zeros = np.zeros(count, dtype=np.int64)
        fixed = FixedTotal(cells=count, epsilon=Fraction(1))
        other = PerCell(cells=count, epsilon=Fraction(1), neighbours=Neighbours.REPLACE)
        fixed.release(zeros, SYSTEM)
        other.release(zeros, SYSTEM)
        ours, ours_work = timed(lambda n=fixed, z=zeros: n.release(z, SYSTEM), 7)  # type: ignore[misc]
        theirs, _ = timed(lambda n=other, z=zeros: n.release(z, SYSTEM), 7)  # type: ignore[misc]
        gain = per_cell_distortion(count, 1) / limit_distortion(count, 1)
        print(
            f"{count:>9,} cells: fixed total {1e3 * ours:.1f} ms ({1e3 * ours_work:.1f} ms of processor), per cell "
            f"{1e3 * theirs:.1f} ms; error per cell/fixed {gain:.6f}"
        )


def floors() -> None:
    """The floor of a cut sketch by our accountant, and by composing the one-row lemma."""
    epsilon, delta, rows = 1.0, 1e-6, 2952
    each = epsilon / math.sqrt(4 * rows * math.log(2 / delta))
    lemma = 4 / each * math.log(2 / (delta / (2 * rows)))
    ours = CutSketch(epsilon=1, delta="1e-6", nodes=1 << 19, rows=rows)
    many = 2 / (2 / ours.floor - 2 / ours.nodes)
    fewer = rows_for("0.1", "0.05")
    less = CutSketch(epsilon=1, delta="1e-6", nodes=1 << 19, rows=fewer)
    print(f"floor at 2952 rows: {many:.1f}, composed lemma {lemma:,.0f}, ratio {lemma / many:.0f}")
    print(f"floor at {fewer} rows, enough for the same error: {less.floor:.1f}")


def sketch(nodes: int, edges: int, rows: int) -> None:
    """A cut sketch of a random graph."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, nodes, edges)
    second = (first + 1 + rng.integers(0, nodes - 1, edges)) % nodes
    plan = CutSketch(epsilon=1, delta="1e-6", nodes=nodes, rows=rows)
    wall, work = timed(lambda: plan.release(first, second, np.ones(edges), SYSTEM), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"cut sketch {nodes:,} nodes, {edges:,} edges, {rows} rows: {wall:.1f} s ({work:.1f} s of processor), "
        f"peak {peak:.2f} GB"
    )


def wide(table: Path, sizes: Path) -> None:
    """The census-income table: mean total variation of columns and pairs, against columns published alone."""
    domain = Domain(tuple(_column(name, size) for name, size in json.loads(sizes.read_text()).items()))
    for neighbours in Neighbours:
        found, alone, seconds = [], [], []
        for _ in range(5):
            start = time.perf_counter()
            plan = plan_wide(domain, epsilon=1, delta="1e-9", neighbours=neighbours)
            budget = Guarantee(9, 1e-6)
            ledger = Ledger.create("memory:", budget=budget, neighbours=neighbours, questions=AsYouGo())
            copy, fidelity = sanitize_wide(plan, table, ledger=ledger)
            seconds.append(time.perf_counter() - start)
            found.append((fidelity.mean_variation(fidelity.one_way), fidelity.mean_variation(fidelity.two_way)))
            # The same columns, dealt independently of each other: what the joined pairs are worth.
            rng = np.random.default_rng(2)
            loose = [rng.permutation(column) for column in copy.codes]
            before = _codes(table, domain)
            product = Fidelity.of_codes(domain, before, loose, deviation=0.0)
            alone.append(product.mean_variation(product.two_way))
        one, two = (statistics.mean(x) for x in zip(*found, strict=True))
        print(
            f"wide table, {neighbours.value}: columns off by {one:.4f}, pairs by {two:.4f} (columns alone: "
            f"{statistics.mean(alone):.4f}), {statistics.median(seconds):.1f} s"
        )


def _codes(table: Path, domain: Domain) -> tuple[np.ndarray, ...]:
    from banister.tables.frames.records import read_codes

    return read_codes(table, domain).codes


def _column(name: str, size: int) -> Attribute:
    if name in ORDERED:
        return Attribute(name=name, kind=Kind.INTEGER, edges=range(size + 1), nulls=False)
    return Attribute(name=name, kind=Kind.CATEGORY, values=tuple(range(size)), nulls=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adult", type=Path)
    parser.add_argument("--domain", type=Path)
    parser.add_argument("--full", action="store_true")
    chosen, _ = parser.parse_known_args()
    programs()
    cells()
    floors()
    sketch(*((100_000, 1_000_000, 768) if chosen.full else (10_000, 100_000, 768)))
    if chosen.adult is not None and chosen.domain is not None:
        wide(chosen.adult, chosen.domain)


if __name__ == "__main__":
    main()
