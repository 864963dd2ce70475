"""The composition of laws for one order of the two neighbours."""

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from banister.core.composition.contour import Terms, total_top
from banister.core.composition.escape import infinite, room
from banister.core.composition.law import GaussianLaw
from banister.core.composition.ways import Way, way_for
from banister.core.exact.numbers import BALL_BITS, Bracket, ball, float_down, float_up, precision


@dataclass(frozen=True, slots=True, eq=False)
class FinitePart:
    """delta(g) = infinite + survival · D(g): the mass at infinity apart, and a way to compose the finite losses.

    Releases that reveal all or nothing enter through `infinite` and `survival` alone, and all normal losses are one.
    """

    infinite: arb
    survival: arb
    top: Fraction | None
    way: Way
    terms: Terms

    @classmethod
    def of_terms(cls, terms: Terms, *, relative_width: float) -> "FinitePart":
        """Sort the terms: all or nothing, normal, and the rest."""
        normal, survival, rest = Fraction(0), arb(1), []
        with precision(BALL_BITS):
            for law, count in terms:
                atoms = law.atoms()
                mu_squared = law.gaussian()
                if mu_squared is not None:
                    normal += count * mu_squared
                elif atoms is not None and len(atoms) == 1 and 0 in atoms:
                    survival *= atoms[Fraction(0)] ** count
                else:
                    rest.append((law, count))
            beyond = infinite(terms)
        if normal:
            rest.append((GaussianLaw(normal), 1))
        way = way_for(rest, relative_width=relative_width)
        return cls(beyond, survival, total_top(rest), way, tuple(terms))

    def delta(self, point: Fraction) -> arb:
        """A ball around the least delta at epsilon = point."""
        with precision(BALL_BITS):
            found = self.infinite + self.survival * self.way.delta(point)
            return arb.max(arb.min(found, arb(1)), arb(0))

    def epsilon(self, target: Fraction) -> Bracket:
        """The least epsilon at delta = target; infinite where there is none."""
        with precision(BALL_BITS):
            goal = self._room(target) / self.survival
            if goal < 0:
                return Bracket(math.inf, math.inf)
            if goal >= 1 or (self.top is not None and -(-ball(self.top)).expm1() <= goal):
                return Bracket(0.0, 0.0)  # delta(0) is at most 1 − e^(−top).
            if goal.rel_accuracy_bits() > 40 and goal > 0:
                return self.way.epsilon(goal)
            return self._at_the_limit(goal)

    def keeps(self, point: Fraction, target: Fraction) -> bool:
        """Whether delta(point) is proven to be at most the target, which need not be a double."""
        with precision(BALL_BITS):
            finite = arb(0) if self.top is not None and point >= self.top else self.way.delta(point)
            return bool(self.survival * finite <= self._room(target))

    def _room(self, target: Fraction) -> arb:
        """What the target leaves above the mass at infinity: as a ball, and exactly where the ball does not tell."""
        left = ball(target) - self.infinite
        if left.rel_accuracy_bits() > BALL_BITS // 2:
            return left
        exact = room(self.terms, target)
        return left if exact is None else exact

    def _at_the_limit(self, goal: arb) -> Bracket:
        """The target is the mass at infinity, or cannot be told from it: only the largest loss is left as an answer."""
        below, above = goal.lower(), goal.upper()
        top = self.top
        if above > 0:
            down = self.way.epsilon(above).down
        else:
            down = (
                math.inf if top is None else max(0.0, math.nextafter(float_down(top), 0.0))
            )  # A bound may be rounded.
        up = math.inf if top is None or not below >= 0 else max(0.0, float_up(top))
        return Bracket(min(down, up), up)


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """The composition from above and from below; the same part twice where every law is exact."""

    upper: FinitePart
    lower: FinitePart

    @classmethod
    def of_terms(cls, terms: Terms, *, relative_width: float) -> "Direction":
        """Laws that are known by a curve alone are replaced from above and from below, unless they stand alone."""
        if sum(count for _, count in terms) == 1:
            only = FinitePart.of_terms(terms, relative_width=relative_width)
            return cls(only, only)
        both = [(*law.bounds(relative_width), count) for law, count in terms]
        upper = FinitePart.of_terms([(above, count) for above, _, count in both], relative_width=relative_width)
        if all(above is below for above, below, _ in both):
            return cls(upper, upper)
        return cls(
            upper, FinitePart.of_terms([(below, count) for _, below, count in both], relative_width=relative_width)
        )

    def delta_ball(self, point: Fraction) -> arb:
        """The least delta at epsilon = point, as a ball."""
        up = self.upper.delta(point)
        with precision(BALL_BITS):
            return up if self.lower is self.upper else up.union(self.lower.delta(point))

    def delta(self, point: Fraction) -> Bracket:
        """The least delta at epsilon = point."""
        up = Bracket.of_ball(self.upper.delta(point))
        low = up if self.lower is self.upper else Bracket.of_ball(self.lower.delta(point))
        return Bracket(max(low.down, 0.0), max(up.up, 0.0))

    def keeps(self, point: Fraction, target: Fraction) -> bool:
        """Whether delta(point) is proven to be at most the target."""
        return self.upper.keeps(point, target)

    def epsilon(self, target: Fraction) -> Bracket:
        """The least epsilon at delta = target; infinite where there is none."""
        up = self.upper.epsilon(target)
        return up if self.lower is self.upper else Bracket(self.lower.epsilon(target).down, up.up)
