"""What a stream keeps, in a folder of its own beside the ledger: as secret as the table, for its owner alone.

A period is one file, which appears whole or not at all: its answer, and all that the next period needs. That is exact
(what came in each period), so whoever has it and the answers has the noise. A file that says which period is about to
be drawn comes first, with a claim that its line in the ledger carries; see `accounting/kept.py`.
"""

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from banister import keys
from banister.accounting.kept import array_of, array_text
from banister.accounting.ledger import Ledger
from banister.errors import BadValue
from banister.files import Access, folder, new_text, sweep, whole_text
from banister.foreign import read_json
from banister.release.streams.arrivals import Arrivals

FORMAT = "banister-stream/1"
MOST_BYTES = 1 << 34
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}", re.ASCII)
Document = dict[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class StreamState:
    """What the next period needs: who was seen, what came in each period, and every measured sum."""

    arrivals: Arrivals
    increments: tuple[tuple[tuple[int, ...], ...], ...]
    """By period, measure and cell."""
    measured: tuple[tuple[tuple[int, ...], ...], ...]
    """By place, measure and cell: exact sums with their noise."""


@dataclass(frozen=True, slots=True)
class StreamStore:
    """The folder of one stream."""

    place: Path
    name: str

    @classmethod
    def of(cls, ledger: Ledger, name: str) -> "StreamStore":
        """The folder of a stream of that name, under the ledger that pays for it."""
        if not NAME.fullmatch(name):
            raise BadValue(
                f"The name '{name}' of a stream must be 1 to 60 letters, digits, hyphens or underscores, e.g. weekly."
            )
        kept = ledger.kept
        if kept is None:
            raise BadValue(
                "A stream goes on after this program has ended, and a ledger in memory does not. Name a file as ledger "
                "in [budget]."
            )
        return cls(kept.place.with_name(kept.place.name.removesuffix(".paid") + ".streams") / name, name)

    @property
    def begun(self) -> bool:
        """Whether the stream was started here."""
        return self._path("start").exists()

    def claim(self, what: str) -> str:
        """Put on disk what is about to be paid for or drawn; gives the claim that the ledger's line must carry."""
        for place in (self.place.parent, self.place):
            folder(place, access=Access.OWNER)
            os.chmod(place, 0o700)  # One that was restored from a copy may be open to others.
        path = self._path(what, ".begun")
        with suppress(FileExistsError):  # An earlier call was cut off, or another one is at it: its claim is ours too.
            new_text(path, json.dumps({"format": FORMAT, "claim": keys.nonce()}) + "\n", access=Access.OWNER)
        found = self._read(path).get("claim")
        if not isinstance(found, str):
            raise self._damaged(path)
        return found

    def keep(self, what: str, document: Document) -> Document:
        """Put a document on disk; where somebody was quicker, theirs is the one, and this one is forgotten."""
        path = self._path(what)
        with suppress(FileExistsError):
            new_text(path, json.dumps({"format": FORMAT, **document}) + "\n", access=Access.OWNER)
        self._path(what, ".begun").unlink(missing_ok=True)
        return self._read(path)

    def fetch(self, what: str) -> Document | None:
        """A document, or nothing where there is none."""
        path = self._path(what)
        return self._read(path) if path.exists() else None

    def text(self, document: Document, key: str) -> str:
        """A text of a document that has to be there."""
        found = document.get(key)
        if not isinstance(found, str):
            raise self._damaged(self.place)
        return found

    def last(self) -> int:
        """The last period that was released; 0 before the first."""
        found = [path.stem for path in self.place.glob("period-*.json")]
        return max((int(stem.removeprefix("period-")) for stem in found if stem[7:].isdecimal()), default=0)

    def forget(self, period: int) -> None:
        """Take away what a later period needed of an earlier one, now that it is there; the answer stays."""
        sweep(self.place)
        document = self.fetch(period_name(period))
        if document is not None and "state" in document:
            del document["state"]
            whole_text(self._path(period_name(period)), json.dumps(document) + "\n", access=Access.OWNER)

    def state(self, period: int, measures: int) -> StreamState:
        """What was kept with a period; before the first, nothing has come yet."""
        if period == 0:
            return StreamState(Arrivals.none(measures), (), ())
        found = (self.fetch(period_name(period)) or {}).get("state")
        if found is None:
            raise self._gone(period)
        try:
            return _state_of(cast(Mapping[str, object], found))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._gone(period) from None

    def _gone(self, period: int) -> BadValue:
        return BadValue(
            f"What stream '{self.name}' keeps is gone or damaged: '{self.place}' does not hold what came up to period "
            f"{period}, which the next one needs. Nothing was drawn, and nothing can be drawn anew. Restore the newest "
            "state of the folder, or start another stream, which is charged anew."
        )

    def _path(self, what: str, ending: str = ".json") -> Path:
        return self.place / f"{what}{ending}"

    def _read(self, path: Path) -> Document:
        found = read_json(path, "part of a stream", most_bytes=MOST_BYTES)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise self._damaged(path)
        return found

    def _damaged(self, path: Path) -> BadValue:
        return BadValue(f"'{path}' is not part of a stream as banister keeps it. Nothing was drawn; restore it.")


def period_name(period: int) -> str:
    """The name of a period's document."""
    return f"period-{period:05d}"


def state_document(state: StreamState) -> Document:
    """What the next period needs, as a JSON object."""
    seen = state.arrivals
    return {
        "people": list(seen.people),
        "times": array_text(seen.times),
        "keys": array_text(seen.keys),
        "seen": array_text(seen.seen),
        "increments": [[_text(row) for row in each] for each in state.increments],
        "measured": [[_text(row) for row in each] for each in state.measured],
    }


def _state_of(found: Mapping[str, object]) -> StreamState:
    people = tuple(str(person) for person in cast(list[object], found["people"]))
    times, places, seen = (array_of(found[name]) for name in ("times", "keys", "seen"))
    if len(times) != len(people) or seen.ndim != 2 or seen.shape[1] != len(places) or (np.diff(places) <= 0).any():
        raise ValueError("arrivals")
    increments, measured = (cast(list[list[str]], found[name]) for name in ("increments", "measured"))
    return StreamState(
        Arrivals(people, times, places, seen),
        tuple(tuple(_numbers(row) for row in each) for each in increments),
        tuple(tuple(_numbers(row) for row in each) for each in measured),
    )


def _text(numbers: tuple[int, ...]) -> str:
    """Whole numbers of any size."""
    return " ".join(str(number) for number in numbers)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split())
