"""The overlay that friends agree on, by the messages of real nodes on a graph, with false friends among them.

Every honest person runs `spread.node.overlay`. A false friend takes every place that is offered to her and says that it
has a mate, and offers each honest friend as many places as that friend takes. All false friends know each other: with
an honest one a place of theirs always waits, and only one, so that it meets no other of theirs. What comes of it is the
graph over which posts would go: honest people first, then masks of false friends, of which each takes as many links as
an honest person has.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.sampling.simulation import Generator, SeededBits, seeded
from banister.spread.lab.evidence import Snapshot, SpyReports, combined
from banister.spread.lab.graph import Graph, Nodes
from banister.spread.lab.protocols import SpreadProtocol
from banister.spread.lab.study import MeasuredChance
from banister.spread.lab.trace import Spread
from banister.spread.node.overlay import (
    NAME_BITS,
    Freed,
    FriendTold,
    Matched,
    NextTurn,
    Offered,
    OverlayEvent,
    OverlaySettings,
    OverlayState,
    PlaceName,
    Told,
    Useless,
    overlay_step,
    pairs_of,
)

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """What was agreed on.

    `masks` marks the nodes behind which false friends are; `complete` those honest people who have all their links,
    and may write. `captured` is the share of honest people's links that lead to masks. `turns[t]` is how many honest
    people lacked a link after t turns, and `told` how many messages friends sent each other for it.
    """

    graph: Graph
    people: Nodes
    """Who the honest nodes of the graph are among the friends."""
    masks: Bools
    complete: Bools
    captured: float
    turns: tuple[int, ...]
    told: int
    carried: Nodes
    """For each person, honest or not, how many links of others go through her."""


def agree(
    friends: Graph, settings: OverlaySettings, *, turns: int, spies: Bools | None = None, chance: Generator
) -> Overlay:
    """Let everybody agree for so many turns, or until nobody lacks a link.

    >>> from banister.sampling.simulation import seeded
    >>> from banister.spread.lab.generators import social
    >>> friends = social(300, 12, seeded(1))
    >>> made = agree(friends, OverlaySettings(links=4, per_friend=2), turns=40, chance=seeded(2))
    >>> bool((made.graph.degrees[made.complete] == 4).all()), made.captured
    (True, 0.0)
    """
    need.whole("turns", turns, least=1)
    marked = np.zeros(friends.count, dtype=bool) if spies is None else spies
    crowd = _Agreeing(friends, settings, marked, chance)
    lacking = [int((~marked).sum())]
    for _ in range(turns):
        crowd.turn()
        lacking.append(crowd.lacking())
        if lacking[-1] == 0:
            break
    return crowd.overlay(tuple(lacking))


def attacked(
    overlay: Overlay,
    protocol: SpreadProtocol,
    *,
    steps: int,
    trials: int,
    seed: int,
    posts: int = 3,
    authors: Nodes | None = None,
) -> dict[str, MeasuredChance]:
    """How often authors are named on an overlay by a snapshot, by several of them, and with false friends behind its
    masks by these alone and both together. Authors are drawn among `authors` (nodes of the overlay; everybody who may
    write when None)."""
    chosen = np.flatnonzero(overlay.complete) if authors is None else authors
    right: dict[str, list[float]] = defaultdict(list)
    for trial in range(trials):
        chance = seeded(seed, trial, steps)
        author = int(chosen[int(chance.integers(len(chosen)))])
        spreads = [protocol.run(overlay.graph, author, steps=steps, chance=chance) for _ in range(posts)]
        snapshots = [Snapshot.of_spread(overlay.graph, spread) for spread in spreads]
        alone = [protocol.suspects(snapshot) for snapshot in snapshots]
        right["snapshot"].append(alone[0].chance_of(author))
        right[f"posts:{posts}"].append(combined(alone).chance_of(author))
        if overlay.masks.any():
            reports = _reports(overlay, spreads[0])
            right["spies"].append(protocol.spy_suspects(reports).chance_of(author))
            right["snapshot+spies"].append(protocol.joint_suspects(snapshots[0], reports).chance_of(author))
    return {name: MeasuredChance.of(np.asarray(values)) for name, values in right.items()}


def _reports(overlay: Overlay, spread: Spread) -> SpyReports:
    """What those behind the masks saw; where frames were carried, what these told."""
    if spread.log is None:
        return SpyReports.of_spread(overlay.graph, spread, overlay.masks)
    log = replace(spread.log, marks=np.where(overlay.masks, 0.0, 1.0))
    return log.reports(overlay.graph, spread, 0.5)


class _Agreeing:
    """Nodes, and what they tell each other; a link has the number of the friend at its other end."""

    def __init__(self, friends: Graph, settings: OverlaySettings, spies: Bools, chance: Generator) -> None:
        self.friends, self.settings, self.spies, self.chance = friends, settings, spies, chance
        self.bits = SeededBits(chance)
        self.turns = 0
        self.honest = np.flatnonzero(~spies)
        self.nodes = {v: OverlayState(settings, tuple(friends.contacts(v).tolist())) for v in self.honest.tolist()}
        self.under_way: deque[tuple[int, int, Told]] = deque()
        self.told = 0
        self.touched: set[int] = set()
        self.busy = set(self.honest.tolist())
        self.through: dict[int, list[tuple[int, PlaceName, int, PlaceName]]] = {}
        self.links: Counter[tuple[int, int]] = Counter()
        self.spied: dict[tuple[int, int], set[PlaceName]] = defaultdict(set)
        """Places of a false friend with an honest one."""
        self.lurking: dict[int, PlaceName] = {}
        """The place of a false friend that waits with an honest one."""
        near = ((v, [w for w in friends.contacts(v).tolist() if spies[w]]) for v in self.nodes)
        self.false_friends = {v: false for v, false in near if false}

    def turn(self) -> None:
        """One turn of everybody who has something to do at it."""
        self._spies_offer()
        for v in self.chance.permutation(sorted(self.busy)).tolist():
            if self._waits(v):
                self._happen(v, NextTurn())
                self._deliver()
        self.turns += 1
        self._sort_out()

    def _waits(self, node: int) -> bool:
        """Whether a node lacks a link, or holds a place without a mate: else a turn changes nothing there."""
        state = self.nodes[node]
        return not state.complete or any(guest.mate is None for guest in state.guests.values())

    def _spies_offer(self) -> None:
        """With each honest friend of theirs false friends have one place wait, never two that would meet each other."""
        for friend in self.false_friends:
            if friend not in self.lurking:
                self._lurk(friend)
                self._deliver()

    def _lurk(self, friend: int) -> None:
        room = self.settings.room(self.turns)
        free = [spy for spy in self.false_friends[friend] if len(self.spied[spy, friend]) < room]
        if free:
            name = self.bits.take(NAME_BITS).to_bytes(NAME_BITS // 8, "big")
            spy = free[int(self.chance.integers(len(free)))]
            self.spied[spy, friend].add(name)
            self.lurking[friend] = name
            self.under_way.append((spy, friend, Offered(name)))

    def _spy_hears(self, spy: int, friend: int, told: Told) -> None:
        """A false friend takes every place that is offered to her; when hers is matched the next one waits."""
        if isinstance(told, Offered):
            self.under_way.append((spy, friend, Matched(told.name)))
        elif isinstance(told, Freed):
            self.spied[spy, friend].discard(told.name)
        if self.lurking.get(friend) == told.name:
            del self.lurking[friend]
            if isinstance(told, Matched):
                self._lurk(friend)

    def _happen(self, node: int, event: OverlayEvent) -> None:
        self.nodes[node], told = overlay_step(self.nodes[node], event, turn=self.turns, bits=self.bits)
        self.touched.add(node)
        self.busy.add(node)
        self.under_way.extend((node, link, each) for link, each in told)

    def _deliver(self) -> None:
        while self.under_way:
            source, target, told = self.under_way.popleft()
            self.told += 1
            if target in self.nodes:
                self._happen(target, FriendTold(source, told))
            else:
                self._spy_hears(target, source, told)

    def _sort_out(self) -> None:
        """Who has two links to one person gives up the newer; their first words over them tell."""
        seen, self.touched = sorted(self.touched), set()
        for node in seen:
            for one, _, other, _ in self.through.get(node, []):
                self.links[min(one, other), max(one, other)] -= 1
            pairs = [(a, x, b, y) for (a, x), (b, y) in pairs_of(self.nodes[node])]
            self.through[node] = [pair for pair in pairs if pair[0] in self.nodes and pair[2] in self.nodes]
            for one, name, other, _ in self.through[node]:
                self.links[min(one, other), max(one, other)] += 1
                if self.links[min(one, other), max(one, other)] > 1:
                    self._happen(one, Useless(name))
        self._deliver()
        self.busy = {node for node in self.busy if self._waits(node)}

    def lacking(self) -> int:
        """How many honest people do not have all their links."""
        return sum(not state.complete for state in self.nodes.values())

    def overlay(self, turns: tuple[int, ...]) -> Overlay:
        """What there is now."""
        number = np.full(self.friends.count, -1, dtype=np.int64)
        number[self.honest] = np.arange(len(self.honest))
        pairs = [(one, other) for state in self.nodes.values() for (one, _), (other, _) in pairs_of(state)]
        agreed = np.asarray(
            [pair for pair in pairs if pair[0] in self.nodes and pair[1] in self.nodes], dtype=np.int64
        ).reshape(-1, 2)
        stubs = number[np.asarray(self._captured(), dtype=np.int64)]
        behind = _masks(stubs, self.settings.links, self.chance) + len(self.honest)
        count = int(behind.max()) + 1 if len(stubs) else len(self.honest)
        made = Graph.of_pairs(np.concatenate([number[agreed], np.column_stack([stubs, behind])]), count)
        graph = Graph(made.starts, made.links, self._names(count))
        masks = np.arange(count) >= len(self.honest)
        carried = np.zeros(self.friends.count, dtype=np.int64)
        for node, state in self.nodes.items():
            carried[node] = sum(1 for _ in pairs_of(state))
        share = len(stubs) / max(2 * len(agreed) + len(stubs), 1)
        return Overlay(
            graph, self.honest, masks, ~masks & (graph.degrees == self.settings.links), share, turns, self.told, carried
        )

    def _names(self, count: int) -> tuple[Hashable, ...] | None:
        if self.friends.names is None:
            return None
        masks = (f"mask {k}" for k in range(1, count - len(self.honest) + 1))
        return (*(self.friends.name_of(v) for v in self.honest.tolist()), *masks)

    def _captured(self) -> list[int]:
        """Honest people, once for each of their links that leads to a false friend."""
        found = []
        for node, state in self.nodes.items():
            found += [node for place in state.places.values() if place.matched and self.spies[place.via]]
            for (one, _), (other, _) in pairs_of(state):
                if self.spies[one] != self.spies[other]:
                    found.append(other if self.spies[one] else one)
        return found


def _masks(stubs: Nodes, links: int, chance: Generator) -> Nodes:
    """For each captured link the mask that it leads to: so many links each, and none twice to one person where that
    can be had by swapping."""
    behind = chance.permutation(np.arange(len(stubs)) // links)
    for _ in range(200):
        keys = stubs * (len(stubs) + 1) + behind
        _, first = np.unique(keys, return_index=True)
        wrong = np.setdiff1d(np.arange(len(stubs)), first)
        if len(wrong) == 0:
            break
        for here, there in zip(wrong.tolist(), chance.integers(len(stubs), size=len(wrong)).tolist(), strict=True):
            behind[here], behind[there] = behind[there], behind[here]
    return np.asarray(behind, dtype=np.int64)
