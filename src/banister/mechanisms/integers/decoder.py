"""What to say after a noisy count when the true one is known to lie between 0 and n: free accuracy after the noise.

The noise is two-sided geometric. A noisy count below 0 says of the true one what 0 says, up to a factor that is the
same for all counts, and one above n what n says; so clamping loses nothing, and a decoder is a table of n + 1 numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, exp_ball, precision
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.power_sums import power_of
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, LinearProgram, LinearSolver
from banister.errors import BadValue

LARGEST_WORST = 60
"""Counts up to which the worst case is solved: the program has the cube of it entries."""
LARGEST_AVERAGE = 1000
_TURNS = 12
_BITS = 60

Aim = Literal["average", "worst"]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Decoder:
    """A number to say for each noisy count, best on average over a prior, or best in the worst case.

    Private:  post-processing: it sees the noisy count only, and costs nothing.
    Optimal:  no rule, random or not, has an expected cost below `bound`, which is certified (`risk` holds the truth).

    >>> found = Decoder.best(epsilon="0.2", largest=10, aim="average")
    >>> round(found.risk.up, 3), found.decode(-7), found.decode(5)
    (2.267, 2.0, 5.0)
    """

    epsilon: Fraction
    largest: int
    cost: Cost
    aim: Aim
    prior: tuple[Fraction, ...]
    """The chances of the counts: those given, or in the worst case those against which every rule costs `bound`."""
    said: tuple[Fraction, ...]
    risk: Bracket
    """The expected cost of this decoder: on average over the prior, or at its worst count."""
    bound: float

    @classmethod
    def best(
        cls,
        *,
        epsilon: Number,
        largest: Number,
        aim: Aim,
        cost: CostLike = "absolute",
        prior: Sequence[Number] | None = None,
        solver: LinearSolver = SOLVER,
    ) -> "Decoder":
        """The best decoder for counts 0 … largest under geometric noise of that epsilon.

        `aim` "average" takes a prior (all counts alike, if none is given); "worst" takes none.

        >>> round(Decoder.best(epsilon="0.2", largest=10, aim="worst").risk.up, 3)
        2.56
        """
        level = need.between("epsilon", epsilon, Fraction(1, 10**6), 50)
        worst = need.one_of("aim", aim, ("average", "worst")) == "worst"
        top = need.whole("largest", largest, least=1, most=LARGEST_WORST if worst else LARGEST_AVERAGE)
        chosen = Cost.of(cost)
        if chosen.exponent is None or chosen.exponent < 1:
            raise BadValue(
                f"cost = {chosen.in_words} is not convex. Write absolute, squared, or an exponent from 1 on."
            )
        if worst and prior is not None:
            raise BadValue("The worst case takes no prior. Leave it out, or ask for aim='average'.")
        if worst:
            law, said = _least_worst(float(level), top, chosen, solver)
        else:
            law = _law(prior, top)
            said = _bayes(float(level), np.array([float(p) for p in law]), chosen)
        return cls(level, top, chosen, aim, law, said, *_certified(level, top, chosen, law, said, worst=worst))

    @classmethod
    def clamping(cls, *, epsilon: Number, largest: Number, aim: Aim, cost: CostLike = "absolute") -> "Decoder":
        """What is usually done, to compare with: a noisy count outside of 0 … largest becomes the nearer end.

        >>> round(Decoder.clamping(epsilon="0.2", largest=10, aim="worst").risk.up, 3)
        3.14
        """
        level = need.between("epsilon", epsilon, Fraction(1, 10**6), 50)
        top = need.whole("largest", largest, least=1, most=LARGEST_AVERAGE)
        worst = need.one_of("aim", aim, ("average", "worst")) == "worst"
        chosen, said = Cost.of(cost), tuple(Fraction(count) for count in range(top + 1))
        risk, _ = _certified(level, top, chosen, law := _law(None, top), said, worst=worst)
        return cls(level, top, chosen, aim, law, said, risk, 0.0)

    @overload
    def decode(self, noisy: int) -> float: ...
    @overload
    def decode(self, noisy: Integers) -> Floats: ...
    def decode(self, noisy: int | Integers) -> float | Floats:
        """What to say for a noisy count, or for many."""
        if isinstance(noisy, int):
            return float(self.said[min(max(noisy, 0), self.largest)])
        table = np.array([float(each) for each in self.said])
        return np.asarray(table[np.clip(noisy, 0, self.largest)], dtype=np.float64)

    def interval(self, noisy: int, confidence: Number) -> tuple[int, int]:
        """An interval that holds the true count with that chance, whatever it is: of the noise, not of a belief.

        >>> Decoder.best(epsilon=1, largest=10, aim="average").interval(3, "0.95")
        (0, 6)
        """
        outside = 1 - need.strictly_between("confidence", confidence, 0, 1)
        with precision(BALL_BITS):
            b = exp_ball(-self.epsilon)
            size = 0  # P(|noise| > size) = 2 b^(size + 1)/(1 + b).
            while not 2 * b ** (size + 1) / (1 + b) <= ball(outside):
                size += 1
        return min(max(noisy - size, 0), self.largest), max(min(noisy + size, self.largest), 0)


def report_law(epsilon: Fraction, largest: int) -> list[list[arb]]:
    """P(clamped noisy count | count), one row a count, as balls at the working precision."""
    b = exp_ball(-epsilon)
    powers = [b**k for k in range(largest + 1)]
    inside, outside = (1 - b) / (1 + b), 1 / (1 + b)
    ends = (0, largest)
    return [
        [powers[abs(y - x)] * (outside if y in ends else inside) for y in range(largest + 1)]
        for x in range(largest + 1)
    ]


def _certified(
    epsilon: Fraction, largest: int, cost: Cost, prior: tuple[Fraction, ...], said: tuple[Fraction, ...], *, worst: bool
) -> tuple[Bracket, float]:
    """The expected cost of a decoder, and what no decoder goes below by the prior, in ball arithmetic."""
    exponent = cost.exponent or Fraction(1)
    counts = range(largest + 1)
    with precision(BALL_BITS):
        law = report_law(epsilon, largest)
        sizes = {
            gap: power_of(ball(gap), exponent) if gap else arb(0) for gap in {abs(g - x) for g in said for x in counts}
        }
        risks = [sum((law[x][y] * sizes[abs(said[y] - x)] for y in counts), arb(0)) for x in counts]
        brackets = [Bracket.of_ball(risk) for risk in risks]
        if worst:
            risk = Bracket(max(each.down for each in brackets), max(each.up for each in brackets))
        else:
            risk = Bracket.of_ball(sum((ball(p) * each for p, each in zip(prior, risks, strict=True)), arb(0)))
        weights = [[ball(prior[x]) * law[x][y] for x in counts] for y in counts]
        bound = Bracket.of_ball(sum((_least_loss(row, exponent, largest) for row in weights), arb(0))).down
    return risk, min(max(0.0, bound), risk.up)


def _least_loss(weights: list[arb], exponent: Fraction, largest: int) -> arb:
    """The least Σ w |x - g|^exponent over all numbers g, from below.

    For the absolute cost a whole number is best. The squared cost has its mean. Any other convex cost lies above its
    tangents: with g the best of many points and s the slope there, the least is at least the value minus |s| · range.
    """
    counts = range(largest + 1)
    mass = sum(weights, arb(0))
    if exponent == 1:
        below, best = arb(0), arb("inf")
        total = sum((w * x for x, w in enumerate(weights)), arb(0))
        moment = arb(0)
        for g in counts:
            below, moment = below + weights[g], moment + weights[g] * g
            value = 2 * (g * below - moment) + total - g * mass
            best = arb.min(best, value)
        return best
    if exponent == 2:
        mean = sum((w * x for x, w in enumerate(weights)), arb(0)) / mass
        # As a product: a power of a ball around 0 is not a number to FLINT.
        return sum((w * (x - mean) * (x - mean) for x, w in enumerate(weights)), arb(0))
    floats = np.array([float(w) for w in weights])
    point = Fraction(_convex_mean(floats, float(exponent)))
    value = sum((w * _power(point - x, exponent) for x, w in enumerate(weights)), arb(0))
    slope = sum((w * _slope(point - x, exponent) for x, w in enumerate(weights)), arb(0))
    return value - abs(slope) * largest


def _power(gap: Fraction, exponent: Fraction) -> arb:
    return power_of(ball(abs(gap)), exponent) if gap else arb(0)


def _slope(gap: Fraction, exponent: Fraction) -> arb:
    size = ball(exponent) * power_of(ball(abs(gap)), exponent - 1) if gap else arb(0)
    return size if gap > 0 else -size


def _convex_mean(weights: Floats, exponent: float) -> float:
    """Where the slope of Σ w |x - g|^exponent is 0, by halving, in doubles."""
    counts = np.arange(weights.size, dtype=np.float64)
    low, high = 0.0, float(weights.size - 1)
    for _ in range(60):
        middle = (low + high) / 2
        gaps = middle - counts
        rising = float((weights * np.sign(gaps) * np.abs(gaps) ** (exponent - 1)).sum()) > 0
        low, high = (low, middle) if rising else (middle, high)
    return (low + high) / 2


def _float_law(epsilon: float, largest: int) -> Floats:
    b = np.exp(-epsilon)
    counts = np.arange(largest + 1)
    law: Floats = b ** np.abs(np.subtract.outer(counts, counts)) / (1 + b)
    law[:, 1:-1] *= 1 - b
    return law


def _bayes(epsilon: float, prior: Floats, cost: Cost) -> tuple[Fraction, ...]:
    """For each report the number that costs least on average over what is then believed."""
    believed = prior[:, None] * _float_law(epsilon, prior.size - 1)
    return tuple(_best_number(column, cost) for column in believed.T)


def _best_number(weights: Floats, cost: Cost) -> Fraction:
    counts = np.arange(weights.size)
    if cost.exponent == 1:
        return Fraction(int(np.searchsorted(np.cumsum(weights), weights.sum() / 2)))
    if cost.exponent == 2:
        return Fraction(float((weights * counts).sum() / weights.sum()))
    return Fraction(_convex_mean(weights, float(cost.exponent or 1)))


def _law(prior: Sequence[Number] | None, largest: int) -> tuple[Fraction, ...]:
    if prior is None:
        return (Fraction(1, largest + 1),) * (largest + 1)
    given = tuple(need.non_negative(f"prior[{count}]", chance) for count, chance in enumerate(prior))
    if len(given) != largest + 1 or not sum(given) > 0:
        raise BadValue(f"The prior has {len(given)} chances; counts 0 to {largest} need {largest + 1}, not all 0.")
    total = sum(given, Fraction(0))
    return tuple(chance / total for chance in given)


def _least_worst(
    epsilon: float, largest: int, cost: Cost, solver: LinearSolver
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """A least favourable prior and the numbers to say, by a program over listed guesses, refined by Bayes' answers.

    The mean of a random guess is never worse than the guess, as the cost is convex.
    """
    law, counts = _float_law(epsilon, largest), np.arange(largest + 1, dtype=np.float64)
    guesses = counts
    best: tuple[float, tuple[Fraction, ...]] | None = None
    proven: tuple[float, tuple[Fraction, ...]] | None = None
    for _ in range(_TURNS):
        losses = np.asarray(cost.size(np.abs(np.subtract.outer(counts, guesses))), dtype=np.float64)
        rule, prior = _game(law, losses, solver)
        said = rule @ guesses
        had = float((law * cost.size(np.abs(np.subtract.outer(counts, said)))).sum(axis=1).max())
        exact = _fractions(prior)
        answers = _bayes(epsilon, prior, cost)
        earned = float(
            (prior[:, None] * law * cost.size(np.abs(np.subtract.outer(counts, np.array(answers, float))))).sum()
        )
        if best is None or had < best[0]:
            best = had, tuple(Fraction(round(x * 2**40), 2**40) for x in said.tolist())
        if proven is None or earned > proven[0]:
            proven = earned, exact
        if best[0] - proven[0] <= 1e-9 * best[0] or cost.exponent == 1:
            break
        guesses = np.unique(np.concatenate([guesses, np.array(answers, float), said]).round(12))
    assert best is not None
    assert proven is not None
    return proven[1], best[1]


def _game(law: Floats, losses: Floats, solver: LinearSolver) -> tuple[Floats, Floats]:
    """The random rule (report by guess) whose worst expected loss is least, and the prior its dual values propose."""
    counts, reports = law.shape
    guesses = losses.shape[1]
    entries = (law[:, :, None] * losses[:, None, :]).reshape(counts, reports * guesses)
    columns = reports * guesses
    values = np.concatenate((entries.T, np.ones((columns, 1))), axis=1)
    rows = np.concatenate(
        (
            np.broadcast_to(np.arange(counts), (columns, counts)),
            counts + np.repeat(np.arange(reports), guesses)[:, None],
        ),
        axis=1,
    )
    found = solver.solve(
        LinearProgram(
            cost=np.append(np.zeros(columns), 1.0),
            lower=np.zeros(columns + 1),
            upper=np.append(np.ones(columns), np.inf),
            row_lower=np.append(np.full(counts, -np.inf), np.ones(reports)),
            row_upper=np.append(np.zeros(counts), np.ones(reports)),
            starts=np.append(np.arange(columns + 1) * (counts + 1), columns * (counts + 1) + counts),
            rows=np.append(rows.ravel(), np.arange(counts)),
            values=np.append(values.ravel(), -np.ones(counts)),
        )
    )
    rule = np.maximum(found.point[:columns].reshape(reports, guesses), 0)
    prior = np.abs(found.row_duals[:counts])
    return rule / rule.sum(axis=1, keepdims=True), prior / prior.sum()


def _fractions(prior: Floats) -> tuple[Fraction, ...]:
    parts = [int(p * 2.0**_BITS) for p in prior.tolist()]
    return tuple(Fraction(part, sum(parts)) for part in parts)
