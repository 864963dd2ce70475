"""From noisy measures to answers with intervals. Everything here is post-processing: it costs no privacy."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banister.questions.measures import Measure
from banister.questions.question import Aggregate
from banister.release.combine import Spread, half_width
from banister.release.layout import Formula

Floats = NDArray[np.float64]
NODES = 16
"""Pieces into which the range of a mean is cut on each side of its middle, each with its own half width."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """One output: a value for each cell, and an interval that holds the exact aggregate at the stated rate."""

    values: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """Noisy measures with the law of the noise of each, for a confidence."""

    measures: tuple[Measure, ...]
    values: NDArray[np.int64] | Floats
    spreads: tuple[Spread, ...]
    confidence: float


def answer(formula: Formula, noisy: Noisy) -> Answer:
    """The values and intervals of one output."""
    match formula.output.aggregate:
        case Aggregate.COUNT | Aggregate.PEOPLE:
            return _linear([(formula.count, 1.0)], noisy)
        case Aggregate.SUM:
            return _linear([(formula.total, float(formula.step)), (formula.count, float(formula.middle))], noisy)
        case Aggregate.MEAN:
            return _mean(formula, noisy)
    return _variance(formula, noisy)


def _linear(parts: Sequence[tuple[int | None, float]], noisy: Noisy) -> Answer:
    used = [(place, weight) for place, weight in parts if place is not None]
    values = sum((weight * noisy.values[place] for place, weight in used), np.zeros(noisy.values.shape[1]))
    wide = half_width([(weight, noisy.spreads[place]) for place, weight in used], noisy.confidence)
    return Answer(values, values - wide, values + wide)


def _mean(formula: Formula, noisy: Noisy) -> Answer:
    assert formula.total is not None
    assert formula.count is not None
    point, low, high = _ratio(formula.total, formula.count, noisy, noisy.confidence)
    middle, step = float(formula.middle), float(formula.step)
    return Answer(middle + step * point, middle + step * low, middle + step * high)


def _ratio(total: int, count: int, noisy: Noisy, confidence: float) -> tuple[Floats, Floats, Floats]:
    """Total over count, in whole steps, with every ratio m for which total − m · count is as near 0 as its noise.

    The set of such m holds the true ratio with the stated confidence ([F54]): total − m · count has then mean 0
    and the known noise Z_total − m · Z_count. The half width grows with |m|, so it is taken at the far end of
    each piece of the range.
    """
    measure = noisy.measures[total]
    quantity = measure.quantity
    assert quantity is not None
    sums, counts = noisy.values[total].astype(np.float64), noisy.values[count].astype(np.float64)
    bound = float(max(abs(quantity.low), abs(quantity.high)))
    edges = np.linspace(0.0, bound, NODES + 1)
    low, high = np.full(len(sums), np.inf), np.full(len(sums), -np.inf)
    for near, far in itertools.pairwise(edges.tolist()):
        wide = half_width([(1.0, noisy.spreads[total]), (float(far), noisy.spreads[count])], confidence)
        for left, right in ((near, far), (-far, -near)):
            bottom, top = _within(sums, counts, wide, left, right)
            found = bottom <= top
            low = np.where(found, np.minimum(low, bottom), low)
            high = np.where(found, np.maximum(high, top), high)
    none = low > high
    low, high = np.where(none, quantity.low, low), np.where(none, quantity.high, high)
    safe = np.where(counts > 0, counts, 1.0)
    point = np.where(counts > 0, sums / safe, 0.0)
    return (
        np.clip(point, low, high),
        np.clip(low, quantity.low, quantity.high),
        np.clip(high, quantity.low, quantity.high),
    )


def _within(sums: Floats, counts: Floats, wide: float, left: float, right: float) -> tuple[Floats, Floats]:
    """The m in [left, right] with |sum − m · count| ≤ wide."""
    divisor = np.where(counts == 0, 1.0, counts)
    ends = np.stack([(sums - wide) / divisor, (sums + wide) / divisor])
    bottom, top = ends.min(axis=0), ends.max(axis=0)
    everything = np.abs(sums) <= wide
    bottom = np.where(counts == 0, np.where(everything, left, np.inf), bottom)
    top = np.where(counts == 0, np.where(everything, right, -np.inf), top)
    return np.maximum(bottom, left), np.minimum(top, right)


def _variance(formula: Formula, noisy: Noisy) -> Answer:
    """The mean of squares minus the square of the mean; each interval takes a part of what may go wrong."""
    assert formula.total is not None
    assert formula.count is not None
    assert formula.square is not None
    quantity = noisy.measures[formula.total].quantity
    assert quantity is not None
    sure = 1 - (1 - noisy.confidence) / 3
    mean, mean_low, mean_high = _ratio(formula.total, formula.count, noisy, sure)
    square, square_low, square_high = _ratio(formula.square, formula.count, noisy, sure)
    step, square_step, square_middle = float(formula.step), float(formula.square_step), float(formula.square_middle)
    point = square_middle + square_step * square - (step * mean) ** 2
    largest = np.maximum(mean_low**2, mean_high**2) * step**2
    smallest = np.where((mean_low <= 0) & (mean_high >= 0), 0.0, np.minimum(mean_low**2, mean_high**2)) * step**2
    low = np.maximum(square_middle + square_step * square_low - largest, 0.0)
    high = square_middle + square_step * square_high - smallest
    # Below 0 the two intervals contradict each other, as where more rows of a person than declared were held back.
    widest = (step * (quantity.high - quantity.low) / 2) ** 2
    low, high = np.where(high < 0, 0.0, low), np.where(high < 0, widest, high)
    point = np.clip(point, low, high)
    aggregate = formula.output.aggregate
    if aggregate in (Aggregate.VARIANCE, Aggregate.DEVIATION):
        counts = noisy.values[formula.count].astype(np.float64)
        least = np.maximum(counts - half_width([(1.0, noisy.spreads[formula.count])], sure), 2.0)
        point, high = point * _bessel(np.maximum(counts, 2.0)), high * _bessel(least)
    if aggregate in (Aggregate.DEVIATION, Aggregate.DEVIATION_POPULATION):
        return Answer(np.sqrt(point), np.sqrt(low), np.sqrt(high))
    return Answer(point, low, high)


def _bessel(counts: Floats) -> Floats:
    """n / (n − 1): from the variance of the cell to that of a population it was drawn from."""
    return np.asarray(counts / (counts - 1), dtype=np.float64)


def can_be_below_zero(formula: Formula) -> bool:
    """Whether an exact answer can be below 0: a sum, a mean or a quantile of something that can."""
    quantity = formula.output.quantity
    valued = formula.output.aggregate in (Aggregate.SUM, Aggregate.MEAN, Aggregate.QUANTILE)
    return valued and (quantity is None or quantity.low < 0)


def never_below_zero(formula: Formula, found: Answer) -> Answer:
    """The answer with what cannot be below 0 raised to 0."""
    if can_be_below_zero(formula):
        return found
    return Answer(np.maximum(found.values, 0), np.maximum(found.low, 0), np.maximum(found.high, 0))
