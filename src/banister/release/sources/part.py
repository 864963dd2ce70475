"""One person's part of one cell, held in its bounds."""

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from banister.questions.measures import Counting, Measure
from banister.questions.terms import Quantity
from banister.release.sources.render import between, case, clamp, number
from banister.release.work import Work

HELD = 2**60
"""Totals are held within ±2^60, so that noise always fits: holding moves no two totals further apart."""


def paired_quantities(work: Work) -> list[tuple[int, Quantity]]:
    """The measures that need to know how many rows a person has, by their places, and of what."""
    return [(i, m.quantity) for i, m in enumerate(work.measures) if m.most is not None and m.quantity is not None]


def held_part(value: exp.Expr, measure: Measure, count: exp.Expr) -> exp.Expr:
    """A person counts once; a number is clamped; the total of more rows than may count is so many times their mean."""
    if measure.counting is Counting.PEOPLE:
        return number(1)
    clamped = clamp(value.copy(), measure.low, measure.high)
    if measure.most is None:
        return clamped
    fits = exp.LTE(this=count.copy(), expression=number(measure.most))
    return clamp(case([(fits, clamped)], scaled_mean(value, count, measure.most)), measure.low, measure.high)


def scaled_mean(value: exp.Expr, count: exp.Expr, most: int) -> exp.Expr:
    """value · most / count, rounded half away from 0, for a count above 0; no step of it leaves 64 bits.

    The size is divided first: its quotient is within the range of one row, what is left over below the count.
    """
    size = exp.cast(exp.Abs(this=exp.cast(between(value.copy(), -HELD, HELD), "bigint")), "bigint")
    whole = _divided(size, count)
    rest = exp.paren(exp.Sub(this=size.copy(), expression=exp.Mul(this=whole.copy(), expression=count.copy())))
    twice = exp.Add(this=exp.Mul(this=rest, expression=number(2 * most)), expression=count.copy())
    part = _divided(exp.paren(twice), exp.paren(exp.Mul(this=number(2), expression=count.copy())))
    found = exp.paren(exp.Add(this=exp.Mul(this=whole, expression=number(most)), expression=part))
    below = exp.LT(this=value.copy(), expression=number(0))
    return case([(below, exp.paren(exp.Neg(this=found.copy())))], found)


def _divided(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """How often b goes into a; a count of 0 never comes here, but an engine may look before it chooses."""
    above = exp.Greatest(this=b.copy(), expressions=[number(1)], ignore_nulls=True)
    return exp.cast(exp.IntDiv(this=exp.paren(a.copy()), expression=above), "bigint")


def hold(values: NDArray[np.int64], measure: Measure, counts: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """`held_part` for arrays: the parts of many people, with the numbers of rows behind them where these matter."""
    if measure.counting is Counting.PEOPLE:
        return np.ones(len(values), dtype=np.int64)
    if measure.most is None or counts is None:
        return np.clip(values, measure.low, measure.high)
    above = np.maximum(counts, 1)
    size = np.abs(np.clip(values, -HELD, HELD))
    whole, rest = np.divmod(size, above)
    scaled = whole * measure.most + (rest * (2 * measure.most) + above) // (2 * above)
    mean = np.where(values < 0, -scaled, scaled)
    return np.clip(np.where(counts <= measure.most, values, mean), measure.low, measure.high)
