"""One law for many columns from noisy counts of some of them, and records dealt from it.

Everything here works on released noisy counts, so it costs no privacy and may look at them as it likes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from banister.publish.junction import Axes, JunctionTree
from banister.publish.marginals import spread_over
from banister.sampling.bits import BitSource

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUNDS = 200
"""The most steps of one fit."""
ENTROPY = 0.05
"""How much entropy weighs against the squares: t = ENTROPY · n / the least deviation."""
_FAINTEST = -500.0
"""Logarithms of factors are not taken to be lower than this below the largest."""
_ENOUGH = 1e-9
"""A fit ends when a step gains a smaller part than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
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


def fitted(tree: JunctionTree, measured: Sequence[Measured], total: float) -> GraphicalLaw:
    """The law p on the tree for which Σ (n·p - counts)²/2·variance, less t times its entropy, is least.

    n is the known total. The weight t of entropy is small: counts come out off by hundredths of their deviation. It
    decides between laws that fit alike, and keeps cells that noise made negative from being called impossible. The dual
    is smooth and convex, with one multiplier m for each count: log Z(Σ m) - Σ m · counts/n + Σ t · variance · m²/2n²;
    it is made small by quasi-Newton steps. The model is that of [MMS21]. How near the fit comes is not certified.

    >>> counts = [Measured((0, 1), np.array([[30.0, 10.0], [10.0, 50.0]]), 0.1)]
    >>> law = fitted(JunctionTree.joining([(0, 1)], (2, 2)), counts, 100.0)
    >>> law.marginal((0, 1)).round(2).tolist()
    [[0.3, 0.1], [0.1, 0.5]]
    """
    from scipy.optimize import minimize

    homes = [tree.home(one.axes) for one in measured]
    starts = np.cumsum([0, *(one.counts.size for one in measured)])
    shares = np.concatenate([one.counts.ravel() / total for one in measured])
    variances = np.concatenate([np.broadcast_to(one.variance, one.counts.shape).ravel() for one in measured])
    spreads = ENTROPY * variances / (total * np.sqrt(variances.min()))
    # A multiplier's unit is chosen so that the dual curves about alike in all of them.
    units = 1 / np.sqrt(spreads + np.maximum(shares, 1 / total))

    def logs_of(multipliers: Floats) -> list[Floats]:
        logs = [np.zeros(tree.shape(clique)) for clique in tree.cliques]
        for place, (one, home) in enumerate(zip(measured, homes, strict=True)):
            part = multipliers[starts[place] : starts[place + 1]].reshape(one.counts.shape)
            logs[home] += _spread(part, one.axes, tree.cliques[home])
        return logs

    def dual(scaled: Floats) -> tuple[float, Floats]:
        multipliers = scaled * units
        chances, size = _calibrated(tree, logs_of(multipliers))
        held = [_summed(chances[home], tree.cliques[home], one.axes) for one, home in zip(measured, homes, strict=True)]
        slope = np.concatenate([each.ravel() for each in held]) - shares + spreads * multipliers
        value = size - multipliers @ shares + (spreads * multipliers) @ multipliers / 2
        return float(value), slope * units

    options = {"maxiter": ROUNDS, "maxcor": 20, "ftol": _ENOUGH, "gtol": _ENOUGH}
    begun: Floats = np.zeros(shares.size)
    best = minimize(dual, begun, jac=True, method="L-BFGS-B", options=options).x  # type: ignore[call-overload]
    return GraphicalLaw(tree, tuple(_calibrated(tree, logs_of(best * units))[0]))


def _calibrated(tree: JunctionTree, logs: Sequence[Floats]) -> tuple[list[Floats], float]:
    """The chances on each clique, and the logarithm of what they sum to, from factors: up the tree and down."""
    tops = [float(log.max()) for log in logs]
    held = [np.exp(np.maximum(log - top, _FAINTEST)) for log, top in zip(logs, tops, strict=True)]
    size = sum(tops)
    told: dict[int, Floats] = {}
    for place in range(len(held) - 1, 0, -1):
        parent, shared = tree.parents[place], tree.shared(place)
        message = _summed(held[place], tree.cliques[place], shared)
        scale = float(message.sum())
        size += float(np.log(scale))
        told[place] = message / scale
        held[parent] = held[parent] * _spread(told[place], shared, tree.cliques[parent])
    scale = float(held[0].sum())
    size += float(np.log(scale))
    held[0] = held[0] / scale
    for place in range(1, len(held)):
        parent, shared = tree.parents[place], tree.shared(place)
        message = _summed(held[parent], tree.cliques[parent], shared)
        held[place] = held[place] * _spread(_ratio(message, told[place]), shared, tree.cliques[place])
        held[place] /= held[place].sum()
    return held, size


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
