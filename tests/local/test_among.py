"""More than two hypotheses: exact chances of a mistake, by counting and by drawing, and what the reports say."""

import math

import numpy as np
import pytest

from banister.errors import BadValue
from banister.local import RandomizedResponse, errors_with, mistakes_among, rank_hypotheses
from tests.seeded import SeededBits

LAWS = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]


def test_mistakes_are_those_of_a_simulation() -> None:
    channel = RandomizedResponse("1.2", categories=3)
    found = mistakes_among(channel, LAWS, people=12)
    laws = np.stack([channel.output_law(np.array(each)) for each in LAWS])
    rng, wrong = np.random.default_rng(1), []
    for true in range(3):
        scores = rng.multinomial(12, laws[true], size=100_000) @ np.log(laws).T
        tied = scores >= scores.max(axis=1, keepdims=True) - 1e-9
        wrong.append(1 - float(np.mean(tied[:, true] / tied.sum(axis=1))))
    assert found.method == "exact"
    np.testing.assert_allclose(found.each, wrong, atol=0.006)  # Four deviations of 100 000 draws.


def test_two_hypotheses_are_the_test_of_two() -> None:
    """With one report the likeliest hypothesis errs as the test at the threshold does."""
    channel = RandomizedResponse(1, categories=2)
    found = mistakes_among(channel, [[0.9, 0.1], [0.2, 0.8]], people=1)
    keep = 1 / (1 + math.exp(-1))
    assert found.each[0] == pytest.approx(0.9 * (1 - keep) + 0.1 * keep)
    assert found.each[1] == pytest.approx(0.2 * keep + 0.8 * (1 - keep))
    assert errors_with(channel, [0.9, 0.1], [0.2, 0.8], people=1, size=0.4).false_alarm == pytest.approx(found.each[0])


def test_beyond_counting_there_is_a_bound_and_it_falls_by_the_exponent() -> None:
    channel = RandomizedResponse(1, categories=3)
    exact = mistakes_among(channel, LAWS, people=300)
    many, more = (mistakes_among(channel, LAWS, people=n) for n in (2000, 2100))
    assert (exact.method, many.method) == ("exact", "at most")
    assert exact.worst <= 2 * math.exp(-300 * exact.exponent)
    assert more.worst / many.worst == pytest.approx(math.exp(-100 * many.exponent), rel=1e-6)


def test_reports_are_ranked_and_a_prior_counts() -> None:
    channel = RandomizedResponse(2, categories=3)
    reports = channel.respond([2] * 60, bits=SeededBits(3))
    assert rank_hypotheses(reports, channel, LAWS).likeliest == 2
    certain = rank_hypotheses(reports, channel, LAWS, prior=[1.0, 0.0, 0.0])
    assert certain.posterior == (1.0, 0.0, 0.0)
    with pytest.raises(BadValue, match="come from another channel"):
        rank_hypotheses(reports, RandomizedResponse(1, categories=3), LAWS)
    with pytest.raises(BadValue, match="a test needs at least two"):
        mistakes_among(channel, LAWS[:1], people=3)
    with pytest.raises(BadValue, match="this channel has 3"):
        mistakes_among(channel, [[0.5, 0.5], [0.1, 0.9]], people=3)
    with pytest.raises(BadValue, match="2 chances for 3 hypotheses"):
        rank_hypotheses(reports, channel, LAWS, prior=[0.5, 0.5])
