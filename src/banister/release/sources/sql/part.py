"""One person's part of one cell, held in its bounds."""

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from banister.questions.measures import Counting, Measure
from banister.questions.terms import Quantity
from banister.release.sources.sql.syntax import between, case, cast, clamp, number, paren
from banister.release.work import Work

HELD = 2**60
"""Totals are held within ±2^60, so that noise always fits: holding moves no two totals further apart."""


def held(total: exp.Expr) -> exp.Expr:
    """A total within ±2^60. It is never missing, so LEAST and GREATEST, which pass over NULL, may be used."""
    return cast(between(total, -HELD, HELD), "bigint")


def paired_quantities(work: Work) -> list[tuple[int, Quantity]]:
    """The measures that need to know how many rows a person has, by their places, and of what."""
    return [(i, m.quantity) for i, m in enumerate(work.measures) if m.most is not None and m.quantity is not None]


def held_part(value: exp.Expr, measure: Measure, count: exp.Expr) -> exp.Expr:
    """A person counts once; a number is clamped; the total of more rows than may count is so many times their mean."""
    if measure.counting is Counting.PEOPLE:
        return number(1)
    clamped = clamp(value, measure.low, measure.high)
    if measure.most is None:
        return clamped
    fits = exp.LTE(this=count, expression=number(measure.most))
    return clamp(case([(fits, clamped)], scaled_mean(value, count, measure.most)), measure.low, measure.high)


def scaled_mean(value: exp.Expr, count: exp.Expr, most: int) -> exp.Expr:
    """value · most / count, rounded half away from 0, for a count above 0; no step of it leaves 64 bits.

    The size is divided first: its quotient is within the range of one row, what is left over below the count.
    """
    size = cast(exp.Abs(this=cast(between(value, -HELD, HELD), "bigint")), "bigint")
    whole = _divided(size, count)
    rest = paren(exp.Sub(this=size, expression=exp.Mul(this=whole, expression=count)))
    twice = exp.Add(this=exp.Mul(this=rest, expression=number(2 * most)), expression=count)
    part = _divided(paren(twice), paren(exp.Mul(this=number(2), expression=count)))
    found = paren(exp.Add(this=exp.Mul(this=whole, expression=number(most)), expression=part))
    below = exp.LT(this=value, expression=number(0))
    return case([(below, paren(exp.Neg(this=found)))], found)


def _divided(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """How often b goes into a; a count of 0 never comes here, but an engine may look before it chooses."""
    above = exp.Greatest(this=b, expressions=[number(1)], ignore_nulls=True)
    return cast(exp.IntDiv(this=paren(a), expression=above), "bigint")


def hold(values: NDArray[np.int64], measure: Measure, counts: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """`held_part` for arrays: the parts of many people, with the numbers of rows behind them where these matter."""
    if measure.counting is Counting.PEOPLE:
        return np.ones(len(values), dtype=np.int64)
    if measure.most is None or counts is None:
        return np.clip(values, measure.low, measure.high)
    held = np.clip(values, measure.low, measure.high)
    over = np.flatnonzero(counts > measure.most)  # Few people, as a rule, and divisions take long.
    many, above = values[over], counts[over]
    whole, rest = np.divmod(np.abs(np.clip(many, -HELD, HELD)), above)
    scaled = whole * measure.most + (rest * (2 * measure.most) + above) // (2 * above)
    held[over] = np.clip(np.where(many < 0, -scaled, scaled), measure.low, measure.high)
    return held
