"""Half of the records with nearly half of every count: what is kept, and that it is nearer than records at random."""

from itertools import combinations

import numpy as np

from banister.publish.fitting.halving import POOL, halved, pool_for
from tests.seeded import SeededBits

SIZES = (3, 4, 2, 5, 3, 2)


def records(count: int) -> np.ndarray:
    """Columns that depend on one another in a chain."""
    rng = np.random.default_rng(11)
    found = np.stack([rng.integers(0, size, count) for size in SIZES])
    for later in range(1, len(SIZES)):
        found[later] = np.where(rng.random(count) < 0.6, found[later - 1] % SIZES[later], found[later])
    return found


def off(kept: np.ndarray, all_of_them: np.ndarray, axes: tuple[int, ...]) -> float:
    """How far counts of the kept, times how many there were for each, are from all, in L1 as part of all."""
    shape = tuple(SIZES[axis] for axis in axes)
    counts = [
        np.bincount(np.ravel_multi_index(tuple(t[list(axes)]), shape), minlength=int(np.prod(shape))) / t.shape[1]
        for t in (kept, all_of_them)
    ]
    return float(np.abs(counts[0] - counts[1]).sum())


def test_half_of_the_records_are_kept_and_none_is_made_up() -> None:
    pool = records(4001 * 2)
    kept = np.stack(halved(list(pool), SIZES, SeededBits(1)))
    assert kept.shape == (len(SIZES), 4001)
    had = np.bincount(np.ravel_multi_index(tuple(pool), SIZES), minlength=int(np.prod(SIZES)))
    has = np.bincount(np.ravel_multi_index(tuple(kept), SIZES), minlength=int(np.prod(SIZES)))
    assert np.all(has <= had)


def test_counts_of_pairs_and_triples_are_nearer_than_those_of_records_at_random() -> None:
    pool = records(16_000)
    kept = np.stack(halved(list(pool), SIZES, SeededBits(2)))
    random = pool[:, np.random.default_rng(3).permutation(16_000)[:8000]]
    for count in (2, 3):
        ours, theirs = (
            sum(off(some, pool, axes) for axes in combinations(range(len(SIZES)), count)) for some in (kept, random)
        )
        assert ours < 0.3 * theirs


def test_couples_of_equal_records_are_kept_once_each() -> None:
    pool = np.repeat(records(500), 2, axis=1)
    kept = np.stack(halved(list(pool), SIZES, SeededBits(4)))
    assert sorted(map(tuple, kept.T)) == sorted(map(tuple, pool[:, ::2].T))


def test_the_pool_is_a_power_of_two_and_shrinks_with_the_table() -> None:
    found = [pool_for(records, 13) for records in (1, 10**4, 4 * 10**4, 10**5, 10**6)]
    assert found == [POOL, POOL, 4, 2, 1]
    assert pool_for(10**7, 40) == pool_for(5, 1) == 1
    assert pool_for(1000, 40) == POOL
    wide = list(
        np.random.default_rng(5).integers(0, 2, (40, 64))
    )  # 10 660 sets of two and three: some are looked after.
    assert len(halved(wide, [2] * 40, SeededBits(6))[0]) == 32
