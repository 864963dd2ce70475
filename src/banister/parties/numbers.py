"""Sums and means of bounded numbers: each party's best local report, and the estimate with an interval that holds.

A party's number is rounded at random to a neighbouring point of a small grid, so that its mean is kept; the grid point
goes through a channel whose reports stand for values, again with the mean kept, and whose largest variance is the least
that any channel onto those values has (a linear program). The estimate adds up the values.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.stochastic import weights_within
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, Ints, LinearProgram
from banister.errors import BadValue
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.rows import PrivateRows

GRID = 9
"""Points to which a number is rounded at random, ends included."""
_VALUES = 49
LARGEST = 12


@dataclass(frozen=True, slots=True, eq=False)
class NumberReport:
    """How a party reports a number between two bounds.

    Private:  epsilon-local privacy about the number, whatever it is; from the whole weights of the channel.
    Unbiased: up to `bias`, which is what rounding to whole weights moved; the interval allows for it.

    >>> report = number_report(0, 10, 2)
    >>> said = report.respond(7)
    >>> 0 <= said < report.values.size, bool(report.values.min() < 0), bool(report.values.max() > 10)
    (True, True, True)
    """

    low: Fraction
    high: Fraction
    channel: PrivateRows
    values: Floats
    """What each report stands for."""
    variance: float
    """The largest variance of a report, over all numbers in the range."""
    bias: float
    unit: Floats
    """What each report stands for when numbers go from 0 to 1."""

    def respond(self, number: Number, bits: BitSource = SYSTEM) -> int:
        """The report of one number, which is put between the bounds first."""
        exact = min(max(need.exact("the number", number), self.low), self.high)
        steps = (exact - self.low) / (self.high - self.low) * (GRID - 1)
        below = min(int(steps), GRID - 2)
        point = below + Coin(steps - below).draw(bits)
        return int(self.channel.draw(np.array([point]), bits)[0])


@dataclass(frozen=True, slots=True)
class SumEstimate:
    """The estimated sum and mean of the parties' numbers, and intervals that hold with at least that confidence.

    All lie between the sums of the lower and of the upper bounds.

    >>> report = number_report(0, 10, 2)
    >>> found = estimate_sum([(report, report.respond(7)) for _ in range(50)])
    >>> found.parties, found.sum_interval[0] < found.sum < found.sum_interval[1], found.mean == found.sum / 50
    (50, True, True)
    """

    parties: int
    sum: float
    sum_interval: tuple[float, float]
    standard_error: float
    """An upper bound: the worst case over all numbers."""
    confidence: float
    unbiased_sum: float
    """The sum of what the reports stand for, which may lie outside the possible range; to add up with others."""

    @property
    def mean(self) -> float:
        return self.sum / self.parties

    @property
    def mean_interval(self) -> tuple[float, float]:
        return self.sum_interval[0] / self.parties, self.sum_interval[1] / self.parties


def number_report(low: Number, high: Number, epsilon: Number) -> NumberReport:
    """The report with the least worst-case variance for numbers from low to high.

    Optimal:  among channels from the grid onto 51 values that keep the mean; never worse than randomized rounding to
              one of two values, which is among them.

    >>> number_report(0, 10, 1).values.size > 1
    True
    """
    bottom, top = need.exact("low", low), need.exact("high", high)
    level = need.positive("epsilon", epsilon)
    if not bottom < top:
        raise BadValue(f"low = {float(bottom):g} must be below high = {float(top):g}.")
    if level > LARGEST:
        raise BadValue(f"epsilon = {float(level):g} is above {LARGEST}; a number may as well be sent openly.")
    matrix, values = _best_channel(float(level))
    return report_of(bottom, top, PrivateRows(weights_within(matrix, level), Guarantee(level)), values)


def report_of(bottom: Fraction, top: Fraction, channel: PrivateRows, values: Floats) -> NumberReport:
    """The report through a channel from the grid onto values, which are for numbers from 0 to 1; one that somebody else
    found is checked as well as one's own, since all that is promised is read from its weights."""
    if not bottom < top:
        raise BadValue(f"low = {float(bottom):g} must be below high = {float(top):g}.")
    if channel.weights.shape != (GRID, values.size) or not np.all(np.isfinite(values)):
        raise BadValue(f"A channel for numbers has {GRID} rows and a finite value for each of its columns.")
    law, points = channel.matrix, np.linspace(0, 1, GRID)
    bias = float(np.abs(law @ values - points).max())
    width = float(top - bottom)
    spread = _largest_variance(law, values, points)
    return NumberReport(bottom, top, channel, float(bottom) + width * values, spread * width**2, bias * width, values)


def estimate_sum(reports: Sequence[tuple[NumberReport, int]], *, confidence: float = 0.95) -> SumEstimate:
    """The sum of the parties' numbers from their reports, each with the channel that made it.

    The interval holds for any numbers and any few parties: Chernoff's bound with the largest moment of each channel.

    >>> report = number_report(0, 10, 2)
    >>> found = estimate_sum([(report, report.respond(7)) for _ in range(50)])
    >>> round(found.standard_error, 3)
    33.1
    """
    level = float(need.strictly_between("confidence", confidence, 0, 1))
    if not reports:
        raise BadValue("There are no reports, so there is nothing to add up.")
    for kind, report in reports:
        need.whole("a report", report, least=0, most=kind.values.size - 1)
    total = sum(float(kind.values[report]) for kind, report in reports)
    kinds: dict[int, tuple[NumberReport, int]] = {}
    for kind, _ in reports:
        kinds[id(kind)] = (kind, kinds.get(id(kind), (kind, 0))[1] + 1)
    slack = sum(kind.bias for kind, _ in reports)
    up, down = (_reach(list(kinds.values()), (1 - level) / 2, sign) + slack for sign in (-1, 1))
    error = math.sqrt(sum(kind.variance for kind, _ in reports))
    least, most = (sum(float(end) for end in ends) for ends in zip(*((k.low, k.high) for k, _ in reports), strict=True))
    # What lies outside the possible range is put on its end first: the interval widens, and is never empty.
    possible = min(max(total, least), most)
    interval = max(least, min(total, most) - down), min(most, max(total, least) + up)
    return SumEstimate(len(reports), possible, interval, error, level, total)


