"""Several independent losses, answering as one law."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_poly

from banister.core.composition.contour import total_top
from banister.core.composition.direction import Direction
from banister.core.composition.escape import infinite, survivals
from banister.core.composition.law import Law, Tilted
from banister.core.composition.saddle import cumulants
from banister.core.composition.ways import counted
from banister.core.exact.numbers import BALL_BITS, precision

EXACT_WIDTH = 1e-6


@dataclass(frozen=True, slots=True)
class ProductLaw(Law):
    """The law of the sum of the losses, one for each term and copy."""

    terms: tuple[tuple[Law, int], ...]

    def hockey_stick(self, epsilon: Fraction) -> arb:
        return Direction.of_terms(self.terms, relative_width=EXACT_WIDTH).delta_ball(epsilon)

    def infinite(self) -> arb:
        with precision(BALL_BITS):
            return infinite(self.terms)

    def escape(self) -> Fraction | None:
        kept = survivals(self.terms)
        return None if kept is None else 1 - Fraction(int(kept[0]), int(kept[1]))

    def top(self) -> Fraction | None:
        return total_top(self.terms)

    def reverse(self) -> "ProductLaw":
        turned = tuple((law.reverse(), count) for law, count in self.terms)
        return self if turned == self.terms else ProductLaw(turned)

    def atoms(self) -> Mapping[Fraction, arb] | None:
        return None if any(law.atoms() is None for law, _ in self.terms) else counted(self.terms)

    def grid(self) -> tuple[Fraction, Fraction] | None:
        return None

    def breaks(self, count: int) -> int | None:
        return None

    def exponentials(self, count: int) -> Mapping[Fraction, arb_poly]:
        raise ArithmeticError("The terms of a product are taken one by one.")

    def moment(self, order: Fraction) -> arb:
        found = arb(1)
        for law, count in self.terms:
            found *= law.moment(order) ** count
        return found

    def gaussian(self) -> Fraction | None:
        total = Fraction(0)
        for law, count in self.terms:
            mu_squared = law.gaussian()
            if mu_squared is None:
                return None
            total += count * mu_squared
        return total or None

    def identity(self) -> Hashable:
        return tuple((law.identity(), count) for law, count in self.terms)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        return cumulants(self.terms, tilt)

    def bounds(self, relative_width: float) -> tuple[Law, Law]:
        both = [(*law.bounds(relative_width), count) for law, count in self.terms]
        return ProductLaw(tuple((a, k) for a, _, k in both)), ProductLaw(tuple((b, k) for _, b, k in both))

    def tilted(self, tilt: Fraction) -> Tilted:
        raise ArithmeticError("The terms of a product are tilted one by one.")
