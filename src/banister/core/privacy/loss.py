"""What a mechanism gives away: the law of log(p/q) on the worst pair of neighbours.

This is the one language in which mechanisms speak to the account. A `PrivacyLoss` is a small frozen value; it knows
its exact delta at any epsilon and the other way round, as brackets that are certain to hold the truth.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb

from banister import need
from banister.core.composition.atoms import Atoms
from banister.core.composition.curve import CurveLaw
from banister.core.composition.direction import Direction
from banister.core.composition.discrete import DiscreteGaussianLaw
from banister.core.composition.law import GaussianLaw, LaplaceLaw, Law
from banister.core.composition.product import ProductLaw
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, exp_ball, fraction_up, precision
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue

RELATIVE_WIDTH = 1e-6
"""How narrow a bracket of epsilon is sought where a narrower one costs time. Exact ways give far narrower ones."""


@dataclass(frozen=True, slots=True)
class PrivacyLoss:
    """The loss of one release or of many, on the worst pair of neighbours.

    >>> PrivacyLoss.pure(Fraction(1, 2)).delta_at(0.5).up
    0.0
    >>> thirty = PrivacyLoss.of_guarantee(Guarantee(0.1, 0.001)).times(30)
    >>> print(f"{thirty.epsilon_at(0.04).up:.6f}")
    0.997456
    """

    terms: tuple[tuple[Law, int], ...]
    neighbours: Neighbours | None = None
    """The only neighbours of whom it speaks, where it holds for one relation alone."""

    @classmethod
    def pure(cls, epsilon: Fraction) -> "PrivacyLoss":
        """The worst of all epsilon-private mechanisms, randomized response: ±epsilon with odds e^epsilon : 1.

        Exact:  [KOV15] Eqs. (17)-(18) with delta 0; every epsilon-private pair is a post-processing of this one.
        """
        return cls(_response(epsilon))

    @classmethod
    def of_guarantee(cls, guarantee: Guarantee) -> "PrivacyLoss":
        """The worst of all (epsilon, delta)-private mechanisms: four outputs, two of which tell everything.

        Exact:  [KOV15] Eqs. (17)-(18); its region is R(epsilon, delta) itself.
        """
        return cls.of_terms(_response(guarantee.epsilon) + _all_or_nothing(guarantee.delta))

    @classmethod
    def of_distance(cls, guarantee: Guarantee, distance: arb | Fraction) -> "PrivacyLoss":
        """The worst of all (epsilon, delta)-private pairs, in either order, of at most that total variation distance.

        Exact:  delta(t) is convex in e^t, so on 0 ≤ t ≤ epsilon it is at most the chord from the distance to delta,
                which is the curve of the atoms ±epsilon, 0 and infinity. Where the loss takes no other values, it is
                the curve itself (docs/math/regions.md).

        >>> third = PrivacyLoss.of_distance(Guarantee(1), Fraction(1, 3))
        >>> round(third.delta_at(0).up, 6), third.delta_at(1).up
        (0.333333, 0.0)
        """
        epsilon, delta = guarantee.epsilon, guarantee.delta
        with precision(BALL_BITS):
            given = ball(distance) if isinstance(distance, Fraction) else distance
            above = arb.max(given - ball(delta), arb(0))
            if epsilon == 0 or above == 0:
                return cls(_all_or_nothing(delta))
            plus = above / -ball(-epsilon).expm1()
            minus = exp_ball(-epsilon) * plus
            nothing = ball(1 - delta) - plus - minus
            if nothing < 0:
                return cls.of_guarantee(guarantee)  # No pair with that guarantee is so far apart.
            atoms = [(epsilon, plus), (Fraction(0), arb.max(nothing, arb(0))), (-epsilon, minus)]
            return cls.of_atoms(atoms, infinite=delta)

    @classmethod
    def of_atoms(cls, atoms: Iterable[tuple[Fraction, arb]], *, infinite: arb | Fraction) -> "PrivacyLoss":
        """A symmetric pair with finitely many losses: (value of log p/q, its mass under p), each value once.

        Give the mass at infinity as a fraction where it is one: then the epsilon at that very delta is known too.

        Symmetric means that p(−v) = e^−v · p(v), which is checked; noise that is even always is.
        """
        exact = infinite if isinstance(infinite, Fraction) else None
        law = _atoms(atoms, infinite, symmetric=True, escapes=(exact, exact))
        with precision(BALL_BITS):
            masses = dict(zip(law.values, law.masses, strict=True))
            for value, mass in masses.items():
                if not masses.get(-value, arb(0)).overlaps(mass * exp_ball(-value)):
                    raise BadValue(
                        f"The mass at the loss {value} is not e^{value} times the mass at {-value}, so the pair is not "
                        "symmetric. Use PrivacyLoss.of_one_sided_atoms, which counts both directions."
                    )
        return cls(((law, 1),))

    @classmethod
    def of_one_sided_atoms(
        cls, atoms: Iterable[tuple[Fraction, arb]], *, infinite: arb | Fraction, other_infinite: Fraction | None = None
    ) -> "PrivacyLoss":
        """The same for a pair that changes when the neighbours change places; the other direction is derived.

        `other_infinite` is the mass at infinity in the other order, where it is known as a fraction.

        In a composition the orders are kept apart, so let p stand for the same neighbour in every release: the one with
        the person, for ADD_REMOVE. For REPLACE the pair must dominate in either order.

        Exact:  with the places changed, the loss −v has the mass e^−v · p(v), and what is missing to 1 is infinite.
        """
        exact = infinite if isinstance(infinite, Fraction) else None
        law = _atoms(atoms, infinite, symmetric=False, escapes=(exact, other_infinite))
        with precision(BALL_BITS):
            if other_infinite is not None and not _missing(law).overlaps(ball(other_infinite)):
                raise BadValue(
                    f"With the places changed, {_missing(law).str(6)} is missing to 1, not {other_infinite}."
                )
        return cls(((law, 1),))

    @classmethod
    def gaussian(cls, mu_squared: Fraction) -> "PrivacyLoss":
        """Gaussian noise, mu = sensitivity/sigma: L is normal with mean mu²/2 and variance mu².

        Exact:  [BW18] Thm 8; Gaussian losses compose by adding mu².
        """
        return cls(((GaussianLaw(need.positive("mu_squared", mu_squared)), 1),))

    @classmethod
    def laplace(cls, epsilon: Fraction) -> "PrivacyLoss":
        """Laplace noise of scale sensitivity/epsilon; composes better than `pure(epsilon)`."""
        return cls(((LaplaceLaw(need.positive("epsilon", epsilon)), 1),))

    @classmethod
    def discrete_gaussian(cls, *, sigma: Fraction, sensitivity: int) -> "PrivacyLoss":
        """Discrete Gaussian noise of that sigma on the integers, for neighbours that move the answer by `sensitivity`.

        Exact:  its loss lies on a lattice, on which it composes without any other error ([CKS20] Thm 7 for one).
        """
        reach = need.whole("sensitivity", sensitivity, least=1)
        return cls(((DiscreteGaussianLaw(need.positive("sigma", sigma), reach), 1),))

    @classmethod
    def of_curve(cls, delta: Callable[[Fraction], arb], *, key: Hashable) -> "PrivacyLoss":
        """A symmetric pair of which delta(epsilon) is known in certified form, for epsilon ≥ 0.

        Give the same key to the same law, e.g. ("discrete gaussian", sigma, sensitivity), so that it is counted
        once with its multiplicity.
        """
        return cls(((CurveLaw(key, delta, delta), 1),))

    @classmethod
    def of_two_curves(
        cls,
        delta: Callable[[Fraction], arb],
        other: Callable[[Fraction], arb],
        *,
        key: Hashable,
        ends: tuple[Fraction | None, Fraction | None] = (None, None),
    ) -> "PrivacyLoss":
        """The same for a pair that changes when the neighbours change places: the curve of each order.

        As for `of_one_sided_atoms`, the first order is that of the neighbour with the person.

        `ends` bounds the loss in each order, from where on delta is 0; nothing where there is no bound.
        """
        return cls(((CurveLaw(key, delta, other, ends), 1),))

    @classmethod
    def of_terms(cls, terms: Iterable[tuple[Law, int]]) -> "PrivacyLoss":
        """Laws with their multiplicities; equal laws are counted together."""
        counts: dict[Law, int] = {}
        for law, count in terms:
            counts[law] = counts.get(law, 0) + count
        return cls(tuple(counts.items()))

    @classmethod
    def nothing(cls) -> "PrivacyLoss":
        """The loss of releasing nothing."""
        return cls(())

    def times(self, count: int) -> "PrivacyLoss":
        """This release, made so many times."""
        need.whole("count", count, least=1)
        return PrivacyLoss(tuple((law, count * each) for law, each in self.terms), self.neighbours)

    def with_(self, *others: "PrivacyLoss") -> "PrivacyLoss":
        """This and the others together, all parameters fixed in advance."""
        whole = PrivacyLoss.of_terms(term for loss in (self, *others) for term in loss.terms)
        for loss in (self, *others):
            whole = whole if loss.neighbours is None else whole.about(loss.neighbours)
        return whole

    def about(self, neighbours: Neighbours) -> "PrivacyLoss":
        """The same loss, said to hold for this relation alone; one that speaks of another already is refused.

        >>> PrivacyLoss.pure(Fraction(1)).about(Neighbours.REPLACE).neighbours.value
        'replace'
        """
        if self.neighbours not in (None, neighbours):
            assert self.neighbours is not None
            raise BadValue(
                f"A loss about {self.neighbours.value} neighbours cannot be joined with one about {neighbours.value} "
                f"neighbours. Work out both for the same relation."
            )
        return PrivacyLoss(self.terms, neighbours)

    @property
    def law(self) -> Law:
        """The whole as one law."""
        only = self.terms[0] if len(self.terms) == 1 else None
        return only[0] if only and only[1] == 1 else ProductLaw(self.terms)

    def delta_at(self, epsilon: Number, *, relative_width: float = RELATIVE_WIDTH) -> Bracket:
        """The least delta with which this is (epsilon, delta)-private."""
        point = need.non_negative("epsilon", epsilon)
        found = [way.delta(point) for way in self.directions(relative_width)]
        return Bracket(max(one.down for one in found), max(one.up for one in found))

    def epsilon_at(self, delta: Number, *, relative_width: float = RELATIVE_WIDTH) -> Bracket:
        """The least epsilon with which this is (epsilon, delta)-private; infinite where there is none."""
        target = need.between("delta", delta, 0, 1)
        found = [way.epsilon(target) for way in self.directions(relative_width)]
        return Bracket(max(one.down for one in found), max(one.up for one in found))

    def keeps(self, guarantee: Guarantee, *, relative_width: float = RELATIVE_WIDTH) -> bool:
        """Whether it is proven that this is (epsilon, delta)-private; both numbers are taken as the fractions they are.

        >>> PrivacyLoss.of_guarantee(Guarantee(1, "1e-6")).keeps(Guarantee(1, "1e-6"))
        True
        """
        return all(way.keeps(guarantee.epsilon, guarantee.delta) for way in self.directions(relative_width))

    def directions(self, relative_width: float = RELATIVE_WIDTH) -> tuple[Direction, ...]:
        """The composition for each order of the two neighbours; one where the order makes no difference."""
        orders = dict.fromkeys((self.terms, tuple((law.reverse(), count) for law, count in self.terms)))
        return tuple(Direction.of_terms(terms, relative_width=relative_width) for terms in orders)


def own_delta(law: Law) -> Fraction:
    """The mass at infinity in the worse order: exact where it is a fraction, rounded up for any other law."""
    return max(Fraction(0), *(_escape(one) for one in (law, law.reverse())))


def _escape(law: Law) -> Fraction:
    exact = law.escape()
    return fraction_up(law.infinite()) if exact is None else exact


_REVEAL = "all or nothing"


@lru_cache(maxsize=4096)
def _response(epsilon: Fraction) -> tuple[tuple[Law, int], ...]:
    epsilon = need.non_negative("epsilon", epsilon)
    if epsilon == 0:
        return ()
    with precision(BALL_BITS):
        keep = 1 / (1 + exp_ball(-epsilon))
        masses = (keep, keep * exp_ball(-epsilon))
    return ((Atoms(("response", epsilon), (epsilon, -epsilon), masses, arb(0)), 1),)


@lru_cache(maxsize=4096)
def _all_or_nothing(delta: Fraction) -> tuple[tuple[Law, int], ...]:
    """Everything with probability delta, else nothing; a guarantee is this beside randomized response."""
    if delta == 0:
        return ()
    with precision(BALL_BITS):
        law = Atoms(
            (_REVEAL, delta),
            (Fraction(0),),
            (ball(1 - delta),),
            ball(delta),
            escapes=(Fraction(delta), Fraction(delta)),
        )
        return ((law, 1),)


def _missing(law: Atoms) -> arb:
    """What the masses lack to 1 when the neighbours have changed places."""
    return 1 - sum((mass * exp_ball(-value) for value, mass in zip(law.values, law.masses, strict=True)), arb(0))


def _atoms(
    atoms: Iterable[tuple[Fraction, arb]],
    beyond: arb | Fraction,
    *,
    symmetric: bool,
    escapes: tuple[Fraction | None, Fraction | None],
) -> Atoms:
    pairs = tuple(atoms)
    with precision(BALL_BITS):
        infinite = ball(beyond) if isinstance(beyond, Fraction) else beyond
    values, masses = tuple(value for value, _ in pairs), tuple(mass for _, mass in pairs)
    if not pairs or len(set(values)) < len(values):
        raise BadValue(
            "A law needs at least one loss, and each value of the loss once. Add up the masses of equal ones."
        )
    if any(mass < 0 for mass in (*masses, infinite)):
        raise BadValue("A mass below 0 is not a probability. Give masses from 0 to 1.")
    with precision(BALL_BITS):
        total = sum(masses, infinite)
    if not total.overlaps(arb(1)):
        raise BadValue(f"The masses add up to {total.str(6, radius=False)}, not to 1. Put what is missing at infinity.")
    key = (values, tuple(_digits(mass) for mass in masses), _digits(infinite), symmetric)
    return Atoms(key, values, masses, infinite, symmetric, escapes)


def _digits(x: arb) -> tuple[int, ...]:
    """Everything a ball is, as integers that can be compared."""
    return tuple(int(part) for half in (x.mid(), x.rad()) for part in half.man_exp())
