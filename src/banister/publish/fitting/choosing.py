"""Which columns to measure together: what their noisy scores promise, less the noise that measuring them would bring.

Scores are released noisy numbers, so choosing by them costs nothing more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import cbrt, floor, prod, sqrt

from banister.publish.fitting.junction import Axes

NOISE_KEPT = 0.6
"""What is left of a cell's deviation in the L1 error once the counts are fitted, as tried on tables (bench/wide.py)."""
TRIED = 300
"""The most candidates that are tried one by one, strongest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What the chosen may cost together: `deviation` is that of the noise if one of them took it all."""

    deviation: float
    least: float
    """Scores below this are noise."""


def weight(cells: int) -> int:
    """The part of the budget that a table of so many cells gets, in proportion to cells^(2/3).

    Shares of that kind make the sum of cells times deviation least, for a given Σ 1/deviation².
    """
    return 1 + floor(16 * cbrt(cells) ** 2)


def shares_of(sets: Sequence[Axes], sizes: Sequence[int], share: Fraction) -> list[Fraction]:
    """A share of the budget for each set of columns, adding up to the whole exactly."""
    weights = [weight(_cells(axes, sizes)) for axes in sets]
    return [share * one / sum(weights) for one in weights]


def worthwhile(
    scores: Mapping[Axes, float],
    sizes: Sequence[int],
    budget: Budget,
    fits: Callable[[list[Axes]], bool],
    *,
    beside: Sequence[Axes] = (),
) -> list[Axes]:
    """The sets that are worth measuring together: each must raise what all promise, less the noise of all.

    A set's promise is its score: how far, in L1, the fitted counts are from the true ones. What is measured `beside`
    takes its part of the budget.

    >>> scores = {(0, 1): 900.0, (1, 2): 10.0, (0, 2): 500.0}
    >>> worthwhile(scores, (4, 4, 4), Budget(deviation=10.0, least=20.0), lambda sets: True)
    [(0, 1), (0, 2)]
    """
    cells = {axes: _cells(axes, sizes) for axes in scores}

    def alone(axes: Axes) -> float:
        return scores[axes] - NOISE_KEPT * cells[axes] * 2 * budget.deviation

    found: list[Axes] = []
    promised = root = best = 0.0
    shared = sum(weight(_cells(axes, sizes)) for axes in beside)
    above = sorted((axes for axes in scores if scores[axes] > budget.least), key=alone, reverse=True)
    for axes in above[:TRIED]:
        part = weight(cells[axes])
        # Σ cells_i · deviation_i with deviation_i = deviation · √(Σ weights / weight_i).
        noise = budget.deviation * sqrt(shared + part) * (root + cells[axes] / sqrt(part))
        worth = promised + scores[axes] - NOISE_KEPT * noise
        if worth > best and fits([*found, axes]):
            found.append(axes)
            best, promised = worth, promised + scores[axes]
            root, shared = root + cells[axes] / sqrt(part), shared + part
    return found


def without_circle(columns: int, sets: Sequence[Axes]) -> bool:
    """Whether pairs join columns without a circle."""
    root = list(range(columns))

    def find(column: int) -> int:
        while root[column] != column:
            column = root[column]
        return column

    for a, b in sets:
        first, second = find(a), find(b)
        if first == second:
            return False
        root[first] = second
    return True


def _cells(axes: Axes, sizes: Sequence[int]) -> int:
    return prod(sizes[axis] for axis in axes)
