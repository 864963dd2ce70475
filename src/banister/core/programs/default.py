"""The solver that is taken where none is named."""

from dataclasses import dataclass

from banister.core.programs.linear import LinearProgram, LinearSolution, LinearSolver


@dataclass(frozen=True, slots=True)
class LateHighs:
    """HiGHS, loaded when the first program comes: the library is heavy, and few questions need it."""

    def solve(self, program: LinearProgram) -> LinearSolution:
        """The optimum, as `HighsSolver` finds it."""
        from banister.core.programs.highs import HighsSolver

        return HighsSolver().solve(program)


SOLVER: LinearSolver = LateHighs()
