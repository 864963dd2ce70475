"""Epsilons added up."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from banister.accounting.charge import largest_finite_loss
from banister.accounting.filters.gate import Gate, bound_of, up_to_lattice
from banister.core.exact.search import halved
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss

PRICE_BITS = 24
"""How finely the price of Gaussian noise is sought where epsilons are added up: to this part of the limit, 2^-24."""


@dataclass(frozen=True, slots=True)
class Basic(Gate):
    """Add up epsilons. Noise without a bound has none that always holds, so it takes a part of `spare`.

    Private:  the losses on a path add up to at most its epsilons' sum, so nothing exceeds the limit ([KOV15] Thm 3.1).
              Noise without a bound at the price p keeps (p, spare · p / limit). While prices are within the limit,
              their deltas add up to spare at most. Proof: docs/math/filters.md.
    """

    adds_epsilons: ClassVar[bool] = True

    limit: Fraction
    spare: Fraction = Fraction(0)

    def price(self, loss: PrivacyLoss) -> Fraction | None:
        bells = PrivacyLoss.of_terms((law, count) for law, count in loss.terms if bound_of(law) is None)
        rest = PrivacyLoss.of_terms((law, count) for law, count in loss.terms if bound_of(law) is not None)
        bounded = largest_finite_loss(rest)
        if not bells.terms or bounded is None:
            return bounded
        bell = self._bell(bells)
        return None if bell is None else bounded + bell

    def _bell(self, loss: PrivacyLoss) -> Fraction | None:
        """About the least p, never below it, for which the noise keeps (p, spare · p / limit)."""
        if not (self.spare > 0 and self.limit > 0 and self._keeps(loss, self.limit)):
            return None
        _, high = halved(lambda price: self._keeps(loss, price), Fraction(0), self.limit, rounds=PRICE_BITS)
        return up_to_lattice(high)

    def _keeps(self, loss: PrivacyLoss, price: Fraction) -> bool:
        return loss.keeps(Guarantee(price, self.spare * price / self.limit))

    def in_words(self) -> str:
        return "epsilons added up"

    def epsilon_for(self, room: Fraction) -> Fraction:
        return max(room, Fraction(0))
