"""Gaussian privacy."""

from dataclasses import dataclass
from fractions import Fraction

from banister.accounting.filters.gate import Gate, largest, term_by_term
from banister.core.composition.law import GaussianLaw
from banister.core.exact.numbers import ball
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss


@dataclass(frozen=True, slots=True)
class GaussianGate(Gate):
    """Add up mu² of Gaussian privacy: exact for Gaussian noise, (2·Φ⁻¹(e^epsilon/(1 + e^epsilon)))² for pure losses.

    Private:  the transcript is a post-processing of one Brownian path up to time `limit` (proof: docs/math/filters.md),
              and the conversion is the Gaussian curve itself ([BW18] Thm 8).
    """

    limit: Fraction

    @classmethod
    def for_budget(cls, budget: Guarantee) -> "GaussianGate":
        def fits(mu_squared: Fraction) -> bool:
            if mu_squared == 0:
                return True
            return bool(GaussianLaw(mu_squared).hockey_stick(budget.epsilon) <= ball(budget.delta))

        return cls(largest(fits))

    def price(self, loss: PrivacyLoss) -> Fraction | None:
        return term_by_term(
            loss,
            pure=lambda epsilon: 8 * (2 / (1 + epsilon.exp())).erfcinv() ** 2,
            gaussian=lambda mu_squared: mu_squared,
        )

    def in_words(self) -> str:
        return "mu² of Gaussian privacy"
