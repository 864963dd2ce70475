"""What the laboratory measured for an author with so many friends: shipped with the package, shown before one posts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

LEAST_FRIENDS = 3
"""With fewer the post would be known to be one's own to whoever gets it first, and to few others to begin with."""
AROUND = 22 + 52
"""Bytes that TLS, and TCP and IP, put around a frame."""
A_FRAME = 1024 + AROUND
_TABLE = Path(__file__).parent / "figures.json"


@dataclass(frozen=True, slots=True)
class Figure:
    """How often the author is named, at most: the upper ends of 95 % intervals, the worst adversary of each kind."""

    share: float
    spies: float
    worst: float
    """By a snapshot of all holders, by spies, or by both together."""
    three_posts: float
    """By snapshots of three posts that are known to be by one author."""

    def words(self) -> str:
        """As it is shown."""
        some = Fraction(self.share).limit_denominator(20)  # As it was measured: 0.3 is fewer than one in three.
        who = f"{some.numerator} in {some.denominator} {'is a spy' if some.numerator == 1 else 'are spies'}"
        return (
            f"If {who}: spies alone find the author of one post in at most "
            f"{self.spies:.0%} of cases, whoever also sees all holders in {self.worst:.0%}; three posts on one "
            f"subject: {max(self.three_posts, self.worst):.0%}."
        )


@cache
def table() -> Mapping[str, object]:
    """The whole table as it is shipped."""
    found: Mapping[str, object] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return found


def figures(friends: int) -> tuple[Figure, ...]:
    """One figure for each share of spies; none for fewer friends than the least."""
    if friends < LEAST_FRIENDS:
        return ()
    found = table()
    bands = found["bands"]
    assert isinstance(bands, list)
    band = next(band for band in bands if band["least"] <= friends <= band["most"])
    high = {name: values[2] for name, values in band["measured"].items() if len(values) == 3}
    shares = found["shares"]
    assert isinstance(shares, list)
    made = []
    for share in shares:
        spies, both = high[f"spies:{share:g}"], high[f"snapshot+spies:{share:g}"]
        made.append(Figure(share, spies, max(high["snapshot"], spies, both), high["posts:3"]))
    return tuple(made)


def graph_words() -> str:
    """On what it was measured."""
    found = table()
    graph, people, _ = str(found["graph"]).split(":")
    return (
        f"for authors with as many friends, on a made {graph} graph of {people} people, with a snapshot at step "
        f"{found['steps']}, the deadline; {found['trials']} posts for each figure"
    )


def traffic_gb(tick_seconds: float, friends: int, frame_bytes: int = 1024) -> float:
    """Gigabytes a month in each direction: frames with what TLS (22 bytes), TCP and IP (52) put around them.

    >>> round(traffic_gb(5, 4), 1)
    2.3
    """
    return (frame_bytes + AROUND) * friends * 30 * 86_400 / tick_seconds / 1e9
