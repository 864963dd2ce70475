"""Frames as bytes, and back. All have one length, and each frame has one spelling.

    byte 0       the version of this format
    byte 1       what the frame is for: 0 cover, 1 copy, 2 token, 3 wave, 4 answer, 5 note
    byte 2       length of the message's name, from 1 to 32; the name follows. Cover has none, and nothing after it
    then         the fields of that kind in their order: whole numbers in two bytes, high byte first; yes or no, the
                 part of a step in an age, and pieces, in one; a body as its length and its bytes
    to the end   zeros

Everything of one length, an answer too, so that who sees only the size of what a link carries learns nothing from it;
sealing it and knowing the contact are the link's affair. A body that does not fit goes in pieces (`pieces`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from banister.errors import BadFrame
from banister.spread.node.messages import (
    NOTES,
    PARTS,
    Ack,
    Carried,
    Copy,
    Cover,
    Frame,
    FrameKind,
    MessageId,
    Note,
    Token,
    Wave,
)

VERSION: Final = 4
FRAME_BYTES: Final = 1024
LONGEST_ID: Final = 32
HIGHEST: Final = 2**16 - 1
"""The largest counter a frame can carry."""
LONGEST_BODY: Final = FRAME_BYTES - 3 - LONGEST_ID - 1 - 2 * 2 - 1 - 2 - 2
"""What is left of a copy when its name is as long as can be."""
MOST_PIECES: Final = 128
"""In so many frames a body may go over a link, and no more."""
COVER: Final = 0
ANSWER: Final = 4
NOTE: Final = 5
LONGEST_NOTE: Final = FRAME_BYTES - 3 - LONGEST_ID - 1 - 2


def write(frame: Carried) -> bytes:
    """The bytes of a frame.

    >>> data = write(Token(b"id", time=4, hops=2))
    >>> len(data), data[:9].hex(" ")
    (1024, '04 02 02 69 64 00 04 00 02')
    """
    if isinstance(frame, Cover):
        return bytes([VERSION, COVER]).ljust(FRAME_BYTES, b"\0")
    if not 1 <= len(frame.id) <= LONGEST_ID:
        raise BadFrame(f"A message's name has 1 to {LONGEST_ID} bytes; this one has {len(frame.id)}.")
    kind = ANSWER if isinstance(frame, Ack) else NOTE if isinstance(frame, Note) else frame.kind.value
    data = bytes([VERSION, kind, len(frame.id)]) + frame.id + _fields(frame)
    return data.ljust(FRAME_BYTES, b"\0")


def _fields(frame: Frame | Note) -> bytes:
    if isinstance(frame, Note):
        if not (0 <= frame.what < NOTES and len(frame.body) <= LONGEST_NOTE):
            raise BadFrame(f"A note is of kind 0 to {NOTES - 1}, with at most {LONGEST_NOTE} bytes.")
        return bytes([frame.what]) + _number("note", len(frame.body)) + frame.body
    if isinstance(frame, Copy):
        if len(frame.body) > LONGEST_BODY:
            raise BadFrame(f"A body of {len(frame.body):,} bytes is too long; {LONGEST_BODY:,} fit. Split it.")
        if not 0 <= frame.part < PARTS:
            raise BadFrame(f"part = {frame.part} does not fit a frame; parts of a step go from 0 to {PARTS - 1}.")
        if not 0 <= frame.piece < frame.pieces <= MOST_PIECES:
            raise BadFrame(f"Piece {frame.piece} of {frame.pieces} does not fit a frame; {MOST_PIECES} is the most.")
        counters = (
            _number("level", frame.level) + _number("age", frame.age) + bytes([frame.part, frame.piece, frame.pieces])
        )
        return bytes([frame.climbing]) + counters + _number("body", len(frame.body)) + frame.body
    if isinstance(frame, Token):
        return _number("time", frame.time) + _number("hops", frame.hops)
    if isinstance(frame, Wave):
        return _number("wave", frame.number)
    return bytes([frame.kind.value]) + _number("number", frame.number) + bytes([frame.fresh])


def _number(name: str, value: int) -> bytes:
    if not 0 <= value <= HIGHEST:
        raise BadFrame(f"{name} = {value} does not fit a frame; counters go from 0 to {HIGHEST:,}.")
    return value.to_bytes(2, "big")


def read(data: bytes) -> Carried:
    """The frame that was written, or `BadFrame`: nothing else can come of any bytes.

    >>> read(write(Token(b"id", time=4, hops=2)))
    Token(id=b'id', time=4, hops=2)
    """
    if len(data) != FRAME_BYTES:
        raise BadFrame(f"A frame has {FRAME_BYTES:,} bytes; these are {len(data):,}.")
    if data[0] != VERSION:
        raise BadFrame(f"The frame is of version {data[0]}; this program reads version {VERSION}.")
    reader = ByteReader(data, 2)
    if data[1] == COVER:
        return _ended(Cover(), reader)
    make = KINDS.get(data[1])
    if make is None:
        raise BadFrame(f"The frame is of kind {data[1]}; known are {COVER} to {NOTE}.")
    length = reader.byte()
    if not 1 <= length <= LONGEST_ID:
        raise BadFrame(f"A message's name has 1 to {LONGEST_ID} bytes; this one has {length}.")
    return _ended(make(reader.take(length), reader), reader)


def _ended(frame: Carried, reader: "ByteReader") -> Carried:
    if reader.data.count(0, reader.at) != FRAME_BYTES - reader.at:
        raise BadFrame("The frame goes on after its last field, where there must be zeros.")
    return frame


@dataclass(slots=True)
class ByteReader:
    """Bytes, and how far they have been read. No field is long enough to reach beyond the end of a frame."""

    data: bytes
    at: int

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        return int.from_bytes(self.take(2), "big")

    def flag(self) -> bool:
        value = self.byte()
        if value > 1:
            raise BadFrame(f"A yes or no in the frame is {value}; it must be 0 or 1.")
        return value == 1


def _read_copy(name: MessageId, reader: ByteReader) -> Frame:
    climbing, level, age, part = reader.flag(), reader.number(), reader.number(), reader.byte()
    piece, pieces, length = reader.byte(), reader.byte(), reader.number()
    if not piece < pieces <= MOST_PIECES:
        raise BadFrame(f"The frame is piece {piece} of {pieces}; {MOST_PIECES} is the most.")
    if part >= PARTS:
        raise BadFrame(f"The part of a step in the frame is {part}; it must be below {PARTS}.")
    if length > LONGEST_BODY:
        raise BadFrame(f"A body of {length:,} bytes is too long; {LONGEST_BODY:,} fit.")
    return Copy(name, reader.take(length), climbing, level, age, part, piece, pieces)


def _read_token(name: MessageId, reader: ByteReader) -> Frame:
    return Token(name, reader.number(), reader.number())


def _read_wave(name: MessageId, reader: ByteReader) -> Frame:
    return Wave(name, reader.number())


def _read_answer(name: MessageId, reader: ByteReader) -> Frame:
    kind = reader.byte()
    if kind not in KIND_VALUES:
        raise BadFrame(f"The frame answers kind {kind}; known are 1 to {ANSWER - 1}.")
    return Ack(name, FrameKind(kind), reader.number(), reader.flag())


def _read_note(name: MessageId, reader: ByteReader) -> Note:
    what, length = reader.byte(), reader.number()
    if what >= NOTES or length > LONGEST_NOTE:
        raise BadFrame(f"A note is of kind 0 to {NOTES - 1}, with at most {LONGEST_NOTE} bytes.")
    return Note(name, what, reader.take(length))


KIND_VALUES: Final = frozenset(kind.value for kind in FrameKind)
KINDS: Final[dict[int, Callable[[MessageId, ByteReader], Frame | Note]]] = {
    FrameKind.COPY.value: _read_copy,
    FrameKind.TOKEN.value: _read_token,
    FrameKind.WAVE.value: _read_wave,
    ANSWER: _read_answer,
    NOTE: _read_note,
}
