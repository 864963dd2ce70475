"""An index of a table on PostgreSQL: the same answers, never stale, and none where the table cannot be watched."""

import os
import random
from pathlib import Path

import psycopg
import pytest

from banister.errors import BadValue
from banister.release import Dataset, drop_index, make_index
from banister.release import open as open_dataset
from banister.release.planning.planner import plan_release
from banister.release.planning.request import PlanRequest
from banister.release.run import works
from banister.release.sources.postgres import PostgresSource
from banister.release.work import Totals
from tests.seeded import SeededBits

SQL = "SELECT ward, COUNT(*) AS n, SUM(days) AS s FROM data GROUP BY ward"
SCHEMA = """
[source]
table = "{address}"
name = "{name}"
person = "who"
neighbours = "add-remove"
rows = 2
groups = 1
{more}
[budget]
epsilon = 1
delta = 1e-6
ledger = "stays.ledger"
[columns]
ward = {{ kind = "category", values = ["a", "b", "c"] }}
days = {{ kind = "integer", range = [0, 9] }}
"""


def made(address: str, folder: Path, *, name: str, more: str = "", ledger: str = "stays.ledger") -> Dataset:
    text = SCHEMA.format(address=address, name=name, more=more).replace("stays.ledger", ledger)
    (folder / "stays.toml").write_text(text)
    return open_dataset(folder / "stays.toml")


def fill(address: str, name: str) -> None:
    with psycopg.connect(address) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {name} CASCADE")
        connection.execute(f"CREATE TABLE {name} (who BIGINT, ward TEXT, days INTEGER)")
        rows = [(who, ward, (who * 7 + place) % 12) for who in range(40) for place, ward in enumerate("abcx")]
        with connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {name} VALUES (%s, %s, %s)", rows)


def totals(dataset: Dataset, seed: int) -> list[list[int]]:
    source = PostgresSource(dataset.schema, index=dataset.index_folder, indexing=dataset.schema.indexing)
    plan = plan_release(PlanRequest.of(dataset.questions(SQL), epsilon=1), dataset.schema)
    (work,) = works(plan.parts[0], SeededBits(seed))
    found: Totals = source.totals(work)
    return [[int(value) for value in row] for row in found.values]


def lists(dataset: Dataset) -> int:
    place = dataset.index_folder
    assert place is not None
    return len(list(place.glob("*.lists"))) if place.is_dir() else 0


def test_an_index_gives_the_same_and_reads_no_row(postgres: str, tmp_path: Path) -> None:
    fill(postgres, "stays")
    dataset = made(postgres, tmp_path, name="stays")
    plain = [totals(dataset, seed) for seed in range(5)]
    assert make_index(dataset, SQL) == 1
    assert lists(dataset) == 1
    assert (dataset.index_folder or tmp_path).stat().st_mode & 0o777 == 0o700
    with psycopg.connect(postgres) as lock:  # Whoever reads the table now waits; an index does not.
        lock.execute("LOCK TABLE stays IN ACCESS EXCLUSIVE MODE")
        assert [totals(dataset, seed) for seed in range(5)] == plain
    assert drop_index(dataset) == 1
    assert lists(dataset) == 0
    with psycopg.connect(postgres) as connection:
        (left,) = connection.execute(
            "SELECT count(*) FROM pg_trigger WHERE tgname = 'banister_changes'"
        ).fetchone() or (1,)
    assert left == 0
    assert [totals(dataset, seed) for seed in range(5)] == plain


EDITS = (
    "INSERT INTO edited VALUES ({n}, 'a', {k})",
    "UPDATE edited SET days = {k} WHERE who = {n}",
    "UPDATE edited SET ward = 'b' WHERE who = {n}",
    "DELETE FROM edited WHERE who = {n}",
    "BEGIN; INSERT INTO edited VALUES ({n}, 'c', 1); ROLLBACK",
    "BEGIN; SAVEPOINT s; INSERT INTO edited VALUES ({n}, 'c', 2); ROLLBACK TO s; COMMIT",
    "BEGIN; INSERT INTO edited VALUES ({n}, 'b', 3); INSERT INTO edited VALUES ({n}, 'c', 4); COMMIT",
    "TRUNCATE edited; INSERT INTO edited VALUES ({n}, 'a', {k}), ({n}, 'b', 1)",
    "ALTER TABLE edited DISABLE TRIGGER ALL; INSERT INTO edited VALUES ({n}, 'a', 5); "
    "ALTER TABLE edited ENABLE ALWAYS TRIGGER banister_changes",
    "SET session_replication_role = replica; INSERT INTO edited VALUES ({n}, 'a', 6); RESET session_replication_role",
    "ALTER TABLE edited ALTER COLUMN days TYPE INTEGER USING (days + 1) % 9",
    "VACUUM edited",
)


