"""Contact graphs as two arrays, whatever they were read from."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse import csgraph

from banister.errors import BadValue

Nodes = NDArray[np.int64]


class Contacts(Protocol):
    """Who is linked to whom, as a protocol sees it: a stored graph, or a tree that grows while it is walked."""

    @property
    def count(self) -> int:
        """Nodes known so far; node numbers are below it."""
        ...

    @property
    def degrees(self) -> Nodes:
        """Number of contacts of each known node."""
        ...

    @property
    def cyclic(self) -> bool:
        """Whether some contacts are linked in a ring."""
        ...

    def gather(self, nodes: Nodes) -> tuple[Nodes, Nodes]:
        """All links that leave the nodes: positions within `nodes`, repeated, and the contacts they lead to."""
        ...

    def hops(self, start: int, wanted: Nodes) -> Nodes:
        """Hops from one node to each wanted one; -1 where there is no way."""
        ...


def spread_ranges(begin: Nodes, counts: Nodes) -> tuple[Nodes, Nodes]:
    """For each i the range begin[i] … begin[i] + counts[i] - 1, all in a row, and the i that each belongs to."""
    owner = np.repeat(np.arange(len(counts)), counts)
    ends = np.cumsum(counts)
    offset = np.repeat(begin - (ends - counts), counts)
    return owner, offset + np.arange(ends[-1] if len(ends) else 0)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """An undirected graph without self-loops and repeated edges, as compressed rows.

    The contacts of node v are `links[starts[v]:starts[v + 1]]`, ascending. `names[v]` is what the user called it, and
    `notes` says what had to be repaired when the graph was read.

    >>> graph = Graph.of_edges([("ann", "bob"), ("bob", "cy"), ("cy", "bob"), ("cy", "cy")])
    >>> graph.count, graph.edges, graph.name_of(1), [graph.name_of(v) for v in graph.contacts(1)]
    (3, 2, 'bob', ['ann', 'cy'])
    >>> graph.notes
    ('1 self-loop was dropped.', '1 repeated edge was merged.')
    """

    starts: Nodes
    links: NDArray[np.int32]
    names: tuple[Hashable, ...] | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_edges(cls, edges: Iterable[Sequence[Hashable]]) -> "Graph":
        """From pairs of names; a name is anything hashable, and its number is the order of its appearance."""
        number: dict[Hashable, int] = {}
        flat: list[int] = []
        for pair in edges:
            if len(pair) != 2:
                raise BadValue(f"An edge has two ends, but one of them has {len(pair)}. Give pairs such as ('a', 'b').")
            flat.extend(number.setdefault(end, len(number)) for end in pair)
        return cls.of_pairs(np.asarray(flat, dtype=np.int64).reshape(-1, 2), len(number), names=tuple(number))

    @classmethod
    def of_pairs(
        cls, pairs: ArrayLike, count: int, *, names: tuple[Hashable, ...] | None = None, notes: tuple[str, ...] = ()
    ) -> "Graph":
        """From an array of node numbers below `count`, one row an edge, in any direction and order."""
        table = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        if len(table) == 0:
            raise BadValue("The graph has no edge, so nothing can spread on it. Give at least one pair of contacts.")
        if not (table.min() >= 0 and table.max() < count):
            raise BadValue(f"Node numbers must lie from 0 to {count - 1}; found {table.min()} and {table.max()}.")
        low, high = table.min(axis=1), table.max(axis=1)
        proper = low != high
        keys = np.unique(low[proper] * count + high[proper])
        if len(keys) == 0:
            raise BadValue("The graph has only self-loops, so nothing can spread on it. Give pairs of two contacts.")
        loops, repeats = len(table) - int(proper.sum()), int(proper.sum()) - len(keys)
        low, high = keys // count, keys % count
        both = np.sort(np.concatenate([keys, high * count + low]))
        starts = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(np.bincount(both // count, minlength=count), out=starts[1:])
        said = _plural(loops, "self-loop", "dropped") + _plural(repeats, "repeated edge", "merged")
        said += _alone(int((np.diff(starts) == 0).sum()))
        return cls(starts, (both % count).astype(np.int32), names, notes + said)

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @property
    def edges(self) -> int:
        return len(self.links) // 2

    @property
    def degrees(self) -> Nodes:
        return np.diff(self.starts)

    @property
    def cyclic(self) -> bool:
        # With as many edges as nodes there is a ring; with fewer there may be one if the graph has several parts.
        return self.edges >= self.count or self.edges > self.count - len(np.unique(self.components()))

    def contacts(self, node: int) -> NDArray[np.int32]:
        """The neighbours of one node, ascending."""
        return self.links[self.starts[node] : self.starts[node + 1]]

    def gather(self, nodes: Nodes) -> tuple[Nodes, Nodes]:
        """All links that leave the nodes: positions within `nodes`, repeated, and the contacts they lead to."""
        begin = self.starts[nodes]
        owner, where = spread_ranges(begin, self.starts[nodes + 1] - begin)
        return owner, self.links[where].astype(np.int64)

    def hops(self, start: int, wanted: Nodes) -> Nodes:
        """Hops from one node to each wanted one; -1 where there is no way."""
        far = np.full(self.count, -1, dtype=np.int64)
        far[start] = 0
        front, distance = np.asarray([start]), 0
        while len(front) and (far[wanted] < 0).any():
            _, reached = self.gather(front)
            front = np.unique(reached[far[reached] < 0])
            distance += 1
            far[front] = distance
        return np.asarray(far[wanted])

    def name_of(self, node: int) -> Hashable:
        """What the user called the node."""
        return int(node) if self.names is None else self.names[node]

    def numbers_of(self, names: Iterable[Hashable]) -> Nodes:
        """The node numbers of names; text is tried for names that are whole numbers."""
        if self.names is None:
            known: dict[Hashable, int] = {v: v for v in range(self.count)}
        else:
            known = {name: v for v, name in enumerate(self.names)}
        return np.asarray([self._number(name, known) for name in names], dtype=np.int64)

    def _number(self, name: Hashable, known: dict[Hashable, int]) -> int:
        tries: list[Hashable] = [name, str(name)]
        if isinstance(name, str) and name.strip().lstrip("-").isdigit():
            tries.append(int(name))
        for form in tries:
            if form in known:
                return known[form]
        raise BadValue(f"Node {name!r} is not in the graph of {self.count:,} nodes. Check its spelling.")

    def part(self, keep: NDArray[np.bool_]) -> "Graph":
        """The graph on the marked nodes, renumbered; names are kept."""
        new = np.cumsum(keep) - 1
        source = np.repeat(np.arange(self.count), self.degrees)
        inside = keep[source] & keep[self.links] & (source < self.links)
        names = tuple(self.name_of(int(v)) for v in np.flatnonzero(keep))
        pairs = np.column_stack([new[source[inside]], new[self.links[inside]]])
        return Graph.of_pairs(pairs, int(keep.sum()), names=names, notes=self.notes)

    def core(self, least: int) -> "Graph":
        """What is left when nodes with fewer than `least` contacts are taken away again and again."""
        keep = np.ones(self.count, dtype=bool)
        source = np.repeat(np.arange(self.count), self.degrees)
        while True:
            alive = np.bincount(source[keep[source] & keep[self.links]], minlength=self.count)
            weak = keep & (alive < least)
            if not weak.any():
                break
            keep &= ~weak
        if not keep.any():
            raise BadValue(f"No group of nodes has {least} contacts each within it. Ask for a smaller number.")
        return self if keep.all() else self.part(keep)

    def components(self) -> Nodes:
        """For each node the number of its connected part; parts are numbered by their lowest node."""
        matrix = sparse.csr_array(
            (np.ones(len(self.links), dtype=bool), self.links, self.starts), shape=(self.count,) * 2
        )
        _, label = csgraph.connected_components(matrix, directed=False)
        _, lowest = np.unique(label, return_index=True)
        return np.asarray(lowest[label], dtype=np.int64)

    def largest_component(self) -> "Graph":
        """The graph on its largest connected part."""
        part = self.components()
        labels, sizes = np.unique(part, return_counts=True)
        keep = part == labels[np.argmax(sizes)]
        return self if keep.all() else self.part(keep)


def _alone(number: int) -> tuple[str, ...]:
    if number == 0:
        return ()
    return (f"{number:,} node{'s'[: number > 1]} without contacts can neither write nor be told.",)


def _plural(number: int, thing: str, done: str) -> tuple[str, ...]:
    if number == 0:
        return ()
    return (f"1 {thing} was {done}.",) if number == 1 else (f"{number:,} {thing}s were {done}.",)
