"""An index of people's groups: kept for its owner alone, and never answered from once the table has changed."""

import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.errors import BadValue, EngineFailed
from banister.release.dataset import Dataset
from banister.release.dataset import open as open_dataset
from banister.release.indexing import drop_index, make_index
from banister.release.run import works
from banister.release.sources import kept
from banister.release.sources.duckdb import DuckDBSource
from tests.seeded import SeededBits

SCHEMA = """
[source]
table = "{table}"
person = "who"
neighbours = "add-remove"
rows = 3
groups = 2
{more}
[budget]
epsilon = 1
delta = 1e-6
ledger = "stays.ledger"
[columns]
days = {{ kind = "integer", range = [0, 30] }}
ward = {{ kind = "category", values = ["a", "b", "c", "d"] }}
"""
QUESTION = "SELECT ward, COUNT(*) AS n, SUM(days) AS t FROM data GROUP BY ward"


def stays(rows: int, seed: int) -> dict[str, list[object]]:
    chance = random.Random(seed)
    return {
        "who": [chance.randrange(rows // 3 + 1) for _ in range(rows)],
        "days": [chance.randrange(31) for _ in range(rows)],
        "ward": [chance.choice("abcd") for _ in range(rows)],
    }


def write(folder: Path, table: dict[str, list[object]], name: str = "stays.parquet") -> None:
    if name.endswith(".parquet"):
        pq.write_table(pa.table(table), folder / name)
    elif name.endswith(".csv"):
        lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
        (folder / name).write_text("\n".join(lines) + "\n")
    else:
        draft = folder / f"{len(list(folder.iterdir()))}.draft"
        with duckdb.connect(str(draft)) as connection:
            connection.register("given", pa.table(table))
            connection.execute("CREATE TABLE data AS SELECT * FROM given")
        draft.replace(folder / name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, stays(60, 1))
    (tmp_path / "stays.toml").write_text(SCHEMA.format(table="stays.parquet", more=""))
    return tmp_path


def opened(folder: Path) -> tuple[Dataset, DuckDBSource]:
    dataset = open_dataset(folder / "stays.toml")
    source = dataset.source()
    assert isinstance(source, DuckDBSource)
    return dataset, source


def totals(folder: Path, seed: int = 3) -> list[list[int]]:
    dataset, source = opened(folder)
    plan = dataset.plan(QUESTION, epsilon=1)
    found: list[list[int]] = source.totals(works(plan.parts[0], SeededBits(seed))[0]).values.tolist()
    return found


def from_sql(folder: Path, seed: int = 3) -> list[list[int]]:
    dataset, source = opened(folder)
    work = works(dataset.plan(QUESTION, epsilon=1).parts[0], SeededBits(seed))[0]
    found: list[list[int]] = source._added_up(work, source._names, source._types).values.tolist()
    return found


def has_fresh(folder: Path) -> bool:
    dataset, source = opened(folder)
    work = works(dataset.plan(QUESTION, epsilon=1).parts[0], SeededBits(3))[0]
    lists, paths = source.listed.kept, source.listed.paths
    assert lists is not None
    assert paths is not None
    return lists.find(source.listed.compiler.listing(work), paths) is not None


def test_an_index_is_the_owners_alone_beside_the_ledger_and_gives_the_same(folder: Path) -> None:
    before = totals(folder)
    assert not has_fresh(folder)
    assert make_index(open_dataset(folder / "stays.toml"), QUESTION) == 1
    place = folder / "stays.ledger.index"
    assert place.stat().st_mode & 0o777 == 0o700
    (file,) = place.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert has_fresh(folder)
    assert totals(folder) == before == from_sql(folder)
    assert drop_index(open_dataset(folder / "stays.toml")) == 1
    assert not place.exists()
    assert totals(folder) == before


def test_a_release_answers_from_the_index_and_not_from_the_rows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_index(open_dataset(folder / "stays.toml"), QUESTION)
    dataset, source = opened(folder)
    monkeypatch.setattr(source, "_fetch", None)

    def no_rows(query: str) -> NoReturn:
        raise AssertionError(query)

    monkeypatch.setattr(source, "listed", replace(source.listed, fetch=no_rows))
    answers = dataset.release(dataset.plan(QUESTION, epsilon="1/2"))
    assert len(answers.table) == 4


def test_a_release_makes_its_index_only_where_that_is_declared(folder: Path) -> None:
    totals(folder)
    assert not (folder / "stays.ledger.index").exists()
    (folder / "stays.toml").write_text(SCHEMA.format(table="stays.parquet", more='index = "release"'))
    expected = from_sql(folder)
    assert totals(folder) == expected
    assert has_fresh(folder)
    (folder / "stays.toml").write_text(SCHEMA.format(table="stays.parquet", more='index = "always"'))
    with pytest.raises(BadValue, match="index = 'always' must be 'release'"):
        open_dataset(folder / "stays.toml")


def test_the_usual_questions_and_a_second_one_over_the_same_rows_share_a_file(folder: Path) -> None:
    assert make_index(open_dataset(folder / "stays.toml"), "") == 1
    assert make_index(open_dataset(folder / "stays.toml"), QUESTION) == 1
    assert has_fresh(folder)
    dataset, source = opened(folder)
    usual = dataset.plan("SELECT ward, COUNT(*), SUM(days), AVG(days) FROM data GROUP BY ward", epsilon=1)
    work = works(usual.parts[0], SeededBits(3))[0]
    assert source.listed.kept is not None
    assert source.listed.paths is not None
    assert source.listed.kept.find(source.listed.compiler.listing(work), source.listed.paths) is not None
    assert len(list((folder / "stays.ledger.index").iterdir())) == 1


@pytest.mark.parametrize("name", ["stays.csv", "stays.duckdb"])
def test_other_files_have_an_index_too(name: str, folder: Path) -> None:
    (folder / "stays.toml").write_text(SCHEMA.format(table=name, more=""))
    write(folder, stays(60, 1), name)
    make_index(open_dataset(folder / "stays.toml"), QUESTION)
    assert has_fresh(folder)
    assert totals(folder) == from_sql(folder)
    write(folder, stays(60, 2), name)
    assert not has_fresh(folder)
    assert totals(folder) == from_sql(folder)


def edit(path: Path, chance: random.Random) -> None:
    """Something that somebody or some program may do to a file; sizes and times of writing are often kept."""
    was, content = path.stat(), bytearray(path.read_bytes())
    match chance.randrange(5):
        case 0:  # One byte, in place, with the old time of writing.
            place = chance.randrange(len(content))
            with path.open("r+b") as file:
                file.seek(place)
                file.write(bytes([content[place] ^ 1]))
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
        case 1:  # The same bytes again: nobody can tell without reading all of them.
            path.write_bytes(content)
        case 2:  # Another file in its place, of the same size and time.
            other = path.with_name("other")
            content[chance.randrange(len(content))] ^= 2
            other.write_bytes(content)
            os.utime(other, ns=(was.st_atime_ns, was.st_mtime_ns))
            other.replace(path)
        case 3:  # Shorter, or longer.
            path.write_bytes(content[:-1] if chance.random() < 0.5 else content + b" ")
        case 4:  # Only its times.
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns - 10**9))


