"""What was seen of a run: reports of spies, frames on links, and who really wrote each post."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from banister.errors import BadValue
from banister.foreign import read_rows

MOST_BYTES = 1 << 32


@dataclass(frozen=True, slots=True)
class SpySaw:
    """A spy had a post from a friend at a time."""

    post: str
    spy: str
    sender: str
    time: float


@dataclass(frozen=True, slots=True)
class FrameSeen:
    """A frame went over a link, seen from outside: when, between whom, how large."""

    time: float
    sender: str
    receiver: str
    size: float


def read_spies(path: Path) -> tuple[SpySaw, ...]:
    """A CSV file with the columns post, spy, sender and time."""
    rows = _columns(path, ("post", "spy", "sender", "time"), "a log of spies")
    return tuple(SpySaw(a, b, c, _number(path, line, d)) for line, (a, b, c, d) in rows)


def read_capture(path: Path) -> tuple[FrameSeen, ...]:
    """A CSV file with the columns time, sender, receiver and bytes."""
    rows = _columns(path, ("time", "sender", "receiver", "bytes"), "a capture of links")
    return tuple(FrameSeen(_number(path, line, a), b, c, _number(path, line, d)) for line, (a, b, c, d) in rows)


def read_authors(path: Path) -> dict[str, str]:
    """A CSV file with the columns post and author."""
    found: dict[str, str] = {}
    for line, (post, author) in _columns(path, ("post", "author"), "a list of authors"):
        if post in found:
            raise BadValue(f"Line {line} of {path.name} names the post {post[:40]!r} again.")
        found[post] = author
    return found


def _columns(path: Path, names: Sequence[str], what: str) -> list[tuple[int, list[str]]]:
    rows = read_rows(path, what, most_bytes=MOST_BYTES)
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    missing = [name for name in names if name not in head]
    if missing:
        raise BadValue(f"{path.name} is not {what}: its first line must name the columns {', '.join(names)}.")
    places = [head.index(name) for name in names]
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(head):
            raise BadValue(f"Line {line} of {path.name} has {len(row)} cells, and its first line {len(head)}.")
    return [(line, [row[place].strip() for place in places]) for line, row in enumerate(rows[1:], start=2)]


def _number(path: Path, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadValue(f"Line {line} of {path.name} has {text[:40]!r} where a number must be.")
    return value
