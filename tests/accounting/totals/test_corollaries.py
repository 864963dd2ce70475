"""The one-line theorems: their numbers, and that the exact account is within each of them."""

from fractions import Fraction

import pytest

import banister as bn
from banister import accounting
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue

TOTALS = [Guarantee("0.1", "1e-9"), Guarantee(1, "1e-6"), Guarantee(5, "1e-3")]


@pytest.mark.parametrize("total", TOTALS)
@pytest.mark.parametrize("count", [1, 10, 300])
def test_what_the_corollaries_allow_is_within_the_total(total: Guarantee, count: int) -> None:
    each = accounting.each_by_corollary(total=total, questions=count)
    assert bn.compose([(each, count)]).loss.keeps(total)
    gaussian = accounting.gaussian_by_theorem(total=total, questions=count, sensitivity=3)
    assert PrivacyLoss.gaussian(9 / gaussian).times(count).keeps(total)
    assert gaussian >= bn.calibrate_gaussian(total=total, questions=count, sensitivity=3)
    assert accounting.laplace_by_corollary(total=total, questions=count, sensitivity=3) == gaussian


def test_laplace_noise_of_that_variance_is_within_the_total() -> None:
    variance = accounting.laplace_by_corollary(total=Guarantee(1, "1e-6"), questions=30, sensitivity=1)
    scale = Fraction((float(variance) / 2) ** 0.5)
    assert PrivacyLoss.laplace(1 / scale).times(30).keeps(Guarantee(1, "1e-6"))


def test_the_numbers_of_the_paper() -> None:
    found = {form.name: form.epsilon for form in accounting.by_theorem([(Guarantee("0.1", "0.001"), 30)], delta="0.04")}
    assert found["basic"] == pytest.approx(3)
    assert found["advanced"] == pytest.approx(1.9778, abs=1e-4)
    assert found["simplified"] == pytest.approx(1.6958, abs=1e-4)
    assert accounting.adaptive_by_formula([0.1] * 100, delta="1e-6") == pytest.approx(5.757, abs=1e-3)


def test_where_a_theorem_does_not_hold_it_is_refused() -> None:
    with pytest.raises(BadValue, match="not proven"):
        accounting.gaussian_by_theorem(total=Guarantee(200, "0.9"), questions=1, sensitivity=1)
    with pytest.raises(BadValue, match="above 0"):
        accounting.each_by_corollary(total=Guarantee(1), questions=3)


def test_amplification_has_a_door() -> None:
    whole = PrivacyLoss.gaussian(Fraction(1))
    part = accounting.poisson_sampled(whole, rate="0.01").times(100)
    assert part.epsilon_at("1e-5").up < whole.epsilon_at("1e-5").up
    assert (
        accounting.sampled_without_replacement(PrivacyLoss.pure(Fraction(1)), size=10, people=1000).epsilon_at(0).up
        < 0.02
    )
