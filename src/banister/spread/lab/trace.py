"""What happened in one spread, and the arrays in which a protocol writes it down."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banister.sampling.simulation import Generator
from banister.spread.lab.graph import Contacts, Nodes

if TYPE_CHECKING:
    from banister.spread.lab.logs import MessageLog


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Who holds the message, since when, and from whom, after `steps` steps.

    `time[v]` is -1 for whom it has not reached; `parent[v]` is the sender, -1 for the author. `tokens` lists the
    virtual source at each even step, where the protocol has one. Where the token (or the climbing copy) moves at every
    turn, `path` is its way, beginning with the author.
    """

    author: int
    steps: int
    time: NDArray[np.int32]
    parent: NDArray[np.int32]
    tokens: tuple[int, ...] = ()
    path: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    log: "MessageLog | None" = None
    """What each node heard, where the spread was made of the messenger's own frames."""

    @property
    def holders(self) -> Nodes:
        """All who hold the message, ascending."""
        return np.flatnonzero(self.time >= 0)

    @property
    def size(self) -> int:
        return int((self.time >= 0).sum())

    def sizes(self) -> Nodes:
        """Number of holders after each step, from 0 to `steps`."""
        return np.cumsum(np.bincount(self.time[self.time >= 0], minlength=self.steps + 1))


class Growth:
    """The arrays of a spread under way."""

    def __init__(self, contacts: Contacts, author: int) -> None:
        self.contacts = contacts
        self.author = author
        self.time = np.full(contacts.count, -1, dtype=np.int32)
        self.parent = np.full(contacts.count, -1, dtype=np.int32)
        self.hops = np.zeros(contacts.count, dtype=np.int32)
        self._slot = np.zeros(contacts.count, dtype=np.int64)
        self.time[author] = 0

    def fresh_links(self, nodes: Nodes) -> tuple[Nodes, Nodes]:
        """Links from the nodes to contacts without the message: positions within `nodes`, and contacts."""
        owner, target = self.contacts.gather(nodes)
        self._fit()
        fresh = self.time[target] < 0
        return owner[fresh], target[fresh]

    def infect(self, sources: Nodes, targets: Nodes, time: int) -> Nodes:
        """Give the message along the links; of several links into one node the last counts. Returns the new nodes."""
        order = np.arange(len(targets))
        self._slot[targets] = order
        won = self._slot[targets] == order
        sources, targets = sources[won], targets[won]
        self.time[targets] = time
        self.parent[targets] = sources
        self.hops[targets] = self.hops[sources] + 1
        return targets

    def infect_fairly(self, sources: Nodes, targets: Nodes, time: int, chance: Generator) -> Nodes:
        """As `infect`, where each of several links into one node is equally likely to count."""
        order = chance.permutation(len(targets))
        return self.infect(sources[order], targets[order], time)

    def children(self, node: int) -> Nodes:
        """Those who have the message from this node."""
        _, target = self.contacts.gather(np.asarray([node]))
        self._fit()
        return np.asarray(target[self.parent[target] == node])

    def _fit(self) -> None:
        missing = self.contacts.count - len(self.time)
        if missing > 0:
            room = missing + len(self.time)  # Doubling keeps the copies linear in the end.
            self.time = np.concatenate([self.time, np.full(room, -1, dtype=np.int32)])
            self.parent = np.concatenate([self.parent, np.full(room, -1, dtype=np.int32)])
            self.hops = np.concatenate([self.hops, np.zeros(room, dtype=np.int32)])
            self._slot = np.concatenate([self._slot, np.zeros(room, dtype=np.int64)])

    def finish(
        self, steps: int, *, tokens: Sequence[int] = (), path: Sequence[int] = (), notes: tuple[str, ...] = ()
    ) -> Spread:
        """The finished record, cut to the nodes that exist."""
        n = self.contacts.count
        self._fit()
        return Spread(self.author, steps, self.time[:n], self.parent[:n], tuple(tokens), tuple(path), notes)


def choose_links(counts: Nodes, most: Nodes, chance: Generator) -> tuple[Nodes, Nodes]:
    """For each i a uniform choice of min(counts[i], most[i]) different positions below counts[i].

    Floyd's method in columns: one pass for each of the at most max(most) choices, whatever the counts are.
    """
    take = np.minimum(counts, most)
    widest = int(take.max()) if len(take) else 0
    chosen = np.full((len(counts), widest), -1, dtype=np.int64)
    for j in range(widest):
        row = np.flatnonzero(take > j)
        top = counts[row] - take[row] + j
        draw = (chance.random(len(row)) * (top + 1)).astype(np.int64)
        taken = (chosen[row] == draw[:, None]).any(axis=1)
        chosen[row, j] = np.where(taken, top, draw)
    owner, column = np.nonzero(chosen >= 0)
    return owner, chosen[owner, column]
