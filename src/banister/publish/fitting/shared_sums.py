"""Many marginals of the tables of a tree at once, and the way back: each is summed from the smallest that was summed.

A clique of seven columns has twenty-one pairs. Summed one by one they go through the whole table twenty-one times; here
columns are summed away one at a time, and what several marginals lack is summed once for all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banister.publish.fitting.junction import Axes, JunctionTree

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SharedSums:
    """The order in which tables are summed: first the cliques themselves, then each from one before it.

    >>> tree = JunctionTree.joining([(0, 1), (1, 2), (0, 2)], (2, 2, 3))
    >>> sums = SharedSums.of(tree, [(0, 1), (2,)])
    >>> [table.tolist() for table in sums.down([np.arange(12.0).reshape(2, 2, 3)])]
    [[[3.0, 12.0], [21.0, 30.0]], [18.0, 22.0, 26.0]]
    """

    cliques: tuple[tuple[int, ...], ...]
    """The shapes of the tables of the tree."""
    steps: tuple[tuple[int, int], ...]
    """For each table behind the cliques: the one it is summed from, and the axis that goes."""
    places: tuple[int, ...]
    """Where each wanted marginal is."""

    @classmethod
    def of(cls, tree: JunctionTree, sets: Sequence[Axes]) -> "SharedSums":
        """The order for these sets of columns, each of which lies in a clique; none is there twice."""
        steps: list[tuple[int, int]] = []
        found: dict[Axes, int] = {}

        def reach(place: int, axes: Axes, wanted: list[Axes]) -> None:
            left = [one for one in wanted if one != axes]
            if len(left) < len(wanted):
                found[axes] = place
            while left:
                # The column that most of them lack, and of those the one with most values.
                gone = max(axes, key=lambda axis: (sum(axis not in one for one in left), tree.sizes[axis]))
                steps.append((place, axes.index(gone)))
                rest = tuple(axis for axis in axes if axis != gone)
                reach(len(tree.cliques) + len(steps) - 1, rest, [one for one in left if gone not in one])
                left = [one for one in left if gone in one]

        homes = [tree.home(axes) for axes in sets]
        for place, clique in enumerate(tree.cliques):
            reach(place, clique, [axes for axes, home in zip(sets, homes, strict=True) if home == place])
        shapes = tuple(tree.shape(clique) for clique in tree.cliques)
        return cls(shapes, tuple(steps), tuple(found[axes] for axes in sets))

    def down(self, chances: Sequence[Floats]) -> list[Floats]:
        """The wanted marginals of what the cliques hold."""
        tables = list(chances)
        for above, axis in self.steps:
            tables.append(tables[above].sum(axis=axis))
        return [tables[place] for place in self.places]

    def up(self, slopes: Sequence[Floats]) -> list[Floats]:
        """What adds up to a change of each clique's table, from how a sum changes with each of the marginals."""
        held: list[Floats | None] = [None] * (len(self.cliques) + len(self.steps))
        for place, slope in zip(self.places, slopes, strict=True):
            held[place] = slope
        for number in range(len(self.steps) - 1, -1, -1):
            below = held[len(self.cliques) + number]
            assert below is not None  # It is wanted itself, or something that is wanted was summed from it.
            above, axis = self.steps[number]
            known = held[above]
            spread = np.expand_dims(below, axis)
            held[above] = spread if known is None else known + spread
        return [
            np.broadcast_to(0.0 if one is None else one, shape)
            for one, shape in zip(held[: len(self.cliques)], self.cliques, strict=True)
        ]
