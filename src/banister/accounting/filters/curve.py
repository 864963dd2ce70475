"""The whole curve, in Gaussian time."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from banister.accounting.filters.curves import dominating_price, gaussian_price
from banister.accounting.filters.gate import Gate, bound_of, largest, up_to_lattice
from banister.accounting.filters.gaussian import GaussianGate
from banister.core.composition.law import Law
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss

SLACK_PART = 64
"""Of a delta, one part in so many pays for the comparison of curves, which then need not hold to the last digit."""


@dataclass(frozen=True, slots=True)
class Curve(Gate):
    """Add up Gaussian time, at prices for which whole curves are compared: the more remains, the less a question costs.

    Private:  while r remains, a question at the price c and what is still to come give away no more than Gaussian noise
              of mu² = r, up to slack·c/limit of delta. By induction the run gives away no more than Gaussian noise of
              mu² = limit, and `slack`. Proof: docs/math/filters.md, "The whole curve".
    """

    limit: Fraction
    slack: Fraction

    @classmethod
    def for_budget(cls, budget: Guarantee) -> "Curve":
        slack = budget.delta / SLACK_PART
        return cls(GaussianGate.for_budget(Guarantee(budget.epsilon, budget.delta - slack)).limit, slack)

    def price(self, loss: PrivacyLoss) -> Fraction | None:
        return self.pricer(loss)(Fraction(0))

    def pricer(self, loss: PrivacyLoss) -> Callable[[Fraction], Fraction | None]:
        bells = sum((count * mu for law, count in loss.terms if (mu := law.gaussian()) is not None), Fraction(0))
        rest = [(law, bound_of(law), count) for law, count in loss.terms if law.gaussian() is None]

        def price(charged: Fraction) -> Fraction | None:
            total = charged + up_to_lattice(bells)
            for law, bound, count in rest:
                if bound is None:
                    return None
                if bound > 0:
                    total = self._after(law, bound, count, total)
            return total - charged

        return price

    def _after(self, law: Law, bound: Fraction, count: int, total: Fraction) -> Fraction:
        """The total after so many copies, one after the other; what does not fit any more goes over the limit."""
        while count > 0:
            left = self.limit - total
            floor = _halved_until(self.limit, left)
            price = None if floor is None else gaussian_price(law, bound, floor, self.slack / self.limit)
            if floor is None or price is None:
                price = dominating_price(bound)
            fits = 1 if floor is None else 1 + max(0, int((left - floor) // price))
            taken = min(count, fits)
            total, count = total + taken * price, count - taken
            if total > self.limit:
                return total
        return total

    def in_words(self) -> str:
        return "Gaussian time, by whole curves"

    def epsilon_for(self, room: Fraction) -> Fraction:
        return largest(lambda epsilon: dominating_price(epsilon) <= room)


def _halved_until(limit: Fraction, left: Fraction) -> Fraction | None:
    """The largest of limit, limit/2, limit/4, … that is at most what is left; nothing below 2^-20 of the limit."""
    for halvings in range(20):
        if limit / 2**halvings <= left:
            return limit / Fraction(2**halvings)
    return None
