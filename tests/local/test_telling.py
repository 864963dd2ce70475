"""Telling several laws apart: errors against every sample one by one, and the sum over pairs above them."""

from itertools import product

import numpy as np
import pytest

from banister.errors import BadValue
from banister.local import RandomizedResponse
from banister.local.designs.several import design_worst
from banister.local.telling import errors_of_telling, people_to_tell, tell
from banister.local.testing import tail_between

LAWS = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]]
CHANNELS = [RandomizedResponse(2, categories=3), design_worst(1, LAWS, utility="kl")]


@pytest.mark.parametrize("channel", CHANNELS, ids=["response", "designed"])
@pytest.mark.parametrize("people", [1, 5])
def test_exact_errors_are_those_of_every_sample(channel: RandomizedResponse, people: int) -> None:
    reported = np.array([channel.output_law(np.array(law)) for law in LAWS])
    right = np.zeros(len(LAWS))
    for sample in product(range(channel.outputs), repeat=people):
        logs = np.log(reported[:, sample]).sum(axis=1)
        best = logs.argmax()
        if np.sort(logs)[-1] - np.sort(logs)[-2] > 1e-9:
            right[best] += reported[best, sample].prod()
    found = errors_of_telling(channel, LAWS, people=people)
    assert found.method == "exact"
    np.testing.assert_allclose(found.wrong, 1 - right, atol=1e-12)


def test_the_sum_over_pairs_is_never_below_the_truth() -> None:
    channel = CHANNELS[0]
    for people in (3, 17, 60, 200):
        exact = errors_of_telling(channel, LAWS, people=people)
        for i, wrong in enumerate(exact.wrong):
            pairs = [tail_between(channel, LAWS[i], LAWS[j], people=people) for j in range(3) if j != i]
            assert max(pairs) - 1e-12 <= wrong <= sum(pairs) + 1e-12
    many = errors_of_telling(channel, LAWS, people=2000)
    assert many.method == "at most"
    assert many.largest < exact.largest


def test_the_people_that_are_said_to_be_enough_are() -> None:
    enough = people_to_tell(CHANNELS[0], LAWS, power=0.95)
    assert errors_of_telling(CHANNELS[0], LAWS, people=enough).largest <= 0.05
    assert errors_of_telling(CHANNELS[0], LAWS, people=enough // 2).largest > 0.05


def test_the_likeliest_law_is_told() -> None:
    channel = CHANNELS[0]
    for place, law in enumerate(LAWS):
        counts = (1000 * channel.output_law(np.array(law))).round().astype(np.int64)
        found = tell(channel, LAWS, counts)
        assert found.law == place
        assert found.behind[place] == 0 < min(other for i, other in enumerate(found.behind) if i != place)


def test_what_cannot_be_told_apart_is_refused() -> None:
    with pytest.raises(BadValue, match="at least two"):
        errors_of_telling(CHANNELS[0], LAWS[:1], people=3)
    with pytest.raises(BadValue, match="2 shares each"):
        errors_of_telling(CHANNELS[0], [[0.5, 0.5], [0.1, 0.9]], people=3)
    with pytest.raises(BadValue, match="above 1/3"):
        people_to_tell(CHANNELS[0], LAWS, power=0.2)
    with pytest.raises(BadValue, match="no number of them"):
        people_to_tell(CHANNELS[0], [LAWS[0], LAWS[1], LAWS[0]], power=0.9)
    with pytest.raises(BadValue, match="10\\^12"):
        people_to_tell(RandomizedResponse("1e-9", categories=3), LAWS, power=0.9)
    sure = RandomizedResponse(1, categories=3)
    assert errors_of_telling(sure, [[1, 0, 0], [0, 1, 0]], people=9).largest < 0.5


def test_a_tie_counts_as_wrong() -> None:
    channel, laws = RandomizedResponse(1, categories=2), [[0.8, 0.2], [0.2, 0.8]]
    right = float(channel.output_law(np.array(laws[0]))[0])
    found = errors_of_telling(channel, laws, people=2)
    assert found.method == "exact"
    assert found.wrong[0] == pytest.approx(1 - right**2), "one report of each kind tells nothing"


def test_where_samples_are_too_many_every_other_law_adds_its_own_chance() -> None:
    channel = RandomizedResponse(1, categories=3)
    laws = [[0.36, 0.32, 0.32], [0.32, 0.36, 0.32], [0.32, 0.32, 0.36]]
    found = errors_of_telling(channel, laws, people=20_000)
    pairs = [tail_between(channel, laws[0], laws[other], people=20_000) for other in (1, 2)]
    assert found.method == "at most"
    assert min(pairs) > 0.001
    assert found.wrong[0] == pytest.approx(sum(pairs))
