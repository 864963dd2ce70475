"""Rényi divergence of one order."""

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from banister.accounting.filters.gate import Gate, down, up
from banister.core.exact.numbers import BALL_BITS, ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss

LEAST_ORDER = Fraction(17, 16)
"""Orders are sixteenths above 1. Huge budgets would round to 1 itself, at which there is no divergence to add up."""


@dataclass(frozen=True, slots=True)
class Renyi(Gate):
    """Add up Rényi divergences of one order, which is fixed when the ledger is made.

    Private:  e^((order − 1)·(loss − price)) has mean at most 1 along every path, so its end has; converted by
              (1 − e^−y)⁺ ≤ c·e^((order − 1)·y) with c = (1 − 1/order)^order/(order − 1). Proof: docs/math/filters.md.
    Exact:    the divergence of randomized response itself is charged, not the bound order·epsilon²/2.
    """

    limit: Fraction
    order: Fraction

    @classmethod
    def for_budget(cls, budget: Guarantee) -> "Renyi":
        """The order that is best for many small charges; whatever fits under zCDP then fits here."""
        order = best_order(budget)
        return cls(renyi_limit(budget, order), order)

    def price(self, loss: PrivacyLoss) -> Fraction | None:
        with precision(BALL_BITS):
            forth = sum((count * law.moment(self.order).log() for law, count in loss.terms), arb(0))
            back = sum((count * law.reverse().moment(self.order).log() for law, count in loss.terms), arb(0))
            return up(arb.max(forth, back) / ball(self.order - 1))

    def in_words(self) -> str:
        return f"Rényi divergence of order {float(self.order):.6g}"


def best_order(budget: Guarantee) -> Fraction:
    """The order at which the budget allows the most divergence per order; any order is sound."""

    def rate(order: float) -> float:
        gap = math.log(float(budget.delta)) + math.log(order - 1) - order * math.log1p(-1 / order)
        return (float(budget.epsilon) + gap / (order - 1)) / order

    candidates = [1 + math.exp(step / 64) for step in range(-12 * 64, 16 * 64)]
    return max(LEAST_ORDER, Fraction(max(candidates, key=rate)).limit_denominator(16))


def renyi_limit(budget: Guarantee, order: Fraction) -> Fraction:
    """The largest divergence of that order, rounded down, from which the budget follows; 0 where there is none."""
    with precision(BALL_BITS):
        gap = ball(budget.delta).log() + ball(order - 1).log() - ball(order) * ball(1 - 1 / order).log()
        return max(Fraction(0), down(ball(budget.epsilon) + gap / ball(order - 1)))
