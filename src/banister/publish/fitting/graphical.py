"""One law for many columns from noisy counts of some of them, and records dealt from it.

Everything here works on released noisy counts, so it costs no privacy and may look at them as it likes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from banister.publish.fitting.junction import Axes, JunctionTree
from banister.publish.fitting.shared_sums import SharedSums
from banister.publish.marginals import spread_over
from banister.sampling.bits import BitSource

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUNDS = 200
"""Steps of a fit that are taken at least, unless one gains nothing."""
LONGEST = 3000
"""The most steps of a fit."""
_FAINTEST = -500.0
"""Logarithms of factors are not taken to be lower than this below the largest."""
_NOISE_LEFT = 0.65
"""A fit may end once its misfit is this part of what noise alone gives: a law near the counts follows some of it."""
_ENOUGH = 1e-5
"""A step that lowers the misfit by a smaller part than this gains nothing."""
_IDLE = 25
"""So many steps in a row that gain nothing are the last. One alone may only have been short: steps grow by 1.3."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredMarginal:
    """Noisy counts over some columns, and the variance of the noise on each."""

    axes: Axes
    counts: Floats
    variance: Floats | float


@dataclass(frozen=True, slots=True, eq=False)
class GraphicalLaw:
    """A joint law of all columns, held as chances on the cliques of a tree."""

    tree: JunctionTree
    chances: tuple[Floats, ...]

    def marginal(self, axes: Axes) -> Floats:
        """The chances of columns that lie in one clique."""
        home = self.tree.home(axes)
        return _summed(self.chances[home], self.tree.cliques[home], axes)

    def pairs(self) -> dict[Axes, Floats]:
        """The chances of every two columns, wherever they are: what one tells is passed on from clique to clique."""
        found: dict[Axes, Floats] = {}
        for column in range(len(self.tree.sizes)):
            self._follow(column, found)
        return found

    def _follow(self, column: int, found: dict[Axes, Floats]) -> None:
        tree, start = self.tree, self.tree.home((column,))
        clique = tree.cliques[start]
        size = tree.sizes[column]
        # The column a second time, as an axis in front of all: P(column, clique).
        front = np.eye(size).reshape([size, *(size if axis == column else 1 for axis in clique)])
        waiting = [(start, -1, front * self.chances[start])]
        while waiting:
            place, origin, joint = waiting.pop()
            clique = tree.cliques[place]
            for axis in clique:
                if axis > column and (column, axis) not in found:
                    found[column, axis] = _summed(joint, (-1, *clique), (-1, axis))
            for other, parent in enumerate(tree.parents):
                if other == origin or (parent != place and tree.parents[place] != other):
                    continue
                shared = tree.shared(other) if parent == place else tree.shared(place)
                known = _summed(joint, (-1, *clique), (-1, *shared))
                alone = _summed(self.chances[other], tree.cliques[other], shared)
                told = _spread(_ratio(known, alone), (-1, *shared), (-1, *tree.cliques[other]))
                waiting.append((other, place, told * self.chances[other]))

    def deal(self, records: int, bits: BitSource) -> list[Ints]:
        """Codes of each column for so many records, clique by clique, as near to the chances as whole ones can be."""
        columns: dict[int, Ints] = {}
        for place, clique in enumerate(self.tree.cliques):
            shared = self.tree.shared(place)
            fresh = tuple(axis for axis in clique if axis not in shared)
            shape = self.tree.shape(shared)
            chances = np.moveaxis(self.chances[place], [clique.index(a) for a in shared], range(len(shared)))
            known = (
                np.ravel_multi_index(tuple(columns[axis] for axis in shared), shape)
                if shared
                else np.zeros(records, dtype=np.int64)
            )
            codes = spread_over(np.asarray(known), chances.reshape(int(np.prod(shape, dtype=np.int64)), -1), bits)
            for axis, code in zip(fresh, np.unravel_index(codes, self.tree.shape(fresh)), strict=True):
                columns[axis] = np.asarray(code, dtype=np.int64)
        return [columns[axis] for axis in range(len(self.tree.sizes))]


