"""From noisy columns and pairs to records: what is consistent, what is joined, what is dealt."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.publish.marginals import GROUPS, grouped, on_simplex, spread_over
from banister.sampling.bits import SYSTEM


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=30), st.floats(0.5, 500))
def test_on_simplex_has_the_total_and_is_nearest(values: list[float], total: float) -> None:
    noisy = np.array(values)
    found = on_simplex(noisy, total)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(total, rel=1e-9)
    # Optimality: all positive cells were lowered alike, and no empty cell was above that threshold.
    shift = (noisy - found)[found > 0]
    assert np.ptp(shift) <= 1e-9 * (1 + np.abs(noisy).max() + total)
    assert np.all(noisy[found == 0] <= shift.max() + 1e-9 * (1 + total))


def test_groups_are_few_and_keep_order() -> None:
    counts = np.arange(100.0)
    ordered = grouped(counts, ordered=True)
    assert ordered.max() + 1 <= GROUPS
    assert np.all(np.diff(ordered) >= 0)
    rare = grouped(counts, ordered=False)
    assert np.bincount(rare).tolist() == [1] * (GROUPS - 1) + [100 - GROUPS + 1]
    assert rare[99] == 0
    assert grouped(np.ones(5), ordered=False).tolist() == [0, 1, 2, 3, 4]


def test_dealing_follows_the_row_and_survives_an_empty_one() -> None:
    known = np.array([0, 1, 0, 1, 1, 0])
    shares = np.array([[0.0, 1.0], [0.0, 0.0]])
    found = spread_over(known, shares, SYSTEM)
    assert found[known == 0].tolist() == [1, 1, 1]
    assert set(found[known == 1]) <= {0, 1}
