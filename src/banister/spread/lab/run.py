"""One spread, step by step, with what an adversary would believe at each of them."""

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from banister import need
from banister.errors import BadValue
from banister.sampling.simulation import seeded
from banister.spread.lab.drawn.movie import Frame, Movie, write_movie
from banister.spread.lab.drawn.terminal import is_terminal, watch
from banister.spread.lab.evidence import Ranking, Snapshot
from banister.spread.lab.graph import Contacts, Graph
from banister.spread.lab.protocols import SpreadProtocol
from banister.spread.lab.trace import Spread
from banister.spread.lab.written import GraphSource, load_graph, need_contacts, parse_protocol


@dataclass(frozen=True, slots=True, eq=False)
class StepSeen:
    """One step: holders, the virtual source (-1 without one), and how often the best guess would be right."""

    step: int
    holders: int
    source: int
    suspects: int
    detection: float
    ranking: Ranking | None


@dataclass(frozen=True, slots=True, eq=False)
class SpreadRun:
    """A finished spread on its graph.

    >>> done = run_spread("regular-tree:4", protocol="adaptive:degree=4", steps=2, seed=1)
    >>> print("\\n".join(done.lines()))
        1        2            50.0 %  █████████████████
        2        5            25.0 %  ████████████████████████████████████████
    """

    protocol: SpreadProtocol
    contacts: Contacts
    spread: Spread

    def at(self, step: int) -> Spread:
        """The spread as it was after `step` steps."""
        there = self.spread.time <= step
        return replace(
            self.spread,
            steps=step,
            time=np.where(there, self.spread.time, -1).astype(np.int32),
            parent=np.where(there, self.spread.parent, -1).astype(np.int32),
            tokens=self.spread.tokens[: step // 2],
            path=self.spread.path[: step + 1],
        )

    def moments(self) -> list[StepSeen]:
        """Every step from 1 on; on graphs with cycles the attack is known at even steps only."""
        made = []
        for step in range(1, self.spread.steps + 1):
            now = self.at(step)
            source = now.tokens[-1] if now.tokens else -1
            try:
                ranking = self.protocol.suspects(Snapshot.of_spread(self.contacts, now))
                best = len(ranking.best())
                made.append(StepSeen(step, now.size, source, best, ranking.chance_of(now.author), ranking))
            except BadValue:
                made.append(StepSeen(step, now.size, source, 0, float("nan"), None))
        return made

    def lines(self) -> list[str]:
        """A line of text for each step: holders, how often the best guess would be right, and a bar."""
        moments = self.moments()
        scale = 40 / math.log(max(moments[-1].holders, 2))
        made = []
        for moment in moments:
            chance = "-" if math.isnan(moment.detection) else f"{100 * moment.detection:.1f} %"
            bar = "█" * round(scale * math.log(max(moment.holders, 1)))
            made.append(f"{moment.step:>5} {moment.holders:>8} {chance:>17}  {bar}")
        return made

    def name_of(self, node: int) -> Hashable:
        """What the user called the node."""
        return self.contacts.name_of(node) if isinstance(self.contacts, Graph) else node

    def movie(self, path: str | Path) -> None:
        """An animation as one HTML file: author, virtual source, and the adversary's belief as colours."""
        write_movie(self.scene(), Path(path))

    def watch(self) -> bool:
        """The same in the terminal, redrawn in place at every step; False where there is no terminal to draw on."""
        if not is_terminal():
            return False
        watch(self.scene())
        return True

    def scene(self) -> Movie:
        """What is drawn: the holders, and at each step the virtual source and the adversary's belief."""
        frames = []
        for moment in self.moments():
            belief: dict[int, float] = {}
            if moment.ranking is not None:
                shares = moment.ranking.posterior()
                belief = {
                    int(v): round(float(p), 5) for v, p in zip(moment.ranking.nodes, shares, strict=True) if p > 1e-4
                }
            frames.append(Frame(moment.step, moment.source, belief, moment.detection))
        nodes = self.spread.holders.tolist()
        title = f"{self.protocol.spec}, {self.spread.steps} steps"
        times = [int(self.spread.time[v]) for v in nodes]
        parents = [int(self.spread.parent[v]) for v in nodes]
        names = [str(self.name_of(v)) for v in nodes]
        return Movie(title, nodes, parents, times, names, self.spread.author, frames)


def run_spread(
    graph: GraphSource, *, protocol: SpreadProtocol | str, steps: int, seed: int = 0, author: Hashable | None = None
) -> SpreadRun:
    """Spread one message; the author is drawn when none is named.

    >>> run_spread("regular-tree:4", protocol="adaptive:degree=4", steps=6, seed=1).spread.size
    53
    """
    need.whole("steps", steps, least=1)
    chance = seeded(seed, 2)
    loaded = load_graph(graph, seed=seed)
    way = parse_protocol(protocol) if isinstance(protocol, str) else protocol
    if isinstance(loaded, Graph):
        if author is None:
            linked = np.flatnonzero(loaded.degrees)
            start = int(linked[int(chance.integers(len(linked)))])
        else:
            start = need_contacts(loaded, int(loaded.numbers_of([author])[0]))
        return SpreadRun(way, loaded, way.run(loaded, start, steps=steps, chance=chance))
    if author is not None:
        raise BadValue("On an endless tree every author is alike: leave the author out.")
    tree = loaded.grow(chance)
    return SpreadRun(way, tree, way.run(tree, 0, steps=steps, chance=chance))
