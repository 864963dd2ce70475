"""Linear programs through HiGHS (the library highspy)."""

from dataclasses import dataclass

import highspy
import numpy as np

from banister.core.programs.linear import LinearProgram, LinearSolution
from banister.errors import Unsolved

TOLERANCE = 1e-10
"""The tightest feasibility tolerance that HiGHS takes. Whoever needs more repairs the answer in exact arithmetic."""

_WORDS = {
    highspy.HighsModelStatus.kInfeasible: "has no feasible point",
    highspy.HighsModelStatus.kUnbounded: "is unbounded: its objective falls for ever",
    highspy.HighsModelStatus.kUnboundedOrInfeasible: "is infeasible or unbounded",
}


@dataclass(frozen=True, slots=True)
class HighsSolver:
    """Implements `banister.core.programs.linear.LinearSolver`.

    >>> program = LinearProgram(
    ...     cost=np.array([1.0, 2.0]), lower=np.zeros(2), upper=np.full(2, np.inf), row_lower=np.ones(1),
    ...     row_upper=np.ones(1), starts=np.array([0, 1, 2]), rows=np.zeros(2, dtype=np.int64), values=np.ones(2))
    >>> HighsSolver().solve(program).objective
    1.0
    """

    def solve(self, program: LinearProgram) -> LinearSolution:
        """The optimum; simplex first, and once more from scratch by interior point where HiGHS says "unknown"."""
        highs = _load(program)
        for method in ("choose", "simplex", "ipm"):
            highs.clearSolver()
            highs.setOptionValue("solver", method)
            highs.setOptionValue("presolve", "choose" if method == "choose" else "off")
            highs.run()
            status = highs.getModelStatus()
            if status == highspy.HighsModelStatus.kOptimal:
                return _solution(highs)
            if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnbounded):
                break
        words = _WORDS.get(status, f"was given up (HiGHS says {highs.modelStatusToString(status)!r})")
        raise Unsolved(f"The linear program with {len(program.cost)} variables {words}. Check its constraints.")


def _load(program: LinearProgram) -> "highspy.Highs":
    lp = highspy.HighsLp()
    lp.num_col_ = len(program.cost)
    lp.num_row_ = len(program.row_lower)
    lp.col_cost_ = program.cost
    lp.col_lower_ = program.lower
    lp.col_upper_ = program.upper
    lp.row_lower_ = program.row_lower
    lp.row_upper_ = program.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = program.starts.astype(np.int32)
    lp.a_matrix_.index_ = program.rows.astype(np.int32)
    lp.a_matrix_.value_ = program.values
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
    highs.setOptionValue("dual_feasibility_tolerance", TOLERANCE)
    highs.setOptionValue("ipm_optimality_tolerance", TOLERANCE)
    highs.passModel(lp)
    return highs


def _solution(highs: "highspy.Highs") -> LinearSolution:
    found = highs.getSolution()
    return LinearSolution(
        point=np.array(found.col_value, dtype=np.float64),
        objective=float(highs.getInfo().objective_function_value),
        row_duals=np.array(found.row_dual, dtype=np.float64),
        column_duals=np.array(found.col_dual, dtype=np.float64),
    )
