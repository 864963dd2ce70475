"""Conversions between losses, Rényi divergences and zero-concentrated privacy."""

import math
from fractions import Fraction

import pytest

from banister.accounting.totals.convert import epsilon_of_renyi, epsilon_of_zcdp, renyi_divergence, zcdp_of_gaussian
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from tests.lopsided import lopsided, lopsided_atoms


def test_the_divergence_of_a_response_is_its_formula() -> None:
    e, alpha = 0.5, 7.0
    expected = math.log((math.exp(alpha * e) + math.exp((1 - alpha) * e)) / (1 + math.exp(e))) / (alpha - 1)
    assert renyi_divergence(PrivacyLoss.pure(Fraction(1, 2)), order=7).up == pytest.approx(expected, rel=1e-14)
    assert renyi_divergence(PrivacyLoss.pure(Fraction(1, 2)).times(3), order=7).up == pytest.approx(3 * expected)


@pytest.mark.parametrize("turned", [False, True])
def test_the_divergence_of_the_worse_order_counts(turned: bool) -> None:
    ways = [lopsided_atoms(turned=way) for way in (False, True)]
    for order in (2, 7):
        moments = [sum(float(mass) * math.exp((order - 1) * value) for value, mass in way) for way in ways]
        found = renyi_divergence(lopsided(turned=turned), order=order)
        assert found.up == pytest.approx(math.log(max(moments)) / (order - 1), rel=1e-12)


def test_divergences_are_infinite_where_something_is_revealed_for_certain() -> None:
    assert renyi_divergence(PrivacyLoss.of_guarantee(Guarantee(1, 1e-9)), order=2).down == math.inf


@pytest.mark.parametrize("mu_squared", [Fraction(1, 100), Fraction(1), Fraction(9)])
def test_a_conversion_is_never_below_the_exact_curve(mu_squared: Fraction) -> None:
    exact = PrivacyLoss.gaussian(mu_squared).epsilon_at("1e-6")
    found = epsilon_of_zcdp(zcdp_of_gaussian(mu_squared), delta="1e-6")
    assert exact.up <= found <= exact.up * 1.35
    for order in (2, 5, 20):
        assert epsilon_of_renyi(order * mu_squared / 2, order=order, delta="1e-6").up >= found * (1 - 1e-9)


def test_a_hundred_tenths_by_concentrated_privacy() -> None:
    """100 x (0.1, 0) as rho = 100·0.1²/2."""
    assert epsilon_of_zcdp(Fraction(1, 2), delta="1e-6") == pytest.approx(5.222, abs=1e-3)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadValue, match="order = 1 must be above 1"):
        renyi_divergence(PrivacyLoss.pure(Fraction(1)), order=1)
    with pytest.raises(BadValue, match="delta = 0"):
        epsilon_of_renyi(1, order=2, delta=0)
