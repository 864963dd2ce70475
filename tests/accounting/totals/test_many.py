"""Noise for many questions: the numbers of the notes, the exact total, bounds and refusals."""

from fractions import Fraction

import pytest

from banister import Guarantee, PrivacyLoss, Staircase, least_noise_each
from banister.accounting.totals.many import LeastForMany
from banister.accounting.totals.scaling import largest_size
from banister.errors import BadValue

TOTAL = Guarantee(10, "1e-6")


@pytest.fixture(scope="module")
def twenty() -> LeastForMany:
    return least_noise_each(total=TOTAL, questions=20, sensitivity=1, cost="squared")


def test_the_known_costs_of_twenty_questions(twenty: LeastForMany) -> None:
    risks = {each.name: each.risk for each in twenty.contenders}
    assert risks["staircase"] == pytest.approx(7.890, abs=5e-4)
    assert risks["Laplace"] == pytest.approx(7.498, abs=5e-4)
    assert risks["Gaussian"] == pytest.approx(5.855, abs=1e-3)
    assert risks["staircase for many"] <= 7.286
    assert risks["shaped"] < 5.5
    assert twenty.best.name == "shaped"


def test_a_gamma_of_99_percent_costs_what_the_notes_say() -> None:
    def noise(level: Fraction) -> Staircase:
        return Staircase.with_gamma(epsilon=level, sensitivity=1, gamma="0.99", grid="1/1024")

    level = largest_size(lambda e: noise(e).loss(), total=TOTAL, questions=20, beside=PrivacyLoss.nothing())
    assert noise(Fraction(level)).risk_for("squared") == pytest.approx(7.286, abs=1e-3)


def test_every_contender_keeps_the_total_and_hardly_more(twenty: LeastForMany) -> None:
    for each in twenty.contenders:
        whole = each.noise.loss().times(20)
        assert whole.keeps(TOTAL), each.name
        assert whole.epsilon_at("1e-6").down > 9.9, each.name


def test_the_theorems_stand_beside(twenty: LeastForMany) -> None:
    assert [round(variance, 2) for _, variance in twenty.by_theorem] == [25.79] * 3


@pytest.mark.parametrize(("cost", "times"), [("squared", 100), ("absolute", 1)])
@pytest.mark.slow
def test_a_hundred_small_questions(cost, times) -> None:
    found = least_noise_each(total=Guarantee(1, "1e-6"), questions=100, sensitivity=2, cost=cost)
    assert found.best.name == "Gaussian"
    assert found.lower_bound is not None
    one = least_noise_each(total=Guarantee(1, "1e-6"), questions=1, sensitivity=2, cost=cost)
    assert one.lower_bound is not None
    assert found.lower_bound >= times * one.lower_bound * (1 - 1e-9), "the mean of all answers is one answer"
    assert 0.4 * found.best.risk < found.lower_bound <= found.best.risk
    assert one.lower_bound <= one.best.risk


def test_without_a_delta_epsilons_add_up() -> None:
    found = least_noise_each(total=Guarantee(1), questions=4, sensitivity=3, cost="absolute")
    assert {each.name for each in found.contenders} == {"Laplace", "staircase", "staircase for many"}
    assert found.best.risk == pytest.approx(Staircase(epsilon="1/4", sensitivity=3).risk(), rel=1e-4)
    assert found.by_theorem == ()


def test_a_large_epsilon_leaves_the_false_theorem_out() -> None:
    found = least_noise_each(total=Guarantee(200, "1/2"), questions=2, sensitivity=1, cost="squared")
    assert not any("Thm 4.3" in words for words, _ in found.by_theorem)


def test_no_epsilon_is_refused() -> None:
    with pytest.raises(BadValue, match="needs an epsilon above 0"):
        least_noise_each(total=Guarantee(0, "1e-6"), questions=2, sensitivity=1)


def test_a_cost_that_is_no_power_has_no_shape_and_no_bound() -> None:
    found = least_noise_each(total=Guarantee(5, "1e-6"), questions=10, sensitivity=1, cost="zero-one")
    assert "shaped" not in {each.name for each in found.contenders}
    assert found.lower_bound is None
