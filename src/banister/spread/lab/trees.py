"""Trees without end: only what a message has touched is ever built."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from banister import need
from banister.errors import BadValue
from banister.sampling.simulation import Generator
from banister.spread.lab.graph import Nodes, spread_ranges

LARGEST = 30_000_000
"""Nodes beyond which a growing tree stops with a message rather than filling the memory."""


@dataclass(frozen=True, slots=True)
class InfiniteTree:
    """An endless tree whose nodes have independent random degrees; with one degree it is the regular tree.

    >>> InfiniteTree.regular(3).spec, InfiniteTree((3, 6), (0.5, 0.5)).spec
    ('regular-tree:3', 'galton-watson:3=0.5,6=0.5')
    """

    choices: tuple[int, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.choices) == 0 or len(self.choices) != len(self.weights):
            raise BadValue("A random tree needs one weight for each degree, such as (3, 6) with (0.5, 0.5).")
        for degree in self.choices:
            need.whole("degree", degree, least=2, hint="A node with one contact ends the tree.")
        for weight in self.weights:
            need.positive("weight", weight)

    @classmethod
    def regular(cls, degree: int) -> "InfiniteTree":
        """Every node has the same number of contacts."""
        return cls((degree,), (1.0,))

    @property
    def spec(self) -> str:
        if len(self.choices) == 1:
            return f"regular-tree:{self.choices[0]}"
        return "galton-watson:" + ",".join(f"{d}={w:g}" for d, w in zip(self.choices, self.weights, strict=True))

    def grow(self, chance: Generator) -> "GrowingTree":
        """A fresh tree with node 0 as its only built node."""
        return GrowingTree(self, chance)


class GrowingTree:
    """One tree of an `InfiniteTree`, built as far as it has been walked. Node 0 is where the walk began."""

    def __init__(self, law: InfiniteTree, chance: Generator) -> None:
        self._choices = np.asarray(law.choices, dtype=np.int64)
        weights = np.asarray(law.weights, dtype=float)
        self._edges = np.cumsum(weights / weights.sum())
        self._chance = chance
        self._count = 0
        self._parent = np.empty(0, dtype=np.int64)
        self._degree = np.empty(0, dtype=np.int64)
        self._child = np.empty(0, dtype=np.int64)
        self._add(np.asarray([-1]))

    @property
    def count(self) -> int:
        return self._count

    @property
    def degrees(self) -> Nodes:
        return self._degree[: self._count]

    @property
    def cyclic(self) -> bool:
        return False

    def gather(self, nodes: Nodes) -> tuple[Nodes, Nodes]:
        """All links that leave the nodes; children that nobody has met yet are built now."""
        new = np.unique(nodes[self._child[nodes] < 0]) if len(nodes) else nodes
        if len(new):
            children = self._degree[new] - (self._parent[new] >= 0)
            ends = np.cumsum(children)
            self._child[new] = self._count + ends - children
            self._add(np.repeat(new, children))
        up = self._parent[nodes] >= 0
        owner, below = spread_ranges(self._child[nodes], self._degree[nodes] - up)
        if not up.any():
            return owner, below
        return np.concatenate([np.flatnonzero(up), owner]), np.concatenate([self._parent[nodes[up]], below])

    def hops(self, start: int, wanted: Nodes) -> Nodes:
        """Hops from one built node to each wanted one, through the node where their ways to node 0 meet."""
        chain = [start]
        while self._parent[chain[-1]] >= 0:
            chain.append(int(self._parent[chain[-1]]))
        place = np.full(self._count, -1, dtype=np.int64)
        place[chain] = np.arange(len(chain))
        at, climbed = wanted.copy(), np.zeros(len(wanted), dtype=np.int64)
        while (off := place[at] < 0).any():
            at[off] = self._parent[at[off]]
            climbed[off] += 1
        return np.asarray(climbed + place[at])

    def _add(self, parents: Nodes) -> None:
        first, self._count = self._count, self._count + len(parents)
        if self._count > LARGEST:
            raise BadValue(f"The tree outgrew {LARGEST:,} nodes. Take fewer steps or a smaller degree.")
        if self._count > len(self._parent):
            room = max(64, 2 * self._count)
            self._parent, self._degree, self._child = (
                np.concatenate([old, np.full(room - len(old), -1, dtype=np.int64)])
                for old in (self._parent, self._degree, self._child)
            )
        self._parent[first : self._count] = parents
        if len(self._choices) == 1:
            self._degree[first : self._count] = self._choices[0]
        else:
            draws = np.searchsorted(self._edges, self._chance.random(len(parents)), side="right")
            self._degree[first : self._count] = self._choices[np.minimum(draws, len(self._choices) - 1)]


def degrees_of(text: str) -> tuple[Sequence[int], Sequence[float]]:
    """Degrees and weights from text such as `3=0.5,6=0.5`; without weights they are equal."""
    parts = [part.partition("=") for part in text.split(",")]
    try:
        return [int(degree) for degree, _, _ in parts], [float(weight or 1) for _, _, weight in parts]
    except ValueError:
        raise BadValue(f"degrees = {text!r} must look like 3,6 or 3=0.5,6=0.5.") from None