def fitted(tree: JunctionTree, measured: Sequence[MeasuredMarginal], total: float) -> GraphicalLaw:
    """A law on the tree that fits noisy counts of a known total, each weighed by its variance.

    Mirror descent on the least squares, as in [MMS21]: the logarithms of the law are lowered where it is above what was
    measured, by a step that is halved when the misfit would rise. It starts from the uniform law and ends after some
    steps once the misfit is below what noise alone would give, so that noise in cells which are rare by all else that
    is known is hardly followed. How near the fit comes is not certified.

    >>> counts = [MeasuredMarginal((0, 1), np.array([[30.0, 10.0], [10.0, 50.0]]), 1.0)]
    >>> law = fitted(JunctionTree.joining([(0, 1)], (2, 2)), counts, 100.0)
    >>> law.marginal((0, 1)).round(2).tolist()
    [[0.3, 0.1], [0.1, 0.5]]
    """
    shares = merged(replace(m, counts=m.counts / total, variance=np.asarray(m.variance) / total**2) for m in measured)
    sums = SharedSums.of(tree, [one.axes for one in shares])
    noise = sum(one.counts.size for one in shares) / 2
    logs = [np.zeros(tree.shape(clique)) for clique in tree.cliques]
    misfit, slopes = _misfit(sums, _calibrated(tree, logs), shares)
    step, idle = min(float(np.min(m.variance)) for m in shares), 0
    for turn in range(LONGEST):
        tried = [log - step * slope for log, slope in zip(logs, slopes, strict=True)]
        value, next_slopes = _misfit(sums, _calibrated(tree, tried), shares)
        if value > misfit:
            step /= 2
            continue
        gained = misfit - value
        logs, misfit, slopes = tried, value, next_slopes
        step *= 1.3
        idle = idle + 1 if gained <= _ENOUGH * misfit else 0
        if idle >= _IDLE or (turn >= ROUNDS and misfit <= _NOISE_LEFT * noise):
            break
    return GraphicalLaw(tree, tuple(_calibrated(tree, logs)))


def merged(measured: Iterable[MeasuredMarginal]) -> list[MeasuredMarginal]:
    """One table for each set of columns: what was measured twice is weighed together, which loses nothing.

    >>> twice = [MeasuredMarginal((0,), np.array([9.0, 1.0]), 1.0), MeasuredMarginal((0,), np.array([5.0, 5.0]), 3.0)]
    >>> [(one.counts.tolist(), np.asarray(one.variance).tolist()) for one in merged(twice)]
    [([8.0, 2.0], [0.75, 0.75])]
    """
    found: dict[Axes, tuple[Floats, Floats]] = {}
    for one in measured:
        weight = np.broadcast_to(1 / np.asarray(one.variance, dtype=np.float64), one.counts.shape)
        weighed, weights = found.get(one.axes, (np.zeros_like(weight), np.zeros_like(weight)))
        found[one.axes] = weighed + weight * one.counts, weights + weight
    return [MeasuredMarginal(axes, weighed / weights, 1 / weights) for axes, (weighed, weights) in found.items()]


def _misfit(
    sums: SharedSums, chances: Sequence[Floats], shares: Sequence[MeasuredMarginal]
) -> tuple[float, list[Floats]]:
    """Half the weighed sum of squares, and how it changes with the chances of each clique."""
    value = 0.0
    weighed: list[Floats] = []
    for one, table in zip(shares, sums.down(chances), strict=True):
        off = table - one.counts
        weighed.append(off / one.variance)
        value += float(np.vdot(off, weighed[-1])) / 2
    return value, sums.up(weighed)


def _calibrated(tree: JunctionTree, logs: Sequence[Floats]) -> list[Floats]:
    """The chances on each clique, from factors given by their logarithms: once up the tree and once down."""
    held = [np.exp(np.maximum(log - log.max(), _FAINTEST)) for log in logs]
    told: dict[int, Floats] = {}
    for place in range(len(held) - 1, 0, -1):
        parent, shared = tree.parents[place], tree.shared(place)
        message = _summed(held[place], tree.cliques[place], shared)
        told[place] = message / message.sum()
        held[parent] = held[parent] * _spread(told[place], shared, tree.cliques[parent])
        held[parent] /= held[parent].sum()
    held[0] = held[0] / held[0].sum()
    for place in range(1, len(held)):
        parent, shared = tree.parents[place], tree.shared(place)
        message = _summed(held[parent], tree.cliques[parent], shared)
        held[place] = held[place] * _spread(_ratio(message, told[place]), shared, tree.cliques[place])
        held[place] /= held[place].sum()
    return held


def triples_within(tree: JunctionTree) -> list[Axes]:
    """Every three columns that lie in one clique: measuring them together makes the law no larger."""
    return sorted({axes for clique in tree.cliques for axes in combinations(clique, 3)})


def _summed(table: Floats, axes: Axes, kept: Axes) -> Floats:
    gone = tuple(place for place, axis in enumerate(axes) if axis not in kept)
    return np.asarray(table.sum(axis=gone)) if gone else table


def _spread(table: Floats, axes: Axes, over: Axes) -> Floats:
    """The table with an axis of one for each column that it lacks."""
    return table.reshape([table.shape[axes.index(axis)] if axis in axes else 1 for axis in over])


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(above), where=np.broadcast_to(below > 0, above.shape))
