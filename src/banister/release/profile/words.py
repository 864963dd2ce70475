"""A look in words and rows, shared by the terminal, files and the page."""

from fractions import Fraction

from banister.core.exact.written import all_apart
from banister.release.answering.wording import number
from banister.release.profile.profile import ORDERS, ColumnFound, LadderFound, NumberFound, Profile
from banister.release.profile.proposal import most_each, range_of

Row = dict[str, object]

FREQUENT = 8
"""Values of a category that are shown; files hold all of them."""


def share(found: NumberFound | None) -> str:
    """A share with its interval."""
    if found is None:
        return "-"
    value, low, high = (_percent(part) for part in (found.value, found.low, found.high))
    return f"{value}% [{low}, {high}]"


def _percent(part: float) -> str:
    """Two digits of a percentage, and all of 100.

    >>> _percent(0.012345), _percent(0.999), _percent(1.0)
    ('1.2', '99.9', '100')
    """
    percent = 100 * part
    return f"{percent:.3g}" if percent >= 99 else f"{percent:.2g}"


def count(found: NumberFound) -> str:
    """A count with its interval."""
    return f"{number(found.value)} [{number(found.low)}, {number(found.high)}]"


def summary(profile: Profile) -> list[str]:
    """What is said before the columns."""
    rows = profile.rows_each
    lines = [f"People: {count(profile.people)}."]
    if rows is not None:
        lines.append(f"Rows, at most {profile.most_rows} a person: {count(profile.rows)}.")
        lines.append(f"Rows a person: half have {rows.between(Fraction(1, 2))}, 95% have at most {most_each(rows)}.")
    rate = f"{profile.plan.confidence:.0%}"
    lines.append(
        f"In brackets: {rate} intervals. A person counts once in each column. Charged: {profile.plan.guarantee}."
    )
    return lines


def quantiles(found: LadderFound) -> list[str]:
    """The quantiles of a ladder, in the order of ORDERS."""
    return [found.between(order) for order in ORDERS]


def about(column: ColumnFound) -> str:
    """Where the values of a column lie, in a line."""
    if column.ladder is not None:
        words = zip(("5%", "half", "95%"), (ORDERS[0], ORDERS[2], ORDERS[-1]), strict=True)
        said = "; ".join(f"{word} at {column.ladder.between(order)}" for word, order in words)
        return said if column.ladder.ladder.dated else all_apart(said)
    shown = ", ".join(f"{value} {share(found)}" for value, found in column.values[:FREQUENT])
    more = f", and {len(column.values) - FREQUENT} more" if len(column.values) > FREQUENT else ""
    return (shown + more) or "no value is frequent enough to be shown"


def each(column: ColumnFound) -> str:
    """How many values of a column people have, so that `groups` can be declared; nothing where nobody knows."""
    return "" if column.groups is None else f"95% of people have at most {most_each(column.groups)} of its values."


def columns_of(profile: Profile) -> dict[str, list[str | float | None]]:
    """The look as the columns of a file, a row for each column of the table."""
    ends = [end for order in ORDERS for end in _ends(f"q{int(100 * order)}")]
    names = ["column", "kind", *_ends("missing"), *_ends("undeclared"), *ends, "range", "values"]
    rows: list[list[str | float | None]] = [
        [
            column.name,
            column.kind,
            *_three(column.missing),
            *_three(column.outside),
            *_ladder(column.ladder),
            "" if column.ladder is not None else about(column),
        ]
        for column in profile.columns
    ]
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _ends(name: str) -> list[str]:
    return [name, f"{name}_low", f"{name}_high"]


def _three(found: NumberFound | None) -> list[float | None]:
    return [None, None, None] if found is None else [found.value, found.low, found.high]


def _ladder(found: LadderFound | None) -> list[str | float | None]:
    if found is None:
        return [None] * (3 * len(ORDERS) + 1)
    cells: list[str | float | None] = []
    for order in ORDERS:
        rung = found.quantile(order)
        low, high = found.ladder.ends(rung.low)[0], found.ladder.ends(rung.high)[1]
        ends = [None if end is None else found.ladder.said(end) for end in (low, high)]
        cells += [found.ladder.name(rung.rung), *ends]
    return [*cells, range_of(found)]


def document(profile: Profile) -> Row:
    """The look as a document for JSON."""
    columns = [
        {
            "name": c.name,
            "kind": c.kind,
            "missing": _three(c.missing),
            "undeclared": None if c.outside is None else _three(c.outside),
            "quantiles": {} if c.ladder is None else dict(zip(_names(), quantiles(c.ladder), strict=True)),
            "range": None if c.ladder is None else range_of(c.ladder),
            "values": [[str(value), *_three(found)] for value, found in c.values],
            "groups": None if c.groups is None else most_each(c.groups),
        }
        for c in profile.columns
    ]
    rows = profile.rows_each
    return {
        "format": 1,
        "epsilon": str(profile.plan.guarantee.epsilon),
        "delta": str(profile.plan.guarantee.delta),
        "confidence": profile.plan.confidence,
        "people": _three(profile.people),
        "rows": _three(profile.rows),
        "rows_a_person": None if rows is None else most_each(rows),
        "columns": columns,
        "proof": profile.proof,
        "head": profile.head,
    }


def _names() -> list[str]:
    return [f"{int(100 * order)}%" for order in ORDERS]
