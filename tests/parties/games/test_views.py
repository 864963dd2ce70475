"""What a coalition sees."""

import itertools
import math

import numpy as np
import pytest

import banister as bn
from banister.errors import BadValue
from tests.parties import brute

LEVELS = [(1, 0), (0.5, 0.1), (2, 0)]


@pytest.mark.parametrize("coalition", [[], [1], [3], [1, 3]])
def test_the_region_is_that_of_the_partys_own_level(coalition: list[int]) -> None:
    view = bn.parties.coalition_view(LEVELS, 2, coalition)
    for epsilon in (0, 0.3, 0.5, 1):
        expected = max(0.0, 0.1 + 0.9 * (1 - math.exp(epsilon - 0.5)) / (1 + math.exp(-0.5)))
        assert view.delta_at(epsilon) == pytest.approx(max(expected, 0.1), abs=1e-12)
    alarm, missed = view.region().T
    steep = math.exp(0.5)
    assert np.all(alarm + steep * missed >= 0.9 - 1e-12)
    assert np.min(alarm + steep * missed) == pytest.approx(0.9)


@pytest.mark.parametrize("coalition", [[], [1], [3], [1, 3]])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_joint_prior_is_averaged_exactly(coalition: list[int], seed: int) -> None:
    prior = np.random.default_rng(seed).dirichlet(np.ones(8))
    view = bn.parties.coalition_view(LEVELS, 2, coalition, prior=prior)
    seen: dict[tuple[tuple[int, ...], tuple[int, ...]], list[float]] = {}
    for number, x in enumerate(itertools.product((0, 1), repeat=3)):
        for said in itertools.product(range(2), range(4), range(2)):
            key = (tuple(x[i - 1] for i in coalition), said)
            seen.setdefault(key, [0.0, 0.0])[x[1]] += prior[number] * brute.chance(LEVELS, x, said)
    laws = np.array(list(seen.values()))
    laws /= laws.sum(axis=0)
    for epsilon in (0, 0.5, 1, 2):
        excess = max(np.maximum(laws[:, a] - math.exp(epsilon) * laws[:, 1 - a], 0).sum() for a in (0, 1))
        assert view.delta_at(epsilon) == pytest.approx(excess, abs=1e-12)
    assert view.advantage() == pytest.approx(np.abs(laws[:, 0] - laws[:, 1]).sum() / 2, abs=1e-12)


def test_independent_bits_give_nothing_away_and_equal_bits_do() -> None:
    alone = bn.parties.coalition_view(LEVELS, 1, [])
    independent = bn.parties.coalition_view(LEVELS, 1, [2], prior=np.full(8, 1 / 8))
    assert independent.delta_at(0) == pytest.approx(alone.delta_at(0), abs=1e-12)
    equal = np.zeros(8)
    equal[[0, 7]] = 0.5
    assert bn.parties.coalition_view(LEVELS, 1, [2], prior=equal).delta_at(10) == pytest.approx(1)
    assert bn.parties.coalition_view(LEVELS, 1, [], prior=equal).delta_at(1) > alone.delta_at(1)


def test_answering_twice_is_seen_twice() -> None:
    once = bn.parties.coalition_view([1], 1, [])
    twice = bn.parties.views_together([once, once])
    assert twice.delta_at(2) == pytest.approx(0, abs=1e-12)
    assert twice.delta_at(1) > 0.1


def test_bad_questions_are_refused() -> None:
    for call, words in (
        (lambda: bn.parties.coalition_view(LEVELS, 4, []), "party = 4 must be"),
        (lambda: bn.parties.coalition_view(LEVELS, 1, [1]), "is in the coalition itself"),
        (lambda: bn.parties.coalition_view(LEVELS, 1, [9]), "a member of the coalition = 9"),
        (lambda: bn.parties.coalition_view(LEVELS, 1, [], prior=np.ones(3)), "needs 2\\^3 chances"),
        (lambda: bn.parties.coalition_view(LEVELS, 1, [], prior=np.eye(8)[0]), "never holds 1"),
    ):
        with pytest.raises(BadValue, match=words):
            call()
