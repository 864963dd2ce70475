"""One step of a node: a pure function of its state, what happened, the moment, and random bits.

Frames are answered, repeated until they are answered, and counted once however often they come. The rules of a protocol
decide what is told to whom, and see none of that.
"""

from bisect import bisect_right, insort
from collections import Counter
from dataclasses import replace

from banister.sampling.bits import BitSource
from banister.sampling.whole import uniform_below
from banister.spread.node.ages import dated, end_of_embargo, end_of_life, outlived, posted_at, step_of
from banister.spread.node.messages import (
    Ack,
    Action,
    Asked,
    Away,
    Back,
    Copy,
    Event,
    FrameKind,
    Link,
    MessageId,
    Post,
    Received,
    Removed,
    Send,
    Show,
    Tick,
    Token,
    Wake,
    WakeAt,
    Wave,
)
from banister.spread.node.own import is_alone, leaf_from, moved, place_of
from banister.spread.node.quotas import admitted, charged, in_use, noted, raised, without
from banister.spread.node.state import OLDEST, Alarm, Held, NodeState, Waiting, fewer, is_possible

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
    elif isinstance(event, Wake):
        desk.wake()
    elif isinstance(event, Away):
        desk.away(event.link)
    elif isinstance(event, Back):
        desk.back(event.link)
    elif isinstance(event, Removed):
        desk.remove(event.link)
    else:
        desk.approve(event.id)
    return desk.finish()


