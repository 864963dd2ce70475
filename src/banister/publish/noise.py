"""Noise for a whole histogram: the mechanism with a fixed total, and independent noise in every cell.

What is drawn here is not charged to any ledger; `banister.publish.table` is the safe path.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import BALL_BITS, ball, brief, exp_ball, precision
from banister.core.laws.histograms import (
    cell_variance,
    clipped_response_distortion,
    laplace_distortion,
    limit_distortion,
    per_cell_distortion,
)
from banister.core.privacy.guarantee import Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.sampling.bits import BitSource
from banister.sampling.histograms import lattice_draw
from banister.sampling.staircase import staircase_draw

Integers = NDArray[np.int64]
Stated = dict[str, "int | str | Stated"]
"""A statement of whole numbers and exact fractions as text, from which others work out what is given away."""
_COUNTED = 4096
"""Up to so many cells the loss is computed for that very number; beyond, for this one, which gives away more."""


def cells_moved(neighbours: Neighbours) -> int:
    """How many cells of a histogram one person moves, by 1 each."""
    return 1 if neighbours is Neighbours.ADD_REMOVE else 2


class TableNoise(Protocol):
    """Noise for a histogram of `cells` cells."""

    @property
    def cells(self) -> int: ...

    @property
    def epsilon(self) -> Fraction: ...

    @property
    def neighbours(self) -> Neighbours:
        """The relation that `loss` is about."""
        ...

    @property
    def name(self) -> str:
        """What the noise is called."""
        ...

    @property
    def publishes_total(self) -> bool:
        """Whether the number of records can be read off the release."""
        ...

    def loss(self) -> PrivacyLoss: ...

    def stated(self) -> Stated:
        """The law of the noise, and how far one person moves what it is added to."""
        ...

    def release(self, counts: Integers, bits: BitSource) -> Integers: ...

    def distortion(self) -> float:
        """Expected L1 distance of the noisy histogram, whatever the table."""
        ...

    def deviation(self, chosen: int) -> float:
        """Standard deviation of a count over so many cells."""
        ...

    def mean_deviation(self, values: NDArray[np.float64], records: int) -> float:
        """Standard deviation of the mean of a number with these values in the cells, for a known number of records."""
        ...

    def rate(self) -> float:
        """By how much the log of the noise's mass falls a unit in one cell."""
        ...

    def rivals(self, records: int) -> tuple[tuple[str, float], ...]:
        """Other mechanisms at the same guarantee, each with its expected L1 distance."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedTotal:
    """Add z with sum 0 and P(z) ∝ e^(-epsilon · |z|₁/2): the total n stays, and is published.

    Private:  pure epsilon-DP when a record is replaced by another. Not private at all against adding or removing a
              record, because the total shows it.
    Optimal:  for L1 distortion as n grows, number of cells fixed, records independent ([PKS20] Thm 1 with its proof
              corrected, docs/math/sanitize.md); with two cells and the posterior median for every n.
    """

    cells: int
    epsilon: Fraction

    def __post_init__(self) -> None:
        need.whole("number of cells", self.cells, least=1)
        need.positive("epsilon", self.epsilon)

    def loss(self) -> PrivacyLoss:
        """±epsilon or 0: moving one unit changes |z|₁ by 2 or not at all.

        Exact:  P(+epsilon) = P_(K-2)(y)/((1-θ) P_(K-1)(y)), P the Legendre polynomials, y = coth(epsilon/2). It falls
                with K (Turán's inequality), so that the value for fewer cells is an upper bound.
        """
        if self.cells == 1:
            return PrivacyLoss.nothing()
        with precision(BALL_BITS):
            half, theta = ball(self.epsilon / 2), exp_ball(-self.epsilon)
            y, s = half.cosh() / half.sinh(), 1 / half.sinh() ** 2
            value, count = arb(0), min(self.cells, _COUNTED)
            for k in range(1, count - 1):
                value = k * (k * s + y * value) / (k * y + value)
            ratio = value / (count - 1) + y  # P_(K-1)/P_(K-2)
            high = 1 / ((1 - theta) * ratio)
            low = theta * high
            atoms = [(self.epsilon, high), (Fraction(0), 1 - high - low), (-self.epsilon, low)]
            if count == 2:
                return PrivacyLoss.pure(self.epsilon)
        return PrivacyLoss.of_atoms(atoms, infinite=arb(0))

    def stated(self) -> Stated:
        """One cell goes up by 1 and another down, where there are two."""
        noise: Stated = {"law": "FixedTotal", "epsilon": str(self.epsilon), "sensitivity": 2}
        return {"noise": noise, "moved": 2 if self.cells > 1 else 0}

    def release(self, counts: Integers, bits: BitSource) -> Integers:
        return counts + lattice_draw(self.cells, self.epsilon).draw(bits)

    def distortion(self) -> float:
        return limit_distortion(self.cells, self.epsilon)

    def deviation(self, chosen: int) -> float:
        if self.cells == 1:
            return 0.0
        return math.sqrt(cell_variance(self.cells, self.epsilon) * chosen * (self.cells - chosen) / (self.cells - 1))

    def mean_deviation(self, values: NDArray[np.float64], records: int) -> float:
        if self.cells == 1:
            return 0.0
        scale = cell_variance(self.cells, self.epsilon) * self.cells / (self.cells - 1)
        return math.sqrt(scale * _squares(values)) / records

    def rate(self) -> float:
        return float(self.epsilon) / 2

    def rivals(self, records: int) -> tuple[tuple[str, float], ...]:
        return (
            ("geometric noise in every cell", per_cell_distortion(self.cells, self.epsilon)),
            ("Laplace noise in every cell", laplace_distortion(self.cells, self.epsilon)),
            (
                "randomized response, record by record, clipped",
                clipped_response_distortion(self.cells, self.epsilon, records),
            ),
        )

    @property
    def neighbours(self) -> Neighbours:
        return Neighbours.REPLACE

    @property
    def name(self) -> str:
        return "noise with a fixed total"

    @property
    def publishes_total(self) -> bool:
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class PerCell:
    """Add independent two-sided geometric noise to every cell; the total is noisy as well.

    Private:  pure epsilon-DP. One record more or less moves one cell by 1 (decay epsilon a unit); a replaced record
              moves two cells by 1 each (decay epsilon/2 a unit). Both ratios are attained.
    """

    cells: int
    epsilon: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        need.whole("number of cells", self.cells, least=1)
        need.positive("epsilon", self.epsilon)
        need.one_of("neighbours", self.neighbours, tuple(Neighbours))

    @property
    def moved(self) -> int:
        """How many cells one person moves."""
        return cells_moved(self.neighbours)

    def loss(self) -> PrivacyLoss:
        return PrivacyLoss.pure(self.epsilon / self.moved).times(self.moved)

    def stated(self) -> Stated:
        noise: Stated = {"law": "Geometric", "epsilon": str(self.epsilon / self.moved)}
        return {"noise": noise, "cells": self.moved, "sensitivity": 1}

    def release(self, counts: Integers, bits: BitSource) -> Integers:
        return counts + staircase_draw(self.epsilon / self.moved, 1, 1).draw_many(counts.size, bits)

    def distortion(self) -> float:
        return per_cell_distortion(self.cells, 2 * self.epsilon / self.moved)

    def deviation(self, chosen: int) -> float:
        a = math.exp(-self.rate())
        return math.sqrt(chosen * 2 * a) / (1 - a)

    def mean_deviation(self, values: NDArray[np.float64], records: int) -> float:
        return self.deviation(1) * math.sqrt(_squares(values)) / records

    def rate(self) -> float:
        return float(self.epsilon) / self.moved

    def rivals(self, records: int) -> tuple[tuple[str, float], ...]:
        return ()

    @property
    def name(self) -> str:
        return "geometric noise in every cell"

    @property
    def publishes_total(self) -> bool:
        return False


def noise_for(cells: int, epsilon: Fraction, neighbours: Neighbours) -> TableNoise:
    """The best noise for the relation: the total is kept where it is no secret."""
    if neighbours is Neighbours.REPLACE:
        return FixedTotal(cells=cells, epsilon=epsilon)
    return PerCell(cells=cells, epsilon=epsilon, neighbours=neighbours)


def check_pair(noise: TableNoise, neighbours: Neighbours) -> None:
    """Refuse noise whose loss is about other neighbours: what it claims is not what would be given away."""
    if noise.publishes_total and neighbours is not Neighbours.REPLACE:
        raise BadValue(
            "The mechanism with a fixed total publishes the number of records, so it protects nobody against adding or "
            "removing a record. Use replace neighbours, or PerCell noise."
        )
    if noise.neighbours is not neighbours:
        raise BadValue(
            f"The noise is made for {noise.neighbours.value} neighbours, the plan for {neighbours.value}: one record "
            "moves other counts there, and the loss is another one. Make the noise for the plan's neighbours."
        )


def check_level(noise: TableNoise, epsilon: Fraction) -> None:
    """Refuse noise that is made for another level than the one that was asked for, or gives away more than it."""
    if noise.epsilon != epsilon or noise.loss().delta_at(epsilon).up > 0:
        raise BadValue(
            f"The noise is made for epsilon = {brief(noise.epsilon)}, and epsilon = {brief(epsilon)} was asked for. "
            "Give both the same epsilon; the noise alone decides what is charged."
        )


def _squares(values: NDArray[np.float64]) -> float:
    return float(np.sum((values - values.mean()) ** 2))
