"""Linear programs for few records in few cells: symmetry, priors of one's own, and the bound that prices prove."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import banister as bn
from banister.core.laws.histograms import limit_distortion
from banister.core.laws.small_tables import binomial_prior, two_cell_optimum
from banister.core.laws.table_programs import ProgramOptimum, histograms_of, optimum_for_prior, program_optimum
from banister.core.programs.highs import HighsSolver
from banister.core.programs.linear import LinearProgram, LinearSolution
from banister.errors import BadValue


@pytest.mark.parametrize("cells", [3, 4])
def test_one_record_needs_randomized_response(cells: int) -> None:
    theta = 0.3
    found = program_optimum(1, [1 / cells] * cells, -math.log(theta), solver=HighsSolver())
    assert found.distortion == pytest.approx(2 * (cells - 1) * theta / (1 + (cells - 1) * theta), abs=1e-7)


def test_three_cells_and_six_records() -> None:
    found = program_optimum(6, [1 / 3] * 3, -math.log(0.2), solver=HighsSolver())
    assert 1 - found.distortion / limit_distortion(3, -math.log(0.2)) == pytest.approx(0.238, abs=1e-3)
    assert np.allclose(found.mechanism.sum(axis=1), 1)


def test_a_program_too_large_says_so() -> None:
    with pytest.raises(BadValue, match=r"size of the linear program = .* must be a whole number from 1 to 2000000"):
        program_optimum(20, [0.25] * 4, 1, solver=HighsSolver())
    with pytest.raises(BadValue, match="size of the linear program"):
        optimum_for_prior(60, 3, [1.0], 1)


def _weights(records: int, chances: list[str]) -> list[float]:
    p = [float(Fraction(chance)) for chance in chances]
    return [
        math.factorial(records) * math.prod(x**k / math.factorial(k) for x, k in zip(p, h, strict=True))
        for h in histograms_of(records, len(p))
    ]


def _assert_private(found: ProgramOptimum, theta: float) -> None:
    assert np.allclose(found.mechanism.sum(axis=1), 1)
    for one, row in zip(found.histograms, found.mechanism, strict=True):
        for other, beside in zip(found.histograms, found.mechanism, strict=True):
            if sum(abs(x - y) for x, y in zip(one, other, strict=True)) == 2:
                assert np.all(row >= theta * beside - 1e-9)


@pytest.mark.parametrize("theta", [0.2, 0.6])
@pytest.mark.parametrize("chances", [["1/3"] * 3, ["1/2", "1/4", "1/4"], ["0.2", "0.3", "0.5"], ["1/4"] * 4])
def test_symmetry_changes_nothing(chances: list[str], theta: float) -> None:
    """A law that is given as weights has an unknown for every pair, and the same optimum."""
    n, cells = (4, 3) if len(chances) == 3 else (3, 4)
    few = program_optimum(n, chances, -math.log(theta))
    all_pairs = optimum_for_prior(n, cells, _weights(n, chances), -math.log(theta))
    assert few.distortion == pytest.approx(all_pairs.distortion, abs=1e-7)
    for found in (few, all_pairs):
        _assert_private(found, theta)
        assert found.distortion - 1e-7 <= found.lower_bound <= found.distortion + 1e-9


def test_the_bound_is_below_every_private_mechanism() -> None:
    """Two cells have an exact optimum on another road, also for a law with two humps."""
    prior = np.array([0.3, 0.05, 0.02, 0.03, 0.2, 0.4])
    exact = two_cell_optimum(np.log(prior), 0.7).distortion
    found = optimum_for_prior(5, 2, prior, 0.7)
    assert exact - 1e-8 <= found.lower_bound <= exact * (1 + 1e-13)
    rough = optimum_for_prior(5, 2, prior, 0.7, solver=_Rough())
    assert 0 < rough.lower_bound < exact


class _Rough:
    """A solver whose prices are a tenth off: the bound must still be one."""

    def solve(self, program: LinearProgram) -> LinearSolution:
        found = HighsSolver().solve(program)
        return replace(found, row_duals=found.row_duals * np.linspace(0.9, 1.1, found.row_duals.size))


def test_three_cells_and_twelve_records_by_symmetry() -> None:
    """The figure is from a program solved elsewhere; 18 records (`python -m bench publish`) have 0.058."""
    found = program_optimum(12, ["1/3"] * 3, -math.log(0.2))
    assert 1 - found.distortion / limit_distortion(3, -math.log(0.2)) == pytest.approx(0.107, abs=5e-4)
    assert found.distortion - 1e-6 <= found.lower_bound <= found.distortion + 1e-9


def test_chances_that_do_not_add_up_and_weights_that_are_none() -> None:
    with pytest.raises(BadValue, match=r"chances add up to 0\.9; they must add up to 1"):
        program_optimum(2, ["0.5", "0.4"], 1)
    with pytest.raises(BadValue, match="must be 3 finite weights"):
        optimum_for_prior(2, 2, [1, -1, 1], 1)
    with pytest.raises(BadValue, match="in the order of"):
        optimum_for_prior(2, 2, [1, 1], 1)


def test_the_public_room_has_them() -> None:
    assert bn.publish.lattice_weights(2, Fraction(1, 2), 2) == [Fraction(1, 3), Fraction(1, 3), Fraction(1, 6)]
    assert bn.publish.program_optimum(1, ["1/2", "1/2"], 1).distortion == pytest.approx(
        bn.publish.two_cell_optimum(binomial_prior(1, "1/2"), 1).distortion, abs=1e-9
    )


def test_an_optimum_prints_its_figures_and_not_its_mechanism() -> None:
    assert "array" not in repr(program_optimum(2, ["1/2", "1/2"], 1))
