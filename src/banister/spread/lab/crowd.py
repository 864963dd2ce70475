"""A crowd of the messenger's own nodes on a graph, tick by tick: its frames, its queues, its clocks, and its liars.

`lab.network` carries frames between state machines whenever they want; here each node is an `Exchange` as in the
messenger: one frame a tick and link, made ready half a tick before it goes, worked on at the next turn of the other
end. Only cover is left out, since it changes nothing. What each person's node heard is written down, as a spy would.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.sampling.simulation import Generator, SeededBits
from banister.spread.lab.graph import Contacts, Nodes
from banister.spread.lab.logs import Heard, spread_heard
from banister.spread.lab.trace import Spread
from banister.spread.node import codec
from banister.spread.node.exchange import COVER, Exchange
from banister.spread.node.messages import Ack, Copy, MessageId
from banister.spread.node.state import NodeState, Settings
from banister.spread.node.stored import read_state, write_rest

HALF = 0.5
"""Ticks from the moment at which frames are made ready to the one at which they go."""


class Deviation(Enum):
    """What a friend does who does not keep to the rules."""

    DROP = "drop"
    """Gives no copy on."""
    HOLD = "hold"
    """Gives every copy on three steps late."""
    FORGE = "forge"
    """Tells the largest counter, so that a copy falls as far as it can."""
    DENY = "deny"
    """Says of every copy that it was not new, so that others are asked as well."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Chances that a frame is lost with its connection and that a node is started anew at a turn; the share of people
    who are away; by how much clocks run fast or slow; the share of people who approve what they give on, and how long
    they take on average (steps, geometric); and the share of each kind of liar."""

    loss: float = 0.0
    restart: float = 0.0
    away: float = 0.0
    skew: float = 0.0
    approve: float = 1.0
    delay: float = 0.0
    deviation: Deviation | None = None
    deviating: float = 0.0

    def __post_init__(self) -> None:
        for name in ("loss", "restart", "away", "skew", "approve", "deviating"):
            need.between(name, getattr(self, name), 0, 1)
        need.non_negative("delay", self.delay)


class Crowd:
    """Nodes and frames under way. One unit of time is a tick of a clock that runs right."""

    def __init__(self, contacts: Contacts, settings: Settings, conditions: Conditions, chance: Generator) -> None:
        self._contacts, self._settings, self._how, self._chance = contacts, settings, conditions, chance
        self._bits = SeededBits(chance)
        self._nodes: dict[int, Exchange] = {}
        self._friends: dict[int, Nodes] = {}
        self._own: dict[int, tuple[float, float, float, float, float, float]] = {}
        self._inbox: dict[int, list[tuple[float, int, bytes]]] = defaultdict(list)
        self._turns: list[tuple[float, int]] = []
        self._next: dict[int, float] = {}
        self._approved: dict[tuple[int, MessageId], float] = {}
        self.heard: dict[int, list[Heard]] = defaultdict(list)
        self.copies = self.answers = 0
        self._authors: dict[MessageId, int] = {}

    def post(self, node: int, body: bytes, at: float = 0.0) -> MessageId:
        """Somebody writes."""
        exchange = self._node(node)
        name = exchange.post(body, now=self._clock(node, at))
        self._authors[name] = node
        self._due(node, at)
        return name

    def run(self, until: float) -> None:
        """Everything up to a moment."""
        while self._turns and self._turns[0][0] <= until:
            now, node = heapq.heappop(self._turns)
            if self._next.get(node) == now:
                del self._next[node]
                self._turn(node, now)

    def marks(self) -> NDArray[np.float64]:
        """A number for each node, uniform from 0 to 1: liars are those below the share of liars, spies those below the
        share of spies, so that with equal shares they are the same people."""
        made = self._chance.random(self._contacts.count)
        for node, own in self._own.items():
            made[node] = own[2]
        return made

    def is_away(self, node: int) -> bool:
        """Whether a person is not there at all."""
        return self._facts(node)[3] < self._how.away

    def _facts(self, node: int) -> tuple[float, float, float, float, float, float]:
        """What is drawn once for a node: when its ticks begin, how fast its clock runs, its mark, whether it is away,
        whether its person approves, and from where its clock counts."""
        if node not in self._own:
            drawn = self._chance.random(6)
            self._own[node] = tuple(float(x) for x in drawn)  # type: ignore[assignment]
        return self._own[node]

    def _rate(self, node: int) -> float:
        return 1 + self._how.skew * (2 * self._facts(node)[1] - 1)

    def _clock(self, node: int, at: float) -> int:
        """The node's own count of ticks at a moment; it began long ago."""
        return int(int(1000 * self._facts(node)[5]) + 100 + (at - self._facts(node)[0]) * self._rate(node) + 1e-6)

    def _turn_after(self, node: int, at: float) -> float:
        """When the node next works on what came, at `at` or later."""
        phase, rate = self._facts(node)[0], self._rate(node)
        return phase + math.ceil((at - phase) * rate - 1e-9) / rate

    def _friends_of(self, node: int) -> Nodes:
        if node not in self._friends:
            self._friends[node] = np.sort(self._contacts.gather(np.asarray([node]))[1])
        return self._friends[node]

    def _node(self, node: int) -> Exchange:
        if node not in self._nodes:
            friends = self._friends_of(node)
            gone = frozenset(k for k, other in enumerate(friends.tolist()) if self.is_away(other))
            state = NodeState(self._settings, tuple(range(len(friends))), away=gone)
            self._nodes[node] = Exchange(state, self._bits)
        return self._nodes[node]

    def _due(self, node: int, at: float) -> None:
        turn = self._turn_after(node, at)
        if turn < self._next.get(node, math.inf):
            self._next[node] = turn
            heapq.heappush(self._turns, (turn, node))

    def _turn(self, node: int, at: float) -> None:
        """Work on what came, and make ready what follows."""
        exchange, now = self._node(node), self._clock(node, at)
        waiting, self._inbox[node] = self._inbox[node], []
        for came, link, data in waiting:
            if came > at + 1e-6:
                self._inbox[node].append((came, link, data))
            else:
                self._hear(node, link, data, at)
                exchange.received(link, data, now=now)
        if self._how.restart and self._chance.random() < self._how.restart:
            exchange = self._nodes[node] = self._again(exchange, now)
        for link, data in exchange.tick(now=now).items():
            if data is not COVER:
                self._carry(node, link, data, at)
        if self._inbox[node]:
            self._due(node, min(came for came, _, _ in self._inbox[node]))
        due = exchange.due(now=now)
        if due is not None:
            self._due(node, at + max((due - now) / self._rate(node), 0.5))

    def _again(self, exchange: Exchange, now: int) -> Exchange:
        """The node as it is after a restart: what was on disk, and links that come up again."""
        before = exchange.state
        state = read_state(write_rest(before), self._settings, dict(before.held))
        fresh = Exchange(state, self._bits)
        for link in before.contacts:
            if link not in before.away:
                fresh.back(link, now=now)
        return fresh

    def _hear(self, node: int, link: int, data: bytes, at: float) -> None:
        frame = codec.read(data)
        if isinstance(frame, Copy) and frame.piece == frame.pieces - 1:
            sender = int(self._friends_of(node)[link])
            step = self._settings.step_ticks
            seen = Heard(frame.id, node, sender, at / step, frame.climbing, frame.level, frame.age)
            self.heard[node].append(seen)

    def _carry(self, source: int, link: int, data: bytes, at: float) -> None:
        how, target = self._how, int(self._friends_of(source)[link])
        frame = codec.read(data)
        self.copies += isinstance(frame, Copy)
        self.answers += isinstance(frame, Ack)
        if how.loss and self._chance.random() < how.loss:
            return
        arrives = at + HALF
        if how.deviation is not None and self._facts(source)[2] < how.deviating:
            if how.deviation is Deviation.DROP and isinstance(frame, Copy):
                return
            if how.deviation is Deviation.HOLD and isinstance(frame, Copy):
                arrives += 3 * self._settings.step_ticks
            elif how.deviation is Deviation.FORGE and isinstance(frame, Copy):
                data = codec.write(replace(frame, climbing=False, level=self._settings.horizon))
            elif how.deviation is Deviation.DENY and isinstance(frame, Ack):
                data = codec.write(replace(frame, fresh=False))
        if isinstance(frame, Copy) and (how.approve < 1 or how.delay):
            waits = self._approval(source, frame.id)
            if waits is None:
                return
            arrives += waits
        self._facts(target)
        self._inbox[target].append((arrives, int(np.searchsorted(self._friends_of(target), source)), data))
        self._due(target, arrives)

    def _approval(self, node: int, name: MessageId) -> float | None:
        """Ticks until the person there gives a message on, or None where she never does. Drawn once, for the author as
        for everybody: she approves her own, and takes as long over it."""
        if self.heard[node] and self._facts(node)[4] >= self._how.approve:
            return None
        key = (node, name)
        if key not in self._approved:
            steps = self._chance.geometric(1 / (1 + self._how.delay)) - 1
            self._approved[key] = float(steps * self._settings.step_ticks)
        return self._approved[key]

    def spread(self, author: int, name: MessageId, *, steps: int, begin: float = 0.0) -> Spread:
        """Who had a message after so many steps, since which, and from whom; and what everybody heard."""
        unit = self._settings.step_ticks
        return spread_heard(author, name, self.heard, self.marks(), steps=steps, begin=begin / unit)

    def _firsts(self, name: MessageId) -> Iterator[tuple[int, Heard]]:
        for node, seen in self.heard.items():
            mine = [each for each in seen if each.name == name]
            if mine:
                yield node, mine[0]

    def reach(self, name: MessageId, until: float) -> int:
        """How many have a message at a moment."""
        unit = self._settings.step_ticks
        return len({self._authors[name], *(node for node, first in self._firsts(name) if first.at * unit <= until)})
