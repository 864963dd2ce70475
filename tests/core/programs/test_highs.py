"""HiGHS behind the port: known optima, dual values, and honest refusals."""

import numpy as np
import pytest

from banister.core.programs.highs import HighsSolver
from banister.core.programs.linear import LinearProgram
from banister.errors import Unsolved


def program(cost, rows, row_lower, row_upper) -> LinearProgram:
    matrix = np.array(rows, dtype=np.float64)
    columns = [np.nonzero(matrix[:, j])[0] for j in range(matrix.shape[1])]
    return LinearProgram(
        cost=np.array(cost, dtype=np.float64),
        lower=np.zeros(len(cost)),
        upper=np.full(len(cost), np.inf),
        row_lower=np.array(row_lower, dtype=np.float64),
        row_upper=np.array(row_upper, dtype=np.float64),
        starts=np.cumsum([0, *(len(c) for c in columns)]),
        rows=np.concatenate(columns).astype(np.int64),
        values=np.concatenate([matrix[c, j] for j, c in enumerate(columns)]),
    )


def test_a_known_optimum_with_its_dual_certificate() -> None:
    """min 2x + 3y with x + y >= 4, x + 3y >= 6: at (3, 1), value 9, dual values (3/2, 1/2)."""
    found = HighsSolver().solve(program([2, 3], [[1, 1], [1, 3]], [4, 6], [np.inf, np.inf]))
    np.testing.assert_allclose(found.point, [3, 1], atol=1e-9)
    assert found.objective == pytest.approx(9, abs=1e-9)
    np.testing.assert_allclose(found.row_duals, [1.5, 0.5], atol=1e-9)
    assert found.row_duals @ np.array([4, 6]) == pytest.approx(found.objective)


def test_an_infeasible_program_is_refused() -> None:
    with pytest.raises(Unsolved, match="2 variables has no feasible point"):
        HighsSolver().solve(program([1, 1], [[1, 1]], [-2], [-1]))


def test_an_unbounded_program_is_refused() -> None:
    with pytest.raises(Unsolved, match="unbounded"):
        HighsSolver().solve(program([-1, 0], [[1, -1]], [0], [1]))


def test_random_programs_agree_with_their_dual() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        matrix = rng.uniform(0.1, 1, (4, 7))
        demand = rng.uniform(1, 2, 4)
        found = HighsSolver().solve(program(rng.uniform(1, 2, 7), matrix, demand, np.full(4, np.inf)))
        assert (matrix @ found.point >= demand - 1e-8).all()
        assert found.row_duals @ demand == pytest.approx(found.objective, rel=1e-9)
