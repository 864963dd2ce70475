"""Frames as bytes: one spelling each, one length for all, and nothing but our error for anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.errors import BadFrame
from banister.spread.node.codec import (
    FRAME_BYTES,
    HIGHEST,
    LONGEST_BODY,
    LONGEST_ID,
    LONGEST_NOTE,
    VERSION,
    read,
    write,
)
from banister.spread.node.messages import PARTS, Ack, Copy, Frame, FrameKind, Note, Token, Wave

IDS = st.binary(min_size=1, max_size=LONGEST_ID)
COUNTERS = st.integers(0, HIGHEST)
PARTS_OF_A_STEP = st.integers(0, PARTS - 1)
FRAMES: st.SearchStrategy[Frame | Note] = st.one_of(
    st.builds(
        Copy,
        IDS,
        st.binary(max_size=200) | st.just(b"x" * LONGEST_BODY),
        st.booleans(),
        COUNTERS,
        COUNTERS,
        PARTS_OF_A_STEP,
    ),
    st.builds(Token, IDS, COUNTERS, COUNTERS),
    st.builds(Wave, IDS, COUNTERS),
    st.builds(Note, IDS, st.integers(0, 7), st.binary(max_size=200) | st.just(b"x" * LONGEST_NOTE)),
    st.builds(Ack, IDS, st.sampled_from(FrameKind), COUNTERS, st.booleans()),
)
PLAIN = write(Token(b"id", 4, 2))


def padded(start: bytes) -> bytes:
    return start.ljust(FRAME_BYTES, b"\0")


@given(FRAMES)
def test_what_was_written_is_read_and_all_have_one_length(frame: Frame | Note) -> None:
    data = write(frame)
    assert len(data) == FRAME_BYTES
    assert read(data) == frame


@given(st.one_of(st.binary(max_size=80), st.binary(max_size=80).map(padded)))
def test_any_bytes_are_a_frame_with_one_spelling_or_our_error(data: bytes) -> None:
    try:
        frame = read(data)
    except BadFrame:
        return
    assert write(frame) == data


@given(FRAMES, st.integers(0, 80), st.integers(0, 255))
def test_a_changed_byte_is_another_frame_or_our_error(frame: Frame | Note, place: int, value: int) -> None:
    data = bytearray(write(frame))
    data[place] = value
    try:
        other = read(bytes(data))
    except BadFrame:
        return
    assert write(other) == bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "A frame has 1,024 bytes; these are 0"),
        (PLAIN + b"\0", "A frame has 1,024 bytes; these are 1,025"),
        (PLAIN[:-1], "these are 1,023"),
        (bytes([VERSION + 1]) + PLAIN[1:], "The frame is of version 5; this program reads version 4"),
        (padded(b"\4\7\1i"), "The frame is of kind 7; known are 0 to 5"),
        (padded(b"\4\2\0"), "A message's name has 1 to 32 bytes; this one has 0"),
        (padded(b"\4\2\41"), "this one has 33"),
        (padded(b"\4\1\1i\2"), "A yes or no in the frame is 2; it must be 0 or 1"),
        (padded(b"\4\1\1i\0\0\0\0\0\0\0\1\xff\xff"), "A body of 65,535 bytes is too long; 979 fit"),
        (padded(b"\4\1\1i\0\0\0\0\0\20\0\1"), "The part of a step in the frame is 16; it must be below 16"),
        (padded(b"\4\1\1i\0\0\0\0\0\0\1\1"), "The frame is piece 1 of 1; 128 is the most"),
        (padded(b"\4\1\1i\0\0\0\0\0\0\0\xff"), "The frame is piece 0 of 255; 128 is the most"),
        (padded(b"\4\0\1"), "goes on after its last field"),
        (padded(b"\4\4\1i\4"), "The frame answers kind 4; known are 1 to 3"),
        (PLAIN[:-1] + b"\1", "goes on after its last field, where there must be zeros"),
    ],
)
def test_each_malformed_frame_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(BadFrame, match=message):
        read(data)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (Copy(b"", b"text"), "A message's name has 1 to 32 bytes; this one has 0"),
        (Copy(b"i" * 33, b"text"), "this one has 33"),
        (Copy(b"i", b"x" * (LONGEST_BODY + 1)), r"A body of 980 bytes is too long; 979 fit\. Split it"),
        (Token(b"i", HIGHEST + 1, 0), "time = 65536 does not fit a frame; counters go from 0 to 65,535"),
        (Wave(b"i", -1), "wave = -1 does not fit a frame"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(frame: Frame | Note, message: str) -> None:
    with pytest.raises(BadFrame, match=message):
        write(frame)


def test_a_field_never_reaches_beyond_the_frame() -> None:
    """The longest name and the longest body fit exactly; no length can lead out of the frame."""
    data = write(Copy(b"i" * LONGEST_ID, b"x" * LONGEST_BODY))
    assert data[-1:] == b"x"
