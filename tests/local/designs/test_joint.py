"""Correlated people: the joint design is at least as good as any pair of simple channels, and nobody gains alone."""

from itertools import product

import numpy as np
import pytest

from banister.core.laws.utility import KL
from banister.errors import BadValue
from banister.local import design, design_joint

PARTITIONS = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 2), (0, 0, 0)]


def cells(partition: tuple[int, ...]) -> np.ndarray:
    """Randomized response at level 1 on the cells of a partition."""
    count = max(partition) + 1
    rows = np.ones((len(partition), count))
    rows[np.arange(len(partition)), partition] = np.e
    return rows / (np.e + count - 1)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_pair_of_partitions_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = ((p + 1e-3) / (p + 1e-3).sum() for p in rng.dirichlet(np.full(9, 0.5), size=2).reshape(2, 3, 3))
    found = design_joint(1, first, second, utility="kl")
    best = max(
        float(KL.between((cells(a).T @ first @ cells(b)).ravel(), (cells(a).T @ second @ cells(b)).ravel()))
        for a, b in product(PARTITIONS, repeat=2)
    )
    assert found.utility >= best - 1e-9
    assert found.by_response <= found.utility <= found.whole
    for bound in found.alone:
        assert found.utility <= bound <= found.utility + 1e-7
    for channel in found.channels:
        assert channel.level <= 1 + 1e-12
    assert all(later >= earlier - 1e-9 for earlier, later in zip(found.history, found.history[1:], strict=False))


def test_independent_people_get_the_channel_that_each_would_get_alone() -> None:
    p0, p1 = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.2, 0.6])
    one = design(epsilon=1, utility="kl", between=(p0, p1)).utility
    found = design_joint(1, np.outer(p0, p0), np.outer(p1, p1), utility="kl")
    assert found.utility == pytest.approx(2 * one, rel=1e-9)


def test_people_who_differ_in_nothing_but_how_they_go_together() -> None:
    """Both hypotheses have the same laws for each person alone; only the reports together tell them apart."""
    same, any_pair = np.eye(2) / 2, np.full((2, 2), 1 / 4)
    found = design_joint(1, same, any_pair, utility="total-variation")
    kept = np.tanh(0.5)
    assert found.utility == pytest.approx(kept**2 / 2, rel=1e-9)


def test_three_people_and_what_cannot_be_designed() -> None:
    laws = np.random.default_rng(5).dirichlet(np.ones(8), size=2).reshape(2, 2, 2, 2)
    found = design_joint("1/2", *laws, utility="hellinger")
    assert len(found.channels) == 3
    assert found.utility >= found.by_response - 1e-12
    with pytest.raises(BadValue, match="must be alike"):
        design_joint(1, np.eye(2) / 2, np.full(4, 1 / 4), utility="kl")
    with pytest.raises(BadValue, match="The second joint law must have chances"):
        design_joint(1, np.eye(2) / 2, np.eye(2), utility="kl")
    with pytest.raises(BadValue, match="are too large"):
        design_joint(1, np.full((13, 13), 1 / 169), np.full((13, 13), 1 / 169), utility="kl")
