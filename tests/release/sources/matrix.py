"""Every expression over a stored column, as the package renders it, and what it should give.

The latter is worked out here, from the row's value alone.
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache
from zoneinfo import ZoneInfo

from sqlglot import exp

from banister.errors import BadValue
from banister.questions import curves, periods, terms
from banister.questions.question import Bins, Listed, Periods, Rungs, Span, Stretches
from banister.questions.terms import Condition, Leaf, Quantity, Term
from banister.release.sources.sql.dialect import Dialect
from banister.release.sources.sql.render import Renderer
from banister.release.work import Physical
from banister.tables.schema import Column, Kind, Schema
from banister.tables.zones import DAY
from tests.release.sources.stored import Given, Moment, Row, Stored


@cache
def column(declared: str) -> Column:
    """A column `x` as a schema declares it."""
    return Schema.of_text(f"[columns]\nx = {{ {declared} }}").main.columns[0]


@dataclass(frozen=True, slots=True)
class Asked:
    """An expression over one column, rendered, and what is known of it."""

    sql: str
    quantity: Quantity | None
    condition: Condition | None


@cache
def asked(dialect: Dialect, physical: Physical, declared: str, *, curved: bool) -> tuple[Asked, ...]:
    """All that can be asked of a column by itself; with `curved`, divisions and functions of it too."""
    found = column(declared)
    leaf = Leaf("t", found, ready=False)
    renderer = Renderer({("t", "x"): physical}, dialect)

    def spoken(tree: exp.Expr) -> str:
        return tree.sql(dialect=dialect.name)

    quantities = list(_quantities(leaf, curved=curved))
    conditions = list(_conditions(leaf, quantities))
    rows = [Asked(spoken(renderer.term(q.term)), q, None) for q in quantities]
    rows += [Asked(spoken(renderer.condition(c)), None, c) for c in conditions]
    return (*rows, *(Asked(spoken(tree), q, None) for tree, q in _places(renderer, leaf, quantities)))


@cache
def _quantities(leaf: Leaf, *, curved: bool) -> tuple[Quantity, ...]:
    """The column itself, and what is made of it."""
    if leaf.column.kind is Kind.CATEGORY:
        return ()
    return (*_made_of(leaf), *(_curves(terms.column(leaf)) if curved else ()))


def _made_of(leaf: Leaf) -> Iterator[Quantity]:
    x = terms.column(leaf)
    yield x
    if x.date:
        yield from _dated(x, turned=bool(leaf.column.zone))
        yield terms.minus(x, terms.date(0))
        return
    if x.moment:
        yield from _dated(periods.day_of(x), turned=bool(leaf.column.zone))
        yield from (periods.clock_part(x, name) for name in periods.CLOCK_PARTS)
        yield from (periods.clock_period(x, every) for every in ("hour", "minute"))
        yield periods.time_of(x)
        yield terms.minus(x, terms.moment(1))
        return
    lifted = terms.plus(x, terms.scaled(terms.constant(Fraction(1)), max(Fraction(0), -x.low * x.step)))
    makers = (
        lambda: terms.scaled(x, Fraction(-5, 2)),
        lambda: terms.plus(x, terms.constant(Fraction(7, 2))),
        lambda: terms.times(x, x),
        lambda: terms.absolute(x),
        lambda: terms.modulo(lifted, 3 * x.step),
        lambda: terms.least_or_greatest("LEAST", [x, terms.constant(Fraction(3))]),
        lambda: terms.least_or_greatest("GREATEST", [terms.scaled(x, Fraction(-1)), x]),
        lambda: terms.coalesce([x, terms.constant(Fraction(7))]),
        lambda: terms.case_when([terms.compare(">", x, terms.constant(Fraction(1)))], [x], terms.NULL),
    )
    yield from _allowed(makers)


def _curves(x: Quantity) -> Iterator[Quantity]:
    """Divisions and functions."""
    one = terms.constant(Fraction(1))
    lifted = terms.plus(x, terms.scaled(one, max(Fraction(0), -x.low * x.step)))
    above = terms.plus(lifted, terms.scaled(one, x.step))  # The least is one step.
    makers = (
        lambda: curves.quotient(x, above),
        lambda: curves.quotient(terms.constant(Fraction(-7, 2)), above),
        lambda: curves.quotient(terms.times(x, x), above),
        lambda: curves.applied(curves.SQRT, lifted),
        lambda: curves.applied(curves.LN, above),
        lambda: curves.applied(curves.LOG10, above),
        lambda: curves.applied(curves.EXP, x),
        lambda: curves.applied(curves.EXP, _held(x, 9)),
        lambda: curves.applied(curves.EXP, terms.scaled(x, Fraction(2))),
        lambda: curves.applied(curves.EXP, terms.scaled(_held(x, 1), Fraction(600))),
        lambda: curves.applied(curves.EXP, terms.scaled(terms.absolute(x), Fraction(-90))),
        lambda: curves.applied(curves.power_of(Fraction(241, 2)), lifted),
        lambda: curves.applied(curves.power_of(Fraction(-241, 2)), above),
        lambda: curves.applied(curves.power_of(Fraction(11, 4)), lifted),
        lambda: curves.applied(curves.power_of(Fraction(-1, 2)), above),
        lambda: curves.whole_power(x, 3),
    )
    yield from _allowed(makers)


def _allowed(makers: Sequence[Callable[[], Quantity]]) -> Iterator[Quantity]:
    """All but what goes beyond 2^62 steps, or beyond doubles: such an expression is refused when it is asked for."""
    for make in makers:
        with contextlib.suppress(BadValue):
            yield make()


def _held(x: Quantity, end: int) -> Quantity:
    below = terms.least_or_greatest("LEAST", [x, terms.constant(Fraction(end))])
    return terms.least_or_greatest("GREATEST", [below, terms.constant(Fraction(-end))])


def _dated(day: Quantity, *, turned: bool) -> Iterator[Quantity]:
    """All that is asked of a day; where clocks are `turned` it is written so long that a few are enough."""
    yield from (periods.period(day, every) for every in (("week",) if turned else EVERY))
    yield from (periods.part(day, name) for name in (("isodow", "year") if turned else periods.PARTS))


EVERY = ("day", "week", "month", "quarter", "year")


def _conditions(leaf: Leaf, quantities: Sequence[Quantity]) -> Iterator[Condition]:
    yield terms.IsNull(leaf)
    if leaf.column.kind is Kind.CATEGORY:
        values = leaf.column.values or ()
        yield terms.In(leaf, ())
        for value in values:
            yield terms.In(leaf, (value,))
        if values:
            yield terms.In(leaf, values)
            yield terms.Not(terms.In(leaf, values[:1]))
        return
    x = quantities[0]
    for unit in (x.low, (x.low + x.high) // 2, x.high):
        for sign in ("=", "<>", "<", "<=", ">", ">="):
            yield terms.Compare(sign, leaf, terms.Whole(unit))


def _places(
    renderer: Renderer, leaf: Leaf, quantities: Sequence[Quantity]
) -> Iterator[tuple[exp.Expr, Quantity | None]]:
    """Where a row stands along an axis; what is outside every cell is NULL there."""
    axes: list[Span | Periods | Bins] = []
    found = leaf.column
    if found.kind is Kind.CATEGORY:
        if found.values is not None:
            assert renderer.inside(Listed(leaf, found.values, "x")) is None
        return
    x = quantities[0]
    edges = sorted({Fraction(unit) * x.step for unit in (x.low, x.low + 1, (x.low + x.high) // 2, x.high)})
    stretches = Stretches(leaf, tuple(edges), "x")
    yield (
        renderer.place(stretches, 0),
        Quantity(term=terms.Null(), low=0, high=stretches.size - 1, step=Fraction(1), nulls=False),
    )
    if found.kind is Kind.DATE:
        axes = [Periods(periods.period(x, every), every, "x") for every in ("week", found.every)]
    elif found.kind is Kind.TIMESTAMP:
        hours, days = periods.clock_period(x, "hour"), periods.period(periods.day_of(x), "day")
        axes = [Periods(hours, "hour", "x"), Periods(days, "day", "x")]
    else:
        if found.kind is Kind.INTEGER:
            axes.append(Span(x, "x"))
        if found.bins:
            axes.append(Bins(x, found.bins, "x"))
        for width in (1, 7):
            rungs = Rungs(x, width)
            top = (rungs.size - 1) * width
            yield renderer.rung(rungs), Quantity(term=terms.Null(), low=0, high=top, step=Fraction(1), nulls=True)
    for axis in axes:
        inside = renderer.inside(axis)
        place = renderer.place(axis, 0)
        held = place if inside is None else exp.Case(ifs=[exp.If(this=inside, true=place)])
        yield held, Quantity(term=terms.Null(), low=0, high=axis.size - 1, step=Fraction(1), nulls=True)


def units(value: Given, found: Column) -> int | None:
    """A value as the schema reads it, in whole steps."""
    if value is None or (isinstance(value, float | Decimal) and math.isnan(value)):
        return None
    low, high = found.units
    if isinstance(value, Moment):
        second = clock_of(value.second, found.zone)
        return min(max(second if found.kind is Kind.TIMESTAMP else second // DAY, low), high)
    assert isinstance(value, int | float | Decimal)
    if found.kind is Kind.DATE or (isinstance(value, int) and found.step == 1):
        return int(min(max(value, low), high))
    x = min(max(float(value), float(found.low)), float(found.high))
    inverse = 1 / found.step
    scaled = x * float(inverse) if inverse.denominator == 1 else x / float(found.step)
    return min(max(math.floor(scaled + 0.5), low), high)


def clock_of(second: int, zone: str) -> int:
    """What clocks of a zone show, in seconds since 1970; far away, where no range ends, what UTC does."""
    if not zone or not -(10**10) < second < 10**10:
        return second
    ahead = datetime.fromtimestamp(second, UTC).astimezone(ZoneInfo(zone)).utcoffset()
    assert ahead is not None
    return second + int(ahead.total_seconds())


def number_of(term: Term, value: Given) -> int | None:
    """What a term is, worked out without SQL."""
    match term:
        case Leaf():
            return units(value, term.column)
        case terms.Whole(n):
            return n
        case terms.Null():
            return None
        case terms.Coalesce(parts):
            return next((n for n in (number_of(part, value) for part in parts) if n is not None), None)
        case terms.LeastOrGreatest(name, parts):
            known = [n for n in (number_of(part, value) for part in parts) if n is not None]
            return (min(known) if name == "LEAST" else max(known)) if known else None
        case terms.Case(pairs, otherwise):
            held = (then for condition, then in pairs if truth_of(condition, value))
            return number_of(next(held, otherwise), value)
        case terms.Add(a, b) | terms.Multiply(a, b):
            left, right = number_of(a, value), number_of(b, value)
            if left is None or right is None:
                return None
            return left + right if isinstance(term, terms.Add) else left * right
        case terms.Abs(a) | terms.Mod(a, _) | terms.IntegerDivide(a, _):
            inner = number_of(a, value)
            if inner is None or isinstance(term, terms.Abs):
                return inner if inner is None else abs(inner)
            return inner % term.divisor if isinstance(term, terms.Mod) else inner // term.divisor
        case terms.FloorDivide(a, b):
            left, right = number_of(a, value), number_of(b, value)
            return None if left is None or right is None else left // right
        case terms.FunctionOf(term=a):
            inner = number_of(a, value)
            return None if inner is None else _curve(term, inner)


FUNCTIONS: dict[str, Callable[[float], float]] = {
    "SQRT": math.sqrt,
    "LN": math.log,
    "LOG10": math.log10,
    "EXP": math.exp,
}


def _curve(curve: terms.FunctionOf, inner: int) -> int:
    """Python's own function of what is known to lie in its range, in whole steps: its rounding avoids every jump."""
    x = float(min(max(inner, curve.first), curve.last) * curve.given)
    found = x ** float(curve.exponent) if curve.name == "POWER" else FUNCTIONS[curve.name](x)
    return math.floor(found / float(curve.step) + float(curve.shift))


