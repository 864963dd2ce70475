"""One node between its links: at every tick exactly one frame for each, whoever wrote what it carries.

The rules say what is to be told to whom (`step`); here it waits until its link's next tick. Nothing is read from a
clock and nothing is sent: moments, bits and frames are handed in, and frames are handed back. Answers go first, then
posts, then cover. The links over which short ones came take turns, and of each link's the newest goes next: where more
comes than a link can carry, a flood or a busy hour, whoever brings most delays her own, what is new still spreads at
its pace, and only what is behind already falls farther back. What was sent and not answered goes again at ticks that
have nothing else to carry. One's own post enters the same queue by the same road as those of others, in the turn of a
friend.
"""

import hashlib
from collections import deque
from collections.abc import Container
from dataclasses import dataclass, field

from banister.errors import BadFrame
from banister.sampling.bits import BitSource
from banister.spread.node import codec
from banister.spread.node.ages import dated
from banister.spread.node.messages import (
    Ack,
    Approved,
    Away,
    Back,
    Copy,
    Cover,
    Event,
    Frame,
    Link,
    MessageId,
    Note,
    Post,
    Received,
    Removed,
    Send,
    Show,
    Tick,
    Wake,
    WakeAt,
)
from banister.spread.node.own import turn_of
from banister.spread.node.pieces import AT_ONCE, Gathering, need_length, piece_of, pieces_of
from banister.spread.node.state import NodeState
from banister.spread.node.step import step

MOST_ANSWERS = 64
"""Answers that wait for one link; who asks faster than a link can answer is answered later, when it asks again."""
MOST_NOTES = 32
"""Notes that wait for one link, and that came and wait to be looked at; more are told again later."""
COVER = codec.write(Cover())


def name_of(body: bytes) -> MessageId:
    """A post's name is the hash of its body, which begins with a nonce: nobody can give it another.

    >>> name_of(b"hello").hex()[:16]
    '324dcf027dd4a30a'
    """
    return hashlib.blake2b(body, digest_size=32).digest()


@dataclass(slots=True)
class Turns:
    """Copies of one frame by the link over which they came: links take turns, and of each the newest goes next."""

    _waits: dict[Link | None, list[Copy]] = field(default_factory=dict)
    """The link whose turn is next stands first."""

    def __len__(self) -> int:
        return sum(map(len, self._waits.values()))

    def has(self, name: MessageId) -> bool:
        return any(copy.id == name for copies in self._waits.values() for copy in copies)

    def add(self, copy: Copy, came: Link | None) -> None:
        self._waits.setdefault(came, []).append(copy)

    def next(self) -> Copy:
        came = next(iter(self._waits))
        copies = self._waits.pop(came)
        copy = copies.pop()
        if copies:
            self._waits[came] = copies
        return copy

    def clear(self, held: Container[MessageId]) -> None:
        kept = {link: [copy for copy in copies if copy.id in held] for link, copies in self._waits.items()}
        self._waits = {link: copies for link, copies in kept.items() if copies}


@dataclass(slots=True)
class Sending:
    """A copy under way over a link, and how many of its pieces have gone."""

    copy: Copy
    gone: int = 0


@dataclass(slots=True)
class Outbox:
    """What waits for one link."""

    answers: deque[Ack] = field(default_factory=deque)
    others: deque[Frame] = field(default_factory=deque)
    notes: deque[Note] = field(default_factory=deque)
    short: Turns = field(default_factory=Turns)
    """Copies of one frame that were not sent yet."""
    again: Turns = field(default_factory=Turns)
    """Those that were, and had no answer; they go when nothing else does."""
    sent: set[MessageId] = field(default_factory=set)
    long: deque[Sending] = field(default_factory=deque)
    """Copies in pieces, which take turns, as many at once as the other end keeps apart."""
    longs_turn: bool = False

    def has(self, name: MessageId) -> bool:
        short = self.short.has(name) or self.again.has(name)
        return short or any(sending.copy.id == name for sending in self.long)

    def __len__(self) -> int:
        return len(self.short) + len(self.again) + len(self.long)

    def add(self, copy: Copy, came: Link | None = None) -> None:
        """A copy of what came over a link."""
        if pieces_of(copy.body) > 1:
            self.long.append(Sending(copy))
        elif copy.id in self.sent:
            self.again.add(copy, came)
        else:
            self.short.add(copy, came)

    def clear(self, held: Container[MessageId]) -> None:
        """Without what was forgotten while it waited."""
        self.short.clear(held)
        self.again.clear(held)
        self.sent = {name for name in self.sent if name in held}
        self.long = deque(sending for sending in self.long if sending.copy.id in held)

    def next_copy(self) -> Copy | None:
        """A copy, or the next piece of one; short and long ones by turns where both wait."""
        if self.short and not (self.long and self.longs_turn):
            self.longs_turn = True
            copy = self.short.next()
            self.sent.add(copy.id)
            return copy
        if not self.long:
            return self.again.next() if self.again else None
        self.longs_turn = False
        sending = self.long.popleft()
        sending.gone += 1
        if sending.gone < pieces_of(sending.copy.body):
            self.long.insert(AT_ONCE - 1, sending)
        return piece_of(sending.copy, sending.gone - 1)


