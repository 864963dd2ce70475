"""The composition theorems that fit on one line, to compare the exact account with. All are upper bounds."""

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from banister.core.composition.law import Law
from banister.core.exact.numbers import BALL_BITS, Bracket, ball, precision
from banister.core.exact.search import least_epsilon
from banister.core.privacy.loss import PrivacyLoss


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """What a theorem says: the total epsilon, rounded up; infinite where it says nothing about these losses.

    >>> ClosedForm("basic", "[KOV15] Thm 3.1", 3.0).epsilon
    3.0
    """

    name: str
    source: str
    epsilon: float


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums over all releases, of their largest losses and of their masses at infinity."""

    epsilons: arb
    squares: arb
    exponential: arb
    hyperbolic: arb
    deltas: arb
    survival: arb


def closed_forms(loss: PrivacyLoss, delta: Fraction) -> tuple[ClosedForm, ...]:
    """Basic, advanced and simplified optimal composition at a total delta.

    A loss without a bound, such as that of Gaussian noise, enters with its exact epsilon at an even share of half of
    the total delta.

    >>> for form in closed_forms(PrivacyLoss.pure(Fraction(1, 10)).times(100), Fraction(1, 10**6)):
    ...     print(f"{form.name}: {form.epsilon:.4f}")
    basic: 10.0000
    advanced: 6.3082
    simplified: 5.7561
    """
    with precision(BALL_BITS):
        sums, goal = _sums(loss, delta), ball(delta)
        forms = (
            ("basic", "[KOV15] Thm 3.1", _basic),
            ("advanced", "[DRV10] Thm III.3", _advanced),
            ("simplified", "[KOV15] Thm 3.5", _simplified),
        )
        return tuple(ClosedForm(name, source, _up(rule(sums, goal))) for name, source, rule in forms)


def _sums(loss: PrivacyLoss, delta: Fraction) -> _Sums:
    zero, one = arb(0), arb(1)
    sums = [zero, zero, zero, zero, zero, one]
    unbounded = sum(count for law, count in loss.terms if law.top() is None)
    for law, count in loss.terms:
        e, infinite = _level(law, delta / (2 * unbounded) if unbounded else Fraction(0))
        steps = (e, e * e, e * e.expm1(), e * (e / 2).tanh(), infinite)
        added = [total + count * step for total, step in zip(sums[:5], steps, strict=True)]
        sums = [*added, sums[5] * (1 - infinite) ** count]
    return _Sums(*sums)


def _level(law: Law, share: Fraction) -> tuple[arb, arb]:
    """The epsilon and delta of one release; a loss without a bound is given a share of the total delta."""
    top = law.top()
    if top is not None:
        return ball(max(top, Fraction(0))), law.infinite()
    found = least_epsilon(law.hockey_stick, ball(share), top=None).up
    return (arb(found) if found < math.inf else arb("inf")), ball(share)


def _basic(sums: _Sums, delta: arb) -> arb | None:
    return None if 1 - sums.survival > delta else sums.epsilons


def _advanced(sums: _Sums, delta: arb) -> arb | None:
    slack = delta - sums.deltas
    return sums.exponential + (2 * sums.squares * (1 / slack).log()).sqrt() if slack > 0 else None


def _simplified(sums: _Sums, delta: arb) -> arb | None:
    """With tanh(epsilon/2) and not its bound epsilon/2; the smallest of three, the first being basic composition."""
    slack = 1 - (1 - delta) / sums.survival
    if not slack > 0:
        return _basic(sums, delta)
    inner = 2 * sums.squares * (arb(1).exp() + sums.squares.sqrt() / slack).log()
    outer = 2 * sums.squares * (1 / slack).log()
    return arb.min(sums.epsilons, sums.hyperbolic + arb.min(inner.sqrt(), outer.sqrt()))


def _up(found: arb | None) -> float:
    return math.inf if found is None or not found.is_finite() else Bracket.of_ball(found).up
