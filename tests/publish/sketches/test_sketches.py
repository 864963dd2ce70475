"""Sketches: the floor that privacy asks for, the law of the rows, and answers inside their intervals."""

from fractions import Fraction

import numpy as np
import pytest

from banister.core.laws.chi_square import wider
from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.publish.sketches.cut import CutSketch, rows_for
from banister.publish.sketches.variance import VarianceSketch, whole_entries
from banister.sampling.bits import SYSTEM
from banister.sampling.normals import near_normals


def test_the_added_weight_is_a_hundredth_of_the_composed_one() -> None:
    """epsilon 1, delta 1e-6, eta 0.1: 335.6 for very many nodes where the composed lemma needs 38 397."""
    found = CutSketch(epsilon=1, delta=1e-6, nodes=1 << 19, rows=2952)
    # w = 2/(ratio + 2/n): the number of nodes enters as a trifle, and is taken out here.
    assert 2 / (2 / found.floor - 2 / found.nodes) == pytest.approx(335.6, abs=0.2)
    assert CutSketch(epsilon=1, delta=1e-6, nodes=1 << 19, rows=768).floor == pytest.approx(176.6, abs=0.1)
    assert rows_for("0.1", "0.05") == 768


def test_the_floor_is_the_least_that_is_private() -> None:
    sketch = CutSketch(epsilon=1, delta=1e-6, nodes=10_000, rows=100)
    root = Fraction(sketch.root)

    def delta(r: Fraction) -> float:
        return float(wider(100, 2 * (1 - r * r / 10_000) / (r * r), Fraction(1)).upper()) + sketch.slack

    assert delta(root) <= 1e-6 < delta(root * Fraction(999, 1000))
    assert sketch.slack < 1e-8


def test_ratio_of_covariances_is_largest_for_the_empty_graph() -> None:
    nodes, floor = 7, 2.5
    rng = np.random.default_rng(3)
    worst = 2 * (1 - floor / nodes) / floor
    for _ in range(20):
        weights = np.triu(rng.random((nodes, nodes)), 1) * (rng.random() < 0.8)
        laplacian = np.diag((weights + weights.T).sum(axis=0)) - weights - weights.T
        covariance = floor * np.eye(nodes) + (1 - floor / nodes) * laplacian
        v = np.zeros(nodes)
        v[0], v[1] = 1, -1
        assert (1 - floor / nodes) * v @ np.linalg.solve(covariance, v) <= worst * (1 + 1e-12)


def test_rows_have_the_covariance_of_the_mixed_graph() -> None:
    nodes = 60
    first, second = np.triu_indices(nodes, 1)
    kept = (first + 2 * second) % 3 == 0
    first, second = first[kept], second[kept]
    weights = np.linspace(0, 1, first.size)
    sketch = CutSketch(epsilon=8, delta=1e-3, nodes=nodes, rows=3000)
    rows = sketch.release(first, second, weights, SYSTEM).astype(np.float64)
    laplacian = np.zeros((nodes, nodes))
    np.add.at(laplacian, (first, second), -weights)
    laplacian += laplacian.T
    laplacian -= np.diag(laplacian.sum(axis=0))
    centring = np.eye(nodes) - 1 / nodes
    expected = sketch.floor * centring + (1 - sketch.floor / nodes) * laplacian
    found = rows.T @ rows / sketch.rows
    # Each entry is a mean of 3000 products: six deviations.
    spread = 6 * np.sqrt(2 / 3000) * expected.diagonal().max()
    assert np.abs(found - expected).max() < spread
    assert np.abs(rows.sum(axis=1)).max() < 1e-2


