"""What no noise for many questions goes below: beside noises whose cost and total are known, and beside theorems."""

from fractions import Fraction

import pytest

from banister import Gaussian, Guarantee, Laplace, Staircase, least_noise_each
from banister.accounting.totals.counting import counting_bound

TWO, ONE = Fraction(2), Fraction(1)


@pytest.mark.parametrize("epsilon", ["1/4", 1, 3])
@pytest.mark.parametrize(("cost", "exponent"), [("absolute", ONE), ("squared", TWO)])
def test_one_question_costs_at_least_that_and_hardly_more(epsilon, cost, exponent) -> None:
    """One question has its optimum in closed form: the bound is below it, and not far."""
    least = Staircase(epsilon=epsilon, sensitivity=1, cost=cost).risk()
    bound = counting_bound(Guarantee(epsilon), 1, exponent)
    assert 0.4 * least < bound <= least


@pytest.mark.parametrize("questions", [2, 7, 30])
def test_noises_that_are_sure_to_fit_are_not_below(questions) -> None:
    """Laplace noise at epsilon / k each keeps epsilon: the bound for that very total is below its cost."""
    for exponent, cost in ((ONE, "absolute"), (TWO, "squared")):
        risk = Laplace(epsilon=Fraction(1, questions), sensitivity=1).risk_for(cost)
        assert counting_bound(Guarantee(1), questions, exponent) <= risk


def test_for_a_gaussian_counting_loses_at_most_a_half() -> None:
    sigma = 4
    noise = Gaussian.with_sigma(sigma=sigma, sensitivity=1, cost="squared")
    delta = Fraction(noise.loss().times(16).delta_at(3).up)
    bound = counting_bound(Guarantee(3, delta), 16, TWO)
    assert 0.45 * sigma**2 < bound <= sigma**2


def test_more_privacy_takes_more_noise_and_so_do_more_questions() -> None:
    bounds = [counting_bound(Guarantee(level, "1e-6"), count, TWO) for level, count in ((2, 5), (1, 5), (1, 10))]
    assert bounds == sorted(bounds)
    assert bounds[0] > 0


def test_nothing_is_claimed_where_nothing_is_kept() -> None:
    assert counting_bound(Guarantee(1, "0.999999"), 3, TWO) < 0.5
    assert counting_bound(Guarantee(300), 3, TWO) == 0


def test_the_search_shows_the_better_bound_in_the_units_of_the_question() -> None:
    found = least_noise_each(total=Guarantee(2), questions=2, sensitivity=3, cost="squared")
    assert found.lower_bound is not None
    assert 0.8 * found.best.risk < found.lower_bound <= found.best.risk
    alone = counting_bound(Guarantee(2), 2, TWO)
    assert found.lower_bound == pytest.approx(9 * alone, rel=1e-12)
