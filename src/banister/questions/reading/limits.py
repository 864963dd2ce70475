"""How large a question may be: what is refused here would end in a hang, in no memory, or in a stack that is full."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlglot import exp

from banister.errors import Refused
from banister.questions import terms
from banister.questions.question import Axis, cell_count
from banister.questions.reading.place import refused

TEXT_LIMIT = 200_000
"""Characters of all questions together."""

DEPTH_LIMIT = 60
"""How deep expressions may be nested; a + b + c is two deep."""

SIZE_LIMIT = 20_000
"""Parts of one expression after functions of dates and divisions are written out in whole numbers."""

LISTED_LIMIT = 200
"""Numbers in the list behind IN, each of which becomes a comparison."""

CELLS_LIMIT = 10_000_000
"""Cells of one question: every one of them is answered, also where no row is in it."""

RELATIONS_LIMIT = 32
"""Tables and subqueries that one question may read, each as often as it is named."""

TOO_DEEP = f"The question is nested too deeply; up to {DEPTH_LIMIT} levels are read. Write it flatter."


@contextmanager
def not_too_deep() -> Iterator[None]:
    """Refuse what is so deep that even reading it fills the stack."""
    try:
        yield
    except RecursionError:
        raise Refused(TOO_DEEP) from None


def check_text(text: str) -> None:
    """Refuse a text that is too long to be read."""
    if len(text) > TEXT_LIMIT:
        raise Refused(f"The question has {len(text)} characters; up to {TEXT_LIMIT} are read. Ask less at once.")


def check_depth(tree: exp.Expr) -> None:
    """Refuse a tree that is nested too deeply, without going down it by calls."""
    level = [tree]
    for _ in range(2 * DEPTH_LIMIT):
        level = [child for node in level for child in node.iter_expressions()]
        if not level:
            return
    raise Refused(TOO_DEEP)


def check_size(node: exp.Expr, term: terms.Term) -> None:
    """Refuse an expression whose parts, where they stand several times, are too many."""
    count, rest = 0, [term]
    while rest:
        count += 1
        if count > SIZE_LIMIT:
            raise refused(
                node, f"this has more than {SIZE_LIMIT} parts once it is written out.", "Ask something simpler."
            )
        rest.extend(terms.children(rest.pop()))  # type: ignore[arg-type]


def check_cells(tree: exp.Expr, axes: tuple[Axis, ...]) -> None:
    """Refuse more cells than can be answered."""
    cells = cell_count(axes)
    if cells > CELLS_LIMIT:
        sizes = ", ".join(f"{axis.name} {cell_count([axis])}" for axis in axes)
        raise refused(
            tree.args.get("group"),
            f"this makes {cells} cells ({sizes}), and each would be answered, also without rows; up to {CELLS_LIMIT} "
            "can be.",
            "Group by fewer columns, or by BIN(column) with wide bins.",
        )
