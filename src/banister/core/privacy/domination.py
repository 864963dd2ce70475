"""Which of two pairs gives away more, and the post-processing that proves it.

If the region of one pair includes that of another, some stochastic matrix turns its outputs into the other's under both
hypotheses ([KOV15] Thm 2.5). The region test is exact; the matrix comes from a linear program.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from banister.core.exact.numbers import Number
from banister.core.privacy.region import PrivacyRegion
from banister.core.programs.linear import Floats, LinearProgram, LinearSolver
from banister.errors import BadValue

Pair = tuple[Sequence[Number], Sequence[Number]]
"""The probabilities of each output under one neighbour, and under the other."""


@dataclass(frozen=True, slots=True, eq=False)
class DominationWitness:
    """A row-stochastic matrix that turns outputs of the dominating pair into outputs of the dominated one."""

    matrix: Floats
    residual: float
    """The largest difference between what it gives and the dominated pair, in any output and hypothesis."""


def dominates(first: Pair, second: Pair) -> bool:
    """Whether every test on the second pair can be matched on the first; exact.

    >>> dominates(((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))), ((1, 0), (1, 0)))
    True
    """
    return PrivacyRegion.of_pair(*first).includes(PrivacyRegion.of_pair(*second))


def witness(first: Pair, second: Pair, *, solver: LinearSolver) -> DominationWitness:
    """The matrix T with T·1 = 1, pᵀT = q under both hypotheses; `BadValue` where the first pair does not dominate."""
    if not dominates(first, second):
        raise BadValue("The first pair does not dominate the second: some test on the second beats all on the first.")
    p, q = _floats(first), _floats(second)
    n, m = p.shape[1], q.shape[1]
    found = solver.solve(_program(p, q)).point[: n * m].reshape(n, m)
    matrix = np.maximum(found, 0.0)
    matrix /= matrix.sum(axis=1, keepdims=True)
    return DominationWitness(matrix, float(np.abs(p @ matrix - q).max()))


def _program(p: Floats, q: Floats) -> LinearProgram:
    """Rows: n row sums, then m columns under each hypothesis, these with slacks whose sum is the objective."""
    n, m = p.shape[1], q.shape[1]
    rows, values, starts = [], [], [0]
    for i in range(n):
        for j in range(m):
            rows += [i, n + j, n + m + j]
            values += [1.0, p[0, i], p[1, i]]
            starts.append(len(rows))
    for sign in (1.0, -1.0):
        for k in range(2 * m):
            rows.append(n + k)
            values.append(sign)
            starts.append(len(rows))
    right = np.concatenate([np.ones(n), q[0], q[1]])
    size = n * m + 4 * m
    return LinearProgram(
        cost=np.concatenate([np.zeros(n * m), np.ones(4 * m)]),
        lower=np.zeros(size),
        upper=np.full(size, np.inf),
        row_lower=right,
        row_upper=right,
        starts=np.array(starts, dtype=np.int64),
        rows=np.array(rows, dtype=np.int64),
        values=np.array(values),
    )


def _floats(pair: Pair) -> Floats:
    return np.array([[float(Fraction(x)) for x in law] for law in pair])
