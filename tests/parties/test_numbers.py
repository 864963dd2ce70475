"""Sums of bounded numbers: private, unbiased, better than two values, and intervals that hold."""

import math

import numpy as np
import pytest

import banister as bn
from banister.core.laws.stochastic import level_ratio, within
from banister.errors import BadValue
from banister.parties import numbers as room


@pytest.mark.parametrize("epsilon", [0.2, 1, 3])
def test_a_report_is_private_unbiased_and_no_worse_than_two_values(epsilon: float) -> None:
    kind = bn.parties.number_report(0, 1, epsilon)
    assert within(level_ratio(kind.channel.weights), kind.channel.guarantee.epsilon)
    assert kind.bias < 1e-9
    two_values = 1 / math.tanh(epsilon / 2) ** 2 / 4
    assert kind.variance <= two_values * (1 + 1e-9)
    # Every number on a mesh, by brute force: rounding to the grid, then the channel.
    law = kind.channel.matrix
    for t in np.linspace(0, 1, 101):
        place = min(int(t * (room.GRID - 1)), room.GRID - 2)
        share = t * (room.GRID - 1) - place
        mixed = (1 - share) * law[place] + share * law[place + 1]
        assert mixed @ kind.values == pytest.approx(t, abs=1e-9)
        assert mixed @ (kind.values - t) ** 2 <= kind.variance + 1e-9


def test_more_values_win_where_epsilon_is_large() -> None:
    piecewise = math.exp(1.5) / (3 * (math.exp(1.5) - 1) ** 2)  # The worst case of the piecewise mechanism at 3.
    assert bn.parties.number_report(0, 1, 3).variance < piecewise


def test_intervals_hold_and_scale() -> None:
    kind = bn.parties.number_report(-50, 50, 2)
    numbers = np.random.default_rng(0).uniform(-50, 50, 60)
    held = 0
    for _ in range(30):
        found = bn.parties.estimate_sum([(kind, kind.respond(float(x))) for x in numbers], confidence=0.8)
        low, high = found.sum_interval
        held += low <= numbers.sum() <= high
        assert low < found.sum < high
        assert found.mean_interval == (low / 60, high / 60)
    assert held >= 20  # At least 24 are expected; fewer than 20 have a chance below 3 %, and Chernoff is cautious.
    assert high - low < 12 * found.standard_error
    assert found.standard_error == pytest.approx(math.sqrt(60 * kind.variance))


def test_sums_stay_in_the_possible_range() -> None:
    """A report stands for a value far outside, so that the mean is kept; the sum of few of them did too."""
    kind, other = bn.parties.number_report(0, 1, 0.5), bn.parties.number_report(10, 20, 1)
    for place in (0, kind.values.size - 1):
        at = 0 if place == 0 else other.values.size - 1
        found = bn.parties.estimate_sum([(kind, place)] * 3 + [(other, at)])
        low, high = found.sum_interval
        assert 10 <= low <= found.sum <= high <= 23
        assert low < high
        assert not 10 <= found.unbiased_sum <= 23
        assert found.sum == (10 if place == 0 else 23)


def test_numbers_outside_are_put_on_the_bounds() -> None:
    kind = bn.parties.number_report(0, 1, 12)
    said = np.mean([kind.values[kind.respond(99)] for _ in range(300)])
    assert said == pytest.approx(1, abs=0.1)


def test_bad_input_is_refused() -> None:
    kind = bn.parties.number_report(0, 1, 1)
    for call, words in (
        (lambda: bn.parties.number_report(1, 1, 1), "low = 1 must be below"),
        (lambda: bn.parties.number_report(0, 1, 0), "epsilon = 0 must be"),
        (lambda: bn.parties.number_report(0, 1, 50), "epsilon = 50 is above 12"),
        (lambda: bn.parties.estimate_sum([]), "no reports"),
        (lambda: bn.parties.estimate_sum([(kind, 999)]), "a report = 999 must be"),
        (lambda: bn.parties.estimate_sum([(kind, 0)], confidence=1), "confidence = 1 must be"),
    ):
        with pytest.raises(BadValue, match=words):
            call()
