"""Lists of people's groups: exactly so many groups count, each as often, and arrays give what SQL gives."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pytest
from sqlglot import exp

from banister.questions.measures import Counting, Measure
from banister.release.run import works
from banister.release.sources import lists, packed
from banister.release.sources.duckdb import DuckDBSource
from banister.release.sources.kept import KeptLists
from banister.release.sources.lists import PersonLists, Sums
from banister.release.sources.sql.part import HELD, held_part, hold
from banister.release.sources.sql.rotation import counts, first_places, reached, turn_codes, turned
from banister.release.work import HASH_PRIME, Work
from banister.sampling.bits import SYSTEM
from tests.release.sources.places import TABLES, Tables, in_duckdb, planned, random_tables, schema
from tests.seeded import SeededBits
from tests.sizes import sized

KEYS = (715225739, 982451653, 314159265, 271828182, 161803398, 141421356)
QUESTIONS = (
    "SELECT plan, COUNT(*), SUM(visits) FROM data GROUP BY plan",
    "SELECT plan, COUNT(DISTINCT who), COUNT(visits), AVG(visits), STDDEV_POP(visits) FROM data WHERE ok = TRUE "
    "GROUP BY plan",
    "SELECT visits, plan, COUNT(*), SUM(income) FROM data WHERE NOT (income > 3) GROUP BY visits, plan",
    "SELECT plan, COUNT(site), SUM(far) FROM data GROUP BY plan",
)


def near(tables: Tables) -> Tables:
    """The same people, with small numbers, so that their rows fit into 62 bits."""
    numbers = {who: place - 3 for place, who in enumerate(dict.fromkeys(row[0] for row in tables["data"]))}
    rows = [(None if row[0] is None else numbers[row[0]], *row[1:]) for row in tables["data"]]
    return {"data": rows, "people": []}


def asked_of_sql(query: str) -> list[tuple[object, ...]]:
    return duckdb.execute(query).fetchall()


def test_arrays_turn_as_sql_does() -> None:
    codes = [0, 1, -1, 7, 2**31 - 1, -(2**31) + 1, HASH_PRIME - 1, 1_000_003]
    turn = turned(exp.column("c"), KEYS).sql(dialect="duckdb")
    rows = ", ".join(f"(CAST({code} AS BIGINT))" for code in codes)
    found = [int(str(row[0])) for row in asked_of_sql(f"SELECT {turn} FROM (VALUES {rows}) t(c)")]
    assert found == turn_codes(np.array(codes, dtype=np.int64), KEYS).tolist()
    assert all(0 <= turn < 2**31 for turn in found)


@pytest.mark.parametrize("groups", [1, 2, 5, 9])
def test_exactly_so_many_groups_count_and_sql_chooses_the_same(groups: int) -> None:
    """Every list up to 9 long, many people: neighbours on a circle, and each place as often as the next."""
    codes = np.arange(-1500, 1500, dtype=np.int64)
    turns = turn_codes(codes, KEYS)
    for m in range(1, 10):
        far, j = exp.column("far"), exp.cast(exp.column("j"), "bigint")
        reach = reached(j, exp.cast(exp.column("m"), "bigint"), exp.column("t")).sql(dialect="duckdb")
        chosen = counts(far, exp.column("m"), groups).sql(dialect="duckdb")
        there = {"t": np.repeat(turns, m), "j": np.tile(np.arange(m), len(turns))}
        connection = duckdb.connect()
        connection.register("people", there)
        rows = connection.execute(
            f"SELECT t, list(j ORDER BY j) FROM (SELECT t, j, m, {reach} AS far FROM "
            f"(SELECT t, j, CAST({m} AS BIGINT) AS m FROM people)) WHERE {chosen} GROUP BY t"
        ).fetchall()
        first = dict(zip(turns.tolist(), first_places(turns, np.full(len(turns), m)).tolist(), strict=True))
        often = np.zeros(m)
        for turn, places in rows:
            assert places == sorted({(first[turn] + i) % m for i in range(min(groups, m))})
            often[places] += 1
        chance = min(groups, m) / m
        assert np.abs(often - len(rows) * chance).max() <= 5 * np.sqrt(len(rows) * chance * (1 - chance) + 1e-9)


@pytest.mark.parametrize(
    "measure",
    [
        Measure(counting=Counting.ROWS, quantity=None, low=0, high=3),
        Measure(counting=Counting.PEOPLE, quantity=None, low=0, high=1),
        Measure(counting=Counting.TOTAL, quantity=None, low=-75, high=75),
        Measure(counting=Counting.TOTAL, quantity=None, low=-(2**50), high=2**50, most=3),
        Measure(counting=Counting.TOTAL, quantity=None, low=-6, high=9, most=2**20),
    ],
)
def test_arrays_are_held_as_sql_holds_them(measure: Measure) -> None:
    values = [0, 1, -1, 5, -5, 74, 76, -76, 2**40 + 1, -(2**40) - 1, HELD, -HELD]
    pairs = [(value, rows) for value in values for rows in (0, 1, 2, 3, 4, 7, 10**6) if rows or value == 0]
    part = held_part(exp.column("v"), measure, exp.column("c")).sql(dialect="duckdb")
    rows = ", ".join(f"({i}, CAST({value} AS BIGINT), CAST({n} AS BIGINT))" for i, (value, n) in enumerate(pairs))
    expected = [row[0] for row in asked_of_sql(f"SELECT {part} FROM (VALUES {rows}) t(i, v, c) ORDER BY i")]
    given, numbers = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    assert hold(given, measure, numbers).tolist() == expected


def test_sums_are_exact_beyond_doubles_and_held() -> None:
    """2^52 + 1 is lost in a sum of doubles; totals go beyond 64 bits and are held within 2^60."""
    work = works(planned(QUESTIONS[0], schema(person=True)).parts[0], SeededBits(1))[0]
    sums = Sums.of(replace(work, measures=work.measures[:1]))
    large = np.array([2**52 + 1, -(2**52) - 1, 2**52 + 1, 2**52 - 1, 3], dtype=np.int64)
    sums.add(0, np.array([0, 1, 0, 0, 2]), large, most=2**52 + 1)
    assert sums.totals().values[0].tolist()[:3] == [3 * 2**52 + 1, -(2**52) - 1, 3]
    for _ in range(300):
        sums.add(0, np.array([0, 1]), np.array([2**60, -(2**60)]), most=2**60)
    assert sums.totals().values[0].tolist()[:3] == [HELD, -HELD, 3]


def every(source: DuckDBSource, work: Work) -> list[list[list[int]]]:
    """The totals of some work from the engine's SQL, from rows that were packed, and from a kept list."""
    slow = source._added_up(work, source._names, source._types).values.tolist()
    quick = source.listed._packed(work, source.listed.compiler.listing(work))
    kept = source.totals(work).values.tolist()
    return [slow, kept, *([] if quick is None else [quick.values.tolist()])]


