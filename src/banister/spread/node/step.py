"""One step of a node: a pure function of its state, what happened, the moment, and random bits.

Frames are answered, repeated until they are answered, and counted once however often they come. The rules of a protocol
decide what is told to whom, and see none of that.
"""

from dataclasses import replace

from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below
from banister.spread.node.messages import (
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
from banister.spread.node.state import Alarm, Held, NodeState, Waiting


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
        self._forgotten = state.forgotten
        self.contact_degrees = state.contact_degrees
        self._actions: list[Action] = []

    # What the rules may do.

    def ask(self, link: Link, frame: Asked) -> None:
        """Send a frame, and again until it is answered."""
        settings = self.settings
        self._actions.append(Send(link, frame))
        self._waiting.append(Waiting(link, frame, self.now + settings.retry, settings.tries))

    def remind(self, held: Held, what: str, steps: int) -> None:
        """Call the rules after so many steps."""
        self._alarms.append(Alarm(self.now + steps * self.settings.step_ticks, held.id, what))

    def age_of(self, held: Held) -> int:
        """Steps since the post: those that the copy told, and those counted here since."""
        return held.age + (self.now - held.since) // self.settings.step_ticks

    def keep(self, held: Held) -> None:
        """Remember the message as it is now."""
        self.held[held.id] = held

    def pick(self, links: tuple[Link, ...]) -> Link:
        """One of the links, all equally likely."""
        return links[uniform_below(len(links), self.bits)]

    # Events.

    def post(self, event: Post) -> None:
        if event.id not in self.held and event.id not in self._forgotten:
            self._store(Held(event.id, event.body, None, self.now))
            self.settings.rules.posted(self, self.held[event.id])

    def receive(self, event: Received) -> None:
        frame = event.frame
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
            if held is not None or frame.id in self._forgotten:
                return held is not None and held.parent == link  # A repeated copy gets the answer of the first.
            self._store(Held(frame.id, frame.body, link, self.now, frame.climbing, frame.level, frame.age))
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
            return 0 <= frame.level <= horizon + 1
        if isinstance(frame, Token):
            return 0 <= frame.hops <= frame.time // 2 and frame.time <= horizon
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
            self._actions.append(Send(waiting.link, waiting.frame))
            again = self.now + self.settings.retry
            self._waiting.append(Waiting(waiting.link, waiting.frame, again, waiting.left - 1))
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
            self._forget(min(self.held.values(), key=lambda other: other.since).id)
        self.keep(held)
        self.remind(held, "forget", settings.lifetime)
        if settings.embargo:
            ticks = uniform_below(settings.embargo * settings.step_ticks, self.bits)
            at = self.now + settings.horizon * settings.step_ticks + 1 + ticks
            self._alarms.append(Alarm(at, held.id, "embargo"))

    def _forget(self, name: MessageId) -> None:
        del self.held[name]
        self._waiting = [waiting for waiting in self._waiting if waiting.frame.id != name]
        self._alarms = [alarm for alarm in self._alarms if alarm.id != name]
        self._forgotten = (*self._forgotten, name)[-4 * self.settings.memory :]

    def finish(self) -> tuple[NodeState, tuple[Action, ...]]:
        moments = [alarm.at for alarm in self._alarms] + [waiting.again_at for waiting in self._waiting]
        actions = (*self._actions, WakeAt(min(moments))) if moments else tuple(self._actions)
        state = NodeState(
            self.settings,
            self.contacts,
            self.held,
            tuple(self._waiting),
            tuple(self._alarms),
            self._forgotten,
            self.contact_degrees,
        )
        return state, actions


__all__ = ["Desk", "NodeState", "Wake", "step"]
