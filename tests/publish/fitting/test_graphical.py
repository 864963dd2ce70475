"""A law of many columns on a tree of cliques: what it holds, what it is fitted to, and the records dealt from it."""

from itertools import combinations

import numpy as np
import pytest

from banister.publish.fitting.choosing import Budget, shares_of, weight, without_circle, worthwhile
from banister.publish.fitting.graphical import GraphicalLaw, MeasuredMarginal, fitted, triples_within
from banister.publish.fitting.junction import Axes, JunctionTree
from banister.sampling.bits import SYSTEM

SIZES = (2, 3, 2, 4, 2, 3)
CYCLE: list[Axes] = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4)]


def everything(law: GraphicalLaw) -> np.ndarray:
    """The whole joint law, one clique after the other: P(clique) / P(what it shares)."""
    tree = law.tree
    joint = np.ones(tree.sizes)
    for place, clique in enumerate(tree.cliques):
        shape = [tree.sizes[a] if a in clique else 1 for a in range(len(tree.sizes))]
        shared = tree.shared(place)
        alone = law.chances[place].sum(axis=tuple(k for k, a in enumerate(clique) if a not in shared), keepdims=True)
        joint = joint * (law.chances[place] / alone).reshape(shape)
    return joint


def marginal(joint: np.ndarray, axes: Axes) -> np.ndarray:
    return np.asarray(joint.sum(axis=tuple(a for a in range(joint.ndim) if a not in axes)))


def test_a_tree_holds_every_set_and_what_two_cliques_share_lies_between_them() -> None:
    rng = np.random.default_rng(5)
    pairs = list(combinations(range(9), 2))
    for _ in range(60):
        sets = [pairs[k] for k in rng.choice(len(pairs), rng.integers(0, 14), replace=False)]
        tree = JunctionTree.joining(sets, rng.integers(2, 6, 9).tolist())
        assert set().union(*map(set, tree.cliques)) == set(range(9))
        assert all(any(set(one) <= set(clique) for clique in tree.cliques) for one in sets)
        for column in range(9):
            holding = [k for k, clique in enumerate(tree.cliques) if column in clique]
            # All but one of the cliques that hold a column hang on another that holds it: they are connected.
            assert sum(tree.parents[k] in holding for k in holding) == len(holding) - 1
        assert all(parent < place for place, parent in enumerate(tree.parents))


def test_a_fit_to_true_counts_has_them_and_no_further_structure() -> None:
    rng = np.random.default_rng(6)
    truth = rng.integers(1, 40, SIZES).astype(float)
    total = float(truth.sum())
    measured = [MeasuredMarginal(axes, marginal(truth, axes), 4.0) for axes in [*CYCLE, (5,)]]
    tree = JunctionTree.joining(CYCLE, SIZES)
    law = fitted(tree, measured, total)
    assert max(len(clique) for clique in tree.cliques) == 3
    for one in measured:
        assert law.marginal(one.axes) * total == pytest.approx(one.counts, rel=2e-3)
    joint = everything(law)
    assert joint.sum() == pytest.approx(1, rel=1e-9)
    # Column 5 was measured alone, so it is independent of all others; column 4 depends on others through 3 alone.
    assert joint == pytest.approx(marginal(joint, (0, 1, 2, 3, 4))[..., None] * marginal(joint, (5,)), abs=1e-12)
    given = marginal(joint, (2, 3, 4)) / marginal(joint, (3,))[None, :, None]
    split = marginal(joint, (2, 3))[:, :, None] * marginal(joint, (3, 4))[None] / marginal(joint, (3,))[None, :, None]
    assert given * marginal(joint, (3,))[None, :, None] == pytest.approx(split, abs=1e-12)


def test_pairs_far_apart_are_those_of_the_whole_law() -> None:
    rng = np.random.default_rng(7)
    truth = rng.random(SIZES) ** 3
    measured = [MeasuredMarginal(axes, 1000 * marginal(truth, axes) / truth.sum(), 2.0) for axes in CYCLE]
    law = fitted(JunctionTree.joining(CYCLE, SIZES), measured, 1000.0)
    joint, found = everything(law), law.pairs()
    assert set(found) == set(combinations(range(len(SIZES)), 2))
    for axes, chances in found.items():
        assert chances == pytest.approx(marginal(joint, axes), abs=1e-12)


def test_what_is_measured_better_counts_more() -> None:
    sure, vague = np.array([70.0, 30.0]), np.array([[10.0, 40.0], [25.0, 25.0]])
    law = fitted(
        JunctionTree.joining([(0, 1)], (2, 2)),
        [MeasuredMarginal((0,), sure, 0.01), MeasuredMarginal((0, 1), vague, 400.0)],
        100.0,
    )
    assert law.marginal((0,)) * 100 == pytest.approx(sure, abs=0.1)


def test_records_are_dealt_as_near_to_the_law_as_whole_ones_can_be() -> None:
    rng = np.random.default_rng(8)
    truth = rng.random(SIZES)
    measured = [MeasuredMarginal(axes, marginal(truth, axes) / truth.sum(), 1e-4) for axes in CYCLE]
    law = fitted(JunctionTree.joining(CYCLE, SIZES), measured, 1.0)
    columns = law.deal(40_000, SYSTEM)
    for place, clique in enumerate(law.tree.cliques):
        found = np.zeros(law.tree.shape(clique))
        np.add.at(found, tuple(columns[a] for a in clique), 1)
        # Rounding is by less than one record for each row of what is shared and each value; sampling errs by 100.
        assert np.abs(found - 40_000 * law.chances[place]).max() < 12
    joint = np.zeros(SIZES)
    np.add.at(joint, tuple(columns), 1)
    assert np.abs(joint / 40_000 - everything(law)).sum() / 2 < 0.05


def test_triples_are_those_within_one_clique() -> None:
    assert triples_within(JunctionTree.joining([(0, 1), (1, 2)], (2, 2, 2))) == []
    assert triples_within(JunctionTree.joining([(0, 1), (1, 2), (0, 2)], (2, 2, 2))) == [(0, 1, 2)]


def test_shares_add_up_exactly_and_grow_with_the_table() -> None:
    from fractions import Fraction

    shares = shares_of([(0, 1), (1, 2), (0, 1, 2)], (2, 20, 9), Fraction(7, 50))
    assert sum(shares) == Fraction(7, 50)
    assert shares[2] > shares[1] > shares[0] > 0
    assert weight(8000) / weight(8) == pytest.approx(100, rel=0.03)


def test_noise_is_weighed_against_the_promise() -> None:
    sizes = (10, 10, 10)
    scores: dict[Axes, float] = {(0, 1): 4000.0, (1, 2): 3000.0, (0, 2): 40.0}
    quiet, loud = Budget(deviation=1.0, least=50.0), Budget(deviation=40.0, least=50.0)
    assert worthwhile(scores, sizes, quiet, lambda sets: True) == [(0, 1), (1, 2)]
    # One table has 100 cells of 40 · 0.6; two of them 100 cells of 57 · 0.6 each, 6788 in all for a promise of 7000.
    assert worthwhile(scores, sizes, loud, lambda sets: True) == [(0, 1)]
    assert worthwhile(scores, sizes, quiet, lambda sets: (0, 1) not in sets) == [(1, 2)]
    assert worthwhile(scores, sizes, loud, lambda sets: True, beside=[(0, 1), (1, 2), (0, 2)] * 9) == []


def test_a_circle_is_seen() -> None:
    assert without_circle(4, [(0, 1), (1, 2), (2, 3)])
    assert not without_circle(4, [(0, 1), (1, 2), (0, 2)])
