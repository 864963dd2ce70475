"""A draft reads names and types and no value, asks what only the owner knows, and writes what questions can use."""

from pathlib import Path

import duckdb
import pytest

import banister as bn
from banister.errors import BadValue
from banister.release.drafting.asked import LEAVE, listed, split_values, two_dates, two_numbers, two_whole_numbers
from banister.release.drafting.draft import Draft, draft
from banister.release.drafting.found import FoundColumn, FoundTable, find_table
from banister.release.drafting.looked import look_as_owner
from banister.release.drafting.proposals import propose
from banister.release.work import Physical
from banister.tables.columns import Kind
from banister.tables.frames.csv_lines import first_line
from banister.tables.schema import Schema
from tests.release.drafting.tables import german_stays

OWNER = {
    "person": "Patient",
    "neighbours": "add-remove",
    "rows": "3",
    "groups": "2",
    "epsilon": "1",
    "delta": "1e-6",
    "Station.values": "Innere, Chirurgie, Kinder, Geburtshilfe",
    "Kosten.range": "0 to 1000",
    "Aufnahme.range": "2019-01-01 to 2023-12-31",
    "Größe.kind": "number",
    "Größe.range": "0 to 3",
}


def answered(begun: Draft, answers: dict[str, str]) -> Draft:
    while (question := begun.next) is not None:
        begun = begun.answer(question.key, answers.get(question.key, ""))
    return begun


def test_of_a_csv_file_only_the_first_line_is_read(tmp_path: Path) -> None:
    place = tmp_path / "stays.csv"
    reads: list[int] = []

    class Counted:
        def __init__(self, file: object) -> None:
            self.file = file

        def __enter__(self) -> "Counted":
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()  # type: ignore[attr-defined]

        def read(self, size: int) -> bytes:
            reads.append(size)
            return self.file.read(size)  # type: ignore[attr-defined,no-any-return]

    class Spy(type(place)):  # type: ignore[misc]
        def open(self, *words: object, **options: object) -> Counted:
            return Counted(super().open(*words, **options))

    place.write_bytes(b"patient,age\nsecret,44\n")
    assert first_line(Spy(place)) == b"patient,age"
    assert sum(reads) == len(b"patient,age\n")


def test_a_german_file_becomes_a_schema_that_understands_all_of_it(tmp_path: Path) -> None:
    place = german_stays(tmp_path / "stays.csv")
    done = answered(draft(place), OWNER)
    assert done.blanks == ()
    (tmp_path / "stays.toml").write_text(done.text(), encoding="utf-8")
    stays = bn.open(tmp_path / "stays.toml")
    (check,) = stays.check()
    assert check.rows == 900
    assert all(column.understood == 900 and column.outside == 0 for column in check.columns)
    assert {column.name: column.kind for column in stays.schema.main.columns} == {
        "Alter": Kind.INTEGER,
        "Station": Kind.CATEGORY,
        "Kosten": Kind.NUMBER,
        "Aufnahme": Kind.DATE,
        "Größe": Kind.NUMBER,
    }
    answers = stays.release(stays.plan("SELECT Station, COUNT(*) AS n FROM data GROUP BY Station", epsilon=1))
    assert len(answers.table) == 4


def test_without_questions_what_only_the_owner_knows_is_blank_and_named(tmp_path: Path) -> None:
    done = draft(german_stays(tmp_path / "stays.csv")).with_proposals()
    assert {"person", "neighbours", "epsilon", "delta", "Kosten.range"} <= set(done.blanks)
    (tmp_path / "stays.toml").write_text(done.text(), encoding="utf-8")
    with pytest.raises(BadValue, match="person of ") as raised:
        bn.open(tmp_path / "stays.toml")
    told = str(raised.value)
    for words in (
        "neighbours of [source]",
        "epsilon of [budget]",
        "range of column 'Kosten'",
        "kind of column 'Größe'",
    ):
        assert words in told
    assert str(len(told.splitlines()) - 1) in told.splitlines()[0]