ROUNDS = int(os.environ.get("BANISTER_EDITS", "24")) // len(EDITS)


def test_no_edit_is_answered_from_a_stale_index(postgres: str, tmp_path: Path) -> None:
    """Every edit, in random orders: what is answered is what a source without an index answers.

    BANISTER_EDITS=1000 makes it as many edits as `test_indexing` makes of files.
    """
    fill(postgres, "edited")
    chance = random.Random(1)
    edits = [edit for _ in range(ROUNDS) for edit in chance.sample(EDITS, len(EDITS))]
    with_index = made(postgres, tmp_path, name="edited", more='index = "release"')
    without = Dataset(with_index.schema, folder=tmp_path / "nowhere", frames={})
    make_index(with_index, SQL)
    used = 0
    with psycopg.connect(postgres, autocommit=True) as connection:
        for number, edit in enumerate(edits):
            for statement in edit.format(n=chance.randrange(60), k=chance.randrange(12)).split("; "):
                connection.execute(statement.encode())
            before = lists(with_index)
            plain = PostgresSource(without.schema)
            plan = plan_release(PlanRequest.of(without.questions(SQL), epsilon=1), without.schema)
            (work,) = works(plan.parts[0], SeededBits(number))
            assert totals(with_index, number) == plain.totals(work).values.tolist()
            used += before
    assert used == len(edits)


def test_what_is_not_committed_is_not_seen(postgres: str, tmp_path: Path) -> None:
    fill(postgres, "open_stays")
    dataset = made(postgres, tmp_path, name="open_stays", more='index = "release"')
    make_index(dataset, SQL)
    before = totals(dataset, 1)
    with psycopg.connect(postgres) as first, psycopg.connect(postgres) as second:
        first.execute("INSERT INTO open_stays VALUES (900, 'a', 1)")
        second.execute("INSERT INTO open_stays VALUES (901, 'a', 1)")  # Nobody waits for anybody.
        assert totals(dataset, 1) == before
        second.commit()
        after_one = totals(dataset, 1)
        first.commit()
        after_both = totals(dataset, 1)
    assert after_one[0][0] == before[0][0] + 1
    assert after_both[0][0] == before[0][0] + 2


def test_without_the_right_to_watch_there_is_no_index(postgres: str, tmp_path: Path) -> None:
    fill(postgres, "guarded_stays")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS only_reads")
        connection.execute("CREATE ROLE only_reads LOGIN")
        connection.execute("GRANT SELECT ON guarded_stays TO only_reads")
    info = psycopg.conninfo.conninfo_to_dict(postgres)
    reader = f"postgresql://only_reads@{info['host']}:{info['port']}/{info['dbname']}"
    dataset = made(reader, tmp_path, name="guarded_stays", more='index = "release"')
    with pytest.raises(
        BadValue, match=r"No index can be kept of this table: PostgreSQL does not let us watch it \(SQLSTATE 42501\)"
    ):
        make_index(dataset, SQL)
    assert totals(dataset, 3)
    assert lists(dataset) == 0
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP OWNED BY only_reads")
        connection.execute("DROP ROLE only_reads")


@pytest.mark.parametrize(
    "kind",
    [
        "CREATE UNLOGGED TABLE odd (who BIGINT, ward TEXT, days INTEGER)",
        "CREATE TABLE odd (who BIGINT, ward TEXT, days INTEGER) PARTITION BY HASH (who)",
        "CREATE TABLE odd (who BIGINT, ward TEXT, days INTEGER); ALTER TABLE odd ENABLE ROW LEVEL SECURITY",
        "CREATE TABLE odd (who BIGINT, ward TEXT, days INTEGER); CREATE TABLE odd_child () INHERITS (odd)",
    ],
    ids=["unlogged", "partitioned", "row security", "inherited"],
)
def test_of_an_odd_table_there_is_no_index(postgres: str, tmp_path: Path, kind: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS odd CASCADE")
        for statement in kind.split("; "):
            connection.execute(statement.encode())
    dataset = made(postgres, tmp_path, name="odd", more='index = "release"')
    with pytest.raises(BadValue, match=r"No index was kept|does not let us watch it"):
        make_index(dataset, SQL)
    assert lists(dataset) == 0
    assert totals(dataset, 1) == [[0, 0, 0], [0, 0, 0]]


def test_a_ledger_elsewhere_leaves_no_place_for_an_index(postgres: str, tmp_path: Path) -> None:
    fill(postgres, "stays")
    dataset = made(postgres, tmp_path, name="stays", ledger="memory:")
    with pytest.raises(BadValue, match=r"An index lies beside the ledger's file"):
        make_index(dataset, SQL)
