"""What nodes say to each other, what happens to a node, and what it wants done.

A frame carries no author, no absolute time, no sequence number of its sender: nothing that a relay's frame would not.
"""

from dataclasses import dataclass
from enum import Enum

Link = int
"""A contact, as this node numbers its links."""
Tick = int
"""A moment of this node's own clock."""
MessageId = bytes

PARTS = 16
"""In so many parts of a step a copy tells its age."""


class FrameKind(Enum):
    """What a frame is for."""

    COPY = 1
    TOKEN = 2
    WAVE = 3


@dataclass(frozen=True, slots=True)
class Copy:
    """The message itself.

    `climbing` and `level` are the counter of the tree protocol; on a line `level` is how far the receiver is from the
    author. `age` counts the steps since the post, for an embargo and for protocols with a common clock or deadline.
    False and 0 in others: what a protocol does not need is not told.
    """

    id: MessageId
    body: bytes
    climbing: bool = False
    level: int = 0
    age: int = 0
    part: int = 0
    """Sixteenths of a step beyond the age, told with an embargo only, and rounded by chance: on average right, and too
    coarse to tell by how many frames a copy has come."""
    piece: int = 0
    pieces: int = 1
    """A long body goes over a link in several frames, of which this is one; rules see whole copies only."""

    @property
    def kind(self) -> FrameKind:
        return FrameKind.COPY

    @property
    def number(self) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class Token:
    """The right to decide, handed to a tree neighbour at an even time, `hops` away from the author."""

    id: MessageId
    time: int
    hops: int

    @property
    def kind(self) -> FrameKind:
        return FrameKind.TOKEN

    @property
    def number(self) -> int:
        return self.time


@dataclass(frozen=True, slots=True)
class Wave:
    """Tells the leaves of the tree to give the message on. The number is the step in which it was sent."""

    id: MessageId
    number: int

    @property
    def kind(self) -> FrameKind:
        return FrameKind.WAVE


@dataclass(frozen=True, slots=True)
class Ack:
    """The answer to a frame; `fresh` says whether a copy was new to the receiver."""

    id: MessageId
    kind: FrameKind
    number: int
    fresh: bool


@dataclass(frozen=True, slots=True)
class Cover:
    """A frame that means nothing: it goes over a link at a tick at which there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something about links, from one friend to one other: no rule of a protocol sees it, and no crowd."""

    id: MessageId
    what: int
    body: bytes = b""


NOTES = 8
"""So many kinds of notes there may be."""
Asked = Copy | Token | Wave
Frame = Asked | Ack
Carried = Frame | Note | Cover
"""Whatever a link carries."""


@dataclass(frozen=True, slots=True)
class Post:
    """The person at this node writes a message."""

    id: MessageId
    body: bytes


@dataclass(frozen=True, slots=True)
class Received:
    """A frame came over a link."""

    link: Link
    frame: Frame


@dataclass(frozen=True, slots=True)
class Wake:
    """A moment that the node asked for has come."""


@dataclass(frozen=True, slots=True)
class Away:
    """A contact cannot be reached now; it is not chosen until it is back."""

    link: Link


@dataclass(frozen=True, slots=True)
class Back:
    """A contact can be reached again, or for the first time: it is offered what lives and is told to everybody."""

    link: Link


@dataclass(frozen=True, slots=True)
class Removed:
    """A contact is none any more: nothing waits for it, and nothing of it is remembered but what it brought."""

    link: Link


@dataclass(frozen=True, slots=True)
class Approved:
    """The person here found a post worth reading: whoever brought it may bring more."""

    id: MessageId


Event = Post | Received | Wake | Away | Back | Removed | Approved


@dataclass(frozen=True, slots=True)
class Send:
    """Put a frame on a link."""

    link: Link
    frame: Frame


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Wake me then, at the latest."""

    at: Tick


@dataclass(frozen=True, slots=True)
class Show:
    """A message that this node did not know: show it to the person."""

    id: MessageId


Action = Send | WakeAt | Show
