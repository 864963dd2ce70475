"""What a mechanism gives away: the law of log(p/q) on the worst pair of neighbours.

This is the one language in which mechanisms speak to the account. A `PrivacyLoss` is a small frozen value; it knows
its exact delta at any epsilon and the other way round, as brackets that are certain to hold the truth.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from banister.core import need
from banister.core.exact import BALL_BITS, Bracket, Number, ball, exp_ball, precision
from banister.core.guarantee import Guarantee
from banister.core.inverse import least_epsilon
from banister.core.law import Atoms, Curve, Gaussian, Laplace, Law
from banister.errors import BadValue


@dataclass(frozen=True, slots=True)
class PrivacyLoss:
    """The loss of one release, on its worst pair of neighbours.

    >>> PrivacyLoss.pure(Fraction(1, 2)).delta_at(0.5).up
    0.0
    >>> print(f"{PrivacyLoss.laplace(Fraction(1)).delta_at(0.5).up:.6f}")
    0.221199
    """

    law: Law

    @classmethod
    def pure(cls, epsilon: Fraction) -> "PrivacyLoss":
        """The worst of all epsilon-private mechanisms, randomized response: ±epsilon with odds e^epsilon : 1.

        Exact:  [KOV15] Eqs. (17)-(18) with delta 0; every epsilon-private pair is a post-processing of this one.
        """
        return cls(_response(epsilon, Fraction(0)))

    @classmethod
    def of_guarantee(cls, guarantee: Guarantee) -> "PrivacyLoss":
        """The worst of all (epsilon, delta)-private mechanisms: four outputs, two of which tell everything.

        Exact:  [KOV15] Eqs. (17)-(18); its region is R(epsilon, delta) itself.
        """
        return cls(_response(guarantee.epsilon, guarantee.delta))

    @classmethod
    def of_atoms(cls, atoms: Iterable[tuple[Fraction, arb]], *, infinite: arb) -> "PrivacyLoss":
        """A symmetric pair with finitely many losses: (value of log p/q, its mass under p), each value once.

        Symmetric means that p(−v) = e^−v · p(v), which is checked; noise that is even always is.
        """
        law = _atoms(atoms, infinite, symmetric=True)
        with precision(BALL_BITS):
            masses = dict(zip(law.values, law.masses, strict=True))
            for value, mass in masses.items():
                if not masses.get(-value, arb(0)).overlaps(mass * exp_ball(-value)):
                    raise BadValue(
                        f"The mass at the loss {value} is not e^{value} times the mass at {-value}, so the pair is not "
                        "symmetric. Use PrivacyLoss.of_one_sided_atoms, which counts both directions."
                    )
        return cls(law)

    @classmethod
    def of_one_sided_atoms(cls, atoms: Iterable[tuple[Fraction, arb]], *, infinite: arb) -> "PrivacyLoss":
        """The same for a pair that changes when the neighbours change places; the other direction is derived.

        Exact:  with the places changed, the loss −v has the mass e^−v · p(v), and what is missing to 1 is infinite.
        """
        return cls(_atoms(atoms, infinite, symmetric=False))

    @classmethod
    def gaussian(cls, mu_squared: Fraction) -> "PrivacyLoss":
        """Gaussian noise, mu = sensitivity/sigma: L is normal with mean mu²/2 and variance mu².

        Exact:  [BW18] Thm 8; Gaussian losses compose by adding mu².
        """
        return cls(Gaussian(need.positive("mu_squared", mu_squared)))

    @classmethod
    def laplace(cls, epsilon: Fraction) -> "PrivacyLoss":
        """Laplace noise of scale sensitivity/epsilon; composes better than `pure(epsilon)`."""
        return cls(Laplace(need.positive("epsilon", epsilon)))

    @classmethod
    def of_curve(cls, delta: Callable[[Fraction], arb], *, key: Hashable) -> "PrivacyLoss":
        """A symmetric pair of which delta(epsilon) is known in certified form, for epsilon ≥ 0.

        Give the same key to the same law, e.g. ("discrete gaussian", sigma, sensitivity), so that it is counted
        once with its multiplicity.
        """
        return cls(Curve(key, delta))

    def delta_at(self, epsilon: Number) -> Bracket:
        """The least delta with which this is (epsilon, delta)-private."""
        return Bracket.of_ball(self._delta(need.non_negative("epsilon", epsilon)))

    def epsilon_at(self, delta: Number) -> Bracket:
        """The least epsilon with which this is (epsilon, delta)-private; infinite where there is none."""
        return least_epsilon(self._delta, need.between("delta", delta, 0, 1), top=self.law.top())

    def _delta(self, epsilon: Fraction) -> arb:
        with precision(BALL_BITS):
            back = self.law.reverse()
            forth = self.law.hockey_stick(epsilon)
            worst = forth if back is self.law else arb.max(forth, back.hockey_stick(epsilon))
            return arb.max(arb.min(worst, arb(1)), arb(0))


def _response(epsilon: Fraction, delta: Fraction) -> Atoms:
    epsilon = need.non_negative("epsilon", epsilon)
    key = ("response", epsilon, delta)
    with precision(BALL_BITS):
        if epsilon == 0:
            return Atoms(key, (Fraction(0),), (ball(1 - delta),), ball(delta))
        keep = ball(1 - delta) / (1 + exp_ball(-epsilon))
        return Atoms(key, (epsilon, -epsilon), (keep, keep * exp_ball(-epsilon)), ball(delta))


def _atoms(atoms: Iterable[tuple[Fraction, arb]], infinite: arb, *, symmetric: bool) -> Atoms:
    pairs = tuple(atoms)
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
    return Atoms(key, values, masses, infinite, symmetric)


def _digits(x: arb) -> tuple[int, ...]:
    """Everything a ball is, as integers that can be compared."""
    return tuple(int(part) for half in (x.mid(), x.rad()) for part in half.man_exp())
