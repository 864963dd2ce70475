"""Repair: counts that are whole, not negative and of the right total."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.core.laws.histograms import limit_distortion
from banister.errors import BadValue
from banister.publish.repair import nearest_counts, remapped_counts
from banister.sampling.bits import SYSTEM
from banister.sampling.histograms import lattice_draw


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40))
def test_projection_is_nearest_in_l1_and_has_the_total(values: list[int]) -> None:
    noisy = np.array(values)
    total = int(noisy.sum())
    if total < 0:
        noisy[0] -= total
        total = 0
    counts = nearest_counts(noisy, total, SYSTEM)
    assert counts.min() >= 0
    assert counts.sum() == total
    # No counts of that total are nearer than twice the negative part.
    assert np.abs(counts - noisy).sum() == 2 * -noisy[noisy < 0].sum()


def test_counts_stay_as_they_are() -> None:
    counts = np.array([3, 0, 7, 1])
    assert nearest_counts(counts, 11, SYSTEM).tolist() == counts.tolist()
    assert nearest_counts(np.array([-5, -3]), 0, SYSTEM).tolist() == [0, 0]


def test_a_good_prior_beats_no_prior() -> None:
    cells, records, rate = 400, 1500, 1
    prior = 1 / np.arange(1, cells + 1)
    prior /= prior.sum()
    truth = np.floor(prior * records).astype(np.int64)
    truth[0] += records - truth.sum()
    with_prior, without = [], []
    for _ in range(6):
        noisy = truth + lattice_draw(cells, Fraction(rate)).draw(SYSTEM)
        found = remapped_counts(noisy, rate / 2, prior, records)
        assert found.sum() == records
        assert found.min() >= 0
        with_prior.append(np.abs(found - truth).sum())
        without.append(np.abs(nearest_counts(noisy, records, SYSTEM) - truth).sum())
    assert np.mean(with_prior) < np.mean(without) < limit_distortion(cells, rate)


def test_a_prior_of_the_wrong_shape_is_refused() -> None:
    for prior in (np.ones(3), np.array([1.0, -1.0]), np.zeros(2), np.array([np.nan, 1.0])):
        with pytest.raises(BadValue, match="The prior must be 2 chances, none negative, not all 0"):
            remapped_counts(np.array([1, 2]), 0.5, prior, 3)
