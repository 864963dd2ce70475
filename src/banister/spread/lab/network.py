"""Many nodes on a graph, with a network that loses, delays and repeats frames and with people who go away.

This is the slow, honest road: every node is a state machine that sees its own links only, and a link carries the bytes
of `codec`. The arrays of `protocols` have the same law, and a test holds them to it.
"""

import heapq
from collections import Counter
from dataclasses import dataclass

import numpy as np

from banister import need
from banister.errors import BadValue
from banister.sampling.simulation import Generator, SeededBits
from banister.spread.lab.graph import Contacts, Nodes
from banister.spread.lab.trace import Spread
from banister.spread.node import codec
from banister.spread.node.messages import Ack, Copy, Cover, Event, Frame, Note, Post, Received, Send, Show, Wake, WakeAt
from banister.spread.node.state import NodeState, Settings
from banister.spread.node.step import step


@dataclass(frozen=True, slots=True)
class Weather:
    """How bad the network is: chances that a frame is lost or comes twice, ticks that it takes, and the share of time
    that a node is away, in stretches of `stretch` ticks."""

    loss: float = 0.0
    repeat: float = 0.0
    fastest: int = 1
    slowest: int = 1
    away: float = 0.0
    stretch: int = 200

    def __post_init__(self) -> None:
        for name in ("loss", "repeat", "away"):
            need.between(name, getattr(self, name), 0, 1)
        need.whole("fastest", self.fastest, least=1)
        need.whole("slowest", self.slowest, least=self.fastest)
        need.whole("stretch", self.stretch, least=1)


@dataclass(frozen=True, slots=True)
class Telling:
    """A copy that was put on a link, lost or not: when, by whom, and the age that it tells."""

    at: int
    source: int
    age: int


@dataclass(frozen=True, slots=True, eq=False)
class NetworkRun:
    """What came of it: the spread in protocol steps, frames sent by kind, and who holds a token at the end."""

    spread: Spread
    frames: Counter[str]
    token_holders: tuple[int, ...]
    states: dict[int, NodeState]
    tellings: tuple[Telling, ...] = ()
    embargoes_ended: tuple[int, ...] = ()
    """Nodes whose embargo ended, in the order of time."""

    @property
    def first_to_tell(self) -> int | None:
        """Whom an adversary names who sees every embargo end, and believes that the author's ends first."""
        return self.embargoes_ended[0] if self.embargoes_ended else None


def run_network(
    contacts: Contacts, author: int, *, settings: Settings, steps: int, weather: Weather, chance: Generator
) -> NetworkRun:
    """Let one message spread for `steps` protocol steps, frame by frame."""
    if steps > settings.horizon and settings.embargo == 0:
        raise BadValue(f"steps = {steps} goes beyond the horizon of {settings.horizon} steps. Set a longer horizon.")
    world = World(contacts, settings, weather, chance)
    world.happen(author, Post(b"message", b"text"), 0)
    world.run((steps + 1) * settings.step_ticks - 1)
    return world.finish(author, steps)


class World:
    """Nodes and frames under way."""

    def __init__(self, contacts: Contacts, settings: Settings, weather: Weather, chance: Generator) -> None:
        self._contacts, self._settings, self._weather, self._chance = contacts, settings, weather, chance
        self._bits = SeededBits(chance)
        self._nodes: dict[int, NodeState] = {}
        self._friends: dict[int, Nodes] = {}
        self._queue: list[tuple[int, float, int, tuple[int, bytes] | None]] = []
        self._alarm: dict[int, int] = {}
        self._away: dict[tuple[int, int], bool] = {}
        self._first: dict[int, tuple[int, int]] = {}
        self.frames: Counter[str] = Counter()
        self._tellings: list[Telling] = []
        self._ended: list[int] = []

    def happen(self, node: int, event: Event, now: int) -> None:
        """One event at one node, and what it wants done."""
        if node not in self._nodes:
            friends = np.sort(self._contacts.gather(np.asarray([node]))[1])
            self._friends[node] = friends
            known = tuple(int(degree) for degree in self._contacts.degrees[friends])
            self._nodes[node] = NodeState(self._settings, tuple(range(len(friends))), contact_degrees=known)
        waited = _under_embargo(self._nodes[node])
        self._nodes[node], actions = step(self._nodes[node], event, now=now, bits=self._bits)
        if waited > _under_embargo(self._nodes[node]):
            self._ended.append(node)
        for action in actions:
            if isinstance(action, Send):
                self._carry(node, int(self._friends[node][action.link]), action.frame, now)
            elif isinstance(action, WakeAt):
                self._wake(node, action.at)
            elif isinstance(event, Received) and isinstance(action, Show):
                self._first[node] = (now, int(self._friends[node][event.link]))

    def run(self, until: int) -> None:
        """Everything that happens up to a moment."""
        while self._queue and self._queue[0][0] <= until:
            now, _, node, arrival = heapq.heappop(self._queue)
            if arrival is None:
                if self._alarm.get(node) == now:
                    del self._alarm[node]
                    self.happen(node, Wake(), now)
            elif not self._is_away(node, now):
                link, data = arrival
                frame = codec.read(data)
                if not isinstance(frame, Cover | Note):  # Friends are introduced to nobody in the laboratory.
                    self.happen(node, Received(link, frame), now)

    def _carry(self, source: int, target: int, frame: Frame, now: int) -> None:
        self.frames["ack" if isinstance(frame, Ack) else frame.kind.name.lower()] += 1
        if isinstance(frame, Copy):
            self._tellings.append(Telling(now, source, frame.age))
        weather = self._weather
        data = codec.write(frame)
        for _ in range(2 if weather.repeat and self._chance.random() < weather.repeat else 1):
            if weather.loss and self._chance.random() < weather.loss:
                continue
            delay = int(self._chance.integers(weather.fastest, weather.slowest + 1))
            link = int(np.searchsorted(self._friends_of(target), source))
            # The random number puts frames of one moment in random order.
            heapq.heappush(self._queue, (now + delay, self._chance.random(), target, (link, data)))

    def _friends_of(self, node: int) -> Nodes:
        if node not in self._friends:
            self._friends[node] = np.sort(self._contacts.gather(np.asarray([node]))[1])
        return self._friends[node]

    def _wake(self, node: int, at: int) -> None:
        if self._alarm.get(node) != at:
            self._alarm[node] = at
            heapq.heappush(self._queue, (at, self._chance.random(), node, None))

    def _is_away(self, node: int, now: int) -> bool:
        if self._weather.away == 0:
            return False
        key = (node, now // self._weather.stretch)
        if key not in self._away:
            self._away[key] = bool(self._chance.random() < self._weather.away)
        return self._away[key]

    def finish(self, author: int, steps: int) -> NetworkRun:
        time = np.full(self._contacts.count, -1, dtype=np.int32)
        parent = np.full(self._contacts.count, -1, dtype=np.int32)
        time[author] = 0
        for node, (moment, sender) in self._first.items():
            time[node], parent[node] = moment // self._settings.step_ticks, sender
        holders = tuple(
            node for node, state in self._nodes.items() if any(held.has_token for held in state.held.values())
        )
        spread = Spread(author, steps, time, parent, holders[:1])
        return NetworkRun(spread, self.frames, holders, self._nodes, tuple(self._tellings), tuple(self._ended))


def _under_embargo(state: NodeState) -> int:
    return sum(alarm.what == "embargo" for alarm in state.alarms)
