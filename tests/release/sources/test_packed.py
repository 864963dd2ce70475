"""Rows as sorted numbers: every person there can be, alone and among all others, on every path."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from banister.questions.measures import Measure
from banister.release.run import works
from banister.release.sources import listed, lists, packed
from banister.release.sources.duckdb import DuckDBSource
from banister.release.sources.lists import PersonLists, of_columns
from banister.release.sources.packed import Packing
from banister.release.sources.sql.compile import Listing
from banister.release.work import HASH_PRIME, Work
from banister.work.threads import on_threads
from tests.release.sources.places import Rows, in_duckdb, planned, schema
from tests.seeded import SeededBits

Result = TypeVar("Result")

QUESTION = "SELECT plan, COUNT(*), COUNT(visits), SUM(visits) FROM data GROUP BY plan"
PLANS = ("free", "it's", "none")
MOST = 2


def person(who: int, counts: tuple[int, ...]) -> Rows:
    """So many rows in each group; some values are missing, others out of range."""
    return [
        (who, (None, 99, 4)[place % 3] if n else 10, 1.0, plan, "a", True, 1, None, 1, 0, 0)
        for n, (plan, count) in enumerate(zip(PLANS, counts, strict=True))
        for place in range(count)
    ]


EVERYBODY = [person(who - 20, counts) for who, counts in enumerate(product(range(MOST + 1), repeat=len(PLANS)))]
"""Everybody with 0 to 2 rows in each of three groups: 27 people."""


@pytest.fixture(params=[1, 2])
def groups(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def opened(groups: int, people: list[Rows], folder: Path) -> DuckDBSource:
    asked = schema(person=True, bounds=f"rows = 1\ngroups = {groups}")
    source = in_duckdb(asked, {"data": [row for rows in people for row in rows], "people": []}, folder)
    assert isinstance(source, DuckDBSource)
    return source


def asked_works(groups: int) -> Iterator[Work]:
    part = planned(QUESTION, schema(person=True, bounds=f"rows = 1\ngroups = {groups}")).parts[0]
    return (works(part, SeededBits(seed))[0] for seed in range(3))


def fetched(source: DuckDBSource, work: Work) -> tuple[Packing, NDArray[np.int64], Listing]:
    packing = source.listed._packing(work)
    assert packing is not None
    rows = np.concatenate(list(source.listed._pieces(work, packing)))
    return packing, rows, source.listed.compiler.listing(work)


def set_cores(patch: pytest.MonkeyPatch, count: int) -> None:
    """As if this machine had so many cores, and every work were long enough for them."""
    for room in (lists, packed):
        patch.setattr(room, "cores", lambda: count)
        patch.setattr(room, "MANY", 0)


def in_turn(work: Callable[[Iterator[int]], Result], jobs: Iterable[int], threads: int) -> list[Result]:
    """What threads would make that take the jobs in turn, the last one first."""
    return [work(iter(list(jobs)[first::threads])) for first in reversed(range(threads))]


def bound(measure: Measure) -> int:
    return measure.sensitivity()


def test_every_person_moves_what_is_charged_and_nobody_else(
    groups: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone she is in exactly min(groups, m) cells, within her bounds; with everybody else the totals are the sums."""
    source = opened(groups, EVERYBODY, tmp_path)
    for work in asked_works(groups):
        packing, rows, listing = fetched(source, work)
        whose = rows >> (packing.cell_bits + packing._below)

        def of(
            these: NDArray[np.bool],
            packing: Packing = packing,
            work: Work = work,
            rows: NDArray[np.int64] = rows,
            listing: Listing = listing,
        ) -> NDArray[np.int64]:
            return packing.totals([rows[these]], work, listing).values

        alone = []
        with monkeypatch.context() as patch:
            patch.setattr(packed, "ROWS", 7)  # Stretches end in the middle of somebody.
            patch.setattr(packed, "HEAP", 20)
            patch.setattr(packed, "BLOCK", 11)
            set_cores(patch, 3)
            whole = of(whose >= 0)
        for one in np.unique(whose):
            hers = of(whose == one)
            there = len(np.unique(rows[whose == one] >> packing._below))
            assert (hers[0] != 0).sum() == min(groups, there)  # Every row counts where it is.
            assert all(np.abs(part).max() <= bound(m) for part, m in zip(hers, work.measures, strict=True))
            assert (whole - of(whose != one) == hers).all()
            alone.append(hers)
        assert len(alone) == len(EVERYBODY) - 1  # One has no row at all.
        assert (np.sum(alone, axis=0) == whole).all()
        assert (source._added_up(work, source._names, source._types).values == whole).all()