def test_a_thousand_random_edits_are_never_answered_from_a_stale_index(folder: Path) -> None:
    """After each edit the index is stale; after some it is made anew, and then serves until the next edit."""
    chance, path = random.Random(11), folder / "stays.parquet"
    good = path.read_bytes()
    make_index(open_dataset(folder / "stays.toml"), QUESTION)
    dataset, source = opened(folder)
    listing = source.listed.compiler.listing(works(dataset.plan(QUESTION, epsilon=1).parts[0], SeededBits(3))[0])
    lists, paths = source.listed.kept, source.listed.paths
    assert lists is not None
    assert paths is not None
    fresh = 0
    for number in range(1000):
        edit(path, chance)
        assert lists.find(listing, paths) is None
        if number % 100 == 99:
            write(folder, stays(40 + number % 7, number))
            assert totals(folder, number) == from_sql(folder, number)
            make_index(open_dataset(folder / "stays.toml"), QUESTION)
            assert lists.find(listing, paths) is not None
            assert totals(folder, number) == from_sql(folder, number)
            fresh += 1
        elif number % 10 == 9:
            path.write_bytes(good)  # What was there when the first index was made, byte for byte.
            assert lists.find(listing, paths) is None
    assert fresh == 10


def test_a_file_that_was_written_just_now_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change within one tick of the clock would have the same time, so no index is made before that is past."""
    waits: list[float] = []
    monkeypatch.setattr(kept, "pause", waits.append)
    monkeypatch.setattr(kept, "FINE", 10**9)
    monkeypatch.setattr(kept, "COARSE", 2 * 10**9)
    write(folder, stays(60, 5))
    with pytest.raises(BadValue, match="its time of change lies in the future"):
        make_index(open_dataset(folder / "stays.toml"), QUESTION)
    assert waits
    assert not has_fresh(folder)


def test_a_table_that_changes_while_it_is_read_leaves_no_index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, source = opened(folder)
    work = works(dataset.plan(QUESTION, epsilon=1).parts[0], SeededBits(3))[0]
    fetch = source.listed.fetch

    def slow(query: str) -> object:
        found = fetch(query)
        write(folder, stays(60, 9))
        return found

    assert not replace(source.listed, fetch=slow).make(work)  # type: ignore[arg-type]
    assert not has_fresh(folder)
    assert not source.listed.make(work)  # It was opened before the change.
    assert totals(folder) == from_sql(folder)


def test_what_cannot_have_an_index_is_said(folder: Path) -> None:
    dataset = open_dataset(folder / "stays.toml")
    with pytest.raises(BadValue, match="An index keeps the groups of people with many rows"):
        make_index(dataset, "SELECT COUNT(*) FROM data")
    frame = open_dataset(folder / "stays.toml", data=pa.table(stays(9, 1)))
    with pytest.raises(BadValue, match="An index lies beside the ledger's file"):
        make_index(frame, QUESTION)
    text = SCHEMA.format(table="stays.parquet", more="").replace(', values = ["a", "b", "c", "d"]', "")
    (folder / "stays.toml").write_text(text)
    with pytest.raises(BadValue, match="No category of the table has declared values"):
        make_index(open_dataset(folder / "stays.toml"), "")


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"x")])
def test_an_index_is_dropped_though_its_table_is_gone(folder: Path, damage: Callable[[Path], object]) -> None:
    """Tables are deleted for somebody's sake; what was made of them goes too, and it is said that it is gone."""
    dataset = open_dataset(folder / "stays.toml")
    make_index(dataset, QUESTION)
    damage(folder / "stays.parquet")
    assert drop_index(open_dataset(folder / "stays.toml")) == 1
    assert not (folder / "stays.ledger.index").exists()
    assert drop_index(open_dataset(folder / "stays.toml")) == 0


def test_an_index_is_dropped_here_though_its_server_is_gone(folder: Path) -> None:
    make_index(open_dataset(folder / "stays.toml"), QUESTION)
    text = SCHEMA.format(table="postgresql://nobody@127.0.0.1:1/none", more='name = "stays"\n')
    (folder / "stays.toml").write_text(text)
    with pytest.raises(EngineFailed, match=r"^Indexes deleted: 1\. What watches the table on its server could not be"):
        drop_index(open_dataset(folder / "stays.toml"))
    assert not (folder / "stays.ledger.index").exists()


def test_the_command_makes_and_drops(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(build(), ["index", "stays.toml"])
    assert done.output == "Questions with a fresh index: 1. Nothing was charged.\n"
    assert not (folder / "stays.ledger").exists()
    assert CliRunner().invoke(build(), ["index", "stays.toml", "--drop"]).output == "Indexes deleted: 1.\n"
    assert np.array(totals(folder)).shape == (2, 4)
