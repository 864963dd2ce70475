"""The aggregates that a question may ask for: those on the shelf that the reader is given."""

from collections.abc import Sequence
from typing import ClassVar, Protocol, Self

from sqlglot import exp

from banister.errors import Refused
from banister.questions.question import Aggregated, Output
from banister.questions.reading.calls import Call, names_of
from banister.questions.reading.filtering import unfiltered
from banister.questions.reading.place import refused
from banister.questions.reading.scope import Scope


class AskedAggregate(Aggregated, Protocol):
    """What reading a question needs to know of an aggregate."""

    names: ClassVar[tuple[str, ...]]
    """Its names in SQL."""
    told: ClassVar[str]
    """How it is written, for people."""

    @classmethod
    def of_call(cls, call: Call) -> Self | None: ...


Shelf = Sequence[type[AskedAggregate]]


def output(node: exp.Expr, name: str, scope: Scope, shelf: Shelf) -> Output:
    """One column of the answer."""
    if isinstance(node, exp.Filter):
        return output(unfiltered(node), name, scope, shelf)
    names = names_of(node)
    for aggregate in shelf:
        if not names.isdisjoint(aggregate.names):
            found = aggregate.of_call(Call.of(node, scope))
            if found is not None:
                return Output(name=name, aggregate=found)
    raise _unknown(node, shelf)


NEAREST = "Ask COUNT(*), SUM or AVG of a bounded number, with GROUP BY or FILTER (WHERE ...)."

INSTEAD = {
    "WINDOW": "Over one person's rows compute it in a subquery of FROM. For shares of a total ask for both, GROUP BY "
    "ROLLUP (...), and divide the answers.",
    "MODE": "Ask SELECT x, COUNT(*) AS n FROM data GROUP BY x ORDER BY n DESC LIMIT 1.",
    "GROUPCONCAT": "Values are never released one by one: GROUP BY the column.",
    "ARRAYAGG": "Values are never released one by one: GROUP BY the column.",
    "ANYVALUE": "Values are never released one by one: GROUP BY the column.",
    "FIRST": "Values are never released one by one: GROUP BY the column.",
    "LAST": "Values are never released one by one: GROUP BY the column.",
}
"""The nearest thing that can be asked, by the name of what cannot."""


def _unknown(node: exp.Expr, shelf: Shelf) -> Refused:
    match node:
        case exp.Min() | exp.Max():
            return refused(
                node,
                "one person can move an extreme value across the whole range, so no useful noise protects it.",
                "Ask QUANTILE(column, 0.01) or QUANTILE(column, 0.99), or choose that for all: --extremes 1%, in "
                "Python extremes=0.01.",
            )
        case exp.Star():
            return refused(node, "rows are never released.", "Ask for aggregates such as COUNT(*) or AVG(column).")
        case exp.Column():
            return refused(node, "a column outside an aggregate must be grouped by.", "Add it to GROUP BY.")
    told = ", ".join(aggregate.told for aggregate in shelf)
    return refused(
        node, f"this is not on the list of aggregates ({told}).", INSTEAD.get(type(node).__name__.upper(), NEAREST)
    )
