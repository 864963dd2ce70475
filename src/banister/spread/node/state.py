"""What a node remembers, bounded whatever is sent to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from banister import need
from banister.spread.node.messages import Asked, Link, MessageId, Tick

if TYPE_CHECKING:
    from banister.spread.node.rules import Rules

OLDEST = 2**16 - 1
"""The largest age that a frame can tell; older messages are told as that old."""
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
    """

    rules: "Rules"
    step_ticks: Tick = 1000
    retry: Tick = 20
    tries: int = 40
    horizon: int = 20
    embargo: int = 0
    lifetime: int = 1000
    memory: int = 256

    def __post_init__(self) -> None:
        for name in ("step_ticks", "retry", "tries", "lifetime", "memory"):
            need.whole(name, getattr(self, name), least=1)
        need.whole("horizon", self.horizon, least=1, most=FARTHEST)
        need.whole("embargo", self.embargo, least=0)


@dataclass(frozen=True, slots=True)
class Held:
    """One message at one node. Parent and children are links; the author's copy has no parent and nothing else apart.

    `asked` are contacts with a copy on the way, `untried` those still to be asked, `quota` how many more may be told.
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


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something to be done for a message at a moment."""

    at: Tick
    id: MessageId
    what: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A message that was here; it is not taken again. It is remembered on the account of whoever brought it."""

    id: MessageId
    parent: Link | None


@dataclass(frozen=True, slots=True)
class NodeState:
    """Everything a node knows."""

    settings: Settings
    contacts: tuple[Link, ...]
    held: Mapping[MessageId, Held] = field(default_factory=dict)
    waiting: tuple[Waiting, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    forgotten: tuple[Forgotten, ...] = ()
    contact_degrees: tuple[int, ...] = ()
    """How many contacts each contact has, for rules that ask; telling it is a price of its own."""
