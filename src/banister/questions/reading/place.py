"""Refusing a piece of SQL: where it stands, why, and what to write instead."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from sqlglot import exp

from banister.core.exact.written import DIGITS, written_fraction
from banister.errors import BadValue, Refused


def refused(node: exp.Expr | None, why: str, instead: str = "") -> Refused:
    """The error for a node that is not on the list of what is understood.

    The place is the first token of the node that the parser remembers; the text is the question, never data.
    """
    where = place(node)
    what = f"'{shown(node)}'{where}: " if node is not None else ""
    return Refused(f"{what}{why}{' ' + instead if instead else ''}")


@contextmanager
def placed(node: exp.Expr) -> Iterator[None]:
    """Give an error about values the place in the text; one that has a place keeps it."""
    try:
        yield
    except Refused:
        raise
    except BadValue as error:
        raise refused(node, str(error)) from None


def place(node: exp.Expr | None) -> str:
    """`at line 1, column 8`, or nothing where it is not known."""
    if node is None:
        return ""
    found = [n.meta for n in node.walk() if "line" in n.meta]
    if not found:
        return ""
    first = min(found, key=lambda meta: int(meta["start"]))
    column = int(first["col"]) - (int(first["end"]) - int(first["start"]))
    return f" at line {first['line']}, column {column}"


def shown(node: exp.Expr) -> str:
    """The node as text, cut where it is long."""
    text = node.sql()
    return text if len(text) <= 60 else text[:57] + "..."


def written_number(node: exp.Expr) -> Fraction:
    """The number that stands in a question."""
    try:
        return written_fraction(node.name)
    except ValueError:
        raise refused(node, f"this is no number of at most {DIGITS} digits.") from None


def written_whole(node: exp.Expr | None) -> int | None:
    """The whole number, not below 0 and of at most 18 digits, that a node is; None where it is none."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit() and len(node.name) <= 18:
        return int(node.name)
    return None


def only(node: exp.Expr, *known: str) -> None:
    """Refuse a node that carries a part which we do not know."""
    for key, value in node.args.items():
        if key not in known and value not in (None, False, []):
            name = SAID.get(key) or key.strip("_")
            raise refused(node, f"{name.upper().replace('_', ' ')} is not understood here.", ADVICE.get(name, ""))


SAID = {"method": "natural"}
"""What people write for a part that has another name in the tree."""

ADVICE = {
    "natural": "Say what ties the tables together: USING (person), or ON a.person = b.person.",
    "having": "Filter in the WHERE outside.",
    "sample": "All rows cost no more epsilon than some of them, and answer better; for some, write a WHERE.",
    "order": "The rows of a subquery have no order.",
    "limit": "Which rows it takes is not known; filter in WHERE.",
    "offset": "Take the rest of the released answers instead: that is free.",
    "distinct": "Group by the columns instead.",
    "qualify": "Write it in a subquery that keeps rows: FROM (SELECT * FROM data QUALIFY ...) x.",
}


AFTER = ("having", "order", "limit")
"""Clauses that act on the answers of a question once they are drawn. In a subquery they would act on exact rows."""


def check_select(tree: exp.Select, *more: str) -> None:
    """Refuse any clause of a SELECT other than the ones that are understood."""
    known = ("with_", "expressions", "from_", "joins", "where", "group", *more)
    for key, value in tree.args.items():
        if key not in known and value not in (None, False, []):
            node = value if isinstance(value, exp.Expr) else None
            name = key.strip("_").upper()
            raise refused(node, f"{name} is not understood in a question.", ADVICE.get(key, ""))
    group = tree.args.get("group")
    if group is not None:
        only(group, "expressions")
