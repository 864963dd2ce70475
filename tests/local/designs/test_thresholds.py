"""Where randomized response begins to be the best channel, and one bit ceases to be, against the certified optimum."""

import math
from fractions import Fraction

import numpy as np
import pytest

from banister.core.laws.utility import KL, divergence, divergence_after, entropy, mutual_information
from banister.errors import BadValue
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.bounds import binary_for_information
from banister.local.designs.information import design_information
from banister.local.designs.partition import design_between
from banister.local.designs.thresholds import (
    one_bit_information_threshold,
    response_information_slope,
    response_information_threshold,
    response_kl_slope,
    response_threshold,
)

LAWS = [
    ([0.6, 0.3, 0.1], [0.2, 0.2, 0.6]),
    ([0.4, 0.3, 0.2, 0.1], [0.1, 0.15, 0.25, 0.5]),
    ([0.35, 0.1, 0.25, 0.05, 0.25], [0.1, 0.3, 0.2, 0.3, 0.1]),
]
PRIORS = [[0.5, 0.3, 0.2], [0.4, 0.3, 0.2, 0.1], [0.25] * 4, [0.7, 0.1, 0.1, 0.06, 0.04]]


@pytest.mark.parametrize(("p0", "p1"), LAWS)
@pytest.mark.parametrize("name", ["kl", "chi-square", "hellinger"])
def test_randomized_response_is_optimal_above_and_not_below(p0: list[float], p1: list[float], name: str) -> None:
    threshold, kind = response_threshold(p0, p1, utility=name), divergence(name)
    one, other = np.array(p0), np.array(p1)

    def kept(epsilon: float) -> float:
        plain = divergence_after(kind, RandomizedResponse(epsilon, one.size).matrix, one, other)
        return plain / design_between(Fraction(epsilon), one, other, kind).utility

    # A hundredth of the epsilon away the loss is far above the margin of 1e-11 of the optimum's value.
    assert kept(threshold * 1.01) > 1 - 1e-10
    assert kept(threshold + 2) > 1 - 1e-10
    assert kept(threshold * 0.99) < 1 - 1e-8


@pytest.mark.parametrize("prior", PRIORS)
def test_information_has_a_first_and_a_last_threshold(prior: list[float]) -> None:
    law = np.array(prior)
    first, last = one_bit_information_threshold(law), response_information_threshold(law)
    assert first <= last + 1e-6

    def best(epsilon: float) -> float:
        return design_information(Fraction(epsilon), law).utility

    def bit(epsilon: float) -> float:
        return mutual_information(law, binary_for_information(epsilon, law).matrix)

    def plain(epsilon: float) -> float:
        return mutual_information(law, RandomizedResponse(epsilon, law.size).matrix)

    assert bit(0.98 * first) > (1 - 1e-8) * best(0.98 * first)
    assert bit(1.02 * first) < (1 - 1e-8) * best(1.02 * first)
    assert plain(1.02 * last) > (1 - 1e-8) * best(1.02 * last)
    assert plain(0.98 * last) < (1 - 1e-8) * best(0.98 * last)


def test_an_odd_number_of_equal_answers_never_wants_one_bit() -> None:
    """[K16] Theorem 3.5.1 says otherwise; randomized response is optimal there at every level."""
    assert one_bit_information_threshold([1 / 3] * 3) == 0
    assert response_information_threshold([1 / 3] * 3) == 0


def test_answers_with_one_likelihood_ratio_must_be_merged() -> None:
    """[K16] Theorem 3.4.4 says otherwise: 0.99986 of the optimum at epsilon 10 in this example, and never 1."""
    assert response_threshold([0.2, 0.3, 0.5], [0.1, 0.15, 0.75]) == math.inf


@pytest.mark.parametrize(("p0", "p1"), LAWS)
def test_what_is_lost_at_large_epsilon(p0: list[float], p1: list[float]) -> None:
    one, other = np.array(p0), np.array(p1)
    lost = float(KL.between(one, other)) - divergence_after(KL, RandomizedResponse(14, one.size).matrix, one, other)
    assert lost * math.exp(14) == pytest.approx(response_kl_slope(one, other), rel=1e-4)
    printed = float(((1 - one) * np.log(other / one)).sum())
    assert abs(printed - response_kl_slope(one, other)) > 0.1


@pytest.mark.parametrize("prior", PRIORS)
def test_what_is_lost_of_the_information_at_large_epsilon(prior: list[float]) -> None:
    law = np.array(prior)
    lost = entropy(law) - mutual_information(law, RandomizedResponse(14, law.size).matrix)
    expected = (law.size - 1) * 14 + response_information_slope(law)
    assert lost * math.exp(14) == pytest.approx(expected, rel=1e-4)


def test_too_many_answers_are_refused() -> None:
    with pytest.raises(BadValue, match="21 answers have 2\\^21 sets; the threshold is found for up to 20"):
        response_information_threshold([1 / 21] * 21)
