"""What the service keeps, whatever engine holds it: campaigns, how often each report came in each hour, totals, keys.

Reports are a multiset: a row says how often a report came in an hour, so reports have no rows of their own that could
be linked, and no order. Keys of requests are in a table of their own, under the keys themselves, without a time.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from banister.local.channels.base import Values
from banister.local.collect.campaign import SignedCampaign, read_campaign
from banister.local.collect.tally import Tally, empty, tally

ALL_HOURS = -1
"""The hour under which the total of all hours stands."""
Spot = tuple[int, int, int]
"""A campaign's number, a question, an hour."""
Row = tuple[int, int, bytes]
"""A total as it is stored: reports, how often the commonest came, counts."""


class StorageFull(Exception):
    """A commit failed: nothing of it was counted."""


@dataclass(frozen=True, slots=True, eq=False)
class Heap:
    """The reports of one request to one question: as they came, and checked."""

    question: int
    sent: list[int | str]
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """One request: its campaign, the key that names it, and its reports."""

    campaign: int
    key: bytes
    heaps: tuple[Heap, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """A campaign that is open here: its number in the store, and whether its results are shown to everybody."""

    number: int
    signed: SignedCampaign
    shown: bool


class ReportBook(ABC):
    """Everything of a commit is on disk when `write` comes back, or nothing of it is counted."""

    def __init__(self) -> None:
        self._campaigns: dict[int, SignedCampaign] = {one.number: one.signed for one in self.campaigns()}

    def add(self, signed: SignedCampaign, *, shown: bool) -> int:
        """Open a campaign; one that is open already keeps its reports."""
        number = self._opened(signed, shown)
        self._campaigns[number] = signed
        return number

    def campaigns(self) -> list[Running]:
        """All campaigns, checked again."""
        return [Running(number, read_campaign(text), bool(shown)) for number, text, shown in self._texts()]

    def write(self, batches: Sequence[Batch], asides: Iterable[tuple[int, str]], hour: int) -> int:
        """Count all batches whose key is new, in one commit; gives how many were. Nothing is counted on an error."""
        changed: dict[Spot, Tally] = {}
        with self._commit():
            new = self._new(batches)
            heaps: dict[tuple[int, int], list[Heap]] = {}
            for batch in new:
                for heap in batch.heaps:
                    heaps.setdefault((batch.campaign, heap.question), []).append(heap)
            for (campaign, question), some in sorted(heaps.items()):
                counted = Counter(value for heap in some for value in heap.sent)
                often = self._count((campaign, question, hour), counted)
                more = self._tally(campaign, question, some)
                more = Tally(more.counts, more.reports, max(more.commonest, often))
                for when in (hour, ALL_HOURS):
                    place = (campaign, question, when)
                    changed[place] = self._total(place).plus(more)
            self._replace(changed)
            self._set_aside(Counter(asides))
        self._written(changed, hour)
        return len(new)

    def total(self, campaign: int, question: int) -> Tally:
        """The running total of a question."""
        row = self._read((campaign, question, ALL_HOURS))
        return self._empty(campaign, question) if row is None else tally_of(row)

    def hours(self, campaign: int, question: int) -> list[tuple[int, Tally]]:
        """The totals of each hour, in order."""
        return [(int(row[0]), tally_of(row[1:])) for row in self._by_hour(campaign, question)]

    @abstractmethod
    def reports(self, campaign: int, question: int) -> Iterator[tuple[int, int | str, int]]:
        """(hour, report, how often it came), in the order of hours and reports."""

    @abstractmethod
    def asides(self, campaign: int) -> dict[str, int]:
        """How many requests were set aside, by what was wrong."""

    @abstractmethod
    def stored(self, campaign: int) -> int:
        """How many reports are stored, counted one by one; for who checks the totals."""

    @abstractmethod
    def close(self) -> None:
        """Leave nothing that shows in which order requests came, and end."""

    @abstractmethod
    def _commit(self) -> AbstractContextManager[None]:
        """A transaction; an error of the engine undoes all of it and is raised as `StorageFull`."""

    @abstractmethod
    def _texts(self) -> list[tuple[int, str, bool]]:
        """Number, text and whether it is shown, of every campaign."""

    @abstractmethod
    def _opened(self, signed: SignedCampaign, shown: bool) -> int:
        """The number of a campaign, which is kept if it is new."""

    @abstractmethod
    def _first(self, campaign: int, keys: list[bytes]) -> set[bytes]:
        """Keep these keys, which are in order; gives those that were not there."""

    @abstractmethod
    def _count(self, place: Spot, counted: Mapping[int | str, int]) -> int:
        """Add to the multiset, in the order of the reports; gives how often the commonest of these came by now."""

    @abstractmethod
    def _total(self, place: Spot) -> Tally:
        """The total of a question at an hour, as the commit that is under way finds it."""

    @abstractmethod
    def _replace(self, changed: dict[Spot, Tally]) -> None:
        """Write totals."""

    @abstractmethod
    def _set_aside(self, found: Counter[tuple[int, str]]) -> None:
        """Count what was set aside."""

    @abstractmethod
    def _written(self, changed: dict[Spot, Tally], hour: int) -> None:
        """After a commit."""

    @abstractmethod
    def _read(self, place: Spot) -> Row | None:
        """A total as it is stored."""

    @abstractmethod
    def _by_hour(self, campaign: int, question: int) -> list[tuple[int, int, int, bytes]]:
        """The totals of each hour as they are stored, in order."""

    def _new(self, batches: Sequence[Batch]) -> list[Batch]:
        """Those whose key is new, each key once, in the order of the keys: a commit does not show who came first."""
        ordered = {(batch.campaign, batch.key): batch for batch in sorted(batches, key=lambda one: one.key)}
        keys: dict[int, list[bytes]] = {}
        for campaign, key in ordered:
            keys.setdefault(campaign, []).append(key)
        first = {(campaign, key) for campaign in sorted(keys) for key in self._first(campaign, keys[campaign])}
        return [batch for place, batch in ordered.items() if place in first]

    def _tally(self, campaign: int, question: int, heaps: list[Heap]) -> Tally:
        asked = self._campaigns[campaign].campaign
        return tally(asked.questions[question].channel, asked.repetition, np.concatenate([one.values for one in heaps]))

    def _empty(self, campaign: int, question: int) -> Tally:
        asked = self._campaigns[campaign].campaign
        return empty(asked.questions[question].channel, asked.repetition)


def tally_of(row: Row) -> Tally:
    """A total from what is stored."""
    return Tally(np.frombuffer(row[2], dtype="<i8").astype(np.int64), int(row[0]), int(row[1]))


def row_of(place: Spot, found: Tally) -> tuple[int, int, int, int, int, bytes]:
    """What is stored of a total."""
    return *place, found.reports, found.commonest, found.counts.astype("<i8").tobytes()