def test_a_blank_range_stops_questions_and_publishing_but_not_the_schema() -> None:
    schema = Schema.of_text(
        '[source]\ntable = "a.csv"\nneighbours = "replace"\n[columns]\nage = { kind = "integer", range = "FILL IN" }\n'
        'sex = { kind = "category", values = ["f", "FILL IN"] }\ntown = { kind = "category", values = "FILL IN" }'
    )
    assert [column.blank for column in schema.main.columns] == [("range",), (), ("values",)]
    with pytest.raises(BadValue, match="2 blanks"):
        schema.for_questions()
    with pytest.raises(BadValue, match="range of column 'age'"):
        schema.domain_of(["age"])
    assert schema.domain_of(["sex"]).shape
    assert schema.for_looks() is schema


def test_the_owner_may_look_and_is_warned(tmp_path: Path) -> None:
    place = german_stays(tmp_path / "stays.csv")
    begun = draft(place)
    looked = look_as_owner(place, begun.found)
    assert (looked.encoding, looked.decimal, looked.date_format) == ("cp1252", ",", "%d.%m.%Y")
    done = answered(
        Draft(found=begun.found, ledger=begun.ledger, looked=looked),
        {"person": "Patient", "neighbours": "replace", "epsilon": "1", "delta": "0", "rows": "1", "groups": "4",
         "Kosten.range": "0 to 5000"},
    )  # fmt: skip
    text = done.text()
    assert "WARNING" in text
    assert 'values = ["Chirurgie", "Geburtshilfe", "Innere", "Kinder"], from_data = true' in text
    assert 'Kosten   = { kind = "number", range = [0, 5000], step = 0.01 }' in text  # Her own, so not marked.
    (tmp_path / "stays.toml").write_text(text, encoding="utf-8")
    stays = bn.open(tmp_path / "stays.toml")
    plan = stays.plan("SELECT COUNT(*) FROM data", epsilon="0.1")
    assert "WARNING: taken from the data" in str(plan)
    assert "the range of 'Alter'" in str(plan)
    assert "'Kosten'" not in str(plan)
    report = stays.release(plan).report(tmp_path / "answers.html").read_text(encoding="utf-8")
    assert "WARNING: taken from the data" in report


def test_stored_types_are_read_from_parquet_duckdb_and_frames(tmp_path: Path) -> None:
    made = "SELECT 1 AS customer_id, 9.5 AS price, DATE '2024-01-01' AS day, 'x' AS kind, true AS paid, [1] AS odd"
    duckdb.sql(f"COPY ({made}) TO '{tmp_path / 'orders.parquet'}'")
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as shop:
        shop.execute(f"CREATE TABLE orders AS {made}")
    frames = [tmp_path / "orders.parquet", tmp_path / "shop.duckdb", duckdb.execute(made).df()]
    for place in frames:
        begun = draft(place)
        assert begun.found.names == ("customer_id", "price", "day", "kind", "paid", "odd")
        done = begun.with_proposals().answer("person", "customer_id")
        assert "paid" in done.text()
        assert "values = [false, true]" in done.text()
        assert "# odd holds another type" in done.text()
        assert 'price = { kind = "number", range = "FILL IN", step = 0.01 }' in " ".join(done.text().split())
    assert 'name = "orders"' in draft(tmp_path / "shop.duckdb").text()


def test_a_database_with_several_tables_asks_which(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as shop:
        shop.execute("CREATE TABLE orders AS SELECT 1 AS a; CREATE TABLE items AS SELECT 2 AS b")
    with pytest.raises(BadValue, match="several tables: items, orders"):
        find_table(tmp_path / "shop.duckdb")
    assert find_table(tmp_path / "shop.duckdb", name="items").names == ("b",)


def test_postgres_tells_names_and_types(postgres: str) -> None:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            "DROP TABLE IF EXISTS drafted; CREATE TABLE drafted (customer int, total numeric, at timestamp)"
        )
        connection.execute("INSERT INTO drafted VALUES (1, 12.5, '2024-02-03'), (2, 99, '2024-05-06')")
    found = find_table(postgres, name="drafted")
    assert [column.stored for column in found.columns] == [Physical.INTEGER, Physical.DECIMAL, Physical.TIMESTAMP]
    looked = look_as_owner(postgres, found)
    assert looked.columns["total"].range == "0 to 99"
    assert looked.columns["at"].range == "2024-01-01 to 2024-12-31"


