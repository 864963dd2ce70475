"""Composition by counting: all products of a few exact losses, sorted, with the exact inverse."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from banister.core.exact.numbers import (
    BALL_BITS,
    Bracket,
    ball,
    exp_ball,
    float_down,
    float_up,
    fraction_down,
    fraction_up,
    precision,
)
from banister.core.exact.search import halved, next_double

ENOUGH_BITS = 80
"""Relative accuracy below which a difference of two sums is taken again, term by term."""


@dataclass(frozen=True, slots=True, eq=False)
class Stairs:
    """Losses in falling order with the masses added up from the top, under p and under q.

    delta(g) = A − e^g·B, where A and B are the masses of the losses above g; between two losses it is a straight line
    in e^g, so the inverse is a logarithm.

    Exact:  [KOV15] Thm 3.3 for equal losses, and the sum over subsets in [MV18] for different ones.
    """

    values: tuple[Fraction, ...]
    own: tuple[arb, ...]
    mass: tuple[arb, ...]
    other_mass: tuple[arb, ...]

    @classmethod
    def of_masses(cls, masses: dict[Fraction, arb]) -> "Stairs":
        """From the law of the total loss."""
        values = sorted(masses, reverse=True)
        a, b, first, second = arb(0), arb(0), [arb(0)], [arb(0)]
        with precision(BALL_BITS):
            for value in values:
                a += masses[value]
                b += masses[value] * exp_ball(-value)
                first.append(a)
                second.append(b)
        return cls(tuple(values), tuple(masses[value] for value in values), tuple(first), tuple(second))

    def delta(self, point: Fraction) -> arb:
        """The certified delta of the finite losses at this epsilon."""
        above = bisect_left(self.values, -point, key=lambda value: -value)
        with precision(BALL_BITS):
            found = self.mass[above] - exp_ball(point) * self.other_mass[above]
            if found.rel_accuracy_bits() >= ENOUGH_BITS:
                return found
            # The difference has cancelled; the sum of what each loss adds has no signs, and does not.
            steps = (
                -self.own[i] * ball(point - self.values[i]).expm1() for i in range(above) if self.values[i] > point
            )
            return sum(steps, arb(0))

    def epsilon(self, goal: arb) -> Bracket:
        """The least epsilon ≥ 0 at which delta comes down to the goal, which is above 0."""
        with precision(BALL_BITS):
            if self.delta(Fraction(0)) <= goal:
                return Bracket(0.0, 0.0)
            return Bracket(self._down(goal), self._up(goal))

    def _piece(self, goal: arb) -> arb:
        """Where the line through the piece that holds the goal comes down to it."""
        # delta(values[i]) grows with i; find the first that is not proven to be at most the goal.
        _, first = halved(lambda i: not self.delta(self.values[i]) <= goal, -1, len(self.values))
        return ((self.mass[first] - goal) / self.other_mass[first]).log()

    def _down(self, goal: arb) -> float:
        """Every piece is a line below delta, so where one comes down to the goal delta has not come below it."""
        found = self._piece(goal)
        return max(0.0, float_down(fraction_down(found))) if found.is_finite() else 0.0

    def _up(self, goal: arb) -> float:
        found = self._piece(goal)
        if not found.is_finite():
            return float_up(self.values[0])
        return next_double(lambda x: bool(self.delta(Fraction(x)) <= goal), max(0.0, float_up(fraction_up(found))))