@pytest.mark.parametrize("bounds", ["rows = 3\ngroups = 1", "rows = 2\ngroups = 2", "rows = 2\ngroups = 7"])
def test_sql_packed_rows_and_kept_lists_give_the_same(
    bounds: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "ROWS", 3)  # Stretches and blocks that end in the middle of somebody.
    monkeypatch.setattr(lists, "PEOPLE", 2)
    asked = schema(person=True, bounds=bounds)
    for place, tables in enumerate((TABLES, near(TABLES), near(random_tables(3)), near(random_tables(4)))):
        folder = tmp_path / str(place)
        folder.mkdir()
        in_duckdb(asked, tables, folder)
        source = DuckDBSource(asked, folder=folder, frames={}, index=folder / "lists", indexing=True)
        for question in QUESTIONS:
            for seed in range(sized(2, 8)):
                work = works(planned(question, asked).parts[0], SeededBits(seed))[0]
                if work.groups is None:  # She may count in all of them.
                    continue
                found = every(source, work)
                assert all(a == b for a, b in pairwise(found)), question
                assert len(found) == (3 if place and "site" not in question else 2)
        assert list((folder / "lists").iterdir())


@pytest.mark.parametrize("question", ["site", "site, plan", "plan, site, code", "code"])
def test_unknown_values_give_the_same_from_packed_rows(question: str, tmp_path: Path) -> None:
    asked = schema(person=True, bounds="rows = 2\ngroups = 2")
    for place, tables in enumerate((near(TABLES), near(random_tables(6)))):
        folder = tmp_path / str(place)
        folder.mkdir()
        source = in_duckdb(asked, tables, folder)
        assert isinstance(source, DuckDBSource)
        plan = planned(f"SELECT {question}, COUNT(*), SUM(visits) FROM data GROUP BY {question}", asked)
        for seed in range(4):
            work = works(plan.parts[0], SeededBits(seed))[0]
            slow, quick = source._added_up(work, source._names, source._types), source.listed.totals(work)
            assert quick is not None
            assert (quick.labels, quick.values.tolist()) == (slow.labels, slow.values.tolist())


def test_one_person_moves_no_more_cells_than_may_count(tmp_path: Path) -> None:
    """Rows added and removed at random: whoever else is there keeps her groups, whatever one person does."""
    generator = np.random.default_rng(5)
    asked = schema(person=True, bounds="rows = 2\ngroups = 2")
    part = planned("SELECT visits, COUNT(*), COUNT(DISTINCT who) FROM data GROUP BY visits", asked).parts[0]
    for trial in range(12):
        rows = [
            (int(who), int(v), 1.0, "free", "a", True, 1, None, 1, 0, 0)
            for who, v in zip(generator.integers(0, 9, 60), generator.integers(0, 11, 60), strict=True)
        ]
        hers = [row for row in rows if row[0] == 4]
        less = [row for row in rows if row[0] != 4] + hers[: len(hers) // 2 if trial % 2 else 0]
        work = works(part, SeededBits(trial))[0]
        full, fewer = (
            in_duckdb(asked, {"data": found, "people": []}, tmp_path).totals(work).values for found in (rows, less)
        )
        assert (full != fewer).any(axis=0).sum() <= (4 if trial % 2 else 2)
        assert np.abs(full - fewer).max() <= 2


def test_a_list_with_arrays_that_do_not_fit_is_none(tmp_path: Path) -> None:
    asked = schema(person=True)
    in_duckdb(asked, TABLES, tmp_path)
    source = DuckDBSource(asked, folder=tmp_path, frames={}, index=tmp_path / "lists", indexing=True)
    work = works(planned(QUESTIONS[0], asked).parts[0], SYSTEM)[0]
    listing = source.listed.compiler.listing(work)
    assert source.listed.make(work)
    kept = source.listed.kept
    assert isinstance(kept, KeptLists)
    assert source.listed.paths is not None
    good = kept.find(listing, source.listed.paths)
    assert isinstance(good, PersonLists)
    (path,) = (tmp_path / "lists").iterdir()
    whole = path.read_bytes()
    line = whole.index(b"\n") + 1
    for bad in (b"", whole[:line], whole[:-64], whole + b"\0" * 64, whole[: line - 1], b"{}\n" + whole[line:]):
        path.write_bytes(bad)
        assert kept.find(listing, source.listed.paths) is None
    path.write_bytes(whole)
    path.chmod(0o640)
    assert kept.find(listing, source.listed.paths) is None
    path.chmod(0o600)
    assert kept.find(listing, source.listed.paths) is not None