def test_kept_lists_move_as_the_kernel_does(groups: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists made from sorted rows are those that the engine's own query gives, piece by piece too, person by person."""
    source = opened(groups, EVERYBODY, tmp_path)
    monkeypatch.setattr(lists, "PEOPLE", 5)
    for work in asked_works(groups):
        packing, rows, listing = fetched(source, work)
        made = packing.lists([rows.copy()], work, listing)
        columns = {name: np.asarray(values) for name, values in source._fetch(listing.query).items()}
        assert made.with_parts(of_columns(columns, listing)) is not None
        assert all((made.parts[part] == columns[f"p{i}"]).all() for i, part in enumerate(listing.parts))
        whole = made.totals(work, listing).values
        assert (whole == packing.totals([rows.copy()], work, listing).values).all()
        parts = [one_of(made, place).totals(work, listing).values for place in range(len(made.codes))]
        assert all((np.abs(part) > 0).any(axis=0).sum() <= groups for part in parts)
        assert (np.sum(parts, axis=0) == whole).all()
    with monkeypatch.context() as patch:
        patch.setattr(listed, "PIECE", 17)
        assert len(list(source.listed._pieces(work, packing))) > 2
        apart = packing.lists(source.listed._pieces(work, packing), work, listing)
        assert apart.with_parts(made) is None  # The same people in another order.
        assert (apart.totals(work, listing).values == whole).all()
        assert (packing.totals(source.listed._pieces(work, packing), work, listing).values == whole).all()


def one_of(made: PersonLists, place: int) -> PersonLists:
    """The list of one person."""
    first, last = made.starts[place : place + 2]
    parts = {name: part[first:last] for name, part in made.parts.items()}
    return PersonLists(made.codes[place : place + 1], np.array([0, last - first]), made.cells[first:last], parts)


def test_a_running_total_may_leave_64_bits() -> None:
    """What a group adds up to is right all the same."""
    groups = packed._Groups(np.zeros(6, np.int64), np.zeros(2, np.int64), np.array([0, 4]), np.array([2, 6]))
    values = np.array([2**61, 1, 2**62, 2**62, 5, 2**62], dtype=np.int64)
    assert groups._added(values).tolist() == [2**61 + 1, 2**62 + 5]


def test_nobody_there_is_no_list(tmp_path: Path, groups: int) -> None:
    source = opened(groups, [], tmp_path)
    work = next(asked_works(groups))
    packing, rows, listing = fetched(source, work)
    assert packing.lists([rows], work, listing).totals(work, listing).values.tolist() == [[0] * 3] * len(work.measures)


@pytest.mark.parametrize("bits", [3, 9, 20, 39, 40, 41, 62])
def test_heaps_bring_whole_people_in_their_order(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of every width: what the heaps hold is what sorting all of them gives, and nobody is in two stretches."""
    monkeypatch.setattr(packed, "ROWS", 7)
    monkeypatch.setattr(packed, "HEAP", 5)
    monkeypatch.setattr(packed, "BLOCK", 11)
    set_cores(monkeypatch, 2)
    packing = Packing(rows=300, lowest=-5, cell_bits=3, fields=())
    rows = np.random.default_rng(bits).integers(-1, 2**bits, 300)
    rows[:40] = rows[40:80]  # Some are there twice, and some of these are −1.
    rows[:3] = -1
    wanted = np.sort(rows[rows >= 0])
    heaps = packing._heaps(rows.copy())
    assert (len(heaps) > 1) == (bits > 3 + 1)  # No fewer bits than are above the cell.
    people = list(packing._sorted(heaps, range(len(heaps))))
    numbers = np.concatenate([stretch.codes for stretch in people])
    assert numbers.tolist() == np.fmod(np.unique(wanted >> 3) - 5, HASH_PRIME).tolist()
    assert np.concatenate([stretch.cells for stretch in people]).tolist() == (wanted & 7).tolist()
    heaped = [heap.astype(np.int64) | high for heap, high in map(heaps.at, range(len(heaps)))]
    assert np.sort(np.concatenate(heaped)).tolist() == wanted.tolist()
    nobody = packing._heaps(np.zeros(0, dtype=np.int64))
    assert list(packing._sorted(nobody, range(len(nobody)))) == []


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_every_number_of_threads_gives_the_same(threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the same keys: totals to the last unit, and lists in the same order."""
    source = opened(2, EVERYBODY, tmp_path)
    work = next(asked_works(2))
    packing, rows, listing = fetched(source, work)
    alone, list_alone = packing.totals([rows], work, listing), packing.lists([rows], work, listing)
    assert len(packing._heaps(rows)) == 1
    monkeypatch.setattr(packed, "HEAP", 4)
    monkeypatch.setattr(packed, "BLOCK", 10)
    monkeypatch.setattr(lists, "PEOPLE", 3)
    set_cores(monkeypatch, threads)
    assert len(packing._heaps(rows)) > 7
    for dealt in (on_threads, in_turn):
        monkeypatch.setattr(lists, "on_threads", dealt)
        monkeypatch.setattr(packed, "on_threads", dealt)
        assert (packing.totals([rows], work, listing).values == alone.values).all()
        made = packing.lists([rows], work, listing)
        assert made.with_parts(list_alone) is not None
        assert (made.totals(work, listing).values == alone.values).all()
        assert all((made.parts[part] == list_alone.parts[part]).all() for part in listing.parts)
