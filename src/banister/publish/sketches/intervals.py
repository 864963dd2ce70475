"""The answer of a sketch whose rows are normal: a sum of squares over so many rows is a chi-square number, scaled."""

from banister import need
from banister.core.exact.numbers import Number

Answer = tuple[float, float, float]
"""Estimate, and the ends of its interval."""


def scale_of(power: float, rows: int, *, confidence: Number) -> Answer:
    """The variance of the rows, and an interval of that confidence, from the sum of their squares."""
    from scipy.special import chdtri

    level = float(need.strictly_between("confidence", confidence, 0, 1))
    low, high = (power / float(chdtri(rows, chance)) for chance in ((1 - level) / 2, (1 + level) / 2))
    return power / rows, low, high


def turned(answer: Answer, *, less: float, factor: float) -> Answer:
    """(x - less) · factor for each of the three; no answer is below 0."""
    estimate, low, high = (max((x - less) * factor, 0.0) for x in answer)
    return estimate, low, high
