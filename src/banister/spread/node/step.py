"""One step of a node: a pure function of its state, what happened, the moment, and random bits.

Frames are answered, repeated until they are answered, and counted once however often they come. The rules of a protocol
decide what is told to whom, and see none of that.
"""

from collections import Counter
from dataclasses import replace

from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below
from banister.spread.node.messages import (
    PARTS,
    Ack,
    Action,
    Asked,
    Copy,
    Event,
    FrameKind,
    Link,
    MessageId,
    Post,
    Received,
    Send,
    Show,
    Tick,
    Token,
    Wake,
    WakeAt,
    Wave,
)
from banister.spread.node.state import OLDEST, Alarm, Forgotten, Held, NodeState, Waiting

_FORGOTTEN = 4
"""So many times as many messages as are kept are remembered by name when they are forgotten."""


def step(state: NodeState, event: Event, *, now: Tick, bits: BitSource) -> tuple[NodeState, tuple[Action, ...]]:
    """What the node becomes and wants done.

    >>> from banister.sampling.bits import SYSTEM
    >>> from banister.spread.node.rules import TreeRules
    >>> from banister.spread.node.state import Settings
    >>> node = NodeState(Settings(rules=TreeRules()), contacts=(0, 1))
    >>> step(node, Post(b"id", b"hello"), now=0, bits=SYSTEM)[1]
    (WakeAt(at=1000),)
    """
    desk = Desk(state, now, bits)
    if isinstance(event, Post):
        desk.post(event)
    elif isinstance(event, Received):
        desk.receive(event)
    else:
        desk.wake()
    return desk.finish()


