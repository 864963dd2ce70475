"""Against a token that always moves, on graphs with cycles: every way on which the spies can have got the message."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from banister.spread.lab.estimators.spies import first_spy, pivot
from banister.spread.lab.evidence import Floats, Ranking, SpyReports
from banister.spread.lab.graph import Contacts, Nodes, spread_ranges

Weigh = Callable[[Nodes], Nodes]
MOST = 16
"""Reports that are used: those whose ways leave the token's path closest to the author."""


def token_spied(reports: SpyReports, weigh: Weigh, cap: int | None) -> Ranking:
    """The best attack known on a token that always moves: the pivot rule on trees, all walks on other graphs."""
    return walked(reports, weigh, cap) if reports.contacts.cyclic else pivot(reports, weigh)


def walked(reports: SpyReports, weigh: Weigh, cap: int | None) -> Ranking:
    """Nearly maximum likelihood, for spies that read the counter of the message.

    A report (time t, sender, a hops on the token's path) says: the token was at X_a, and from there the message came
    through t - a - 1 others to the sender. The likelihood of an author is the chance of a walk X_0, X_1, … of the token
    from it, times that of each spy's way from where it leaves the walk; ways never turn back. It is summed over all
    walks, from the last place back to the author, in time linear in the links.

    On trees this is the pivot rule but for spies that heard nothing, who count here only where they would lie on a
    way. On graphs with cycles it is an approximation besides: ways of several spies are taken to be independent, and
    contacts to be free. When no walk explains all reports (a token that had to rest) it is who told the first spy.
    """
    if len(reports.spies) == 0 or reports.leaves_at.min() < 0:
        return first_spy(reports)
    log = Search(reports, weigh, cap).authors()
    honest = np.flatnonzero(~reports.marked[: len(log)] & (log > -np.inf))
    return Ranking(honest, log[honest]) if len(honest) else first_spy(reports)


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """All links in both directions, in the order of their sources; `back` is the place of the opposite one."""

    source: Nodes
    target: Nodes
    starts: Nodes
    back: Nodes

    @classmethod
    def of_contacts(cls, contacts: Contacts) -> "Links":
        count = contacts.count
        source, target = contacts.gather(np.arange(count))
        known = target < count  # A tree that grows while it is walked is taken as far as it was built.
        source, target = source[known], target[known]
        keys = source * count + target
        if (np.diff(keys) < 0).any():  # A stored graph is in order already.
            keys.sort()
            source, target = keys // count, keys % count
        starts = np.searchsorted(source, np.arange(count + 1))
        places = sparse.csr_array((np.arange(len(target)), target, starts), shape=(count, count))
        return cls(source, target, starts, places.tocsc().data.astype(np.int64))

    @property
    def degrees(self) -> Nodes:
        return np.diff(self.starts)

    def sums(self, values: Floats) -> Floats:
        """The sum over the links that leave each node."""
        return np.asarray(np.bincount(self.source, weights=values, minlength=len(self.starts) - 1), dtype=float)

    def place(self, source: int, target: int) -> int:
        """Where the link from one node to the other is."""
        begin, end = self.starts[source], self.starts[source + 1]
        return int(begin + np.searchsorted(self.target[begin:end], target))

    def into(self, nodes: Nodes) -> Nodes:
        """The places of all links that lead to the nodes; each is the opposite of one that leaves them."""
        _, leaving = spread_ranges(self.starts[nodes], self.degrees[nodes])
        return self.back[leaving]


class Search:
    """One search for authors; values stand on links, so that a way knows where it came from."""

    def __init__(self, reports: SpyReports, weigh: Weigh, cap: int | None) -> None:
        self.links = links = Links.of_contacts(reports.contacts)
        self.marked = reports.marked[: len(links.degrees)]
        self.heard = np.zeros(len(links.degrees), dtype=bool)
        self.heard[reports.spies] = True
        self.weight = weigh(links.degrees).astype(float)
        self.share = (
            np.ones(len(links.degrees)) if cap is None else np.minimum(1, cap / np.maximum(links.degrees - 1, 1))
        )
        first = np.lexsort((reports.times, reports.leaves_at))[:MOST]
        self.last = int(reports.leaves_at[first].max())
        self.on_walk: dict[int, list[int]] = {}  # For each level the links by which the token came to a spy.
        self.beside: dict[int, list[tuple[Nodes, Floats]]] = {}  # For each level the ways to spies, on first links.
        for spy, sender, time, level in zip(
            reports.spies[first], reports.senders[first], reports.times[first], reports.leaves_at[first], strict=True
        ):
            link = links.place(int(sender), int(spy))
            if time == level:
                self.on_walk.setdefault(int(level), []).append(link)
            else:
                self.beside.setdefault(int(level), []).append(self._way(link, int(time - level)))

    def _way(self, link: int, hops: int) -> tuple[Nodes, Floats]:
        """The chance that the message, once at a node, goes along a link of it and comes over `link` at last, in
        so many hops: the links where it is not 0, which are few, and the chances."""
        links = self.links
        way = np.zeros(len(links.target))
        way[link] = 1
        at = np.asarray([link])
        for _ in range(hops - 1):
            nodes = np.unique(links.source[at])
            nodes = nodes[~self.marked[nodes] | self.heard[nodes]]  # A spy on the way would have heard.
            total = np.bincount(links.source[at], weights=way[at], minlength=len(links.degrees))
            at = links.into(nodes)
            mass = self.share[links.source[at]] * (total[links.target[at]] - way[links.back[at]])
            way = np.zeros(len(links.target))
            way[at] = np.maximum(mass, 0)
            at = at[way[at] > 0]
        return at, way[at]

    def _ways(self, level: int) -> Iterator[tuple[Floats, Floats]]:
        """The ways that leave at a level one by one, on all links, with their sum over the links of each node."""
        for at, mass in self.beside.get(level, []):
            way = np.zeros(len(self.links.target))
            way[at] = mass
            yield way, self.links.sums(way)

    def authors(self) -> Floats:
        """log likelihood of each node as the author."""
        links, log = self.links, 0.0
        value = np.ones(len(links.target))
        for level in range(self.last, 0, -1):
            if level < self.last:
                value = self._moved(value, level)
            value = np.maximum(value * self._came(level), 0)
            for way, total in self._ways(level):
                at = np.flatnonzero(value)  # Few links are left after the first.
                value[at] *= np.maximum(total[links.target[at]] - way[links.back[at]], 0)
            top = float(value.max())
            if top == 0:
                return np.full(len(links.degrees), -np.inf)
            value /= top
            log += math.log(top)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(links.sums(value)) - np.log(np.maximum(links.degrees, 1)) + log)

    def _moved(self, value: Floats, level: int) -> Floats:
        """One move back: for each link the mean over where the token goes next, which is neither back nor on the way of
        a spy that leaves here."""
        links = self.links
        ahead = value * self.weight[links.target]
        for way, total in self._ways(level):
            part = np.zeros(len(way))
            np.divide(way, total[links.source], out=part, where=way > 0)
            ahead *= 1 - part
        around = links.sums(self.weight[links.target])[links.target] - self.weight[links.source]
        mean = links.sums(ahead)[links.target] - ahead[links.back]
        return np.asarray(np.divide(mean, around, out=np.zeros(len(mean)), where=around > 0))

    def _came(self, level: int) -> Floats:
        """1 for the links by which the token can have come to this level: to no spy but one that says so."""
        if level in self.on_walk:
            came = np.zeros(len(self.links.target))
            came[self.on_walk[level]] = 1
            return came
        return np.where(self.marked[self.links.target], 0.0, 1.0)