class Desk:
    """A node's state while one event is worked on."""

    def __init__(self, state: NodeState, now: Tick, bits: BitSource) -> None:
        self.settings, self.now, self.bits = state.settings, now, bits
        self._everybody, self._away = state.contacts, state.away
        self.contacts = (
            tuple(link for link in state.contacts if link not in state.away) if state.away else state.contacts
        )
        """Those who can be reached."""
        self.held = dict(state.held)
        self._waiting = dict(state.waiting)
        self._alarms = list(state.alarms)
        self._forgotten = state.forgotten
        self.contact_degrees = state.contact_degrees
        self._secret, self._epoch = state.secret, state.epoch
        self._taken, self._approved = state.taken, state.approved
        self._offered = state.offered
        self._actions: list[Action] = []
        if self.settings.epoch and now // self.settings.epoch > self._epoch:
            self._epoch = now // self.settings.epoch
            self._taken = in_use(self.settings, self._taken, now=now)
            self._secret = bits.take(256).to_bytes(32, "big")

    # What the rules may do.

    def ask(self, link: Link, frame: Asked) -> None:
        """Send a frame, and again until it is answered."""
        settings = self.settings
        self._wait(Waiting(link, self._send(link, frame), self.now + settings.retry, settings.tries))

    def _wait(self, waiting: Waiting) -> None:
        frame = waiting.frame
        key = waiting.link, frame.id, frame.kind, frame.number
        self._waiting.pop(key, None)  # It stands last again: the order is that of time.
        self._waiting[key] = waiting

    def _send(self, link: Link, frame: Asked) -> Asked:
        if isinstance(frame, Copy) and self.settings.embargo:
            frame = dated(self.settings, self.held[frame.id], frame, now=self.now, bits=self.bits)
        self._actions.append(Send(link, frame))
        return frame

    def remind(self, held: Held, what: str, steps: int) -> None:
        """Call the rules after so many steps."""
        insort(self._alarms, Alarm(self.now + steps * step_of(self.settings, held), held.id, what))

    def remind_at(self, held: Held, what: str, age: int) -> None:
        """Call the rules when the message is so many steps old, by the clock that is common to all who hold it: so
        steps stay steps for a whole crowd, however many ticks its frames took. At the next tick where that is past."""
        at = posted_at(self.settings, held) + age * step_of(self.settings, held)
        insort(self._alarms, Alarm(max(at, self.now + 1), held.id, what))

    def remind_after(self, held: Held, what: str, ticks: Tick) -> None:
        """Call the rules after so many ticks."""
        insort(self._alarms, Alarm(self.now + ticks, held.id, what))

    def age_of(self, held: Held) -> int:
        """Steps since the post: those that the copy told, and those counted here since, as far as a frame can tell."""
        passed = max(self.now - posted_at(self.settings, held), 0)
        return min(passed // step_of(self.settings, held), OLDEST)

    def keep(self, held: Held) -> None:
        """Remember the message as it is now."""
        self.held[held.id] = held

    def pick(self, links: tuple[Link, ...]) -> Link:
        """One of the links, all equally likely."""
        return links[uniform_below(len(links), self.bits)]

    def choose(self, held: Held, links: tuple[Link, ...]) -> Link:
        """One of the links for a message: drawn, or in an epoch of fixed choices the first in the order that belongs to
        the link over which it came. Without the epoch's secret all orders are equally likely."""
        if not self.settings.epoch:
            return self.pick(links)
        return min(links, key=lambda link: place_of(self._secret, held.parent, link))

    def settle_as_leaf(self, held: Held, link: Link) -> Held:
        """Turn the author's copy, once a contact has it, into that of a leaf which got it from there just now: its
        place among the others, its moments and the contact's account are those of a copy that came."""
        room = len(self._everybody) == 1 or admitted(self.settings, self._taken, self._approved, link, self.now)
        leaf = leaf_from(self.settings, held, link, room=room, now=self.now, bits=self.bits)
        if leaf is None:
            return held
        self._alarms = moved(self._alarms, self.settings, held, leaf, now=self.now)
        del self.held[held.id]
        self.keep(leaf)
        if room:
            self._charge(link, held.body)
        return leaf

    def _begin_again(self, held: Held) -> None:
        """One's own post that nobody has: as if it was written now. Told at its old age, by who alone has it, it would
        name its author to everybody."""
        del self.held[held.id]
        self._alarms = [alarm for alarm in self._alarms if alarm.id != held.id]
        self.post(Post(held.id, held.body))

    # Events.

    def post(self, event: Post) -> None:
        if event.id not in self.held and event.id not in self._forgotten:
            self._store(Held(event.id, event.body, None, self.now))
            self.settings.rules.posted(self, self.held[event.id])

    def receive(self, event: Received) -> None:
        frame = event.frame
        if event.link not in self._everybody:
            return
        if isinstance(frame, Ack):
            self._answered(event.link, frame)
            return
        fresh = self._take(event.link, frame)
        if fresh is not None:
            self._actions.append(Send(event.link, Ack(frame.id, frame.kind, frame.number, fresh)))

    def _take(self, link: Link, frame: Asked) -> bool | None:
        """What is answered; nothing to who may bring more only later."""
        held = self.held.get(frame.id)
        if not is_possible(self.settings, frame):
            return False
        if isinstance(frame, Copy):
            if held is not None and link not in held.tree_links:
                if link not in held.known:
                    self.keep(held := replace(held, known=(*held.known, link)))
                self._no_longer_asked(held, link)
                self.settings.rules.repeated(self, self.held[frame.id], frame)
            if held is not None or frame.id in self._forgotten:
                return held is not None and held.parent == link  # A repeated copy gets the answer of the first.
            if admitted(self.settings, self._taken, self._approved, link, self.now):
                self._charge(link, frame.body)
            elif self._offered.get(frame.id, link) == link:
                self._offered = noted(self.settings, self._offered, frame.id, link)
                return None
            dated = Held(frame.id, frame.body, link, self.now, frame.climbing, frame.level, frame.age, frame.part)
            first = self._offered.get(frame.id, link)
            self._store(dated if first == link else replace(dated, known=(first,)))
            self._offered = without(self._offered, frame.id)
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

    def _no_longer_asked(self, held: Held, link: Link) -> None:
        """A contact that brought it needs not be told: its copy is the answer to ours."""
        waiting = self._waiting.pop((link, held.id, FrameKind.COPY, 0), None)
        if waiting is not None:
            self._settle(held, link, waiting.frame, False, answered=True)

    def _charge(self, link: Link, body: bytes) -> None:
        if self.settings.quota:
            both = charged(self.settings, self._taken, self._approved, link, body, self.now)
            self._taken, self._approved = both

    def _answered(self, link: Link, ack: Ack) -> None:
        waiting = self._waiting.pop((link, ack.id, ack.kind, ack.number), None)
        held = self.held.get(ack.id)
        if waiting is not None and held is not None:
            self._settle(held, link, waiting.frame, ack.fresh, answered=True)

    def _settle(self, held: Held, link: Link, frame: Asked, fresh: bool, *, answered: bool) -> None:
        rules = self.settings.rules
        if frame.kind is FrameKind.COPY:
            asked = tuple(other for other in held.asked if other != link)
            children = (*held.children, link) if fresh and link not in held.tree_links else held.children
            knows = answered and not fresh and link not in held.tree_links and link not in held.known
            known = (*held.known, link) if knows else held.known
            self.keep(replace(held, asked=asked, children=children, known=known))
            rules.copy_answered(self, self.held[held.id], link, frame, fresh)
        elif isinstance(frame, Token):
            rules.token_answered(self, held, link, fresh)

    def wake(self) -> None:
        """Everything that is due: alarms of the rules, frames to repeat, messages to forget."""
        count = bisect_right(self._alarms, Alarm(self.now + 1, b"", ""))
        due, self._alarms = self._alarms[:count], self._alarms[count:]
        for alarm in due:
            held = self.held.get(alarm.id)
            if held is None or held.since == self.now:  # Forgotten, or begun again a moment ago.
                continue
            if alarm.what == "forget":
                self._forget(held.id)
            elif self.settings.rules.begins_again and is_alone(held) and self.age_of(held) > 1:
                if self.contacts:
                    self._begin_again(held)
            elif alarm.what == "embargo":
                self.tell_all(held)
            else:
                self.settings.rules.alarm(self, held, alarm.what)
        late = []
        for waiting in self._waiting.values():
            if waiting.again_at > self.now:
                break
            late.append(waiting)
        for waiting in late:
            self._repeat(waiting)

    def _repeat(self, waiting: Waiting) -> None:
        frame = waiting.frame
        # What was settled before may have answered for it, or asked anew.
        if self._waiting.get((waiting.link, frame.id, frame.kind, frame.number)) is not waiting:
            return
        del self._waiting[waiting.link, frame.id, frame.kind, frame.number]
        held = self.held.get(frame.id)
        if held is None:
            return
        if waiting.left > 1:
            again = self.now + self.settings.retry
            self._wait(Waiting(waiting.link, self._send(waiting.link, frame), again, waiting.left - 1))
        else:  # The contact is gone; a token that may or may not have arrived is never handed out twice.
            self._settle(held, waiting.link, frame, False, answered=False)

    def away(self, link: Link) -> None:
        """Whatever waits for the contact is taken for unanswered, and somebody else is asked instead."""
        if link not in self._everybody or link in self._away:
            return
        self._away |= {link}
        self.contacts = tuple(other for other in self.contacts if other != link)
        for waiting in [waiting for waiting in self._waiting.values() if waiting.link == link]:
            self._waiting.pop((link, waiting.frame.id, waiting.frame.kind, waiting.frame.number), None)
            held = self.held.get(waiting.frame.id)
            if held is not None:
                self._settle(held, link, waiting.frame, False, answered=False)

    def back(self, link: Link) -> None:
        """A new contact, or one that was away: it is offered whatever is told to everybody by now."""
        if link not in self._everybody:
            self._everybody = (*self._everybody, link)
        self._away -= {link}
        self.contacts = tuple(other for other in self._everybody if other not in self._away)
        waits = {alarm.id for alarm in self._alarms if alarm.what == "tell"}
        for held in list(self.held.values()):
            known = link in held.tree_links or link in held.known or link in held.asked
            if self.settings.rules.begins_again and is_alone(held):
                if held.id not in waits:
                    self._begin_again(held)
            elif outlived(self.settings, held, now=self.now):
                continue
            elif not known and self.settings.rules.tells_everybody(self, held):
                self.keep(replace(held, asked=(*held.asked, link)))
                self.ask(link, Copy(held.id, held.body))

    def remove(self, link: Link) -> None:
        """Nothing waits for a contact that is none any more, and no message remembers it but as the one it came by."""
        self._everybody = tuple(other for other in self._everybody if other != link)
        self.contacts = tuple(other for other in self.contacts if other != link)
        self._away -= {link}
        self._waiting = {key: waiting for key, waiting in self._waiting.items() if key[0] != link}
        for held in list(self.held.values()):
            rest = [_without(link, links) for links in (held.children, held.asked, held.untried, held.known)]
            self.keep(replace(held, children=rest[0], asked=rest[1], untried=rest[2], known=rest[3]))
        self._offered = {name: other for name, other in self._offered.items() if other != link}
        self._taken = {other: count for other, count in self._taken.items() if other != link}
        self._approved = {other: count for other, count in self._approved.items() if other != link}

    def approve(self, name: MessageId) -> None:
        held = self.held.get(name)
        if held is not None and held.parent is not None:
            self._approved = raised(self._approved, held.parent)

    def tell_all(self, held: Held) -> None:
        """Give the message to every contact that is not known to have it."""
        having = {*held.tree_links, *held.asked, *held.known}
        rest = tuple(link for link in self.contacts if link not in having)
        self.keep(replace(held, asked=held.asked + rest, untried=(), quota=len(rest)))
        for link in rest:
            self.ask(link, Copy(held.id, held.body))

    def _store(self, held: Held) -> None:
        settings = self.settings
        while len(self.held) >= settings.memory:
            self._forget(self._given_up_for(held.parent))
        self.keep(held)
        insort(self._alarms, Alarm(end_of_life(settings, held), held.id, "forget"))
        if settings.embargo:
            insort(
                self._alarms, Alarm(end_of_embargo(settings, held, now=self.now, bits=self.bits), held.id, "embargo")
            )

    def _given_up_for(self, link: Link | None) -> MessageId:
        """The oldest of those that the link brought if it has its share, else of those of the link that has most."""
        brought = Counter([held.parent for held in self.held.values()])
        share = max(self.settings.memory // (len(self._everybody) + 1), 1)
        whose = link if brought[link] >= share else max(brought, key=lambda other: brought[other])
        return next(held.id for held in self.held.values() if held.parent == whose)

    def _forget(self, name: MessageId) -> None:
        parent = self.held.pop(name).parent
        if self._waiting:
            self._waiting = {key: waiting for key, waiting in self._waiting.items() if key[1] != name}
        self._alarms = [alarm for alarm in self._alarms if alarm[1] != name]
        self._forgotten = {**self._forgotten, name: parent}
        if len(self._forgotten) > _FORGOTTEN * self.settings.memory:
            self._forgotten = fewer(self._forgotten)

    def finish(self) -> tuple[NodeState, tuple[Action, ...]]:
        moments = [self._alarms[0].at] if self._alarms else []
        moments += [next(iter(self._waiting.values())).again_at] if self._waiting else []
        actions = (*self._actions, WakeAt(min(moments))) if moments else tuple(self._actions)
        state = NodeState(
            self.settings,
            self._everybody,
            self.held,
            self._waiting,
            tuple(self._alarms),
            self._forgotten,
            self.contact_degrees,
            self._away,
            self._secret,
            self._epoch,
            self._taken,
            self._approved,
            self._offered,
        )
        return state, actions


def _without(link: Link, links: tuple[Link, ...]) -> tuple[Link, ...]:
    return tuple(other for other in links if other != link)
