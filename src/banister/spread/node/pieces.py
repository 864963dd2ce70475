"""Long bodies over a link: cut into pieces of one frame each, and put together again, in bounded memory."""

from dataclasses import dataclass, field, replace

from banister.errors import BadValue
from banister.spread.node.codec import LONGEST_BODY, MOST_PIECES
from banister.spread.node.messages import Copy, MessageId

LONGEST_POST = LONGEST_BODY * MOST_PIECES
"""Bytes of the longest body."""
AT_ONCE = 4
"""Bodies under way over one link at a time, in each direction."""


def pieces_of(body: bytes) -> int:
    """How many frames a body takes.

    >>> pieces_of(b"short"), pieces_of(bytes(2000))
    (1, 3)
    """
    return max(-(-len(body) // LONGEST_BODY), 1)


def piece_of(copy: Copy, number: int) -> Copy:
    """One piece of a whole copy."""
    start = number * LONGEST_BODY
    return replace(copy, body=copy.body[start : start + LONGEST_BODY], piece=number, pieces=pieces_of(copy.body))


def need_length(body: bytes) -> bytes:
    """A body that can be carried."""
    if len(body) > LONGEST_POST:
        raise BadValue(f"The post has {len(body):,} bytes; {LONGEST_POST:,} is the most. Make it shorter.")
    return body


@dataclass(slots=True)
class Gathering:
    """Pieces that came over one link, until a body is whole. They come in order; whoever mixes them up starts anew."""

    _parts: dict[MessageId, list[bytes]] = field(default_factory=dict)

    def add(self, copy: Copy) -> Copy | None:
        """The whole copy, if this piece was its last; its counters are those that the last piece told."""
        if copy.pieces == 1:
            return copy
        parts = self._parts.pop(copy.id, [])
        if copy.piece != len(parts):
            parts = []
        full = copy.piece == copy.pieces - 1 or len(copy.body) == LONGEST_BODY
        if copy.piece != len(parts) or not full:  # Only the last piece may be short.
            return None
        parts.append(copy.body)
        if copy.piece == copy.pieces - 1:
            return replace(copy, body=b"".join(parts), piece=0, pieces=1)
        self._parts[copy.id] = parts  # The one that grew last stands last; the first has waited longest.
        if len(self._parts) > AT_ONCE:
            del self._parts[next(iter(self._parts))]
        return None

    @property
    def size(self) -> int:
        """Bytes that are kept for bodies that are not whole."""
        return sum(len(part) for parts in self._parts.values() for part in parts)
