"""`banister sketch graph|matrix|cut|variance`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banister.apps.cli.say import tell
from banister.apps.cli.showing.certificates import Sign, copy_certifier

if TYPE_CHECKING:
    from banister.publish.sketches.intervals import Answer
    from banister.publish.sketches.sketch import SketchWish

Epsilon = Annotated[str, typer.Option(help="How much may be told apart.")]
Delta = Annotated[str, typer.Option(help="The chance that more may be told.")]
Ledger_ = Annotated[str, typer.Option("--ledger", help="The ledger to charge.")]
Out = Annotated[Path | None, typer.Option(help="Write the sketch here; by default the input's name with .sketch.")]
Rows = Annotated[int, typer.Option(min=0, help="Rows of the sketch; 0 takes what --error needs.")]
Error = Annotated[str, typer.Option(help="By which share an answer may be off, 95 times in 100.")]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether the first line of a .csv file holds names.")
]
Sketch = Annotated[Path, typer.Argument(help="A sketch that was published.", metavar="SKETCH")]
Key = Annotated[str, typer.Option(help="A name for this request: it is charged once, and fetched when asked again.")]
Confidence = Annotated[str, typer.Option(help="How sure the interval is.")]


def register(app: typer.Typer) -> None:
    family = typer.Typer(no_args_is_help=True, help="Publish a graph or a matrix once; answer every cut or variance.")
    app.add_typer(family, name="sketch")
    family.command()(graph)
    family.command()(matrix)
    family.command()(cut)
    family.command()(variance)


def graph(
    edges: Annotated[Path, typer.Argument(help="Edges: text lines, .csv or .parquet.", metavar="EDGES")],
    epsilon: Epsilon,
    delta: Delta,
    ledger: Ledger_,
    nodes: Annotated[Path, typer.Option(help="All nodes, one public name per line; they are published.")],
    out: Out = None,
    rows: Rows = 0,
    error: Error = "0.1",
    most_weight: Annotated[
        str, typer.Option(help="The largest weight an edge can have, publicly known; larger ones are cut.")
    ] = "1",
    header: Header = None,
    key: Key = "",
    sign: Sign = "",
) -> None:
    """Publish a sketch of a graph from which anyone can answer every cut.

    Example: banister sketch graph friends.edges --nodes names.txt --epsilon 1 --delta 1e-6 --ledger friends.ledger
    """
    from banister.accounting.ledger import Ledger
    from banister.publish.sketches.sketch import sketch_graph

    target = _target(edges, out, ledger)
    with Ledger.open(ledger) as book:
        wish = _wish(epsilon, delta, rows, error)
        done = sketch_graph(
            edges, target, wish, ledger=book, nodes=nodes, most_weight=most_weight, header=header, key=key
        )
        certificate = copy_certifier(sign)(done, book, [target])
    tell(f"Wrote {target}: {done.nodes} nodes, {done.rows} rows, floor {done.floor:.1f}.")
    tell(f"Its certificate is {certificate}.")
    tell(f"A cut around half of the nodes is off by about {done.deviation(done.nodes // 2, 0.0):.4g} at least.")


def matrix(
    table: Annotated[Path, typer.Argument(help="Numbers, one row per person: .csv or .parquet.", metavar="TABLE")],
    epsilon: Epsilon,
    delta: Delta,
    ledger: Ledger_,
    neighbours: Annotated[str, typer.Option(help="add-remove or replace.")],
    row_length: Annotated[str, typer.Option(help="The largest length of a row, publicly known; longer ones are cut.")],
    out: Out = None,
    rows: Rows = 0,
    error: Error = "0.1",
    header: Header = None,
    columns: Annotated[str, typer.Option(help="The columns' names, with --no-header: a,b,c.")] = "",
    key: Key = "",
    sign: Sign = "",
) -> None:
    """Publish a sketch of a matrix from which anyone can answer the variance along every direction.

    Example: banister sketch matrix m.parquet --epsilon 1 --delta 1e-6 --neighbours replace --row-length 3 --ledger m
    """
    from banister.accounting.ledger import Ledger
    from banister.apps.cli.say import chosen
    from banister.core.privacy.guarantee import Neighbours
    from banister.publish.sketches.sketch import sketch_matrix

    target = _target(table, out, ledger)
    relation = chosen("neighbours", neighbours, Neighbours)
    with Ledger.open(ledger) as book:
        wish = _wish(epsilon, delta, rows, error)
        names = [name.strip() for name in columns.split(",") if name.strip()]
        done = sketch_matrix(
            table,
            target,
            wish,
            ledger=book,
            neighbours=relation,
            row_length=row_length,
            header=header,
            columns=names,
            key=key,
        )
        certificate = copy_certifier(sign)(done, book, [target])
    off = done.deviation(0.0) * float(row_length) ** 2
    tell(f"Wrote {target}: {done.columns} columns, {done.rows} rows. A sum of squares is off by {off:.4g} at least.")
    tell(f"Its certificate is {certificate}.")


def _target(source: Path, out: Path | None, ledger: str) -> Path:
    """Where to write, which is neither the source nor the ledger."""
    from banister.files import check_apart

    target = source.with_suffix(".sketch") if out is None else out
    for path in (target, target.with_suffix(".certificate")):
        check_apart(path, {"the private table": source, "the ledger": Path(ledger)})
    return target


def cut(
    sketch: Sketch,
    nodes: Annotated[Path, typer.Option(help="The nodes on one side, one name per line.")],
    confidence: Confidence = "0.95",
) -> None:
    """Answer a cut from a published sketch. It costs nothing.

    Example: banister sketch cut friends.sketch --nodes group.txt
    """
    from banister.publish.sketches.sketch import answer_cut

    _say("cut", answer_cut(sketch, _lines(nodes), confidence=confidence), confidence)


def variance(
    sketch: Sketch,
    direction: Annotated[
        str, typer.Option(help="One number per column, separated by commas; it is scaled to length 1.")
    ],
    confidence: Confidence = "0.95",
) -> None:
    """Answer the sum of squares along a direction from a published sketch. It costs nothing.

    Example: banister sketch variance m.sketch --direction 1,0,-1
    """
    from banister.errors import BadValue
    from banister.publish.sketches.sketch import answer_variance

    try:
        numbers = [float(word) for word in direction.split(",")]
    except ValueError:
        raise BadValue(f"--direction {direction[:40]} must be numbers separated by commas, e.g. 1,0,-1.") from None
    _say("variance", answer_variance(sketch, numbers, confidence=confidence), confidence)


def _wish(epsilon: str, delta: str, rows: int, error: str) -> "SketchWish":
    from banister.publish.sketches.sketch import SketchWish

    return SketchWish(epsilon=epsilon, delta=delta, rows=rows, error=error)


def _lines(path: Path) -> list[str]:
    from banister.foreign import read_text

    return [line.strip() for line in read_text(path, "a list of nodes").splitlines() if line.strip()]


def _say(what: str, found: "Answer", confidence: str) -> None:
    tell(f"{what} {found[0]:.6g}, between {found[1]:.6g} and {found[2]:.6g} (confidence {confidence})")
