"""What spies wrote down: which copies came to them, when, from whom, and what the copies told.

    post,spy,sender,step,climbing,level,age
    9f3c,ann,ben,2.25,1,2,2

`step` is when the copy came, in steps of the messenger from any common beginning; the rest is what it told.
"""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banister import files
from banister.errors import BadValue
from banister.foreign import read_text
from banister.spread.lab.evidence import SpyReports
from banister.spread.lab.graph import Contacts, Graph
from banister.spread.lab.trace import Spread
from banister.spread.node.messages import MessageId

COLUMNS = ("post", "spy", "sender", "step", "climbing", "level", "age")
LATEST = 2**16
"""Steps and counters beyond this are no messenger's."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A copy that came to a node."""

    name: MessageId
    node: int
    sender: int
    at: float
    """In steps."""
    climbing: bool
    level: int
    age: int


@dataclass(frozen=True, slots=True, eq=False)
class MessageLog:
    """What every node of a crowd heard; an adversary is shown what spies heard, and no more."""

    marks: NDArray[np.float64]
    heard: Mapping[int, tuple[Heard, ...]]
    begin: float = 0.0

    def reports(self, contacts: Contacts, spread: Spread, share: float) -> SpyReports:
        """What those said whose mark is below the share, but never the author."""
        marked = self.marks < share
        marked[spread.author] = False
        seen = [each for node, found in self.heard.items() if marked[node] for each in found]
        early = [each for each in seen if each.at - self.begin < spread.steps + 1]
        return replace(reports_of(contacts, early, marked, spread.steps), parent=spread.parent)

    def write(self, path: str | Path, graph: Graph, *, share: float, author: int) -> None:
        """The log of the spies of a share, as a file that `read_log` reads."""
        lines = [",".join(COLUMNS)]
        for node, found in self.heard.items():
            if self.marks[node] < share and node != author:
                lines += [_line(graph, each) for each in found]
        files.whole_text(Path(path), "\n".join(lines) + "\n")


def spread_heard(
    author: int,
    name: MessageId,
    heard: Mapping[int, Sequence[Heard]],
    marks: NDArray[np.float64],
    *,
    steps: int,
    begin: float = 0.0,
) -> Spread:
    """Who had a message after so many steps, since which, and from whom, by what everybody heard; `begin` is the step
    at which it was posted, and `marks` say who is a spy (`MessageLog`)."""
    count = len(marks)
    time, parent = np.full(count, -1, dtype=np.int32), np.full(count, -1, dtype=np.int32)
    time[author], climb = 0, {0: author}
    for node, seen in heard.items():
        first = next((each for each in seen if each.name == name), None)
        if first is not None and node != author and first.at - begin < steps + 1:
            time[node], parent[node] = max(int(first.at - begin), 1), first.sender
            if first.climbing:
                climb.setdefault(first.level, node)
    path = [climb[0]]
    while len(path) in climb and parent[climb[len(path)]] == path[-1]:
        path.append(climb[len(path)])
    tokens = [path[k] for k in range(1, (len(path) - 1) // 2 + 1)]
    log = MessageLog(marks, {node: tuple(seen) for node, seen in heard.items()}, begin)
    return Spread(author, steps, time, parent, tuple(tokens), tuple(path), log=log)


def _line(graph: Graph, each: Heard) -> str:
    who = f"{each.name.hex()[:16]},{graph.name_of(each.node)},{graph.name_of(each.sender)}"
    return f"{who},{each.at:.4f},{int(each.climbing)},{each.level},{each.age}"


def reports_of(contacts: Contacts, seen: Sequence[Heard], marked: NDArray[np.bool_], steps: int) -> SpyReports:
    """The most telling copy of each spy: the climbing one with the lowest counter, or else the first.

    A copy tells its age t and its counter s. One that climbs came s hops along the climb; one that falls left it
    after (t + s)/2 hops, rounded down where a frame was late.
    """
    best: dict[int, Heard] = {}
    for each in seen:
        if each.node not in best or _telling(each) < _telling(best[each.node]):
            best[each.node] = each
    found = sorted(best.values(), key=lambda each: (each.age, each.at))
    leaves = [each.level if each.climbing else max((each.age + each.level) // 2, 1) for each in found]
    times = [level if each.climbing else max(each.age, level) for each, level in zip(found, leaves, strict=True)]
    return SpyReports(
        contacts,
        marked,
        np.asarray([each.node for each in found], dtype=np.int64),
        np.asarray(times, dtype=np.int64),
        np.asarray([each.sender for each in found], dtype=np.int64),
        np.asarray(leaves, dtype=np.int64),
        np.full(contacts.count, -1, dtype=np.int32),
        steps,
    )


def _telling(each: Heard) -> tuple[int, float, float]:
    return (0, each.level, each.at) if each.climbing else (1, 0, each.at)


def read_log(path: str | Path, graph: Graph) -> dict[str, list[Heard]]:
    """The copies of each post in a file that spies wrote; people are named as in the graph."""
    text = read_text(Path(path), "a log of spies")
    rows = csv.DictReader(io.StringIO(text), restkey="more")
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise BadValue(f"A log of spies begins with the line {','.join(COLUMNS)}. Add it, with columns in that order.")
    found: dict[str, list[Heard]] = {}
    for number, row in enumerate(rows, start=2):
        if None in row.values() or "more" in row:
            raise BadValue(f"Line {number} of the log needs {len(COLUMNS)} values. Complete it or take it out.")
        spy, sender = (int(graph.numbers_of([row[key]])[0]) for key in ("spy", "sender"))
        if sender not in graph.contacts(spy):
            raise BadValue(f"Line {number} of the log: {row['sender']!r} is no contact of {row['spy']!r} in the graph.")
        try:
            level, age, at = int(row["level"]), int(row["age"]), float(row["step"])
        except ValueError:
            raise BadValue(f"Line {number} of the log: step, level and age must be numbers.") from None
        if not (0 <= level < LATEST and 0 <= age < LATEST and math.isfinite(at) and row["climbing"] in ("0", "1")):
            raise BadValue(f"Line {number} of the log: level and age from 0 to {LATEST - 1}, climbing 0 or 1.")
        seen = Heard(row["post"].encode(), spy, sender, at, row["climbing"] == "1", level, age)
        found.setdefault(row["post"], []).append(seen)
    if not found:
        raise BadValue("The log of spies has no line after its first; with nothing heard nobody can be suspected.")
    return found
