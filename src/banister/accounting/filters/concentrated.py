"""Zero-concentrated privacy."""

from dataclasses import dataclass
from fractions import Fraction

from banister.accounting.filters.gate import Gate, down_to_lattice, term_by_term
from banister.accounting.filters.renyi import best_order, renyi_limit
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss


@dataclass(frozen=True, slots=True)
class Concentrated(Gate):
    """Add up rho of zero-concentrated privacy: epsilon·tanh(epsilon/2) for pure losses, mu²/2 for Gaussian ones.

    Private:  rho-zCDP means a Rényi divergence of at most order·rho at every order, so this is `Renyi` at the order
              that suits the budget best. The rho of a pure loss is exact: docs/math/filters.md.
    """

    limit: Fraction

    @classmethod
    def for_budget(cls, budget: Guarantee) -> "Concentrated":
        order = best_order(budget)
        return cls(down_to_lattice(renyi_limit(budget, order) / order))

    def price(self, loss: PrivacyLoss) -> Fraction | None:
        return term_by_term(
            loss,
            pure=lambda epsilon: epsilon * (epsilon / 2).tanh(),
            gaussian=lambda mu_squared: mu_squared / 2,
        )

    def in_words(self) -> str:
        return "rho of zCDP"
