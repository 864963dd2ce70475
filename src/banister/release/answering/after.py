"""What is done with drawn answers: arithmetic on them with intervals, HAVING, ORDER BY and LIMIT.

Nothing here sees an exact number. Ends of intervals are computed from ends of intervals, each step rounded outwards:
where every answer lies in its interval, so does what is made of them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banister.questions.after import (
    NOTHING,
    After,
    Both,
    ByAnswer,
    ByGroup,
    Combined,
    Compared,
    Constant,
    Either,
    HeldWithin,
    Made,
    Named,
    Opposite,
    Rounded,
    Size,
    Test,
    names_in,
)
from banister.questions.question import Axis, Bins, Question
from banister.release.aggregates.aggregate import Answer, Floats

if TYPE_CHECKING:
    from banister.release.run import AnswerTable

Truths = NDArray[np.bool_]
Drawn = Mapping[str, Answer]


def finished(table: "AnswerTable", question: Question) -> "AnswerTable":
    """The table as it was asked for: columns that are made, then the cells that HAVING keeps, sorted and cut."""
    after = question.after
    if after == NOTHING and set(table.answers) <= set(table.columns):
        return table
    drawn = table.answers
    every = {**drawn, **{name: computed(made, drawn, len(table)) for name, made in after.made}}
    places = _sorted(_kept(after, drawn, len(table)), table, question)[: after.limit]
    shown = {
        name: Answer(every[name].values[places], every[name].low[places], every[name].high[places])
        for name in table.columns
        if name not in table.names
    }
    agreed = {name for name, made in after.made if not table.consistent.isdisjoint(names_in(made))}
    rows = places.tolist()
    raised = table.raised
    return replace(
        table,
        labels=tuple(table.labels[place] for place in rows),
        answers=shown,
        whole=table.whole & shown.keys(),
        dates=table.dates & shown.keys(),
        moments=table.moments & shown.keys(),
        consistent=(table.consistent | agreed) & shown.keys(),
        raised=None if raised is None else frozenset(new for new, old in enumerate(rows) if old in raised),
    )


def computed(made: Made, drawn: Drawn, cells: int) -> Answer:
    """A number made of answers, cell by cell; it is missing (NaN) where something is divided by 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _computed(made, drawn, cells)


def _computed(made: Made, drawn: Drawn, cells: int) -> Answer:
    match made:
        case Named(name):
            return drawn[name]
        case Constant(value):
            point = np.full(cells, float(value))
            exact = value == int(value) and abs(value) < 2**53
            return Answer(point, point, point) if exact else _outwards(point, point, point)
        case Combined(sign, left, right):
            return _COMBINE[sign](_computed(left, drawn, cells), _computed(right, drawn, cells))
        case Size(value):
            return _size(_computed(value, drawn, cells))
        case HeldWithin(value, low, high):
            found = _computed(value, drawn, cells)
            return Answer(*(np.clip(part, low, high) for part in (found.values, found.low, found.high)))
        case Rounded(value, digits):
            found = _computed(value, drawn, cells)
            return Answer(*(_rounded(part, digits) for part in (found.values, found.low, found.high)))


def _outwards(values: Floats, low: Floats, high: Floats) -> Answer:
    return Answer(values, np.nextafter(low, -np.inf), np.nextafter(high, np.inf))


def _plus(a: Answer, b: Answer) -> Answer:
    return _outwards(a.values + b.values, a.low + b.low, a.high + b.high)


def _minus(a: Answer, b: Answer) -> Answer:
    return _outwards(a.values - b.values, a.low - b.high, a.high - b.low)


def _times(a: Answer, b: Answer) -> Answer:
    ends = np.stack([x * y for x in (a.low, a.high) for y in (b.low, b.high)])
    ends = np.where(np.isnan(ends), 0.0, ends)  # 0 times an end that is nowhere: no number in between is but 0.
    return _outwards(a.values * b.values, ends.min(axis=0), ends.max(axis=0))


def _over(a: Answer, b: Answer) -> Answer:
    """A quotient; where the divisor can be 0 or on either side of it, nothing is known of it but the value."""
    near = (b.low <= 0) & (b.high >= 0)
    below, above = np.where(near, 1.0, b.low), np.where(near, 1.0, b.high)
    ends = np.stack([x / y for x in (a.low, a.high) for y in (below, above)])
    ends = np.where(np.isnan(ends), 0.0, ends)
    values = a.values / np.where(b.values == 0, np.nan, b.values)
    low, high = np.where(near, -np.inf, ends.min(axis=0)), np.where(near, np.inf, ends.max(axis=0))
    return _outwards(values, low, high)


_COMBINE = {"+": _plus, "-": _minus, "*": _times, "/": _over}


def _size(a: Answer) -> Answer:
    ends = np.abs(np.stack([a.low, a.high]))
    low = np.where((a.low <= 0) & (a.high >= 0), 0.0, ends.min(axis=0))
    return Answer(np.abs(a.values), low, ends.max(axis=0))


def _rounded(x: Floats, digits: int) -> Floats:
    """Rounded, halves away from 0. It never falls, so ends of intervals stay ends; the infinite stay as they are."""
    scale = 10.0**digits
    found = np.copysign(np.floor(np.abs(x) * scale + 0.5) / scale, x)
    return np.where(np.isfinite(x) & np.isfinite(found), found, x)


def _kept(after: After, drawn: Drawn, cells: int) -> NDArray[np.int64]:
    """The places of the cells that HAVING keeps: those for which it is true, by the drawn values."""
    if after.having is None:
        return np.arange(cells)
    return np.flatnonzero(_holds(after.having, drawn, cells)[0])


def _holds(test: Test, drawn: Drawn, cells: int) -> tuple[Truths, Truths]:
    """Where a test is true and where it is false; it is neither where something is missing."""
    match test:
        case Compared(sign, left, right):
            a, b = computed(left, drawn, cells).values, computed(right, drawn, cells).values
            known = ~(np.isnan(a) | np.isnan(b))
            true = {"=": a == b, "<>": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]
            return true & known, ~true & known
        case Both(left, right):
            (yes, no), (also, neither) = _holds(left, drawn, cells), _holds(right, drawn, cells)
            return yes & also, no | neither
        case Either(left, right):
            (yes, no), (also, neither) = _holds(left, drawn, cells), _holds(right, drawn, cells)
            return yes | also, no & neither
        case Opposite(inner):
            yes, no = _holds(inner, drawn, cells)
            return no, yes


def _sorted(places: NDArray[np.int64], table: "AnswerTable", question: Question) -> NDArray[np.int64]:
    """The places in order; the last key is sorted by first, as each sort keeps the order of what is alike."""
    for key in reversed(question.after.order):
        match key:
            case ByAnswer(value, descending):
                found = computed(value, table.answers, len(table)).values
            case ByGroup(name, descending):
                found = _ranks(question.axes[table.names.index(name)], table)
        at = found[places]
        places = places[np.argsort(-at if descending else at, kind="stable")]  # NaN comes last either way.
    return places


def _ranks(axis: Axis, table: "AnswerTable") -> Floats:
    """For each row of the table the rank of its group: bins by their place, everything else by its value."""
    position = table.names.index(axis.name)
    labels = [row[position] for row in table.labels]
    if isinstance(axis, Bins):
        ranks = {axis.label(place): place for place in range(axis.size)}
    else:
        ranks = {label: rank for rank, label in enumerate(sorted(set(labels)))}  # type: ignore[type-var]
    return np.array([ranks[label] for label in labels], dtype=np.float64)
