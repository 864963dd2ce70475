"""What an adversary sees, and how it states whom it suspects."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.spread.lab.graph import Contacts, Graph, Nodes, spread_ranges
from banister.spread.lab.trace import Spread

Floats = NDArray[np.float64]
TIE = 1e-9
"""Logarithms of likelihoods that differ by less are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Suspects with the logarithm of a likelihood each; only differences mean something.

    >>> ranking = Ranking(np.array([4, 7, 9]), np.log([0.2, 0.4, 0.4]))
    >>> ranking.best().tolist(), ranking.chance_of(9), ranking.posterior().round(2).tolist()
    ([7, 9], 0.5, [0.2, 0.4, 0.4])
    """

    nodes: Nodes
    log: Floats

    def best(self) -> Nodes:
        """The suspects whom nobody beats."""
        if len(self.log) == 0 or self.log.max() == -np.inf:
            return self.nodes[:0]
        return np.asarray(self.nodes[self.log >= self.log.max() - TIE])

    def chance_of(self, node: int) -> float:
        """Chance that a guess, drawn among the best, names this node."""
        best = self.best()
        return 1 / len(best) if node in best else 0.0

    def posterior(self) -> Floats:
        """Likelihoods scaled to sum 1: what the adversary believes when all suspects were equally likely before."""
        if len(self.log) == 0 or self.log.max() == -np.inf:
            return np.zeros(len(self.log))
        weight = np.exp(self.log - self.log.max())
        return np.asarray(weight / weight.sum())


def combined(rankings: Sequence[Ranking]) -> Ranking:
    """The ranking of independent observations of one author: log-likelihoods add, over common suspects."""
    nodes = rankings[0].nodes
    for ranking in rankings[1:]:
        nodes = np.intersect1d(nodes, ranking.nodes)
    total = np.zeros(len(nodes))
    for ranking in rankings:
        order = np.argsort(ranking.nodes)
        total += ranking.log[order][np.searchsorted(ranking.nodes[order], nodes)]
    return Ranking(nodes, total)


@dataclass(frozen=True, slots=True, eq=False)
class TreeView:
    """The holders and the links that carried the message, with numbers of its own from 0; directions are forgotten."""

    nodes: Nodes
    starts: Nodes
    links: Nodes

    @classmethod
    def of_links(cls, nodes: Nodes, one: Nodes, other: Nodes) -> "TreeView":
        """From global node numbers, and one pair of them for each link."""
        a, b = np.searchsorted(nodes, one), np.searchsorted(nodes, other)
        source, target = np.concatenate([a, b]), np.concatenate([b, a])
        order = np.argsort(source, kind="stable")
        starts = np.zeros(len(nodes) + 1, dtype=np.int64)
        np.cumsum(np.bincount(source, minlength=len(nodes)), out=starts[1:])
        return cls(nodes, starts, target[order])

    @classmethod
    def of_spread(cls, spread: Spread) -> "TreeView":
        """The links of one spread."""
        nodes = spread.holders
        child = nodes[spread.parent[nodes] >= 0]
        return cls.of_links(nodes, child, spread.parent[child].astype(np.int64))

    @classmethod
    def of_holders(cls, graph: Graph, holders: Nodes) -> tuple["TreeView", bool]:
        """All links between holders if they make a tree; else a breadth-first tree of them, and False.

        Holders in several parts are possible for no protocol of this room, and an error.
        """
        nodes = np.unique(holders)
        if len(nodes) == 0:
            raise BadValue("There is no holder, so there is nobody to suspect. Name at least one.")
        owner, target = graph.gather(nodes)
        inside = np.isin(target, nodes)
        source, target = nodes[owner[inside]], target[inside]
        up = source < target
        view = cls.of_links(nodes, source[up], target[up])
        order, parent, _ = view.walk(0)
        if len(order) < len(nodes):
            raise BadValue(
                f"Only {len(order)} of the {len(nodes)} holders are connected with the first of them. Protocols that "
                "send along contacts leave connected holders: check the list, or give one part of it."
            )
        if int(up.sum()) == len(nodes) - 1:
            return view, True
        middle = int(np.argmax(view.link_counts))
        order, parent, _ = view.walk(middle)
        child = order[1:]
        return cls.of_links(nodes, nodes[child], nodes[parent[child]]), False

    @property
    def count(self) -> int:
        return len(self.nodes)

    @property
    def link_counts(self) -> Nodes:
        return np.diff(self.starts)

    def gather(self, nodes: Nodes) -> tuple[Nodes, Nodes]:
        """All links that leave the nodes: positions within `nodes`, repeated, and the ends they lead to."""
        begin = self.starts[nodes]
        owner, where = spread_ranges(begin, self.starts[nodes + 1] - begin)
        return owner, self.links[where]

    def walk(self, root: int) -> tuple[Nodes, Nodes, list[int]]:
        """Breadth-first from a root: the order, the parent of each node (-1 for the root), where levels begin."""
        parent = np.full(self.count, -2, dtype=np.int64)
        parent[root] = -1
        front = np.asarray([root])
        levels, edges = [front], [0, 1]
        while True:
            owner, target = self.gather(front)
            new = parent[target] == -2
            target, source = target[new], front[owner[new]]
            parent[target] = source
            keep = parent[target] == source  # In a graph with cycles one of several senders stays.
            front = target[keep]
            if len(front) == 0:
                return np.concatenate(levels), parent, edges
            levels.append(front)
            edges.append(edges[-1] + len(front))

    def depths(self, root: int) -> Nodes:
        """Hops of each node from the root."""
        order, _, edges = self.walk(root)
        depth = np.empty(self.count, dtype=np.int64)
        depth[order] = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
        return depth


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The holders at one moment, the links that carried the message (undirected), and how long it has been under way.

    `centre` is the virtual source (a number within the view) where the adversary is told, and -1 where not.
    """

    contacts: Contacts
    view: TreeView
    steps: int
    centre: int = -1

    @classmethod
    def of_spread(cls, contacts: Contacts, spread: Spread) -> "Snapshot":
        """What is seen at the end of a spread, and the virtual source: at even steps on trees everybody sees it."""
        view = TreeView.of_spread(spread)
        told = len(spread.tokens) > 0 and spread.steps % 2 == 0
        centre = int(np.searchsorted(view.nodes, spread.tokens[-1])) if told else -1
        return cls(contacts, view, spread.steps, centre)

    @property
    def degrees(self) -> Nodes:
        """Contacts of each holder, with or without the message."""
        return self.contacts.degrees[self.view.nodes]


