"""The theorems on one line give their printed values, and never go below the exact account."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banister.accounting.totals.closed_forms import closed_forms
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss

THIRTY = PrivacyLoss.of_guarantee(Guarantee("0.1", "0.001")).times(30)


@pytest.mark.parametrize(
    ("delta", "simplified", "advanced"),
    [("0.031", 2.0353, 2.3514), ("0.04", 1.6958, 1.9778), ("0.05", 1.5693, 1.8476), ("0.10", 1.3319, 1.5787)],
)
def test_thirty_questions_at_a_tenth_and_a_thousandth(delta, simplified, advanced) -> None:
    basic, found, simple = closed_forms(THIRTY, Fraction(delta))
    assert basic.epsilon == pytest.approx(3)
    assert found.epsilon == pytest.approx(advanced, abs=1e-4)
    assert simple.epsilon == pytest.approx(simplified, abs=1e-4)


def test_below_the_mass_at_infinity_no_theorem_speaks() -> None:
    assert all(form.epsilon == math.inf for form in closed_forms(THIRTY, Fraction(1, 100)))


def test_a_gaussian_enters_at_a_share_of_delta() -> None:
    loss = PrivacyLoss.gaussian(Fraction(1, 4)).times(10)
    each = PrivacyLoss.gaussian(Fraction(1, 4)).epsilon_at(Fraction(1, 2000))
    basic, *_ = closed_forms(loss, Fraction(1, 100))
    assert basic.epsilon == pytest.approx(10 * each.up)
    assert basic.epsilon > loss.epsilon_at(Fraction(1, 100)).up


@settings(max_examples=30, deadline=None)
@given(
    st.fractions(Fraction(1, 100), 1, max_denominator=100),
    st.integers(1, 200),
    st.sampled_from([Fraction(1, 10**3), Fraction(1, 10**6), Fraction(1, 10**12)]),
)
def test_no_theorem_goes_below_the_exact_account(epsilon, count, delta) -> None:
    loss = PrivacyLoss.pure(epsilon).times(count)
    exact = loss.epsilon_at(delta)
    assert all(form.epsilon >= exact.down for form in closed_forms(loss, delta))