@pytest.mark.parametrize(
    ("first", "message"),
    [(b"", "no header"), (b"a,,b", "each by a name of its own"), (b"a,A", "each by a name of its own")],
)
def test_a_bad_header_is_one_message(first: bytes, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        FoundTable.of_header("a.csv", first)


@pytest.mark.parametrize("place", ["nowhere.csv", "README.md"])
def test_what_is_no_table_is_one_message(place: str) -> None:
    with pytest.raises(BadValue, match=r"is not a file|must end in"):
        find_table(place)


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("person", "nobody", "is no answer here"),
        ("neighbours", "both", "'add-remove', 'replace'"),
        ("epsilon", "-1", "above 0"),
        ("delta", "1", "below 1"),
        ("nothing", "1", "is no question"),
        ("age.range", "5 to 1", "from low to high"),
        ("age.range", "young to old", "is no range"),
        ("age.range", "0.5 to 1", "two whole numbers"),
    ],
)
def test_a_wrong_answer_says_what_would_be_right(key: str, text: str, message: str) -> None:
    begun = Draft(found=FoundTable.of_header("a.csv", b"id,age"), ledger="a.ledger").answer("age.kind", "integer")
    with pytest.raises(BadValue, match=message):
        begun.answer(key, text)


def test_answers_are_read_as_people_write_them() -> None:
    assert two_numbers("[0, 120]") == two_numbers("0..120") == two_numbers("from 0 to 120") == "0 to 120"
    assert two_whole_numbers("-5 to 7") == "-5 to 7"
    assert two_dates("2020-02-29, 2021-01-01") == "2020-02-29 to 2021-01-01"
    with pytest.raises(BadValue, match="no range of dates"):
        two_dates("2021-02-29 to 2021-03-01")
    assert split_values(listed('a, "b, c"')) == ["a", "b, c"]


def test_names_with_any_signs_survive(tmp_path: Path) -> None:
    place = tmp_path / "odd.csv"
    place.write_bytes('"a ""b"" c",x.y,ü\n1,2,3\n'.encode())
    begun = draft(place)
    for name in begun.found.names:
        begun = begun.answer(f"{name}.kind", "integer").answer(f"{name}.range", "0 to 9")
    done = answered(begun, {"person": "each row", "neighbours": "replace", "epsilon": "1", "delta": "0"})
    (tmp_path / "odd.toml").write_text(done.text(), encoding="utf-8")
    (check,) = bn.open(tmp_path / "odd.toml").check()
    assert [column.understood for column in check.columns] == [1, 1, 1]


def test_a_column_can_be_left_out() -> None:
    begun = Draft(found=FoundTable.of_header("a.csv", b"id,age"), ledger="a.ledger").answer("age.kind", LEAVE)
    assert "age" not in begun.text()


@pytest.mark.parametrize(
    ("name", "stored", "kind"),
    [
        ("age", Physical.INTEGER, Kind.INTEGER),
        ("plz", Physical.INTEGER, Kind.CATEGORY),
        ("orderDate", None, Kind.DATE),
        ("price", Physical.TEXT, Kind.CATEGORY),  # What is stored as text cannot be a number.
        ("x17", None, None),
    ],
)
def test_kinds_are_proposed_by_name_and_type(name: str, stored: Physical | None, kind: Kind | None) -> None:
    assert propose(FoundColumn(name, stored)).kind is kind


@pytest.mark.parametrize(("thousands", "decimal"), [(".", ","), (",", "."), ("'", ".")])
def test_an_owners_look_finds_thousands_that_stand_apart(thousands: str, decimal: str, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    written = [
        f"{n:,.2f}".replace(",", "T").replace(".", decimal).replace("T", thousands) for n in (5, 1234.5, 9876543)
    ]
    path.write_text("who;sales\n" + "".join(f"{i};{one}\n" for i, one in enumerate(written)))
    looked = look_as_owner(path, draft(path).found)
    assert (looked.decimal, looked.thousands, looked.columns["sales"].kind) == (decimal, thousands, Kind.NUMBER)
    made = draft(path, looked=looked).answer("person", "who").answer("neighbours", "replace").with_proposals()
    assert f'thousands = "{thousands}"' in made.text()
