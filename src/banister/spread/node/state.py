"""What a node remembers, bounded whatever is sent to it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from banister import need
from banister.errors import BadValue
from banister.spread.node.messages import PARTS, Asked, Copy, FrameKind, Link, MessageId, Tick, Token

if TYPE_CHECKING:
    from banister.spread.node.rules import Rules

OLDEST = 2**16 - 1
"""The largest age that a frame can tell; older messages are told as that old."""
DOUBLINGS = 2
"""How often approval doubles what a contact may bring in an epoch."""
FARTHEST = 2**15
"""The longest horizon: all counters that honest nodes reach up to it fit a frame."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a node behaves: its protocol, the length of a step in ticks, and its limits.

    An unanswered frame is sent again after `retry` ticks, `tries` times at most. `horizon` is the number of steps after
    which the protocol rests; a copy that is still here a random time after that (up to `embargo` steps, drawn when it
    came and counted from the post at every holder alike) is given to all contacts, so that a lost token delays a
    message and does not stop it. Every copy then tells its age. With `embargo` 0 neither happens. A message is
    forgotten `lifetime` steps after it came, and at most `memory` are kept. Each contact, and the person here, has an
    equal share of that memory: whatever one contact sends, messages that came from others within their share are
    neither given up nor, when they were forgotten, taken for new.

    With `epoch` above 0 the node's choices among contacts are fixed for so many ticks: they follow from a secret of
    that epoch and from the link over which a message came, for one's own as for others', so that the posts of an epoch
    take the same ways and are not averaged. With `quota` above 0 a contact may bring so many frames of new messages in
    an epoch, evenly and `burst` of them at once, and twice as many for each that was approved, up to `DOUBLINGS` times,
    while they go on being approved; the rest are not answered, and may come later (`quotas`).
    """

    rules: "Rules"
    step_ticks: Tick = 1000
    retry: Tick = 20
    tries: int = 40
    horizon: int = 20
    embargo: int = 0
    lifetime: int = 1000
    memory: int = 256
    epoch: Tick = 0
    quota: int = 0
    burst: int = 16

    def __post_init__(self) -> None:
        for name in ("step_ticks", "retry", "tries", "lifetime", "memory", "burst"):
            need.whole(name, getattr(self, name), least=1)
        need.whole("horizon", self.horizon, least=1, most=FARTHEST)
        for name in ("embargo", "epoch", "quota"):
            need.whole(name, getattr(self, name), least=0)
        if self.quota and not self.epoch:
            raise BadValue(f"quota = {self.quota} is for an epoch, and epoch is 0. Give its length in ticks.")


@dataclass(frozen=True, slots=True)
class Held:
    """One message at one node. Parent and children are links; the author's copy has no parent until somebody took it,
    and is from then on (under the tree's counter) a leaf's copy that came from there.

    `asked` are contacts with a copy on the way, `untried` those still to be asked, `quota` how many more may be told,
    `known` contacts outside the tree that are known to have it.
    """

    id: MessageId
    body: bytes
    parent: Link | None
    since: Tick
    climbing: bool = False
    level: int = 0
    age: int = 0
    """Steps since the post when it came, where they are counted."""
    part: int = 0
    """Sixteenths of a step beyond that."""
    children: tuple[Link, ...] = ()
    asked: tuple[Link, ...] = ()
    untried: tuple[Link, ...] = ()
    quota: int = 0
    waves: int = 0
    """One bit for each wave that has been through here."""
    has_token: bool = False
    came_from: Link | None = None
    time: int = 0
    hops: int = 0
    known: tuple[Link, ...] = ()

    @property
    def tree_links(self) -> tuple[Link, ...]:
        return self.children if self.parent is None else (self.parent, *self.children)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A frame without an answer yet."""

    link: Link
    frame: Asked
    again_at: Tick
    left: int


class Alarm(NamedTuple):
    """Something to be done for a message at a moment. Alarms are ordered by it."""

    at: Tick
    id: MessageId
    what: str


WaitingKey = tuple[Link, MessageId, FrameKind, int]


@dataclass(frozen=True, slots=True)
class NodeState:
    """Everything a node knows. A step shares with the state before it whatever did not change."""

    settings: Settings
    contacts: tuple[Link, ...]
    held: Mapping[MessageId, Held] = field(default_factory=dict)
    """In the order in which they came."""
    waiting: Mapping[WaitingKey, Waiting] = field(default_factory=dict)
    """Frames without an answer, in the order in which they are due again."""
    alarms: tuple[Alarm, ...] = ()
    """In the order of time."""
    forgotten: Mapping[MessageId, Link | None] = field(default_factory=dict)
    """Messages that were here and are not taken again, on the account of whoever brought them; the oldest first."""
    contact_degrees: tuple[int, ...] = ()
    """How many contacts each contact has, for rules that ask; telling it is a price of its own."""
    away: frozenset[Link] = frozenset()
    """Contacts that cannot be reached now."""
    secret: bytes = b""
    """From which the choices of this epoch follow."""
    epoch: int = -1
    taken: Mapping[Link, int] = field(default_factory=dict)
    """Until when each contact has used up what it may bring, where there is a quota (`quotas`)."""
    approved: Mapping[Link, int] = field(default_factory=dict)
    """How each contact stands with the person here, by what was approved (`quotas`)."""
    offered: Mapping[MessageId, Link] = field(default_factory=dict)
    """Messages that one contact offered beyond what it may bring, and nobody else yet (`quotas`); the oldest first."""


def fewer(forgotten: Mapping[MessageId, Link | None]) -> dict[MessageId, Link | None]:
    """Without the oldest names of whoever has most: one in sixteen of all, so that it is not done at every message."""
    counts = Counter(forgotten.values())
    most = max(counts, key=lambda link: counts[link])
    others = sorted(counts.values())[-2] if len(counts) > 1 else 0
    surplus = max(min(len(forgotten) // 16, counts[most] - others), 1)
    gone = set(islice((name for name, link in forgotten.items() if link == most), surplus))
    return {name: link for name, link in forgotten.items() if name not in gone}


def is_possible(settings: Settings, frame: Asked) -> bool:
    """Counters that an honest node can have reached; others would cost memory, or tell far too many."""
    if isinstance(frame, Copy):
        return 0 <= frame.level <= settings.horizon + 1 and 0 <= frame.part < PARTS
    if isinstance(frame, Token):
        even = frame.time >= 0 and frame.time % 2 == 0  # Tokens are handed on at even times only.
        return even and 0 <= frame.hops <= frame.time // 2 and frame.time <= settings.horizon
    return 0 <= frame.number <= settings.horizon + 2
