"""Equal small units."""

from dataclasses import dataclass
from fractions import Fraction

from banister.accounting.filters.gate import Gate, bound_of
from banister.core.exact.numbers import BALL_BITS, exp_ball, precision
from banister.core.exact.search import largest_whole
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss


@dataclass(frozen=True, slots=True)
class Units(Gate):
    """Count randomized responses of one small epsilon, `unit`; a larger question costs as many as dominate it.

    Private:  the whole transcript is a post-processing of `limit` independent units drawn in advance, even if prices
              and the moment of stopping depend on the answers ([KOV15] Thm 2.5, and Thm 3.3 for the units).
    """

    limit: Fraction
    unit: Fraction

    @classmethod
    def for_budget(cls, budget: Guarantee, unit: Fraction) -> "Units":
        """As many units as the budget holds by optimal composition."""
        return cls(Fraction(largest_whole(lambda count: _fold_fits(unit, count, budget))), unit)

    def price(self, loss: PrivacyLoss) -> Fraction | None:
        total = Fraction(0)
        for law, count in loss.terms:
            epsilon = bound_of(law)
            units = None if epsilon is None else _least_units(epsilon, self.unit, int(self.limit))
            if units is None:
                return None
            total += count * units
        return total

    def in_words(self) -> str:
        return f"units of epsilon {float(self.unit):.6g}"


def _least_units(epsilon: Fraction, unit: Fraction, most: int) -> Fraction | None:
    """The least n for which n units dominate one question of that epsilon, or nothing beyond `most`.

    The region of randomized response is the triangle under one vertex, so n units dominate it exactly when their
    majority vote errs no more often than it does: an odd n, as a further unit on top of it decides nothing.
    """
    if epsilon <= unit:
        return Fraction(1 if epsilon > 0 else 0)
    with precision(BALL_BITS):
        wrong = 1 / (1 + exp_ball(unit))
        right = 1 - wrong
        target = 1 / (1 + exp_ball(epsilon))
        error, n, step = wrong, 1, wrong * right * (right - wrong)  # step = C(n, (n+1)/2)·(pq)^((n+1)/2)·(p − q)
        while not error <= target:  # A ball that cannot be decided counts as too large.
            error -= step
            n += 2
            step *= right * wrong * (4 * n) / (n + 1)
            if n > most:
                return None
    return Fraction(n)


def _fold_fits(unit: Fraction, count: int, budget: Guarantee) -> bool:
    """Whether so many units are within the budget, by optimal composition ([KOV15] Thm 3.3)."""
    if unit * count <= budget.epsilon:
        return True
    return Fraction(PrivacyLoss.pure(unit).times(count).delta_at(budget.epsilon).up) <= budget.delta