def truth_of(condition: Condition, value: Given) -> bool | None:
    """What a condition is, with SQL's three values."""
    match condition:
        case terms.IsNull(Leaf(column=Column(kind=Kind.CATEGORY))):
            return value is None
        case terms.IsNull(term):
            return number_of(term, value) is None
        case terms.In(_, values):
            return None if value is None else any(value == v and type(value) is type(v) for v in values)
        case terms.Not(a):
            held = truth_of(a, value)
            return None if held is None else not held
        case terms.Compare(sign, a, b):
            left, right = number_of(a, value), number_of(b, value)
            if left is None or right is None:
                return None
            return {
                "=": left == right,
                "<>": left != right,
                "<": left < right,
                "<=": left <= right,
                ">": left > right,
                ">=": left >= right,
            }[sign]
    raise AssertionError(condition)


def wrong(question: Asked, value: Given, answer: object) -> str | None:
    """What is wrong with an answer, or nothing."""
    if question.condition is not None:
        expected: object = truth_of(question.condition, value)
        return None if answer == expected else f"{answer} where {expected} was due"
    known = question.quantity
    assert known is not None
    if answer is not None and not (isinstance(answer, int) and known.low <= answer <= known.high):
        return f"{answer} leaves [{known.low}, {known.high}]"
    if isinstance(known.term, terms.Null):
        return None
    expected = number_of(known.term, value)
    return None if answer == expected else f"{answer} where {expected} was due"