def _reach(kinds: list[tuple[NumberReport, int]], chance: float, sign: int) -> float:
    """A distance d with P(sign · (estimate - truth) ≥ d) ≤ chance, by the best of many exponents."""
    spread = math.sqrt(sum(count * kind.variance for kind, count in kinds))
    best = math.inf
    for step in np.geomspace(0.05, 20, 60).tolist():
        tilt = step / spread
        best = min(
            best, (sum(count * _log_moment(kind, sign * tilt) for kind, count in kinds) - math.log(chance)) / tilt
        )
    return best


def _log_moment(kind: NumberReport, tilt: float) -> float:
    """At least ln E exp(tilt · (value - number)) for every number in the range, randomized rounding included."""
    points = np.linspace(float(kind.low), float(kind.high), GRID)
    exponents = tilt * kind.values
    shift = float(exponents.max())
    moments = kind.channel.matrix @ np.exp(exponents - shift)
    # Between two grid points the moment is a + b·number, and ln(a + b·number) - tilt·number is concave: it lies below
    # its tangent at the left end of each small interval.
    fine = np.linspace(points[0], points[-1], 32 * (GRID - 1) + 1)
    at = np.interp(fine, points, moments)
    height = np.log(at) + shift - tilt * fine
    slopes = np.repeat(np.diff(moments) / np.diff(points), 32)
    step = fine[1] - fine[0]
    rise = np.maximum(slopes / at[:-1] - tilt, 0) * step
    return float((height[:-1] + rise).max(initial=height[-1]))


def _largest_variance(law: Floats, values: Floats, points: Floats) -> float:
    """The largest variance of a report over all numbers in [0, 1], randomized rounding included.

    Between two grid points the second moment is c + d·t and the mean t (up to the bias), so c + d·t - t² is largest at
    t = d/2 or at an end.
    """
    seconds, best = law @ values**2, 0.0
    for left, right, a, b in zip(points[:-1], points[1:], seconds[:-1], seconds[1:], strict=True):
        d = (b - a) / (right - left)
        t = min(max(d / 2, left), right)
        best = max(best, a + d * (t - left) - t * t)
    return float(best)


def _best_channel(epsilon: float) -> tuple[Floats, Floats]:
    """The channel and values on [0, 1] with the least worst-case second moment about the number."""
    points = np.linspace(0, 1, GRID)
    half = 1 / math.tanh(epsilon / 2) / 2  # Two values, 1/2 ± half, suffice for an unbiased report,
    wide = 1 / math.tanh(epsilon / 4) / 2  # and more and wider ones do better, the more so the larger epsilon.
    values = np.unique(np.concatenate((np.linspace(0.5 - wide, 0.5 + wide, _VALUES), [0.5 - half, 0.5 + half])))
    n, m = GRID, values.size
    entries: list[
        tuple[int, int, float]
    ] = []  # row, column, value; columns: Q(y|x), then the base of y, then the bound.
    low: list[float] = []
    high: list[float] = []

    def row(terms: list[tuple[int, float]], least: float, most: float) -> None:
        entries.extend((len(low), column, value) for column, value in terms)
        low.append(least)
        high.append(most)

    base, bound = n * m, n * m + m
    for x in range(n):
        row([(x * m + y, 1.0) for y in range(m)], 1, 1)
        row([(x * m + y, float(values[y])) for y in range(m)], float(points[x]), float(points[x]))
        for y in range(m):
            row([(x * m + y, 1.0), (base + y, -1.0)], 0, math.inf)
            row([(x * m + y, 1.0), (base + y, -math.exp(epsilon))], -math.inf, 0)
    for t in np.linspace(0, 1, 33):  # E value² - t² ≤ bound for numbers between grid points too.
        place = min(int(t * (n - 1)), n - 2)
        share = t * (n - 1) - place
        terms = [(place * m + y, (1 - share) * float(values[y]) ** 2) for y in range(m)]
        terms += [((place + 1) * m + y, share * float(values[y]) ** 2) for y in range(m)]
        row([*terms, (bound, -1.0)], -math.inf, float(t) ** 2)
    entries.sort(key=lambda entry: (entry[1], entry[0]))
    columns = bound + 1
    starts: Ints = np.searchsorted([c for _, c, _ in entries], np.arange(columns + 1)).astype(np.int64)
    found = SOLVER.solve(
        LinearProgram(
            cost=np.eye(1, columns, bound)[0],
            lower=np.zeros(columns),
            upper=np.append(np.ones(columns - 1), np.inf),
            row_lower=np.array(low),
            row_upper=np.array(high),
            starts=starts,
            rows=np.array([r for r, _, _ in entries]),
            values=np.array([v for _, _, v in entries]),
        )
    )
    matrix = np.maximum(found.point[:base].reshape(n, m), 0)
    used = matrix.max(axis=0) > 1e-9
    matrix = matrix[:, used]
    return matrix / matrix.sum(axis=1, keepdims=True), values[used]
