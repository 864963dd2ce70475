"""A tree of cliques for columns that are kept together: what a joint law of many columns is held in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

Axes = tuple[int, ...]
"""Columns by their places, in rising order."""


@dataclass(frozen=True, slots=True)
class JunctionTree:
    """Sets of columns in a tree, such that what two of them share lies on the whole way between them.

    Every law that factorises over the sets is determined by its counts on them, and the counts of one set are passed on
    to the next through what both share ([LS88]).
    """

    sizes: tuple[int, ...]
    """How many values each column has."""
    cliques: tuple[Axes, ...]
    """The sets, each behind the one it hangs on."""
    parents: tuple[int, ...]
    """The clique that each hangs on; the first hangs on none, -1."""

    @classmethod
    def joining(cls, sets: Iterable[Axes], sizes: Sequence[int]) -> "JunctionTree":
        """A tree that holds every given set, and every column: columns are taken away one by one, the cheapest first.

        >>> JunctionTree.joining([(0, 1), (1, 2), (0, 2)], (2, 2, 2, 3)).cliques
        ((3,), (0, 1, 2))
        """
        cliques = _cliques(sets, sizes)
        order, parents = [0], [-1]
        waiting = dict.fromkeys(range(1, len(cliques)), 0)
        while waiting:
            # The next is the one that shares most with what is there; that is Prim's tree of greatest weight.
            place = max(waiting, key=lambda p: len(cliques[p].intersection(cliques[order[waiting[p]]])))
            order.append(place)
            parents.append(waiting.pop(place))
            for other, held in waiting.items():
                if len(cliques[other] & cliques[place]) > len(cliques[other] & cliques[order[held]]):
                    waiting[other] = len(order) - 1
        return cls(tuple(sizes), tuple(tuple(sorted(cliques[place])) for place in order), tuple(parents))

    def shape(self, axes: Axes) -> tuple[int, ...]:
        """How many values each of these columns has."""
        return tuple(self.sizes[axis] for axis in axes)

    @property
    def cells(self) -> int:
        """How many numbers hold the law."""
        return sum(prod(self.shape(clique)) for clique in self.cliques)

    def shared(self, place: int) -> Axes:
        """What a clique has in common with the one it hangs on."""
        parent = self.parents[place]
        return () if parent < 0 else tuple(a for a in self.cliques[place] if a in self.cliques[parent])

    def home(self, axes: Axes) -> int:
        """The smallest clique that holds these columns."""
        return min(
            (place for place, clique in enumerate(self.cliques) if set(axes) <= set(clique)),
            key=lambda place: prod(self.shape(self.cliques[place])),
        )


def _cliques(sets: Iterable[Axes], sizes: Sequence[int]) -> list[set[int]]:
    near: dict[int, set[int]] = {column: set() for column in range(len(sizes))}
    for axes in sets:
        for a, b in combinations(axes, 2):
            near[a].add(b)
            near[b].add(a)
    found: list[set[int]] = []
    while near:
        column = min(near, key=lambda c: _price(c, near, sizes))
        around = near.pop(column)
        clique = around | {column}
        if not any(clique <= other for other in found):
            found.append(clique)
        for other in around:
            near[other] = (near[other] | around) - {other, column}
    return found


def _price(column: int, near: dict[int, set[int]], sizes: Sequence[int]) -> tuple[bool, int, int]:
    """What it costs to take a column away: first those whose neighbours are joined already, then the smallest table."""
    around = near[column]
    joined = all(around - {other} <= near[other] for other in around)
    return (not joined, sizes[column] * prod(sizes[other] for other in around), column)
