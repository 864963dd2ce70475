"""Linear programs as plain values, and the port through which a solver is asked.

The solver works in floating point, so nothing that carries privacy may rest on its word: whoever asks takes
the answer as a proposal, repairs it in exact arithmetic, and certifies optimality from the dual values.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearProgram:
    """Minimise cost·x subject to row_lower ≤ A x ≤ row_upper and lower ≤ x ≤ upper.

    A is sparse by columns: the entries of column j are `values[starts[j]:starts[j + 1]]`, in the rows
    `rows[starts[j]:starts[j + 1]]`. Use infinities where a side is open.
    """

    cost: Floats
    lower: Floats
    upper: Floats
    row_lower: Floats
    row_upper: Floats
    starts: Ints
    rows: Ints
    values: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearSolution:
    """What a solver proposes: the point, its objective, and one dual value a row."""

    point: Floats
    objective: float
    row_duals: Floats
    column_duals: Floats


class LinearSolver(Protocol):
    """Somebody who solves linear programs; `highs` is one."""

    def solve(self, program: LinearProgram) -> LinearSolution:
        """The optimum to the solver's tolerance, or `Unsolved` (infeasible, unbounded, gave up)."""
        ...
