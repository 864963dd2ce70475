"""Sketch a graph or a matrix once, privately; then answer any number of cuts or variances from the file."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.publish.paying import pay
from banister.publish.sketches import cut, variance
from banister.publish.sketches.cut import CutSketch, rows_for
from banister.publish.sketches.intervals import Answer, turned
from banister.publish.sketches.variance import VarianceSketch
from banister.sampling.bits import SYSTEM, BitSource

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchWish:
    """What a sketch is to be: its guarantee, and either its rows or the share by which an answer may be off."""

    epsilon: Number
    delta: Number
    rows: int = 0
    error: Number = "0.1"
    failure: Number = "0.05"

    def count(self) -> int:
        """The number of rows."""
        return rows_for(self.error, self.failure) if self.rows == 0 else need.whole("rows", self.rows, least=2)


def sketch_graph(
    graph: object,
    out: str | Path,
    wish: SketchWish,
    *,
    ledger: "Ledger",
    most_weight: Number = 1,
    nodes: Path | None = None,
    bits: BitSource = SYSTEM,
) -> CutSketch:
    """Publish a sketch of a graph that answers every cut. The nodes are public; each edge's weight is protected."""
    from banister.files import check_target
    from banister.publish.sketches.files import write_sketch
    from banister.publish.sketches.weighted import read_graph

    bound = need.positive("most weight", most_weight)
    check_target(Path(out), (".sketch",))
    read = read_graph(graph, nodes=nodes, most_weight=float(bound))
    if read.nodes < 2:
        raise BadValue("A graph needs at least two nodes to have a cut.")
    plan = CutSketch(epsilon=wish.epsilon, delta=wish.delta, nodes=read.nodes, rows=wish.count())
    pay(plan, ledger)
    values = plan.release(read.first, read.second, read.weights / float(bound), bits)
    write_sketch(Path(out), {**plan.header(), "most weight": str(bound)}, read.names, values)
    return plan


def sketch_matrix(
    matrix: object,
    out: str | Path,
    wish: SketchWish,
    *,
    ledger: "Ledger",
    neighbours: Neighbours,
    row_length: Number = 1,
    bits: BitSource = SYSTEM,
) -> VarianceSketch:
    """Publish a sketch of a matrix that answers the variance along every direction. Rows are people."""
    from banister.files import check_target
    from banister.publish.sketches.files import write_sketch
    from banister.publish.sketches.matrices import read_matrix

    bound = need.positive("row length", row_length)
    check_target(Path(out), (".sketch",))
    names, values = read_matrix(matrix)
    plan = VarianceSketch(
        epsilon=wish.epsilon, delta=wish.delta, columns=len(names), rows=wish.count(), neighbours=neighbours
    )
    pay(plan, ledger)
    sketch = plan.release(values / float(bound), bits)
    write_sketch(Path(out), {**plan.header(), "row length": str(bound)}, names, sketch)
    return plan


def answer_cut(sketch: str | Path, members: Sequence[str], *, confidence: Number = "0.95") -> Answer:
    """The weight between a set of nodes and all others, from a sketch. It costs nothing, as often as you like."""
    from banister.publish.sketches.files import read_sketch

    header, names, values = read_sketch(Path(sketch), cut.KIND)
    places = {name: place for place, name in enumerate(names)}
    chosen = sorted(set(members))
    unknown = [name for name in chosen if name not in places]
    if unknown:
        raise BadValue(f"Node '{unknown[0][:40]}' is not in the sketch, which has {len(names)} nodes.")
    plan = CutSketch.of_header(header, nodes=len(names), rows=values.shape[0])
    found = plan.answer(values, np.array([places[name] for name in chosen], dtype=np.int64), confidence=confidence)
    return turned(found, less=0, factor=float(Fraction(header["most weight"])))


def answer_variance(sketch: str | Path, direction: Sequence[float], *, confidence: Number = "0.95") -> Answer:
    """‖A x‖² along a direction x, scaled to length 1, from a sketch."""
    from banister.publish.sketches.files import read_sketch

    header, names, values = read_sketch(Path(sketch), variance.KIND)
    x = np.asarray(direction, dtype=np.float64)
    if x.shape != (len(names),) or not np.isfinite(x).all() or not np.any(x):
        raise BadValue(
            f"The direction must be {len(names)} finite numbers, not all 0: one for each of {', '.join(names)}."
        )
    plan = VarianceSketch.of_header(header, columns=len(names), rows=values.shape[0])
    found = plan.answer(values, x / np.sqrt(np.square(x).sum()), confidence=confidence)
    return turned(found, less=0, factor=float(Fraction(header["row length"])) ** 2)
