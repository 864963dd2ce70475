"""What a private table will cost in accuracy, before there is one."""

from fractions import Fraction
from pathlib import Path

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.small_tables import binomial_prior, two_cell_optimum
from banister.core.laws.table_programs import program_optimum, program_size
from banister.core.privacy.guarantee import Neighbours
from banister.publish.fidelity import alternatives
from banister.publish.noise import noise_for

_SOLVED = 100_000
"""Up to this size the linear program over all mechanisms is solved, in a second or two."""
_SWEPT = 1_000_000
"""Up to so many records the optimum for two cells is computed, in one sweep over them."""


def foretold(cells: int, epsilon: Number, records: int, figure: Path | None = None) -> list[tuple[str, float, float]]:
    """Expected L1 error of each mechanism at the same guarantee (replaced records), and how many times the least.

    For few records the least that any mechanism has, each cell as likely as the next, comes first.

    >>> [(name, round(error, 3)) for name, error, _ in foretold(2, 1, 40)][0]
    ('fixed total, repaired by the best remap', 1.662)
    """
    level = need.positive("epsilon", epsilon)
    found = list(alternatives(noise_for(cells, level, Neighbours.REPLACE), records))
    if cells == 2 and records <= _SWEPT:
        best = two_cell_optimum(binomial_prior(records, "1/2"), level).distortion
        found.insert(0, ("fixed total, repaired by the best remap", best))
    elif cells > 1 and program_size(records, cells) <= _SOLVED:
        from banister.core.programs.highs import HighsSolver

        chances = [Fraction(1, cells)] * cells
        least_of_all = program_optimum(records, chances, level, solver=HighsSolver()).distortion
        found.insert(0, ("the least of all (linear program)", least_of_all))
    if figure is not None:
        from banister.publish.distortion_figure import draw_distortion

        draw_distortion(figure)
    least = found[0][1] or 1.0
    return [(name, error, error / least) for name, error in found]
