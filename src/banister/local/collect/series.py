"""Numbers over time: a question about a number, asked for each of several times of a day, told in classes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.collect.repeat import Repetition

SURE = 0.95
_DAY_MINUTES = 24 * 60


@dataclass(frozen=True, slots=True, init=False)
class NumberSeries:
    """Questions `first` to `first + times - 1` of a campaign ask for a number from least to most, in equal classes.

    >>> load = NumberSeries(0, times=48, least=0, most=4, classes=8, unit="kW")
    >>> load.labels[0], load.labels[-1], load.class_of("1.2"), load.when(15)
    ('0 to 0.5 kW', '3.5 kW and more', 2, '07:30')
    """

    first: int
    times: int
    least: Fraction
    most: Fraction
    classes: int
    unit: str

    def __init__(self, first: int, *, times: int, least: Number, most: Number, classes: int, unit: str) -> None:
        low, high = need.exact("least", least), need.exact("most", most)
        if not low < high:
            raise BadValue(f"least = {low} must be below most = {high}.")
        if len(unit) > 20:
            raise BadValue("A unit has at most 20 characters.")
        object.__setattr__(self, "first", need.whole("first", first, least=0))
        object.__setattr__(self, "times", need.whole("times", times, least=1, most=64))
        object.__setattr__(self, "least", low)
        object.__setattr__(self, "most", high)
        object.__setattr__(self, "classes", need.whole("classes", classes, least=2, most=64))
        object.__setattr__(self, "unit", unit)

    @property
    def width(self) -> Fraction:
        """Of a class."""
        return (self.most - self.least) / self.classes

    @property
    def middles(self) -> Floats:
        """The number that each class stands for."""
        return np.array([float(self.least + self.width * (place + Fraction(1, 2))) for place in range(self.classes)])

    @property
    def labels(self) -> list[str]:
        """The classes in words; the first and the last take what lies beyond the range."""
        ends = [float(self.least + self.width * place) for place in range(self.classes)]
        unit = f" {self.unit}" if self.unit else ""
        inside = [f"{low:g} to {high:g}{unit}" for low, high in pairwise(ends)]
        return [*inside, f"{ends[-1]:g}{unit} and more"]

    def class_of(self, value: str) -> int:
        """The class of a number as it is typed; what lies outside the range counts as its end."""
        try:
            number = need.exact("number", value.strip())
        except BadValue:  # A person's number is not shown.
            raise BadValue("An answer to this question is a number, such as 1.5. Nothing was drawn.") from None
        return min(max(math.floor((number - self.least) / self.width), 0), self.classes - 1)

    def when(self, place: int) -> str:
        """The time of day that a question stands for, where the times divide a day; else its number."""
        if self.times == 1:
            return ""
        if _DAY_MINUTES % self.times:
            return f"{place + 1} of {self.times}"
        hours, minutes = divmod(place * _DAY_MINUTES // self.times, 60)
        return f"{hours:02d}:{minutes:02d}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SeriesEstimate:
    """Mean numbers over time, each within ± `half` of the mean of all answers' classes, all at once with 95 %."""

    mean: Floats
    half: Floats

    @property
    def peak(self) -> int:
        """Where the mean is largest."""
        return int(self.mean.argmax())

    @property
    def peaks(self) -> list[int]:
        """All places where the largest mean may be, by the intervals."""
        low, high = self.mean - self.half, self.mean + self.half
        return [int(place) for place in np.flatnonzero(high >= low.max())]


def estimate_series(
    series: NumberSeries, channels: Sequence[Channel], repetition: Repetition, counts: Sequence[Ints]
) -> SeriesEstimate:
    """Means over time from how often each report came at each time, through randomized response.

    Each report scores an unbiased number for its class, within a known spread, so Hoeffding's inequality holds for
    every number of reports.
    """
    means, halves = [], []
    for channel, found in zip(channels, counts, strict=True):
        matrix = repetition.sent_matrix(channel)
        keep, spill = float(matrix[0, 0]), float(matrix[0, 1])
        score = (series.middles - spill * series.middles.sum()) / (keep - spill)
        people = int(found.sum())
        means.append(float(found @ score) / people)
        room = math.log(2 * series.times / (1 - SURE)) / (2 * people)
        halves.append(float(np.ptp(score)) * math.sqrt(room))
    return SeriesEstimate(mean=np.array(means), half=np.array(halves))
