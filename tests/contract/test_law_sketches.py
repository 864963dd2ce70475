"""The law of every charge, for sketches: normal laws whose covariance a neighbour changes, by a second road.

Two sketches differ only through the eigenvalues of one covariance seen from the other; the rows are independent. For
one eigenvalue other than 1 the curve is an incomplete gamma function (mpmath); for two it is integrated numerically.
"""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from banister.core.privacy.guarantee import Neighbours
from banister.publish.sketches.cut import CutSketch
from banister.publish.sketches.variance import VarianceSketch, whole_entries
from tests import oracle
from tests.contract.law import PARTS, bits

CUTS = [
    CutSketch(epsilon=4, delta=Fraction(1, 10), nodes=12, rows=3),
    CutSketch(epsilon=2, delta=Fraction(1, 100), nodes=60, rows=2),
]
VARIANCES = [
    VarianceSketch(epsilon=epsilon, delta=delta, columns=2, rows=rows, neighbours=neighbours)
    for neighbours in Neighbours
    for epsilon, delta, rows in ((1, Fraction(1, 20), 3), (3, Fraction(1, 1000), 8))
]


def below(rows: int, x: mpmath.mpf) -> mpmath.mpf:
    """P(T ≤ x) for a chi-square number of so many degrees."""
    return mpmath.gammainc(mpmath.mpf(rows) / 2, 0, max(x, 0) / 2, regularized=True)


def of_one_eigenvalue(rows: int, eigenvalue: float, epsilon: Fraction) -> float:
    """Between N(0, eigenvalue)^rows and N(0, 1)^rows, the larger of the two orders: T is the length squared."""
    v, factor = mpmath.mpf(eigenvalue), mpmath.exp(oracle.real(epsilon))
    found = []
    for true, other in ((v, mpmath.mpf(1)), (mpmath.mpf(1), v)):
        # log of the ratio of densities at T: rows/2 log(other/true) + T/2 (1/other - 1/true), against epsilon.
        slope = (1 / other - 1 / true) / 2
        if slope == 0:
            return max(0.0, float(1 - factor))
        edge = (oracle.real(epsilon) - mpmath.mpf(rows) / 2 * mpmath.log(other / true)) / slope
        inside = below(rows, edge / true) - factor * below(rows, edge / other)
        found.append((1 - factor) - inside if slope > 0 else inside)
    return float(max(found))


def covariance(sketch: CutSketch, edges: dict[tuple[int, int], float]) -> np.ndarray:
    """w I + (1 - w/n) L, written down from the definition."""
    n, floor = sketch.nodes, sketch.root**2
    laplacian = np.zeros((n, n))
    for (i, j), weight in edges.items():
        laplacian[[i, j], [i, j]] += weight
        laplacian[[i, j], [j, i]] -= weight
    return np.asarray(floor * np.eye(n) + (1 - floor / n) * laplacian)


