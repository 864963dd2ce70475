"""Smart meters: a day of 48 readings as one of a few public shapes, beside 48 readings of their own.

Households are generated around the published standard load profile H0 (`load_profile`), since no meter was read: its
weekday, Saturday and Sunday, the weekday an hour earlier and later, and one that heats or charges by night, in five
sizes, with noise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from banister.core.programs.linear import Floats, Ints
from banister.local.channels.response import RandomizedResponse
from banister.local.collect.load_profile import SATURDAY, SUNDAY, WEEKDAY
from banister.local.collect.repeat import Repetition
from banister.local.examples import stream
from banister.sampling.bits import SYSTEM, BitSource

HALF_HOURS = 48
CLASSES = 8
CLASS_KW = 0.5
"""Readings are told in classes of half a kilowatt; the last is open."""
SIZES = (0.4, 0.7, 1.0, 1.5, 2.3)
SURE = 0.95


YEAR_MWH = 3.5
"""What the mean household uses in a year; the profile is of one that uses 1 MWh."""


def curve(watts: Sequence[int], *, later: int = 0, night: float = 0.0) -> Floats:
    """A day's load in kW: a profile, moved by half hours, with a bump around 2:00 for who heats or charges then."""
    hours = np.arange(HALF_HOURS) / 2 + 0.25
    bump = np.exp(-(((hours - 2.0 + 12) % 24 - 12) ** 2) / 2 / 2.5**2)
    result: Floats = np.roll(np.array(watts) * YEAR_MWH / 1000, later) + night * bump
    return result


HABITS = (
    curve(WEEKDAY),
    curve(WEEKDAY, later=-2),
    curve(WEEKDAY, later=2),
    curve(SATURDAY),
    curve(WEEKDAY, night=1.6),
    curve(SUNDAY),
)
"""Public shapes of a day; times the sizes they are the code book."""


def code_book() -> Floats:
    """All shapes of a day, one a row: 6 habits in 5 sizes."""
    return np.array([size * habit for habit in HABITS for size in SIZES])


def households(count: int, days: int = 1) -> Floats:
    """Readings in kW, households x days x 48: each has a habit and a size of its own, and every day is its own."""
    uniform = stream("meters", 3 * count).reshape(3, count)
    habit = np.searchsorted(np.cumsum([0.3, 0.2, 0.2, 0.15, 0.05]), uniform[0])
    size = np.exp(0.5 * np.sqrt(-2 * np.log(uniform[1])) * np.cos(2 * np.pi * uniform[2]))
    noise = stream("meters a day", 2 * count * days * HALF_HOURS).reshape(2, count, days, HALF_HOURS)
    wobble = np.exp(0.35 * np.sqrt(-2 * np.log(noise[0])) * np.cos(2 * np.pi * noise[1]))
    result: Floats = np.array(HABITS)[habit][:, None, :] * size[:, None, None] * wobble
    return result


def shape_of(days: Floats) -> Ints:
    """The nearest shape of the code book to each day; a meter does this for itself."""
    book = code_book()
    found: Ints = ((book**2).sum(axis=1) - 2 * days @ book.T).argmin(axis=1)
    return found


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DayProfile:
    """An estimated mean day with an interval at each half hour; all of them hold at once with 95 %."""

    name: str
    level: Fraction
    mean: Floats
    half: float
    truth: Floats

    @property
    def error(self) -> float:
        """Root mean square error against the true mean day, in kW."""
        return float(np.sqrt(((self.mean - self.truth) ** 2).mean()))

    @property
    def peak(self) -> tuple[float, float, int]:
        """The largest load of the mean day with its half width, and the half hour that it is in."""
        place = int(self.mean.argmax())
        return float(self.mean[place]), self.half, place


def by_shapes(days: Floats, level: Fraction, bits: BitSource = SYSTEM) -> DayProfile:
    """One report a day over the shapes, at the whole level."""
    book = code_book()
    channel = RandomizedResponse(level, len(book))
    reports = channel.draw(shape_of(days), bits)
    # The mean over reports of a score that is unbiased for the nearest shape, at each half hour.
    score = (book - channel.spill * book.sum(axis=0)) / (channel.keep - channel.spill)
    counts = np.bincount(reports, minlength=len(book))
    mean: Floats = counts @ score / len(days)
    return DayProfile(
        name="one shape a day",
        level=level,
        mean=mean,
        half=_half(np.ptp(score, axis=0).max(), len(days)),
        truth=days.mean(axis=0),
    )


def by_readings(days: Floats, level: Fraction, bits: BitSource = SYSTEM) -> DayProfile:
    """48 readings in classes, each at a 48th of the level."""
    return _readings("48 readings a day", days, level, bits, each=level / HALF_HOURS, share=1)


def by_one_reading(days: Floats, level: Fraction, bits: BitSource = SYSTEM) -> DayProfile:
    """One of the 48 readings, which chance picks, at the whole level."""
    return _readings("one reading a day, picked by chance", days, level, bits, each=level, share=HALF_HOURS)


def _readings(name: str, days: Floats, level: Fraction, bits: BitSource, *, each: Fraction, share: int) -> DayProfile:
    middles = (np.arange(CLASSES) + 0.5) * CLASS_KW
    channel = RandomizedResponse(each, CLASSES)
    classes = np.minimum((days / CLASS_KW).astype(np.int64), CLASSES - 1)
    score = (middles - channel.spill * middles.sum()) / (channel.keep - channel.spill)
    people = len(days) // share
    mean = np.zeros(HALF_HOURS)
    for place in range(HALF_HOURS):
        # Households are in no order, so every 48th of them is as good as picked by chance.
        asked = classes[place % share :: share, place]
        mean[place] = score[channel.draw(asked, bits)].mean()
    return DayProfile(
        name=name, level=level, mean=mean, half=_half(float(np.ptp(score)), people), truth=days.mean(axis=0)
    )


def _half(spread: float, people: int) -> float:
    """Hoeffding: a mean of so many scores within a spread, at 48 half hours at once."""
    return spread * math.sqrt(math.log(2 * HALF_HOURS / (1 - SURE)) / (2 * people))


def month(level: Fraction, second: Fraction, days: int = 30) -> list[tuple[str, float]]:
    """What one household gives away in a month of shapes, by how its answers hang together."""
    channel = RandomizedResponse(level, len(code_book()))
    kept = Repetition("permanent", rounds=days, second=second)
    memoised = Repetition("memoised", rounds=days, second=second)
    return [
        ("fresh answers", Repetition("fresh", rounds=days).level(channel)),
        ("permanent answers, one shape for the month", kept.level(channel)),
        ("memoised answers, while the shape stays", memoised.level(channel)),
        ("memoised answers, between any two months", memoised.level_between_histories(channel)),
    ]
