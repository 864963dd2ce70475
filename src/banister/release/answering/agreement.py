"""Tables that are sums of one another: the estimates of all of them that agree, and have the least variance.

Each table holds, with independent noise of one variance, the sums of an unknown array over the axes that it does not
have. The least-squares estimate of the array is taken apart by its components, one for each set U of axes: what depends
on the axes of U and on no fewer. On them everything is diagonal, so no system has to be solved: with w = 1/variance and
n(T) the number of cells of the array behind one cell of table T, the component U of table S is

    n(S) · Σ_{T ⊇ U} w_T · U-component of T  /  Σ_{T ⊇ U} w_T · n(T).

Optimal:  the least variance of all unbiased estimates that are linear in the noisy tables (Gauss and Markov), for every
          cell at once; the tables that come out are exact sums of one another, up to rounding of doubles.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Axes = tuple[int, ...]

STEPS = 500
"""Steps towards tables without negative cells, at most."""

WORK = 100_000_000
"""Cells that all these steps together pass over, more or less."""


@dataclass(frozen=True, slots=True)
class Margin:
    """A table of sums: its axes among those of the array, in any order, and the variance of its noise."""

    axes: Axes
    variance: float


@dataclass(frozen=True, slots=True)
class Margins:
    """Several tables over one array of so many cells along each axis."""

    sizes: tuple[int, ...]
    tables: tuple[Margin, ...]

    def agreed(self, values: Sequence[Floats]) -> list[Floats]:
        """The tables that agree, from noisy ones that do not; each is given and returned flat.

        >>> pair = Margins((2,), (Margin((0,), 1.0), Margin((), 1.0)))
        >>> [table.tolist() for table in pair.agreed([np.array([1.0, 2.0]), np.array([6.0])])]
        [[2.0, 3.0], [5.0]]
        """
        parts = [
            self._components(margin.axes, self._placed(margin.axes, flat))
            for margin, flat in zip(self.tables, values, strict=True)
        ]
        found = []
        for margin in self.tables:
            total = np.zeros((1,) * len(self.sizes))
            for inner in _subsets(margin.axes):
                pairs = zip(self.tables, parts, strict=True)
                pooled = sum((part[inner] / m.variance for m, part in pairs if inner in part), np.zeros(()))
                total = total + pooled / self._weight(inner)
            found.append(self._flat(margin.axes, self._behind(margin.axes) * total))
        return found

    def above_zero(self, values: Sequence[Floats]) -> list[Floats]:
        """Tables that agree and are nowhere below 0, as near to those that agree as can be; flat, like all of them.

        They are the sums of one array without a negative cell, found by projected steps with momentum: each costs one
        pass over the array. Whenever the steps end, the tables agree and are not negative; only how near they are to
        the best is left to the steps.
        """
        if min(float(table.min()) for table in values) >= 0:
            return list(values)
        goals = [self._placed(margin.axes, flat) for margin, flat in zip(self.tables, values, strict=True)]
        weights = [1 / margin.variance for margin in self.tables]
        length = 1 / self._weight(frozenset())  # The largest curvature is that of the grand total.
        finest = [goal for goal in goals if goal.shape == self.sizes]
        array = np.maximum(finest[0], 0.0) if finest else np.zeros(self.sizes)
        ahead, momentum = array, 1.0
        for _ in range(max(50, min(STEPS, WORK // array.size))):
            slope = np.zeros(self.sizes)
            for margin, goal, weight in zip(self.tables, goals, weights, strict=True):
                slope = slope + weight * (self._summed(margin.axes, ahead) - goal)
            nearer = np.maximum(ahead - length * slope, 0.0)
            further = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead = nearer + (momentum - 1) / further * (nearer - array)
            done = bool(np.abs(nearer - array).max() <= 1e-9 * max(1.0, float(nearer.max())))
            array, momentum = nearer, further
            if done:
                break
        return [self._flat(margin.axes, self._summed(margin.axes, array)) for margin in self.tables]

    def shares(self, place: int) -> list[tuple[int, float, int]]:
        """How one agreed cell of a table comes from the noisy ones: (table, weight, how many of its cells have it)."""
        mine = self.tables[place].axes
        found = []
        for other, margin in enumerate(self.tables):
            shared = [axis for axis in margin.axes if axis in mine]
            free = math.prod(self.sizes[axis] for axis in margin.axes if axis not in mine)
            for same in _subsets(tuple(shared)):
                weight = sum(
                    self._coefficient(inner, frozenset(same), margin) for inner in _subsets(tuple(shared))
                ) * self._behind(mine)
                count = free * math.prod(self.sizes[axis] - 1 for axis in shared if axis not in same)
                if count and weight:
                    found.append((other, weight / margin.variance, count))
        return found

    def variance(self, place: int) -> float:
        """The variance of one agreed cell of a table."""
        return sum(count * weight**2 * self.tables[other].variance for other, weight, count in self.shares(place))

    def _coefficient(self, inner: frozenset[int], same: frozenset[int], margin: Margin) -> float:
        """What a cell with these axes the `same` adds to the component `inner`, over the component's weight."""
        value = 1 / self._weight(inner)
        for axis in margin.axes:
            own = 1.0 if axis in same else 0.0
            value *= own - 1 / self.sizes[axis] if axis in inner else 1 / self.sizes[axis]
        return value

    def _weight(self, inner: frozenset[int]) -> float:
        return sum(self._behind(m.axes) / m.variance for m in self.tables if inner <= set(m.axes))

    def _components(self, axes: Axes, table: Floats) -> dict[frozenset[int], Floats]:
        """The parts of a table that depend on a set of axes and on no fewer, along the axes of the array."""
        found: dict[frozenset[int], Floats] = {frozenset(): table}
        for axis in axes:
            split: dict[frozenset[int], Floats] = {}
            for inner, part in found.items():
                mean = part.mean(axis=axis, keepdims=True)
                split[inner] = mean
                split[inner | {axis}] = part - mean
            found = split
        return found

    def _behind(self, axes: Axes) -> float:
        """How many cells of the array are behind one cell of a table."""
        return float(math.prod(size for axis, size in enumerate(self.sizes) if axis not in axes))

    def _summed(self, axes: Axes, array: Floats) -> Floats:
        """The table of an array, along all axes."""
        others = tuple(axis for axis in range(len(self.sizes)) if axis not in axes)
        return np.asarray(array.sum(axis=others, keepdims=True))

    def _placed(self, axes: Axes, flat: Floats) -> Floats:
        """A flat table along the axes of the array, of length 1 where it has none."""
        order = sorted(range(len(axes)), key=lambda place: axes[place])
        table = flat.reshape([self.sizes[axis] for axis in axes]).transpose(order)
        return table.reshape([size if axis in axes else 1 for axis, size in enumerate(self.sizes)])

    def _flat(self, axes: Axes, full: Floats) -> Floats:
        """The way back."""
        table = full.reshape([self.sizes[axis] for axis in sorted(axes)])
        return table.transpose([sorted(axes).index(axis) for axis in axes]).reshape(-1)


def _subsets(axes: Axes) -> Iterator[frozenset[int]]:
    for size in range(len(axes) + 1):
        yield from map(frozenset, itertools.combinations(axes, size))