class Exchange:
    """The state of a node, and what waits for its links. After a restart the state alone is enough: what was not
    answered is sent again.

    >>> from banister.sampling.bits import SYSTEM
    >>> from banister.spread.node.wildfire import wildfire_settings
    >>> node = Exchange(NodeState(wildfire_settings(tick_seconds=5), contacts=(1, 2, 3)), SYSTEM)
    >>> name = node.post(b"hello", now=0)
    >>> {link: len(data) for link, data in node.tick(now=1).items()}
    {1: 1024, 2: 1024, 3: 1024}
    """

    def __init__(self, state: NodeState, bits: BitSource) -> None:
        self.state = state
        self.shown: list[MessageId] = []
        """Posts that are new here, one's own too; whoever shows them empties it."""
        self.notes: list[tuple[Link, Note]] = []
        """What friends told this node alone; whoever looks at it empties it."""
        self._bits = bits
        self._outboxes: dict[Link, Outbox] = {}
        self._gathering: dict[Link, Gathering] = {}
        moments = [alarm.at for alarm in state.alarms[:1]]
        moments += [waiting.again_at for waiting in list(state.waiting.values())[:1]]
        self._wake_at: Tick | None = min(moments) if moments else None

    def post(self, body: bytes, *, now: Tick) -> MessageId:
        """The person here writes; the name of the post."""
        name = name_of(need_length(body))
        if name not in self.state.held:
            self._happen(Post(name, body), now)
            self.shown.append(name)
        return name

    def approve(self, name: MessageId, *, now: Tick) -> None:
        self._happen(Approved(name), now)

    def away(self, link: Link, *, now: Tick) -> None:
        """A link is down: nothing waits for it, and pieces that came over it are given up."""
        self._outboxes.pop(link, None)
        self._gathering.pop(link, None)
        self._happen(Away(link), now)

    def back(self, link: Link, *, now: Tick) -> None:
        """A link is up."""
        self._happen(Back(link), now)

    def remove(self, link: Link, *, now: Tick) -> None:
        self.away(link, now=now)
        self._happen(Removed(link), now)

    def tell(self, link: Link, note: Note) -> None:
        """Tell one friend something, when her link has a tick for it; lost with the link, and then to be told anew."""
        if link in self.state.contacts and link not in self.state.away:
            box = self._outboxes.setdefault(link, Outbox())
            if len(box.notes) < MOST_NOTES and note not in box.notes:
                box.notes.append(note)

    def received(self, link: Link, data: bytes, *, now: Tick) -> bool:
        """One frame came over a link; whether it was one that an honest node can send."""
        if data == COVER:
            return True
        try:
            frame = codec.read(data)
        except BadFrame:
            return False
        if isinstance(frame, Cover) or link not in self.state.contacts:
            return True
        if isinstance(frame, Note):
            if sum(known == link for known, _ in self.notes) < MOST_NOTES:
                self.notes.append((link, frame))
            return True
        if isinstance(frame, Copy):
            whole = self._gathering.setdefault(link, Gathering()).add(frame)
            if whole is None:
                return True
            if name_of(whole.body) != whole.id:
                return False
            frame = whole
        self._happen(Received(link, frame), now)
        return True

    def tick(self, *, now: Tick) -> dict[Link, bytes]:
        """One frame for each link that is up."""
        if self._wake_at is not None and self._wake_at <= now:
            self._happen(Wake(), now)
        there = [link for link in self.state.contacts if link not in self.state.away]
        return {link: self._next(link, now) for link in there}

    def due(self, *, now: Tick) -> Tick | None:
        """When a tick will carry more than cover at the earliest, if nothing comes; None when none will."""
        if any(box.answers or box.others or box.notes or len(box) for box in self._outboxes.values()):
            return now + 1
        return self._wake_at

    def _next(self, link: Link, now: Tick) -> bytes:
        box = self._outboxes.get(link)
        if box is None:
            return COVER
        if box.answers:
            return codec.write(box.answers.popleft())
        if box.others:
            return codec.write(box.others.popleft())
        if box.notes:
            return codec.write(box.notes.popleft())
        while (copy := box.next_copy()) is not None:
            held = self.state.held.get(copy.id)
            # Else it was forgotten while it waited, or the other end has told that it is there.
            if held is not None and link not in held.known:
                return codec.write(dated(self.state.settings, held, copy, now=now, bits=self._bits))
        return COVER

    def _happen(self, event: Event, now: Tick) -> None:
        self.state, actions = step(self.state, event, now=now, bits=self._bits)
        self._wake_at = None
        for action in actions:
            if isinstance(action, WakeAt):
                self._wake_at = action.at
            elif isinstance(action, Show):
                self.shown.append(action.id)
            elif isinstance(action, Send):
                self._queue(action.link, action.frame)

    def _queue(self, link: Link, frame: Frame) -> None:
        box = self._outboxes.setdefault(link, Outbox())
        if isinstance(frame, Ack):
            if len(box.answers) < MOST_ANSWERS and frame not in box.answers:
                box.answers.append(frame)
        elif not isinstance(frame, Copy):
            box.others.append(frame)
        elif frame.id in self.state.held and not box.has(frame.id):
            if max(len(box), len(box.sent)) >= self.state.settings.memory:
                box.clear(self.state.held)
            box.add(frame, turn_of(self.state, self.state.held[frame.id]))
