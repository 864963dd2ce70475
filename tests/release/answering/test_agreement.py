"""Tables made to agree: the same as least squares with dense matrices, cell by cell and variance by variance."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import erfc

from banister.mechanisms import IntegerStaircase
from banister.release.answering.agreement import Margin, Margins
from banister.release.answering.combine import half_width, pooled, spread_of
from banister.sampling.bits import SYSTEM

SIZES = (3, 2, 4)
TABLES = {
    "fine, a margin in another order, the total": (Margin((0, 1, 2), 2.0), Margin((1, 0), 0.5), Margin((), 1.0)),
    "no finest table": (Margin((0, 1), 2.0), Margin((2, 0), 0.5), Margin((2,), 1.0)),
    "one alone": (Margin((2, 1), 3.0),),
}


def adding(margin: Margin) -> NDArray[np.float64]:
    """The matrix that adds the array up to a table."""
    index = np.indices(SIZES).reshape(3, -1)
    code = np.zeros(index.shape[1], dtype=int)
    for axis in margin.axes:
        code = code * SIZES[axis] + index[axis]
    return np.eye(int(np.prod([SIZES[axis] for axis in margin.axes])))[code].T


@pytest.mark.parametrize("tables", TABLES.values(), ids=TABLES)
def test_agreed_tables_are_least_squares(tables: tuple[Margin, ...]) -> None:
    generator = np.random.default_rng(2)
    matrices = [adding(margin) for margin in tables]
    values = [generator.normal(size=len(matrix)) for matrix in matrices]
    weights = np.concatenate([np.full(len(m), 1 / t.variance) for m, t in zip(matrices, tables, strict=True)])
    whole = np.vstack(matrices)
    covariance = np.linalg.pinv(whole.T @ (weights[:, None] * whole))
    best = covariance @ whole.T @ (weights * np.concatenate(values))
    margins = Margins(SIZES, tables)
    for place, (matrix, found) in enumerate(zip(matrices, margins.agreed(values), strict=True)):
        assert found == pytest.approx(matrix @ best)
        assert np.diag(matrix @ covariance @ matrix.T) == pytest.approx(margins.variance(place))


@pytest.mark.parametrize("tables", TABLES.values(), ids=TABLES)
def test_shares_are_the_derivatives(tables: tuple[Margin, ...]) -> None:
    margins = Margins(SIZES, tables)
    sizes = [len(adding(margin)) for margin in tables]
    for place in range(len(tables)):
        weights = []
        for other, size in enumerate(sizes):
            for cell in range(size):
                units = [np.zeros(n) for n in sizes]
                units[other][cell] = 1
                weights.append(margins.agreed(units)[place][0])
        listed = [weight for _, weight, count in margins.shares(place) for _ in range(count)]
        assert sorted(listed) == pytest.approx(sorted(w for w in weights if abs(w) > 1e-12))


@pytest.mark.parametrize("counts", [(1, 0), (0, 1), (3, 40), (1, 1)])
def test_pooled_noise_stays_within_its_half_width_as_often_as_said(counts: tuple[int, int]) -> None:
    noises = IntegerStaircase(epsilon="0.2", sensitivity=5), IntegerStaircase(epsilon=1, sensitivity=1)
    weights, draws = (0.5, 2.0), 20_000
    law = pooled([(w, spread_of(noise), n) for w, noise, n in zip(weights, noises, counts, strict=True) if n])
    total = sum(
        w * noise.draw_many(draws * n, SYSTEM).reshape(n, draws).sum(axis=0)
        for w, noise, n in zip(weights, noises, counts, strict=True)
    )
    assert np.std(total) == pytest.approx(law.deviation, rel=0.05)
    for sure in (0.8, 0.95):
        wide = half_width([(1.0, law)], sure)
        # Within four deviations of the rate, and not much wider than needed: less by two steps would be too little.
        assert np.mean(np.abs(total) <= wide) >= sure - 4 * np.sqrt(sure * (1 - sure) / draws)
        assert np.mean(np.abs(total) <= wide - 2) < sure + 4 * np.sqrt(sure * (1 - sure) / draws)


def test_noise_that_is_none_pools_to_none() -> None:
    noise = spread_of(IntegerStaircase(epsilon=1, sensitivity=1))
    assert half_width([(1.0, pooled([(0.0, noise, 3)]))], 0.95) == 0


def test_tables_above_zero_are_the_nearest() -> None:
    """Beside a fine grid of all tables."""
    margins = Margins((3,), (Margin((0,), 1.0), Margin((), 0.5)))
    noisy = [np.array([-2.0, 1.0, 4.0]), np.array([3.5])]
    found = margins.above_zero(noisy)
    assert found[0].sum() == pytest.approx(found[1][0])

    def miss(x: NDArray[np.float64]) -> float:
        return float(((x - noisy[0]) ** 2).sum() + 2 * (x.sum() - 3.5) ** 2)

    grid = np.linspace(0, 5, 51)
    best = min(miss(np.array([a, b, c])) for a in grid for b in grid for c in grid)
    assert miss(found[0]) <= best + 1e-9
    kept = margins.above_zero([np.array([1.0, 1.0, 1.0]), np.array([3.0])])
    assert [table.tolist() for table in kept] == [[1, 1, 1], [3]]


def test_a_million_small_noises_pool_like_a_normal_number() -> None:
    noise = spread_of(IntegerStaircase(epsilon="0.2", sensitivity=5))
    law = pooled([(1e-3, noise, 1_000_000)])
    points = np.array([0.5, 1.0, 1.96, 3.0])
    normal = erfc(points / np.sqrt(2))
    assert law.beyond(points * law.deviation) == pytest.approx(normal, abs=0.006)  # A step of the grid is 1/128.
