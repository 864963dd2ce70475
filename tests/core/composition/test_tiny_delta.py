"""Deltas down to 1e-300, and losses so small that only their sum matters."""

from fractions import Fraction

import mpmath
import pytest

from banister.accounting.filters import AsYouGo, Guard, filter_for
from banister.accounting.totals.total import Account, account
from banister.core.exact.numbers import Bracket
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss

pure, laplace, gaussian = PrivacyLoss.pure, PrivacyLoss.laplace, PrivacyLoss.gaussian
MIXTURES = {
    "few": pure(Fraction(1, 100)).times(280),
    "large": pure(Fraction(3)).times(250),
    "many": pure(Fraction(1, 10)).times(1000),
    "escaping": PrivacyLoss.of_guarantee(Guarantee("0.1", "1e-310")).times(30),
    "different": pure(Fraction(1, 10)).times(5).with_(pure(Fraction(1, 3)).times(4), pure(Fraction(1, 14)).times(3)),
    "on no lattice": PrivacyLoss.nothing().with_(*(pure(Fraction(f"0.{i}1{i}")) for i in range(10, 40))),
    "laplace": laplace(Fraction(1, 10)).times(30),
    "gaussian": gaussian(Fraction(1, 10)).times(5),
    "mixed": gaussian(Fraction(1, 10)).times(5).with_(pure(Fraction(1, 5)).times(3)),
}


@pytest.mark.parametrize("name", MIXTURES)
@pytest.mark.parametrize("delta", ["1e-30", "1e-95", "1e-200", "1e-300"])
def test_the_bracket_is_narrow_at_every_delta(name: str, delta: str) -> None:
    found = MIXTURES[name].epsilon_at(delta)
    assert found.meets(1e-5), found
    assert 0 < found.down <= found.up < float("inf")


@pytest.mark.parametrize("point", [5, 15, 25])
def test_delta_itself_is_true_to_its_last_digits(point: int) -> None:
    """280 responses of 0.1 by the binomial sum in 700 digits."""
    mpmath.mp.dps = 700
    e, k = mpmath.mpf(1) / 10, 280
    q = 1 / (1 + mpmath.exp(e))
    truth = mpmath.fsum(
        mpmath.binomial(k, j) * q**j * (1 - q) ** (k - j) * -mpmath.expm1(point - (k - 2 * j) * e)
        for j in range(k)
        if (k - 2 * j) * e > point
    )
    found = pure(Fraction(1, 10)).times(k).delta_at(point)
    assert found.down * (1 - 1e-12) <= truth <= found.up * (1 + 1e-12)
    assert found.meets(1e-12)


@pytest.mark.parametrize("epsilon", ["1e-12", "1e-30", "1e-120", "1e-300"])
def test_a_billion_tiny_losses_are_bounded_at_once(epsilon: str) -> None:
    many = pure(Fraction(epsilon)).times(10**9)
    assert many.epsilon_at("1e-2") == Bracket(0.0, 0.0)
    if epsilon in ("1e-120", "1e-300"):
        found = many.delta_at(0)
        assert 0 <= found.down <= found.up <= 1.01e9 * float(epsilon)
        assert many.epsilon_at(Fraction(epsilon) / 10).up == pytest.approx(1e9 * float(epsilon))


@pytest.mark.parametrize("epsilon", [1, 30, 1000, 10**6])
@pytest.mark.parametrize("delta", ["1e-300", "1e-6", "1/2", "0.999"])
@pytest.mark.parametrize("guard", [guard for guard in Guard if guard is not Guard.UNITS])
def test_every_budget_has_a_filter(epsilon: int, delta: str, guard: Guard) -> None:
    made = filter_for(Guarantee(epsilon, delta), AsYouGo(guard=guard))
    assert made.largest_epsilon(made.start()) >= epsilon


def test_a_width_that_is_not_met_is_said() -> None:
    wide = account("300 x laplace(0.02), 2 x (0.31, 0)", delta="1e-6", relative_width=1e-13)
    assert not wide.as_narrow_as_asked
    assert account("30 x laplace(0.1)", delta="1e-6", relative_width=1e-13).as_narrow_as_asked
    assert Account((), 0.1, Bracket(1.0, 1.0), ()).as_narrow_as_asked