Ask = Callable[[str, Sequence[Row], Sequence[str]], Sequence[Sequence[object]]]
"""Puts rows into a column `x` of a table `t` of some type, and gives each row's number and what is asked of it."""


def disagreements(stored: Stored, rows: Sequence[Row], questions: Sequence[Asked], ask: Ask) -> list[str]:
    """Every answer that is wrong, in words."""
    answers = ask(stored.name, rows, [question.sql for question in questions])
    assert len(answers) == len(rows)
    found = []
    for place, *values in answers:
        assert isinstance(place, int)
        said, value = rows[place]
        for question, answer in zip(questions, values, strict=True):
            fault = wrong(question, value, answer)
            if fault is not None:
                found.append(f"{stored.name} {said[:60]}: {fault} in {question.sql[:300]}")
    return found


def check(stored: Stored, dialect: Dialect, ask: Ask, *, alone: bool = True) -> int:
    """All expressions on all values at once, then the columns themselves on each value `alone`; how many were right."""
    every = [asked(dialect, stored.physical, one, curved=stored.is_curved(one)) for one in stored.declared]  # type: ignore[arg-type]
    questions = [question for some in every for question in some]
    found = disagreements(stored, stored.rows, questions, ask)
    first = [some[0] for some in every]
    for row in stored.rows if alone else ():
        found += disagreements(stored, [row], first, ask)
    assert not found, f"{len(found)} answers of {len(questions) * len(stored.rows)}:\n" + "\n".join(found[:20])
    return len(questions) * len(stored.rows)
