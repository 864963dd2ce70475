"""Sketch a graph or a matrix once, privately; then answer any number of cuts or variances from the file."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.publish.paying import drawn, kept_until_written
from banister.publish.sketches import cut, variance
from banister.publish.sketches.cut import CutSketch, rows_for
from banister.publish.sketches.intervals import Answer, turned
from banister.publish.sketches.variance import VarianceSketch
from banister.sampling.bits import SYSTEM, BitSource

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchWish:
    """What a sketch is to be: its guarantee, and either its rows or the share by which an answer may be off.

    >>> SketchWish(epsilon=1, delta=1e-6, error="0.1").count(), SketchWish(epsilon=1, delta=1e-6, rows=64).count()
    (768, 64)
    """

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
    nodes: Path | Sequence[str] | None = None,
    most_weight: Number = 1,
    header: bool | None = None,
    bits: BitSource = SYSTEM,
    key: str = "",
) -> CutSketch:
    """Publish a sketch of a graph that answers every cut. The nodes are public; each edge's weight is protected.

    The nodes have to be named, in a list or a file, but for a SciPy matrix, whose rows they are. `header` says whether
    the first line of a CSV file holds names. Weights are held within the bound; what is no edge is left out.

    What was drawn is kept until it is written. Under a `key` of your own the same plan is charged once, and a second
    call fetches what was drawn.

    >>> from tempfile import TemporaryDirectory
    >>> from banister import Guarantee, Ledger
    >>> cost = Guarantee(4, "0.001")
    >>> book = Ledger.create("memory:", budget=cost, neighbours=Neighbours.REPLACE, questions=[(cost, 1)])
    >>> names = [str(n) for n in range(100)]
    >>> with TemporaryDirectory() as folder:
    ...     edges, out = Path(folder, "ring.edges"), Path(folder, "ring.sketch")
    ...     written = edges.write_text("".join(f"{n} {(n + 1) % 100}\\n" for n in range(100)))
    ...     plan = sketch_graph(edges, out, SketchWish(epsilon=4, delta="0.001", rows=8), ledger=book, nodes=names)
    >>> plan.nodes, plan.rows
    (100, 8)
    """
    from banister.files import check_target
    from banister.publish.sketches.weighted import read_graph

    bound = need.positive("most weight", most_weight)
    check_target(Path(out), (".sketch",))
    read = read_graph(graph, nodes=nodes, most_weight=float(bound), header=header)
    if read.nodes < 2:
        raise BadValue("A graph needs at least two nodes to have a cut.")
    plan = CutSketch(epsilon=wish.epsilon, delta=wish.delta, nodes=read.nodes, rows=wish.count())
    weights = read.weights / float(bound)
    said = {**plan.header(), "most weight": str(bound)}

    def draw() -> NDArray[np.float32]:
        return plan.release(read.first, read.second, weights, bits)

    _published(plan, said, read.names, Path(out), ledger=ledger, key=key, draw=draw)
    return plan


def sketch_matrix(
    matrix: object,
    out: str | Path,
    wish: SketchWish,
    *,
    ledger: "Ledger",
    neighbours: Neighbours,
    row_length: Number = 1,
    header: bool | None = None,
    columns: Sequence[str] = (),
    bits: BitSource = SYSTEM,
    key: str = "",
) -> VarianceSketch:
    """Publish a sketch of a matrix that answers the variance along every direction. Rows are people.

    `header` says whether the first line of a CSV file holds the columns' names; where it does not, `columns` does. A
    row with an entry that is no number is left out. Where people are replaced the sketch has an even number of rows.

    What was drawn is kept until it is written. Under a `key` of your own the same plan is charged once, and a second
    call fetches what was drawn.

    >>> from tempfile import TemporaryDirectory
    >>> from banister import Guarantee, Ledger
    >>> cost = Guarantee(4, "0.001")
    >>> book = Ledger.create("memory:", budget=cost, neighbours=Neighbours.REPLACE, questions=[(cost, 1)])
    >>> with TemporaryDirectory() as folder:
    ...     out, wish = Path(folder, "m.sketch"), SketchWish(epsilon=4, delta="0.001", rows=7)
    ...     plan = sketch_matrix(np.eye(3), out, wish, ledger=book, neighbours=Neighbours.REPLACE)
    >>> plan.columns, plan.rows
    (3, 8)
    """
    from banister.files import check_target
    from banister.publish.sketches.matrices import read_matrix, scaled

    bound = need.positive("row length", row_length)
    check_target(Path(out), (".sketch",))
    names, values = read_matrix(matrix, header=header, columns=columns)
    rows = wish.count()
    rows += rows % 2 if neighbours is Neighbours.REPLACE else 0  # What a checker adds up exactly.
    plan = VarianceSketch(epsilon=wish.epsilon, delta=wish.delta, columns=len(names), rows=rows, neighbours=neighbours)
    said = {**plan.header(), "row length": str(bound)}

    def draw() -> NDArray[np.float32]:
        return plan.release(scaled(values, float(bound)), bits)

    _published(plan, said, names, Path(out), ledger=ledger, key=key, draw=draw)
    return plan


def _published(
    plan: "CutSketch | VarianceSketch",
    header: Mapping[str, str],
    names: Sequence[str],
    out: Path,
    *,
    ledger: "Ledger",
    key: str,
    draw: Callable[[], NDArray[np.float32]],
) -> None:
    """Charge, draw and write; what was drawn is kept until it is written, and under a key of the asker's for good."""
    from banister.files import check_space
    from banister.publish.sketches.files import write_sketch

    public = json.dumps([dict(header), list(names)])
    check_space(out, 4 * plan.rows * len(names))
    with kept_until_written(plan, ledger, key=key, public=public) as name:
        (values,) = drawn(plan, ledger, key=name, draw=lambda: [draw()], public=public)
        write_sketch(out, dict(header), names, values)


