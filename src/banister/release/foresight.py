"""What to expect of a release before it is paid for: typical errors and intervals, beside the usual Laplace."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from banister.questions.measures import Measure
from banister.questions.question import Aggregate
from banister.release.combine import Spread, half_width
from banister.release.layout import Formula

Floats = NDArray[np.float64]


class Noise(Protocol):
    """What is asked of a noise here."""

    def __hash__(self) -> int: ...
    def risk_for(self, cost: str) -> float: ...
    def at_least(self, size: Floats) -> Floats: ...


class Measurement(Protocol):
    """A measure with its noise."""

    @property
    def measure(self) -> Measure: ...
    @property
    def noise(self) -> Noise: ...


class Parts(Protocol):
    """What a forecast reads of a part of a plan."""

    @property
    def measured(self) -> tuple[Measurement, ...]: ...
    @property
    def spreads(self) -> tuple[Spread, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """One output in a cell of a given size: typical error (root mean square) and half width of its interval.

    Means and variances are foreseen for a cell whose mean lies a quarter of the range off the middle and whose
    standard deviation is a quarter of the range; errors of quantiles are in rows.
    """

    name: str
    error: float
    half_width: float
    laplace: float
    unit: str


@lru_cache(maxsize=256)
def spread_of(noise: Noise) -> Spread:
    """The law of a noise on the integers, for intervals."""
    return Spread(math.sqrt(noise.risk_for("squared")), lambda x: noise.at_least(np.floor(x) + 1))


def slopes(formula: Formula, parts: Parts, size: int) -> dict[int, float]:
    """How far each measure's noise moves the output, in its own units, in a cell of that many rows."""
    found: dict[int, float] = {}
    match formula.output.aggregate:
        case Aggregate.COUNT | Aggregate.PEOPLE:
            return {formula.count or 0: 1.0}
        case Aggregate.SUM:
            found[formula.total or 0] = float(formula.step)
            if formula.count is not None and formula.middle:
                found[formula.count] = float(formula.middle)
            return found
    assert formula.total is not None
    assert formula.count is not None
    quantity = parts.measured[formula.total].measure.quantity
    assert quantity is not None
    quarter = float(formula.step) * (quantity.high - quantity.low) / 4
    if formula.square is None:
        return {formula.total: float(formula.step) / size, formula.count: quarter / size}
    slope = 1.0
    if formula.output.aggregate in (Aggregate.DEVIATION, Aggregate.DEVIATION_POPULATION):
        slope = 1 / (2 * quarter)
    return {
        formula.square: slope * float(formula.square_step) / size,
        formula.total: slope * 2 * quarter * float(formula.step) / size,
        formula.count: slope * 2 * quarter**2 / size,
    }


def forecast(formula: Formula, parts: Parts, size: int, confidence: float, *, laplace: float) -> Forecast:
    """What to expect of one output; `laplace` is the typical error of the usual way, for comparison."""
    weights = slopes(formula, parts, size)
    spreads = {place: parts.spreads[place] for place in weights}
    error = math.sqrt(sum((weight * spreads[place].deviation) ** 2 for place, weight in weights.items()))
    wide = half_width([(weight, spreads[place]) for place, weight in weights.items()], confidence)
    return Forecast(name=formula.output.name, error=error, half_width=wide, laplace=laplace, unit="")


def usual_laplace(formula: Formula, *, epsilon: float, outputs: int, touches: int, rows: int, size: int) -> float:
    """Typical error of the textbook release: epsilon in equal parts, uncentred sums, Laplace noise.

    A mean takes two of the parts, a variance three; a neighbour touches so many cells, each with so many rows.
    """
    scale = math.sqrt(2) * outputs * touches * rows / epsilon
    quantity = formula.output.quantity
    if quantity is None or formula.output.aggregate is Aggregate.COUNT:
        return scale
    top = float(quantity.step) * max(abs(quantity.low), abs(quantity.high))
    middle = float(quantity.step) * (quantity.low + quantity.high) / 2
    quarter = float(quantity.step) * (quantity.high - quantity.low) / 4
    mean = abs(middle) + quarter
    match formula.output.aggregate:
        case Aggregate.SUM:
            return scale * top
        case Aggregate.MEAN:
            return scale * math.hypot(top, mean) / size
    power = quarter**2 + mean**2
    variance = scale * math.sqrt(top**4 + (2 * mean * top) ** 2 + abs(2 * mean**2 - power) ** 2) / size
    deviated = formula.output.aggregate in (Aggregate.DEVIATION, Aggregate.DEVIATION_POPULATION)
    return variance / (2 * quarter) if deviated else variance