def eigenvalues(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Those of `one` seen from `other`, apart from 1."""
    half = np.linalg.inv(np.linalg.cholesky(other))
    found: np.ndarray = np.linalg.eigvalsh(half @ one @ half.T)
    others: np.ndarray = found[np.abs(found - 1) > 1e-9]
    return others


@pytest.mark.parametrize("sketch", CUTS, ids=repr)
def test_one_edge_of_a_graph_tells_what_is_claimed(sketch: CutSketch) -> None:
    generator = np.random.default_rng(11)
    nodes = list(itertools.combinations(range(sketch.nodes), 2))
    graphs: list[dict[tuple[int, int], float]] = [{}]
    graphs += [{pair: float(generator.random() < share) for pair in nodes} for share in (0.1, 0.5, 1.0)]
    worst = 0.0
    for graph in graphs:
        for weight in (1.0, 0.4):
            changed = graph | {(0, 1): weight}
            (value,) = eigenvalues(covariance(sketch, changed), covariance(sketch, graph | {(0, 1): 0.0}))
            for part in PARTS:
                truth = of_one_eigenvalue(sketch.rows, value, part * sketch.epsilon)
                assert truth <= sketch.loss().delta_at(part * sketch.epsilon).up * (1 + 1e-9)
                worst = max(worst, truth) if part == 1 else worst
    # A unit edge in the empty graph uses up the delta, but for what pays for doubles; sigma is rounded up by 2^-20.
    claimed = sketch.loss().delta_at(sketch.epsilon)
    assert claimed.up == pytest.approx(float(sketch.delta), rel=1e-9)
    assert worst + sketch.slack == pytest.approx(float(sketch.delta), rel=1e-4)


@pytest.mark.parametrize("sketch", CUTS, ids=repr)
def test_a_graph_is_drawn_with_the_covariance_that_was_examined(sketch: CutSketch) -> None:
    edges = {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 0.5, (3, 4): 1.0}
    ends = np.array(list(edges), dtype=np.int64)
    weights, source = np.array(list(edges.values())), bits(13)
    drawn = np.vstack([sketch.release(ends[:, 0], ends[:, 1], weights, source) for _ in range(1200)])
    centre = np.eye(sketch.nodes) - 1 / sketch.nodes  # What is released has its mean taken away.
    expected = centre @ covariance(sketch, edges) @ centre
    found = drawn.T.astype(np.float64) @ drawn / len(drawn)
    spread = np.sqrt((np.outer(np.diag(expected), np.diag(expected)) + expected**2) / len(drawn))
    assert np.abs((found - expected) / spread).max() < 5.5  # Of at most 1830 entries; the seed is fixed.


@pytest.mark.parametrize("sketch", VARIANCES, ids=repr)
def test_one_row_of_a_matrix_tells_what_is_claimed(sketch: VarianceSketch) -> None:
    floor, others = sketch.width**2 * np.eye(2), [np.zeros((1, 2)), np.eye(2), np.array([[3.0, 1.0], [0.0, 2.0]])]
    worst = 0.0
    for rest, part in itertools.product(others, PARTS):
        base, epsilon = floor + rest.T @ rest, part * sketch.epsilon
        if sketch.neighbours is Neighbours.ADD_REMOVE:
            (value,) = eigenvalues(base + np.outer([0.6, 0.8], [0.6, 0.8]), base)
            truth = of_one_eigenvalue(sketch.rows, value, epsilon)
        else:
            pair = base + np.outer([1, 0], [1, 0]), base + np.outer([0, 1], [0, 1])
            truth = of_two_eigenvalues(sketch.rows, eigenvalues(*pair), epsilon)
        assert truth <= sketch.loss().delta_at(epsilon).up * (1 + 1e-9)
        worst = max(worst, truth) if part == 1 else worst
    told = worst if sketch.neighbours is Neighbours.ADD_REMOVE else told_mixing(sketch)
    assert sketch.loss().delta_at(sketch.epsilon).up == pytest.approx(float(sketch.delta), rel=1e-9)
    # The width is rounded up by 2^-20; lengths squared below 1/1000 are counted as if they told everything.
    assert told + sketch.slack == pytest.approx(float(sketch.delta), rel=5e-4)


def of_two_eigenvalues(rows: int, values: np.ndarray, epsilon: Fraction) -> float:
    """Between N(0, values)^rows and N(0, 1)^rows, on a grid over both squared lengths' quantiles; good to 1e-3."""
    from scipy.special import chdtri

    assert values.size <= 2
    if values.size < 2:
        return of_one_eigenvalue(rows, float(values[0]), epsilon)
    shares = (np.arange(800) + 0.5) / 800
    length = chdtri(rows, shares)
    v, w = values
    total = rows * np.log(v * w) / 2
    loss = ((v - 1) * length[:, None] + (w - 1) * length[None, :]) / 2 - total  # At a draw from the first law.
    gone = np.maximum(1 - np.exp(float(epsilon) - loss), 0).mean()
    back = ((1 / v - 1) * length[:, None] + (1 / w - 1) * length[None, :]) / 2 + total
    return float(max(gone, np.maximum(1 - np.exp(float(epsilon) - back), 0).mean()))


def told_mixing(sketch: VarianceSketch) -> float:
    """What is given away when the replaced row's mixing numbers are told: a Gaussian shift of random length.

    The claim is for a row that moves by 2, the farthest there is.
    """
    r, width, epsilon = sketch.rows, mpmath.mpf(sketch.width), oracle.real(sketch.epsilon)

    def weighted(t: mpmath.mpf) -> mpmath.mpf:
        mu = 2 * mpmath.sqrt(t) / width
        told = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
        return told * t ** (mpmath.mpf(r) / 2 - 1) * mpmath.exp(-t / 2)

    with mpmath.workdps(20):
        ends = [mpmath.mpf("1e-9"), r / 2, r, 2 * r, 6 * r + 40, 400]
        return float(mpmath.quad(weighted, ends) / (2 ** (mpmath.mpf(r) / 2) * mpmath.gamma(mpmath.mpf(r) / 2)))


@pytest.mark.parametrize("sketch", VARIANCES, ids=repr)
def test_a_matrix_is_drawn_with_the_covariance_that_was_examined(sketch: VarianceSketch) -> None:
    matrix = np.array([[0.6, 0.8], [1.0, 0.0], [0.0, -0.5], [5.0, 5.0]]) * 1.0
    source = bits(14)
    many = np.vstack([matrix] * 200)  # Enough rows that what the matrix adds is not lost in the floor.
    drawn = np.vstack([sketch.release(many, source) for _ in range(800)]).astype(np.float64)
    entries = whole_entries(many) * 2.0**-18
    assert np.linalg.norm(entries, axis=1).max() <= 1
    expected = sketch.width**2 * np.eye(2) + entries.T @ entries
    found = drawn.T @ drawn / len(drawn)
    spread = np.sqrt((np.outer(np.diag(expected), np.diag(expected)) + expected**2) / len(drawn))
    assert np.abs((found - expected) / spread).max() < 5
