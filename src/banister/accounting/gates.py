"""Gates: currencies in which prices of losses add up under full adaptivity, each with a limit for a budget.

Every price is rounded up and every limit down, on a lattice of 2^-64, so totals stay short and exact.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction

from flint import arb

from banister.accounting.charge import largest_finite_loss
from banister.core.composition.law import GaussianLaw, Law
from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision, scaled_floor
from banister.core.exact.search import halved, largest_whole
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import LedgerForeign

LATTICE_BITS = 64

PRICE_BITS = 24
"""How finely the price of Gaussian noise is sought where epsilons are added up: to this part of the limit, 2^-24."""


class Gate(ABC):
    """One currency and its limit."""

    __slots__ = ()

    limit: Fraction

    @abstractmethod
    def price(self, loss: PrivacyLoss) -> Fraction | None:
        """What the loss costs, rounded up; nothing where this currency cannot express it."""

    @abstractmethod
    def in_words(self) -> str:
        """The currency, for people."""

    def epsilon_for(self, room: Fraction) -> Fraction:
        """The largest epsilon, rounded down, whose pure charge costs at most that much."""
        return largest(lambda epsilon: _within(self.price(PrivacyLoss.pure(epsilon)), room))


@dataclass(frozen=True, slots=True)
class Basic(Gate):
    """Add up epsilons. Gaussian noise has none that always holds, so it takes a part of `spare`, a delta of the gate.

    Private:  the losses on a path add up to at most its epsilons' sum, so nothing exceeds the limit ([KOV15] Thm 3.1).
              Gaussian noise at the price p keeps (p, spare · p / limit). While prices are within the limit, their
              deltas add up to spare at most. Proof: docs/math/filters.md.
    """

    limit: Fraction
    spare: Fraction = Fraction(0)

    def price(self, loss: PrivacyLoss) -> Fraction | None:
        bells = [(mu, count) for law, count in loss.terms if (mu := law.gaussian()) is not None]
        rest = PrivacyLoss.of_terms((law, count) for law, count in loss.terms if law.gaussian() is None)
        bounded = largest_finite_loss(rest)
        if not bells or bounded is None:
            return bounded
        bell = self._bell(GaussianLaw(sum((mu * count for mu, count in bells), Fraction(0))))
        return None if bell is None else bounded + bell

    def _bell(self, law: GaussianLaw) -> Fraction | None:
        """About the least p, never below it, for which the noise keeps (p, spare · p / limit)."""
        if not (self.spare > 0 and self.limit > 0 and self._keeps(law, self.limit)):
            return None
        _, high = halved(lambda price: self._keeps(law, price), Fraction(0), self.limit, rounds=PRICE_BITS)
        return _up_to_lattice(high)

    def _keeps(self, law: GaussianLaw, price: Fraction) -> bool:
        return bool(law.hockey_stick(price) <= ball(self.spare * price / self.limit))

    def in_words(self) -> str:
        return "epsilons added up"

    def epsilon_for(self, room: Fraction) -> Fraction:
        return max(room, Fraction(0))


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
            return _up(arb.max(forth, back) / ball(self.order - 1))

    def in_words(self) -> str:
        return f"Rényi divergence of order {float(self.order):.6g}"


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
        return cls(_down_to_lattice(renyi_limit(budget, order) / order))

    def price(self, loss: PrivacyLoss) -> Fraction | None:
        return _term_by_term(
            loss,
            pure=lambda epsilon: epsilon * (epsilon / 2).tanh(),
            gaussian=lambda mu_squared: mu_squared / 2,
        )

    def in_words(self) -> str:
        return "rho of zCDP"


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
        return _term_by_term(
            loss,
            pure=lambda epsilon: 8 * (2 / (1 + epsilon.exp())).erfcinv() ** 2,
            gaussian=lambda mu_squared: mu_squared,
        )

    def in_words(self) -> str:
        return "mu² of Gaussian privacy"


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
            epsilon = _bound(law)
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


def best_order(budget: Guarantee) -> Fraction:
    """The order at which the budget allows the most divergence per order; any order is sound."""

    def rate(order: float) -> float:
        gap = math.log(float(budget.delta)) + math.log(order - 1) - order * math.log1p(-1 / order)
        return (float(budget.epsilon) + gap / (order - 1)) / order

    candidates = [1 + math.exp(step / 64) for step in range(-12 * 64, 16 * 64)]
    return Fraction(max(candidates, key=rate)).limit_denominator(16)


def renyi_limit(budget: Guarantee, order: Fraction) -> Fraction:
    """The largest divergence of that order, rounded down, from which the budget follows; 0 where there is none."""
    with precision(BALL_BITS):
        gap = ball(budget.delta).log() + ball(order - 1).log() - ball(order) * ball(1 - 1 / order).log()
        return max(Fraction(0), _down(ball(budget.epsilon) + gap / ball(order - 1)))


def largest(holds: Callable[[Fraction], bool]) -> Fraction:
    """The largest lattice point for which a condition holds that fails from some point on; 0 if it never does."""
    step = Fraction(1, 2**LATTICE_BITS)
    return step * largest_whole(lambda steps: holds(steps * step), rounds=52)


GATES: dict[str, type[Gate]] = {
    "basic": Basic,
    "renyi": Renyi,
    "zcdp": Concentrated,
    "gdp": GaussianGate,
    "units": Units,
}


def as_document(gate: Gate) -> dict[str, str]:
    """The gate as it is written in a ledger: its name and its exact numbers."""
    name = next(key for key, kind in GATES.items() if kind is type(gate))
    numbers = {part.name: str(getattr(gate, part.name)) for part in fields(gate)}  # type: ignore[arg-type]
    return {"gate": name, **numbers}


def of_document(document: dict[str, str]) -> Gate:
    """The gate that a ledger names."""
    kind = GATES.get(document["gate"])
    if kind is None:
        raise LedgerForeign(
            f"The ledger is guarded by '{document['gate']}', which this version of banister does not know. "
            f"Use the version that made it."
        )
    numbers = {part.name: Fraction(document[part.name]) for part in fields(kind) if part.name in document}  # type: ignore[arg-type]
    return kind(**numbers)


def _term_by_term(loss: PrivacyLoss, *, pure: Callable[[arb], arb], gaussian: Callable[[arb], arb]) -> Fraction | None:
    """Add up the prices of the parts of a loss, each by itself Gaussian or bounded."""
    total = arb(0)
    with precision(BALL_BITS):
        for law, count in loss.terms:
            mu_squared, epsilon = law.gaussian(), _bound(law)
            if mu_squared is not None:
                total += count * gaussian(ball(mu_squared))
            elif epsilon is not None:
                total += count * pure(ball(epsilon))
            else:
                return None
        return _up(total)


def _bound(law: Law) -> Fraction | None:
    return largest_finite_loss(PrivacyLoss(((law, 1),)))


def _up(x: arb) -> Fraction | None:
    """The price at or above a ball, never below 0; nothing where it has no bound."""
    if not x.is_finite():
        return None
    return max(Fraction(0), Fraction(-scaled_floor(-x, LATTICE_BITS)[0], 2**LATTICE_BITS))


def _down(x: arb) -> Fraction:
    return Fraction(scaled_floor(x, LATTICE_BITS)[0], 2**LATTICE_BITS)


def _down_to_lattice(value: Fraction) -> Fraction:
    return Fraction(math.floor(value * 2**LATTICE_BITS), 2**LATTICE_BITS)


def _up_to_lattice(value: Fraction) -> Fraction:
    return -_down_to_lattice(-value)


def _within(price: Fraction | None, room: Fraction) -> bool:
    return price is not None and price <= room