@pytest.mark.slow
def test_cut_intervals_hold_at_their_rate() -> None:
    """100 sketches, one cut each: at 90 % between 77 and 99 hold (four deviations)."""
    nodes = 120
    rng = np.random.default_rng(5)
    first, second = np.triu_indices(nodes, 1)
    weights = rng.random(first.size)
    sketch = CutSketch(epsilon=4, delta=1e-4, nodes=nodes, rows=60)
    held = 0
    for _ in range(100):
        rows = sketch.release(first, second, weights, SYSTEM)
        inside = rng.random(nodes) < 0.4
        truth = weights[inside[first] != inside[second]].sum()
        _, low, high = sketch.answer(rows, np.flatnonzero(inside), confidence="0.9")
        held += low <= truth <= high
    assert 77 <= held <= 99


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_variance_intervals_hold_at_their_rate(neighbours: Neighbours) -> None:
    rng = np.random.default_rng(6)
    matrix = rng.normal(size=(400, 5)) / 5
    sketch = VarianceSketch(epsilon=2, delta=1e-4, columns=5, rows=60, neighbours=neighbours)
    short = whole_entries(matrix) * 2.0**-18
    held = 0
    for _ in range(100):
        rows = sketch.release(matrix, SYSTEM)
        direction = rng.normal(size=5)
        direction /= np.linalg.norm(direction)
        _, low, high = sketch.answer(rows, direction, confidence="0.9")
        held += low <= np.square(short @ direction).sum() <= high
    assert 77 <= held <= 99


def test_variance_floor_by_relation() -> None:
    assert VarianceSketch(
        epsilon=1, delta=1e-6, columns=2, rows=2952, neighbours=Neighbours.REPLACE
    ).width == pytest.approx(2 * 229.9, rel=1e-3)
    added = VarianceSketch(epsilon=1, delta=1e-6, columns=2, rows=2952, neighbours=Neighbours.ADD_REMOVE)
    # A row added changes the covariance by 1/w², an edge by 2/w: one accountant for both.
    assert added.width**2 == pytest.approx(335.6 / 2, rel=1e-3)
    assert added.slack < 2e-8


def test_long_rows_are_shortened_and_none_is_lengthened() -> None:
    matrix = np.array([[3.0, 4.0], [0.3, -0.4], [1.0, 0.0]])
    entries = whole_entries(matrix) * 2.0**-18
    assert np.all(np.linalg.norm(entries, axis=1) <= 1)
    assert entries[1] == pytest.approx([0.3, -0.4], abs=2.0**-18)
    assert entries[0] == pytest.approx([0.6, 0.8], abs=2.0**-17)


def test_sketch_of_a_large_variance_is_close() -> None:
    matrix = np.zeros((20_000, 3))
    matrix[:, 0] = 1
    sketch = VarianceSketch(epsilon=1, delta=1e-6, columns=3, rows=400, neighbours=Neighbours.ADD_REMOVE)
    found, low, high = sketch.answer(sketch.release(matrix, SYSTEM), np.array([1.0, 0, 0]), confidence="0.999999")
    assert low < 20_000 < high
    assert found == pytest.approx(20_000, rel=6 * np.sqrt(2 / 400))


def test_near_normals_are_normal() -> None:
    from scipy.stats import kstest

    values = near_normals(20_000, SYSTEM)
    assert kstest(values, "norm").pvalue > 1e-6


def test_bad_parameters_are_named() -> None:
    with pytest.raises(BadValue, match="20 nodes are too few for this guarantee"):
        CutSketch(epsilon=1, delta=1e-6, nodes=20, rows=768)
    with pytest.raises(BadValue, match=r"delta = 0 must be .* A Gaussian sketch needs some delta"):
        CutSketch(epsilon=1, delta=0, nodes=1000, rows=10)
    sketch = CutSketch(epsilon=1, delta=1e-6, nodes=1000, rows=10)
    with pytest.raises(BadValue, match="nodes in the set = 0 must be a whole number from 1 to 999"):
        sketch.answer(np.zeros((10, 1000), dtype=np.float32), np.empty(0, dtype=np.int64), confidence="0.9")


@pytest.mark.filterwarnings("error")
def test_rows_beyond_the_square_root_of_all_doubles_are_shortened_as_others_are() -> None:
    matrix = np.array([[3e300, 4e300], [3.0, 4.0], [1.7e308, 0.0], [5e-324, 0.0], [0.3, 0.4]])
    short = whole_entries(matrix) * 2.0**-18
    assert np.abs(short - [[0.6, 0.8], [0.6, 0.8], [1, 0], [0, 0], [0.3, 0.4]]).max() < 2.0**-17
    assert (np.square(short).sum(axis=1) <= 1).all()
