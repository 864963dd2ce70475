"""Marginals that are summed for one another are those that are summed one by one, and the way back is the adjoint."""

from itertools import combinations

import numpy as np

from banister.publish.fitting.junction import JunctionTree
from banister.publish.fitting.shared_sums import SharedSums

SIZES = (2, 3, 2, 4, 2, 3)
SETS = [(0,), (5,), (0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (0, 1, 2, 3), (3, 4), (0, 2, 3)]


def tree() -> JunctionTree:
    return JunctionTree.joining([(0, 1, 2, 3), (3, 4)], SIZES)


def test_every_marginal_is_that_of_its_clique() -> None:
    held = tree()
    rng = np.random.default_rng(1)
    chances = [rng.random(held.shape(clique)) for clique in held.cliques]
    for sets in (SETS, SETS[::-1], [(3,)], [(0, 1, 2, 3)]):
        for axes, found in zip(sets, SharedSums.of(held, sets).down(chances), strict=True):
            clique = held.cliques[held.home(axes)]
            alone = chances[held.home(axes)].sum(axis=tuple(k for k, axis in enumerate(clique) if axis not in axes))
            assert np.allclose(found, alone, rtol=1e-13)


def test_the_way_back_is_the_adjoint() -> None:
    """⟨slope, sums of x⟩ = ⟨what comes back, x⟩ for every x, so a step along what comes back is one down the misfit."""
    held = tree()
    rng = np.random.default_rng(2)
    sums = SharedSums.of(held, SETS)
    slopes = [rng.standard_normal(held.shape(axes)) for axes in SETS]
    back = sums.up(slopes)
    for _ in range(3):
        x = [rng.standard_normal(held.shape(clique)) for clique in held.cliques]
        there = sum(float(np.vdot(slope, table)) for slope, table in zip(slopes, sums.down(x), strict=True))
        here = sum(float(np.vdot(one, table)) for one, table in zip(back, x, strict=True))
        assert abs(there - here) < 1e-10


def test_pairs_of_a_large_clique_share_their_sums() -> None:
    sizes = (3,) * 7
    held = JunctionTree.joining([tuple(range(7))], sizes)
    sums = SharedSums.of(held, list(combinations(range(7), 2)))
    # Each of the seven columns is summed away from the whole table at most once, where pairs alone would take 21 turns.
    assert sum(above == 0 for above, _ in sums.steps) <= 7