def answer_cut(sketch: str | Path, members: Sequence[str], *, confidence: Number = "0.95") -> Answer:
    """The weight between a set of nodes and all others, from a sketch. It costs nothing, as often as you like.

    >>> from tempfile import TemporaryDirectory
    >>> from banister import Guarantee, Ledger
    >>> cost = Guarantee(4, "0.001")
    >>> book = Ledger.create("memory:", budget=cost, neighbours=Neighbours.REPLACE, questions=[(cost, 1)])
    >>> names = [str(n) for n in range(100)]
    >>> with TemporaryDirectory() as folder:
    ...     edges, out = Path(folder, "ring.edges"), Path(folder, "ring.sketch")
    ...     written = edges.write_text("".join(f"{n} {(n + 1) % 100}\\n" for n in range(100)))
    ...     plan = sketch_graph(edges, out, SketchWish(epsilon=4, delta="0.001", rows=8), ledger=book, nodes=names)
    ...     found, low, high = answer_cut(out, ["1", "2", "3"])
    >>> low <= found <= high
    True
    """
    from banister.publish.sketches.files import header_number, read_sketch

    header, names, values = read_sketch(Path(sketch), cut.KIND)
    places = {name: place for place, name in enumerate(names)}
    chosen = sorted(set(members))
    unknown = [name for name in chosen if name not in places]
    if unknown:
        raise BadValue(f"Node '{unknown[0][:40]}' is not in the sketch, which has {len(names)} nodes.")
    plan = CutSketch.of_header(header, nodes=len(names), rows=values.shape[0])
    found = plan.answer(values, np.array([places[name] for name in chosen], dtype=np.int64), confidence=confidence)
    return turned(found, less=0, factor=float(header_number(header, "most weight")))


def answer_variance(sketch: str | Path, direction: Sequence[float], *, confidence: Number = "0.95") -> Answer:
    """‖A x‖² along a direction x, scaled to length 1, from a sketch.

    >>> from tempfile import TemporaryDirectory
    >>> from banister import Guarantee, Ledger
    >>> cost = Guarantee(4, "0.001")
    >>> book = Ledger.create("memory:", budget=cost, neighbours=Neighbours.REPLACE, questions=[(cost, 1)])
    >>> with TemporaryDirectory() as folder:
    ...     out, wish = Path(folder, "m.sketch"), SketchWish(epsilon=4, delta="0.001", rows=8)
    ...     plan = sketch_matrix(np.eye(3), out, wish, ledger=book, neighbours=Neighbours.REPLACE)
    ...     found, low, high = answer_variance(out, [1, 0, -1])
    >>> low <= found <= high
    True
    """
    from banister.publish.sketches.files import header_number, read_sketch

    header, names, values = read_sketch(Path(sketch), variance.KIND)
    x = np.asarray(direction, dtype=np.float64)
    if x.shape != (len(names),) or not np.isfinite(x).all() or not np.any(x):
        raise BadValue(
            f"The direction must be {len(names)} finite numbers, not all 0: one for each of {', '.join(names)}."
        )
    plan = VarianceSketch.of_header(header, columns=len(names), rows=values.shape[0])
    found = plan.answer(values, x / np.sqrt(np.square(x).sum()), confidence=confidence)
    return turned(found, less=0, factor=float(header_number(header, "row length")) ** 2)