@dataclass(frozen=True, slots=True, eq=False)
class SpyReports:
    """What the spies among the holders saw: when the message came, and from whom; earliest first.

    `marked` are all spies, heard or not. `leaves_at[i]` says how far from the author the way to spy i leaves the
    path of the token, which the counter in the message tells (-1 where the token may rest). `parent` is geometry: on a
    tree the way between two nodes is known to everybody, and it is read off here.
    """

    contacts: Contacts
    marked: NDArray[np.bool_]
    spies: Nodes
    times: Nodes
    senders: Nodes
    leaves_at: Nodes
    parent: NDArray[np.int32]
    steps: int

    @classmethod
    def of_spread(cls, contacts: Contacts, spread: Spread, marked: NDArray[np.bool_]) -> "SpyReports":
        """The reports of the marked nodes; the author is never one of them."""
        marked = marked.copy()
        marked[spread.author] = False
        heard = np.flatnonzero(marked[: len(spread.time)] & (spread.time >= 0))
        heard = heard[np.argsort(spread.time[heard], kind="stable")]
        times = spread.time[heard].astype(np.int64)
        senders = spread.parent[heard].astype(np.int64)
        return cls(contacts, marked, heard, times, senders, _leaving(spread, heard), spread.parent, spread.steps)

    def until(self, step: int) -> "SpyReports":
        """What was heard up to a step, as it was known then."""
        early = self.times <= step
        return replace(
            self,
            spies=self.spies[early],
            times=self.times[early],
            senders=self.senders[early],
            leaves_at=self.leaves_at[early],
            steps=min(self.steps, step),
        )


def _leaving(spread: Spread, nodes: Nodes) -> Nodes:
    """How many hops of the token's path lie on the way from the author to each node."""
    if len(spread.path) == 0:
        return np.full(len(nodes), -1, dtype=np.int64)
    place = np.full(len(spread.time), -1, dtype=np.int64)
    place[list(spread.path)] = np.arange(len(spread.path))
    at = nodes.copy()
    while True:
        off = place[at] < 0
        if not off.any():
            return np.asarray(place[at])
        at[off] = spread.parent[at[off]]
