"""What came last, as one row that every commit writes anew in order: no place in the file tells who came first.

A table of SQLite has its rows in the order of their keys, but within a page of the file new rows lie where there was
room, so in the order in which they came: whoever has one copy of the file could read it. So keys and counts go into the
tables many at a time, in order, and until then lie here.
"""

import json
from collections.abc import Iterator

MOST_FRESH = 1024
"""Keys of requests, or different reports, at which all of them go into the tables."""
_NUMBER_BYTES = 4
_KEY_BYTES = 16
Spot = tuple[int, int, int]
Counted = tuple[int, int, int, int | str, int]
"""A campaign's number, a question, an hour, a report, how often it came."""


class FreshRows:
    """Keys of requests and counted reports that are in no table yet."""

    def __init__(self, keys: bytes = b"", counts: str = "[]") -> None:
        size = _NUMBER_BYTES + _KEY_BYTES
        self._keys = {keys[place : place + size] for place in range(0, len(keys), size)}
        self._counts: dict[tuple[int, int, int, int | str], int] = {
            (row[0], row[1], row[2], row[3]): row[4] for row in json.loads(counts)
        }

    def copy(self) -> "FreshRows":
        """The same, apart."""
        other = FreshRows()
        other._keys, other._counts = set(self._keys), dict(self._counts)
        return other

    @property
    def full(self) -> bool:
        """Whether it is time for the tables."""
        return len(self._keys) >= MOST_FRESH or len(self._counts) >= MOST_FRESH

    def knows(self, campaign: int, key: bytes) -> bool:
        """Whether a request was counted lately."""
        return campaign.to_bytes(_NUMBER_BYTES) + key in self._keys

    def keep(self, campaign: int, key: bytes) -> None:
        """Remember a request."""
        self._keys.add(campaign.to_bytes(_NUMBER_BYTES) + key)

    def count(self, place: Spot, value: int | str, often: int) -> None:
        """Count a report."""
        spot = (*place, value)
        self._counts[spot] = self._counts.get(spot, 0) + often

    def often(self, place: Spot, value: int | str) -> int:
        """How often a report came lately."""
        return self._counts.get((*place, value), 0)

    def written(self) -> tuple[bytes, str]:
        """Both as they are stored, in order."""
        return b"".join(sorted(self._keys)), json.dumps(self.counts(), separators=(",", ":"))

    def keys(self) -> Iterator[tuple[int, bytes]]:
        """Campaign and key, in order."""
        for each in sorted(self._keys):
            yield int.from_bytes(each[:_NUMBER_BYTES]), each[_NUMBER_BYTES:]

    def counts(self) -> list[Counted]:
        """Rows in order; reports of one question are all numbers or all texts."""
        return [(*spot, self._counts[spot]) for spot in sorted(self._counts)]
