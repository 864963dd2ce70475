"""Moments of losses: closed forms against sums and integrals over the law itself."""

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb
from scipy.integrate import quad

from banister.core.composition.law import Law
from banister.core.exact.numbers import Bracket, ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss

ORDERS = (Fraction(3, 2), Fraction(2), Fraction(65, 2))
LOSSES = (
    PrivacyLoss.pure(Fraction(1, 2)),
    PrivacyLoss.of_guarantee(Guarantee(Fraction(1, 5), Fraction(1, 100))),
    PrivacyLoss.laplace(Fraction(1, 3)),
    PrivacyLoss.gaussian(Fraction(1, 4)),
)


def moment_by_integration(law: Law, order: Fraction) -> float:
    """1 + ∫ f''(g)·E_g dg for f(x) = x^order, with E_g the hockey-stick divergence and g = e^t, over all t."""
    a = float(order)

    def weighted(t: float) -> float:
        stick = float(law.hockey_stick(Fraction(t)).mid()) - max(0.0, -math.expm1(t))
        return a * (a - 1) * math.exp((a - 1) * t) * stick

    kinks = [-40, -2, -1 / 3, 0, 1 / 3, 2, 40]
    return 1 + sum(quad(weighted, low, high)[0] for low, high in itertools.pairwise(kinks))


@pytest.mark.parametrize("order", ORDERS[:2])
@pytest.mark.parametrize("loss", [LOSSES[3], LOSSES[2]], ids=["gaussian", "laplace"])
def test_moments_agree_with_the_integral_over_the_hockey_stick(loss: PrivacyLoss, order: Fraction) -> None:
    with precision(256):
        closed = float(loss.law.moment(order).mid())
    assert moment_by_integration(loss.law, order) == pytest.approx(closed, rel=1e-7)  # Quadrature's error.


@pytest.mark.parametrize("order", ORDERS)
def test_randomized_response_has_the_hyperbolic_moment(order: Fraction) -> None:
    """E e^((a−1)L) = cosh((a − ½)·epsilon)/cosh(epsilon/2)."""
    epsilon = Fraction(1, 2)
    with precision(256):
        expected = ball((order - Fraction(1, 2)) * epsilon).cosh() / ball(epsilon / 2).cosh()
        assert LOSSES[0].law.moment(order).overlaps(expected)


def test_the_mass_at_infinity_is_left_out_of_a_moment() -> None:
    with precision(256):
        pure = PrivacyLoss.pure(Fraction(1, 5)).law.moment(Fraction(2))
        assert LOSSES[1].law.moment(Fraction(2)).overlaps(pure * ball(Fraction(99, 100)))


def test_a_curve_has_no_known_moment() -> None:
    curve = PrivacyLoss.of_curve(lambda epsilon: arb(0), key="nothing")
    assert Bracket.of_ball(curve.law.moment(Fraction(2))).up == float("inf")
    assert curve.law.gaussian() is None


def test_identities_tell_laws_apart_and_agree_for_equal_ones() -> None:
    again = (
        PrivacyLoss.pure(Fraction("0.5")),
        PrivacyLoss.of_guarantee(Guarantee("0.2", "0.01")),
        PrivacyLoss.laplace(Fraction(1, 3)),
        PrivacyLoss.gaussian(Fraction("0.25")),
        PrivacyLoss.of_curve(lambda epsilon: arb(0), key="nothing"),
    )
    assert [loss.law.identity() for loss in again[:4]] == [loss.law.identity() for loss in LOSSES]
    assert len({repr(loss.law.identity()) for loss in again}) == 5
    assert [loss.law.gaussian() for loss in again] == [None, None, None, Fraction(1, 4), None]