class Desk:
    """A node's state while one event is worked on."""

    def __init__(self, state: NodeState, now: Tick, bits: BitSource) -> None:
        self.settings, self.contacts, self.now, self.bits = state.settings, state.contacts, now, bits
        self.held = dict(state.held)
        self._waiting = list(state.waiting)
        self._alarms = list(state.alarms)
        self._forgotten = list(state.forgotten)
        self.contact_degrees = state.contact_degrees
        self._actions: list[Action] = []

    # What the rules may do.

    def ask(self, link: Link, frame: Asked) -> None:
        """Send a frame, and again until it is answered."""
        settings, frame = self.settings, self._dated(frame)
        self._actions.append(Send(link, frame))
        self._waiting.append(Waiting(link, frame, self.now + settings.retry, settings.tries))

    def _dated(self, frame: Asked) -> Asked:
        """Where there is an embargo every copy tells its age, at the moment it is sent, so that all timers start at one
        age of the post. Where there is none, rules that need no age tell none."""
        if not isinstance(frame, Copy) or not self.settings.embargo:
            return frame
        step = self.settings.step_ticks
        parts, rest = divmod(max(self.now - self._posted_at(self.held[frame.id]), 0) * PARTS, step)
        parts += uniform_below(step, self.bits) < rest
        age, part = divmod(min(parts, OLDEST * PARTS + PARTS - 1), PARTS)
        return replace(frame, age=age, part=part)

    def remind(self, held: Held, what: str, steps: int) -> None:
        """Call the rules after so many steps."""
        self._alarms.append(Alarm(self.now + steps * self.settings.step_ticks, held.id, what))

    def age_of(self, held: Held) -> int:
        """Steps since the post: those that the copy told, and those counted here since, as far as a frame can tell."""
        return min(max(self.now - self._posted_at(held), 0) // self.settings.step_ticks, OLDEST)

    def _posted_at(self, held: Held) -> Tick:
        """When it was posted, by the clock here and by what the copy told."""
        return held.since - (held.age * PARTS + held.part) * self.settings.step_ticks // PARTS

    def keep(self, held: Held) -> None:
        """Remember the message as it is now."""
        self.held[held.id] = held

    def pick(self, links: tuple[Link, ...]) -> Link:
        """One of the links, all equally likely."""
        return links[uniform_below(len(links), self.bits)]

    # Events.

    def post(self, event: Post) -> None:
        if event.id not in self.held and not self._is_forgotten(event.id):
            self._store(Held(event.id, event.body, None, self.now))
            self.settings.rules.posted(self, self.held[event.id])

    def receive(self, event: Received) -> None:
        frame = event.frame
        if event.link not in self.contacts:
            return
        if isinstance(frame, Ack):
            self._answered(event.link, frame)
            return
        fresh = self._take(event.link, frame)
        self._actions.append(Send(event.link, Ack(frame.id, frame.kind, frame.number, fresh)))

    def _take(self, link: Link, frame: Asked) -> bool:
        held = self.held.get(frame.id)
        if not self._is_possible(frame):
            return False
        if isinstance(frame, Copy):
            if held is not None and held.parent != link:
                self.settings.rules.repeated(self, held, frame)
            if held is not None or self._is_forgotten(frame.id):
                return held is not None and held.parent == link  # A repeated copy gets the answer of the first.
            dated = Held(frame.id, frame.body, link, self.now, frame.climbing, frame.level, frame.age, frame.part)
            self._store(dated)
            self._actions.append(Show(frame.id))
            self.settings.rules.arrived(self, self.held[frame.id])
            return True
        if held is None or link not in held.tree_links:
            return False
        if isinstance(frame, Token):
            seen = held.has_token or frame.time < held.time or (held.time > 0 and frame.time == held.time)
            if not seen:
                self.settings.rules.token_came(self, held, link, frame)
        elif isinstance(frame, Wave) and not held.waves >> frame.number & 1:
            self.keep(replace(held, waves=held.waves | 1 << frame.number))
            self.settings.rules.wave_came(self, self.held[frame.id], link, frame)
        return True

    def _is_possible(self, frame: Asked) -> bool:
        """Counters that an honest node can have reached; others would cost memory, or tell far too many."""
        horizon = self.settings.horizon
        if isinstance(frame, Copy):
            return 0 <= frame.level <= horizon + 1 and 0 <= frame.part < PARTS
        if isinstance(frame, Token):
            even = frame.time >= 0 and frame.time % 2 == 0  # Tokens are handed on at even times only.
            return even and 0 <= frame.hops <= frame.time // 2 and frame.time <= horizon
        return 0 <= frame.number <= horizon + 2

    def _answered(self, link: Link, ack: Ack) -> None:
        for place, waiting in enumerate(self._waiting):
            frame = waiting.frame
            if (waiting.link, frame.id, frame.kind, frame.number) == (link, ack.id, ack.kind, ack.number):
                del self._waiting[place]
                held = self.held.get(ack.id)
                if held is not None:
                    self._settle(held, link, frame, ack.fresh)
                return

    def _settle(self, held: Held, link: Link, frame: Asked, fresh: bool) -> None:
        rules = self.settings.rules
        if frame.kind is FrameKind.COPY:
            asked = tuple(other for other in held.asked if other != link)
            children = (*held.children, link) if fresh and link not in held.children else held.children
            self.keep(replace(held, asked=asked, children=children))
            rules.copy_answered(self, self.held[held.id], link, frame, fresh)
        elif isinstance(frame, Token):
            rules.token_answered(self, held, link, fresh)

    def wake(self) -> None:
        """Everything that is due: alarms of the rules, frames to repeat, messages to forget."""
        due = sorted((alarm for alarm in self._alarms if alarm.at <= self.now), key=lambda alarm: alarm.at)
        self._alarms = [alarm for alarm in self._alarms if alarm.at > self.now]
        for alarm in due:
            held = self.held.get(alarm.id)
            if held is None:
                continue
            if alarm.what == "forget":
                self._forget(held.id)
            elif alarm.what == "embargo":
                self.tell_all(held)
            else:
                self.settings.rules.alarm(self, held, alarm.what)
        late = [waiting for waiting in self._waiting if waiting.again_at <= self.now]
        self._waiting = [waiting for waiting in self._waiting if waiting.again_at > self.now]
        for waiting in late:
            self._repeat(waiting)

    def _repeat(self, waiting: Waiting) -> None:
        held = self.held.get(waiting.frame.id)
        if held is None:
            return
        if waiting.left > 1:
            frame = self._dated(waiting.frame)
            self._actions.append(Send(waiting.link, frame))
            again = self.now + self.settings.retry
            self._waiting.append(Waiting(waiting.link, frame, again, waiting.left - 1))
        else:  # The contact is gone; a token that may or may not have arrived is never handed out twice.
            self._settle(held, waiting.link, waiting.frame, False)

    def tell_all(self, held: Held) -> None:
        """Give the message to every contact that is not known to have it."""
        rest = tuple(link for link in self.contacts if link not in held.tree_links and link not in held.asked)
        self.keep(replace(held, asked=held.asked + rest, untried=(), quota=len(rest)))
        for link in rest:
            self.ask(link, Copy(held.id, held.body))

    def _store(self, held: Held) -> None:
        settings = self.settings
        while len(self.held) >= settings.memory:
            self._forget(self._given_up_for(held.parent))
        self.keep(held)
        self.remind(held, "forget", settings.lifetime)
        if settings.embargo:
            self._alarms.append(Alarm(self._end_of_embargo(held), held.id, "embargo"))

    def _end_of_embargo(self, held: Held) -> Tick:
        """A random time after the horizon, counted from the post and not from the arrival, which is earliest at home.

        Frames take time, so the clocks of those farther away are a little late. A sum of three uniform numbers is
        seldom small: the first of many to end is hundreds of ticks after the horizon, where a few make no difference;
        with one uniform number it would be a few ticks after it, and those nearest to the author would be first.
        """
        settings = self.settings
        third = (settings.embargo * settings.step_ticks + 2) // 3
        ticks = sum(uniform_below(third, self.bits) for _ in range(3))
        return max(self._posted_at(held) + settings.horizon * settings.step_ticks + 1 + ticks, self.now + 1)

    def _given_up_for(self, link: Link | None) -> MessageId:
        """The oldest of those that the link brought if it has its share, else of those of the link that has most."""
        brought = Counter(held.parent for held in self.held.values())
        share = max(self.settings.memory // (len(self.contacts) + 1), 1)
        whose = link if brought[link] >= share else max(brought, key=lambda other: brought[other])
        return min((held for held in self.held.values() if held.parent == whose), key=lambda held: held.since).id

    def _is_forgotten(self, name: MessageId) -> bool:
        return any(gone.id == name for gone in self._forgotten)

    def _forget(self, name: MessageId) -> None:
        gone = Forgotten(name, self.held.pop(name).parent)
        self._waiting = [waiting for waiting in self._waiting if waiting.frame.id != name]
        self._alarms = [alarm for alarm in self._alarms if alarm.id != name]
        self._forgotten.append(gone)
        if len(self._forgotten) > _FORGOTTEN * self.settings.memory:
            counts = Counter(other.parent for other in self._forgotten)
            most = max(counts, key=lambda link: counts[link])
            del self._forgotten[next(k for k, other in enumerate(self._forgotten) if other.parent == most)]

    def finish(self) -> tuple[NodeState, tuple[Action, ...]]:
        moments = [alarm.at for alarm in self._alarms] + [waiting.again_at for waiting in self._waiting]
        actions = (*self._actions, WakeAt(min(moments))) if moments else tuple(self._actions)
        state = NodeState(
            self.settings,
            self.contacts,
            self.held,
            tuple(self._waiting),
            tuple(self._alarms),
            tuple(self._forgotten),
            self.contact_degrees,
        )
        return state, actions


__all__ = ["Desk", "NodeState", "Wake", "step"]
