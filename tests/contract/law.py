"""The law of every charge: what is drawn, enumerated by a second road, against what the loss claims.

A pair of neighbours is a list of outcomes, each with its mass under the one and under the other, in ball arithmetic.
From it the true hockey-stick curve follows by adding up. Outcomes that are left out (the far tails) are counted whole
where they would hurt: against the claim when it is asked whether the truth is below it, for the claim when it is
asked whether the truth reaches it.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms import IntegerNoise, LineNoise
from banister.mechanisms.line.gaussian import Gaussian
from banister.mechanisms.line.laplace import Laplace
from tests.seeded import SeededBits

PARTS = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), Fraction(1), Fraction(11, 10))
"""Where the curves are compared, in parts of the nominal epsilon; at 1 a pure claim falls to 0."""
TAIL = 2.0**-64
"""Tails lighter than this are not enumerated; their mass is counted against whatever is being shown."""
FINE = 1000
"""Integer noise for a larger sensitivity is looked at by stretches of equal mass."""
DOUBLE = 2.0**-50
"""Claims are read from brackets of doubles; two ulps of a number up to 1."""


@dataclass(frozen=True)
class Pair:
    """Outcomes with their mass under each of two neighbours. What is missing to 1 was not enumerated."""

    outcomes: tuple[tuple[arb, arb], ...]

    @classmethod
    def of(cls, outcomes: Iterable[tuple[arb, arb]]) -> "Pair":
        return cls(tuple(outcomes))

    def missing(self) -> arb:
        """How much mass of either neighbour was left out, as an upper bound."""
        total = [sum((masses[side] for masses in self.outcomes), arb(0)) for side in (0, 1)]
        assert not any(each > 1 for each in total), "the masses of the second road add up to more than 1"
        return arb.max(1 - arb.min(*total), arb(0)).upper()

    def merged(self) -> "Pair":
        """The same with outcomes of equal likelihood ratio put together, which tells neither more nor less."""
        groups: list[tuple[arb, arb]] = []
        with precision(BALL_BITS):
            for p, q in sorted(self.outcomes, key=lambda each: _rough_ratio(*each)):
                if groups and (groups[-1][0] * q).overlaps(groups[-1][1] * p) and _same_signs(groups[-1], (p, q)):
                    groups[-1] = (groups[-1][0] + p, groups[-1][1] + q)
                else:
                    groups.append((p, q))
        return Pair(tuple(groups))

    def beside(self, other: "Pair") -> "Pair":
        """Both released, independently."""
        with precision(BALL_BITS):
            return Pair.of((p * r, q * s) for p, q in self.outcomes for r, s in other.outcomes).merged()

    def delta(self, epsilon: Fraction) -> tuple[arb, arb]:
        """The larger of Σ (p - e^epsilon q)⁺ and Σ (q - e^epsilon p)⁺: a bound from below and one from above."""
        factor, zero = exp_ball(epsilon), arb(0)
        sums = [zero, zero]
        for p, q in self.outcomes:
            sums[0] += arb.max(p - factor * q, zero)
            sums[1] += arb.max(q - factor * p, zero)
        found, missing = arb.max(*sums), self.missing()
        # At the ends of what was enumerated one neighbour's mass may stand alone: the sum may be too large there.
        return (found - (1 + factor) * missing).lower(), found.upper() + missing

    def ratio(self) -> float:
        """The largest |log p/q| over the outcomes; infinite where one neighbour has an outcome for itself.

        Where an enumeration ends, the other neighbour's tail is missing, so outcomes that light are not counted.
        """
        with precision(BALL_BITS):
            both = [abs(float((p / q).log())) for p, q in self.outcomes if p > 0 and q > 0]
            alone = any(p + q > 1e-15 for p, q in self.outcomes if not (p > 0 and q > 0))
            return math.inf if alone else max(both)


def _rough_ratio(p: arb, q: arb) -> float:
    # Balls know their logarithm where doubles would underflow; an outcome that only one has goes to an end.
    if not p > 0:
        return -math.inf
    return float((p / q).log()) if q > 0 else math.inf


def _same_signs(one: tuple[arb, arb], other: tuple[arb, arb]) -> bool:
    return all((a > 0) == (b > 0) for a, b in zip(one, other, strict=True))


def examine(
    loss: PrivacyLoss,
    pairs: Sequence[Pair],
    *,
    nominal: Fraction,
    exact: bool,
    parts: Sequence[Fraction] = PARTS,
    slack: float = 0.0,
) -> None:
    """No pair of neighbours is told apart better than the loss claims; and, where it is exact, one is told as well.

    `slack` is what the second road itself may be off by, where it is not certified; the caller says why.
    """
    for part in parts:
        epsilon = part * nominal
        claimed = loss.delta_at(epsilon)
        with precision(BALL_BITS):
            found = [pair.delta(epsilon) for pair in pairs]
            truth_down = max(float(low) for low, _ in found)
            truth_up = max(float(high) for _, high in found)
            doubt = max(float(high - low) for low, high in found)
        # The tails that are not enumerated could only hide a violation of this size.
        assert doubt <= 1e-14, f"the second road leaves out {doubt}"
        assert truth_down <= claimed.up * (1 + DOUBLE) + slack, (
            f"at epsilon = {epsilon} the truth is {truth_down}, the claim {claimed}"
        )
        if exact:
            assert claimed.down <= truth_up * (1 + DOUBLE) + slack, (
                f"at epsilon = {epsilon} the claim is {claimed}, the truth only {truth_up}"
            )
            # A bracket of a claim that is called exact is narrow: it cannot hold both the truth and something else.
            assert claimed.up - claimed.down <= 1e-9 + 1e-6 * claimed.up


def is_exact(value: object) -> bool:
    """Whether a loss is called exact: its docstring does not say that it is an upper bound."""
    said: str = type(value).loss.__doc__ or ""  # type: ignore[attr-defined]
    return "Upper bound" not in said


def reached(loss: PrivacyLoss, pairs: Sequence[Pair], *, nominal: Fraction, share: float) -> None:
    """An upper bound is still of the right size: at nominal epsilon or just below it, most of it is really given away.

    For a pure claim some outcome's ratio reaches that share of epsilon; for (epsilon, delta) the delta at the nominal
    epsilon is reached to that share. A claim of twice the truth fails.
    """
    claimed = loss.delta_at(nominal)
    if claimed.up <= 0:
        pure = loss.epsilon_at(0).up
        found = max(pair.ratio() for pair in pairs)
        assert found >= share * pure, f"the ratio e^{found} is reached, the claim is e^{pure}"
        return
    with precision(BALL_BITS):
        truth = max(float(pair.delta(nominal)[1]) for pair in pairs)
    assert truth >= share * claimed.down, f"at epsilon = {nominal} the truth is {truth}, the claim {claimed}"


# Laws on the integers.


def integer_runs(noise: IntegerNoise) -> list[tuple[int, int, arb]]:
    """(first, last, mass of each) for stretches of equal mass from 0 outwards, until the tail is below TAIL.

    Fine grids have millions of values in few stretches; there masses fall with the size, so a stretch whose ends agree
    is level, and a mistake would show in the total. Elsewhere every value is a stretch of its own.
    """
    runs: list[tuple[int, int, arb]] = []
    left, first = arb(1), 0
    while left > arb(TAIL) and len(runs) < 20_000:
        mass = noise.mass_ball(first)
        if not mass > 0:
            break
        last = _last_level(noise, first, mass) if noise.sensitivity > FINE else first
        runs.append((first, last, mass))
        left -= mass * (2 * (last - first + 1) - (first == 0))
        first = last + 1
    return runs


def _last_level(noise: IntegerNoise, first: int, mass: arb) -> int:
    step, last = 1, first
    while noise.mass_ball(last + step).overlaps(mass):
        last += step
        step *= 2
    while step > 1:
        step //= 2
        if noise.mass_ball(last + step).overlaps(mass):
            last += step
    return last


def shifted_pair(runs: Sequence[tuple[int, int, arb]], shift: int) -> Pair:
    """The noise and the noise moved by `shift`, as outcomes of equal masses."""
    line = [(-last, -first, mass) for first, last, mass in reversed(runs) if last]
    if runs[0][1] > 0:  # The middle stretch is one piece, counted once.
        line[-1] = (-runs[0][1], runs[0][1], runs[0][2])
        line += list(runs[1:])
    else:
        line += list(runs)
    cuts = sorted({edge for first, last, _ in line for edge in (first, last + 1, first + shift, last + 1 + shift)})
    starts = np.array([first for first, _, _ in line])
    ends, masses = [last for _, last, _ in line], [mass for _, _, mass in line]
    outcomes = []
    for cut, after in itertools.pairwise(cuts):
        values = []
        for at in (cut, cut - shift):
            place = int(np.searchsorted(starts, at, side="right")) - 1
            values.append(masses[place] if place >= 0 and at <= ends[place] else arb(0))
        count = after - cut
        outcomes.append((values[0] * count, values[1] * count))
    return Pair.of((p, q) for p, q in outcomes if p > 0 or q > 0).merged()


def integer_pairs(noise: IntegerNoise, shifts: Iterable[int]) -> list[Pair]:
    with precision(BALL_BITS):
        runs = integer_runs(noise)
        return [shifted_pair(runs, shift) for shift in shifts]


def some_shifts(sensitivity: int) -> list[int]:
    """Every distance up to a small sensitivity; for a large one its ends, its middle and a few odd ones."""
    if sensitivity <= 12:
        return list(range(1, sensitivity + 1))
    return sorted({1, 2, sensitivity // 3, sensitivity // 2, sensitivity - 1, sensitivity})


# Laws on the line, as they are released on the grid.

Tail = Callable[[Fraction], arb]


def line_tail(noise: LineNoise) -> Tail | None:
    """P(ideal noise > x) as a ball, written down from the definition; nothing for noise that is drawn on a lattice."""
    if isinstance(noise, Laplace):
        rate = noise.epsilon / noise.sensitivity
        return lambda x: exp_ball(-rate * x) / 2 if x >= 0 else 1 - exp_ball(rate * x) / 2
    if isinstance(noise, Gaussian):
        sigma = Fraction(noise.sigma)
        return lambda x: (ball(x / sigma) / arb(2).sqrt()).erfc() / 2
    return None


def lattice_of(noise: LineNoise) -> IntegerNoise:
    """The integer noise that is added to the rounded answer, where a mechanism works that way."""
    found = getattr(noise, "lattice", None) or getattr(noise, "noise", None)
    assert isinstance(found, IntegerNoise), f"{type(noise).__name__} must say by which law it is drawn on its grid"
    return found


def rounded_pair(tail: Tail, step: Fraction, answers: tuple[Fraction, Fraction]) -> Pair:
    """⌊(answer + noise)/step + 1/2⌋ for two answers, unit by unit, until the tails on both sides are below TAIL."""
    with precision(BALL_BITS):

        def masses(unit: int) -> tuple[arb, arb]:
            low, high = (unit - Fraction(1, 2)) * step, (unit + Fraction(1, 2)) * step
            return tuple(tail(low - answer) - tail(high - answer) for answer in answers)  # type: ignore[return-value]

        first, last = (math.floor(answer / step) for answer in sorted(answers))
        while max(tail((last + Fraction(1, 2)) * step - answer) for answer in answers) > arb(TAIL):
            last += 1
        while max(1 - tail((first - Fraction(1, 2)) * step - answer) for answer in answers) > arb(TAIL):
            first -= 1
        return Pair.of(masses(unit) for unit in range(first, last + 1))


def half_line_pair(tail: Tail, edge: Fraction, shift: Fraction) -> Pair:
    """Whether the release lies above an edge of a cell, for two answers: a pair that is told to the adversary."""
    with precision(BALL_BITS):
        p, q = tail(edge - shift), tail(edge)
        return Pair.of([(p, q), (1 - p, 1 - q)])


def worst_edge(noise: LineNoise, reach: Fraction, epsilon: Fraction) -> Fraction:
    """Above here the ideal release says more than epsilon for the answer `reach` against the answer 0."""
    if isinstance(noise, Gaussian):
        return epsilon * Fraction(noise.sigma) ** 2 / reach + reach / 2
    assert isinstance(noise, Laplace)
    return reach / 2 + epsilon * noise.sensitivity / noise.epsilon / 2


# Draws.


def assert_drawn(sample: np.ndarray, mass: Callable[[int], float]) -> None:
    """The sample follows the law: no cumulated share is off by more than chance allows (Dvoretzky-Kiefer-Wolfowitz).

    The seeds are fixed, so this cannot flicker; for other seeds it would fail once in 10^7 times.
    """
    low, high = int(sample.min()), int(sample.max())
    values, counts = np.unique(sample, return_counts=True)
    law = np.array([mass(value) for value in range(low, high + 1)])
    shares = np.zeros(high - low + 1)
    shares[values - low] = counts / sample.size
    outside = 1 - law.sum()
    apart = np.abs(np.cumsum(shares - law)).max() - max(outside, 0.0)
    assert apart <= 2.9 / math.sqrt(sample.size), f"the draws are {apart:.4f} away from the law"


def assert_below(sample: np.ndarray, distribution: Callable[[int], float]) -> None:
    """The same by the distribution function, at 200 places, for laws with too many values to list."""
    ordered = np.sort(sample)
    for value in np.unique(ordered[:: max(1, ordered.size // 200)]):
        share = np.searchsorted(ordered, value, side="right") / ordered.size
        apart = abs(share - distribution(int(value)))
        assert apart <= 2.9 / math.sqrt(ordered.size), f"the draws are {apart:.4f} away from the law"


def bits(seed: int = 12) -> SeededBits:
    return SeededBits(seed)
