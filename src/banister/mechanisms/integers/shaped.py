"""Noise on the whole numbers with a shape of its own, made so that its loss composes exactly.

The logarithms of the masses lie on a lattice: a cell n has the mass e^(-unit · heights[|n|])/Z. So the loss of a shift
by whole cells takes values on that lattice only, and many releases compose without any rounding of the loss.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Number, exp_ball, precision
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.power_sums import power_of
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.integers.integer_noise import Floats, IntegerNoise, Integers
from banister.sampling.bits import BitSource
from banister.sampling.table import ExactTable
from banister.sampling.uniform import uniform_below, uniform_below_many

MOST_CELLS = 1000


@dataclass(frozen=True, slots=True, init=False)
class ShapedNoise(IntegerNoise):
    """Add width·n + u: n has the mass e^(-unit·heights[|n|])/Z, u is uniform on the `width` whole numbers around 0.

    Private:  the loss is that of a shift by `reach` whole cells, exact, when neighbours move the answer by at most
              reach·width. A shift between two whole cells gives away a mixture of what those two give, and that a
              larger shift gives away more is checked, in certified arithmetic, when the value is made.

    >>> noise = ShapedNoise(heights=[0, 1, 2, 4, 6, 9], unit="1/2", reach=1)
    >>> noise.sensitivity, round(noise.risk_for("squared"), 4)
    (1, 2.616)
    """

    unit: Fraction
    heights: tuple[int, ...]
    reach: int
    width: int
    cost: Cost
    sensitivity: int
    _table: ExactTable = field(repr=False, compare=False)
    _tails: Floats = field(repr=False, compare=False)
    _masses: list[arb] = field(repr=False, compare=False)

    def __init__(
        self,
        *,
        heights: Sequence[int],
        unit: Number,
        reach: Number,
        width: Number = 1,
        cost: CostLike = "absolute",
    ) -> None:
        step = need.positive("unit", unit)
        cells = tuple(need.whole(f"heights[{i}]", height, least=0) for i, height in enumerate(heights))
        moved = need.whole("reach", reach, least=1, most=MOST_CELLS)
        if not moved < len(cells) <= MOST_CELLS:
            raise BadValue(
                f"{len(cells)} heights were given; a noise has more than its reach, and at most {MOST_CELLS}."
            )
        wide = need.whole("width", width, least=1, most=10**6)
        if wide % 2 == 0:
            raise BadValue(f"width = {wide} must be odd, so that a cell has a middle.")
        masses = _masses_of(step, cells)
        floats = np.array([float(mass) for mass in masses])
        both = np.append(floats[:0:-1], floats)
        tails = np.append(np.cumsum(both[::-1])[::-1], 0.0)
        table = ExactTable(_Cumulative(step, cells))
        values = (step, cells, moved, wide, Cost.of(cost), moved * wide, table, tails, masses)
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)
        _check_shifts(masses, step, cells, moved)

    @property
    def edge(self) -> int:
        """The largest value that the noise can have."""
        return (len(self.heights) - 1) * self.width + self.width // 2

    @property
    def scale(self) -> float:
        return max(1.0, self.edge / 40)

    def loss(self) -> PrivacyLoss:
        """That of a shift by `reach` cells: values on the lattice, and what nothing lies opposite to at infinity."""
        with precision(BALL_BITS):
            atoms, beyond = _shifted(self._masses, self.heights, self.reach)
            return PrivacyLoss.of_atoms(
                [(self.unit * value, mass) for value, mass in sorted(atoms.items())], infinite=beyond
            )

    def mass_ball(self, value: int) -> arb:
        cell = (abs(value) + self.width // 2) // self.width
        return self._masses[cell] / self.width if cell < len(self.heights) else arb(0)

    def at_least(self, size: Floats) -> Floats:
        half, last = self.width // 2, len(self.heights) - 1
        cell = np.clip((size + half) // self.width, 0, last + 1).astype(np.int64)
        inside = np.clip(cell * self.width + half + 1 - size, 0, self.width) / self.width
        own = self._tails[np.minimum(last + cell, 2 * last + 1)]
        after = self._tails[np.minimum(last + cell + 1, 2 * last + 1)]
        found = 2 * (after + (own - after) * inside)
        return np.asarray(np.where(size <= 0, 1.0, np.minimum(found, 1.0)), dtype=np.float64)

    def moment(self, exponent: Fraction, above: Fraction) -> arb:
        masses, half = self._masses, self.width // 2
        total = arb(0)
        for cell, mass in enumerate(masses):
            first = max(cell * self.width - half, int(above) + 1, 1)
            powers = (power_of(arb(value), exponent) for value in range(first, cell * self.width + half + 1))
            total += 2 * mass / self.width * sum(powers, arb(0))
        return total

    def draw(self, bits: BitSource) -> int:
        cell = self._table.draw(bits) - (len(self.heights) - 1)
        return cell * self.width + uniform_below(self.width, bits) - self.width // 2

    def draw_many(self, count: int, bits: BitSource) -> Integers:
        cells = self._table.draw_many(count, bits).astype(np.int64) - (len(self.heights) - 1)
        inside = uniform_below_many(self.width, count, bits).astype(np.int64) - self.width // 2
        return cells * self.width + inside


def _masses_of(unit: Fraction, heights: tuple[int, ...]) -> list[arb]:
    with precision(BALL_BITS):
        weights = [exp_ball(-unit * height) for height in heights]
        total = 2 * sum(weights, arb(0)) - weights[0]
        return [weight / total for weight in weights]


class _Cumulative:
    """P(cell ≤ n) for the cells from the least to the last but one, at the working precision."""

    def __init__(self, unit: Fraction, heights: tuple[int, ...]) -> None:
        self.unit, self.heights = unit, heights

    def __call__(self) -> list[arb]:
        weights = [exp_ball(-self.unit * height) for height in self.heights]
        total = 2 * sum(weights, arb(0)) - weights[0]
        sums, found = arb(0), []
        for weight in [*weights[:0:-1], *weights][:-1]:
            sums += weight
            found.append(sums / total)
        return found


def _shifted(masses: list[arb], heights: tuple[int, ...], shift: int) -> tuple[dict[int, arb], arb]:
    """The loss of a shift by whole cells: its mass at each multiple of the unit, and at infinity."""
    last = len(heights) - 1
    atoms: dict[int, arb] = {}
    beyond = arb(0)
    for cell in range(-last, last + 1):
        opposite = abs(cell + shift)
        if opposite > last:
            beyond += masses[abs(cell)]
        else:
            value = heights[opposite] - heights[abs(cell)]
            atoms[value] = atoms.get(value, arb(0)) + masses[abs(cell)]
    return atoms, beyond


def _check_shifts(masses: list[arb], unit: Fraction, heights: tuple[int, ...], reach: int) -> None:
    """Refuse a shape for which a smaller shift gives away more somewhere than one by `reach` cells.

    Exact:  both curves are linear in e^t between their losses, so those are enough; pairs are symmetric, so t ≥ 0 is.
    """
    with precision(BALL_BITS):
        laws = [_shifted(masses, heights, shift) for shift in range(1, reach + 1)]
        for shift, law in enumerate(laws[:-1], 1):
            steps = sorted({0, *(value for atoms, _ in (law, laws[-1]) for value in atoms if value > 0)})
            for step, own, most in zip(steps, _curve(law, unit, steps), _curve(laws[-1], unit, steps), strict=True):
                if not own <= most:
                    raise BadValue(
                        f"A shift by {shift} cells gives away more than one by {reach} at epsilon "
                        f"{float(unit * step):.4g}. Choose heights that rise more evenly."
                    )


def _curve(law: tuple[dict[int, arb], arb], unit: Fraction, steps: list[int]) -> list[arb]:
    """Σ mass · (1 - e^(t - value)) over the losses above t, and the mass at infinity, for rising t = unit · step."""
    atoms, beyond = law
    left = sorted(atoms)
    mass, other, found = beyond, arb(0), []
    for step in reversed(steps):
        while left and left[-1] > step:
            value = left.pop()
            mass, other = mass + atoms[value], other + atoms[value] * exp_ball(-unit * value)
        found.append(mass - exp_ball(unit * step) * other)
    return found[::-1]
