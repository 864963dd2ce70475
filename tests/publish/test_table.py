"""A whole table, from a file with awkward columns to a private copy, and every way it may refuse."""

from pathlib import Path

import duckdb
import numpy as np
import pytest

from banister.accounting.filters import AsYouGo
from banister.accounting.ledger import Ledger
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue, BudgetExceeded, LedgerMissing
from banister.publish.foretell import foretold
from banister.publish.job import Wish, publish
from banister.publish.noise import FixedTotal
from banister.publish.table import Repair, plan_sanitize, public_prior, read_declaration, sanitize

SCHEMA = """
[source]
neighbours = "replace"
[budget]
ledger = "people.ledger"
[columns]
Town = { kind = "category", values = ["Nürnberg", "O'Fallon", "北京"], nulls = false }
Group = { kind = "category", values = ["A", "a", "B, mixed"] }
born = { kind = "date", range = [1950-01-01, 1959-12-31], every = "year" }
income = { kind = "number", range = [0, 1000], step = 0.5, bins = [0, 100, 500] }
visits = { kind = "integer", range = [0, 3] }
ill = { kind = "category", values = [true, false], nulls = false }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = ["id,Town,Group,born,income,visits,ill"]
    towns, groups = ["Nürnberg", "O'Fallon", "北京"], ["A", "a", '"B, mixed"', ""]
    for i in range(600):
        born = "" if i % 10 == 0 else f"195{i % 10}-0{1 + i % 9}-1{i % 9}"
        income = "" if i % 7 == 0 else f"{(i * 37) % 1000}.5"
        rows.append(f"{i},{towns[i % 3]},{groups[i % 4]},{born},{income},{i % 4},{'TRUE' if i % 5 == 0 else 'false'}")
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "people.toml").write_text(SCHEMA, encoding="utf-8")
    Ledger.create(
        tmp_path / "people.ledger", budget=Guarantee(9, 1e-6), neighbours=Neighbours.REPLACE, questions=AsYouGo()
    ).close()
    return tmp_path


def wish(folder: Path, **changes: object) -> Wish:
    base: dict[str, object] = {
        "table": folder / "people.csv",
        "epsilon": "1",
        "delta": "0",
        "out": folder / "public.parquet",
        "columns": ("Town", "Group", "ill"),
        "schema": None,
        "neighbours": "",
        "ledger": "",
        "wide": False,
        "histogram": None,
        "report": None,
        "prior": None,
        "raw": False,
    }
    return Wish(**(base | changes))  # type: ignore[arg-type]


def ask(query: str) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        return list(connection.execute(query).fetchall())


def kinds(path: Path) -> list[tuple[str, str]]:
    return [(str(row[0]), str(row[1])) for row in ask(f"DESCRIBE SELECT * FROM '{path}'")]


def charges(folder: Path) -> int:
    with Ledger.open(folder / "people.ledger") as ledger:
        return ledger.remaining().charges


def test_a_table_with_awkward_columns_comes_back_in_its_types(folder: Path) -> None:
    rows = dict(publish(wish(folder, columns=(), report=folder / "report.html"), plan_only=False))
    assert rows["records"] == "600"
    assert kinds(folder / "public.parquet") == [
        ("Town", "VARCHAR"),
        ("Group", "VARCHAR"),
        ("born", "DATE"),
        ("income", "DOUBLE"),
        ("visits", "BIGINT"),
        ("ill", "BOOLEAN"),
    ]
    with duckdb.connect() as connection:
        values = connection.execute(f"SELECT * FROM '{folder / 'public.parquet'}'").fetchnumpy()
    assert values["Town"].size == 600
    assert set(values["Town"]) <= {"Nürnberg", "O'Fallon", "北京"}
    assert np.ma.count_masked(values["Town"]) == 0
    visits = np.ma.compressed(values["visits"]).astype(np.int64)
    assert visits.min() >= 0
    assert visits.max() <= 3
    income = np.ma.compressed(values["income"])
    assert income.min() >= 0
    assert income.max() <= 1000
    assert np.all(income * 2 == np.round(income * 2))
    assert charges(folder) == 1
    page = (folder / "report.html").read_text(encoding="utf-8")
    for words in ("For the owner of the table only", "Farthest off", "O&#x27;Fallon", "Laplace noise in every cell"):
        assert words in page
    assert "://" not in page


def test_csv_in_and_out_and_a_histogram(folder: Path) -> None:
    publish(wish(folder, out=folder / "public.csv", histogram=folder / "counts.csv", epsilon="8"), plan_only=False)
    lines = (folder / "public.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Town,Group,ill"
    assert len(lines) == 601
    assert (folder / "counts.csv").read_text(encoding="utf-8").startswith("Town,Group,ill,count\n")
    # At epsilon 8 hardly a count moves, so the copy must be the table up to a few records.
    truth = ask(f"SELECT Town, count(*) c FROM '{folder / 'people.csv'}' GROUP BY 1 ORDER BY 1")
    copy = ask(f"SELECT Town, count(*) c FROM '{folder / 'public.csv'}' GROUP BY 1 ORDER BY 1")
    assert max(abs(int(str(a[1])) - int(str(b[1]))) for a, b in zip(truth, copy, strict=True)) < 15


def test_frames_keep_their_narrow_types(folder: Path) -> None:
    ask(
        f"COPY (SELECT Town, CAST(visits AS TINYINT) AS visits, CAST('1955-05-05' AS TIMESTAMP) AS born "
        f"FROM '{folder / 'people.csv'}') TO '{folder / 'narrow.parquet'}'"
    )
    changed = wish(folder, table=folder / "narrow.parquet", schema=folder / "people.toml", columns=("visits", "born"))
    publish(changed, plan_only=False)
    assert kinds(folder / "public.parquet") == [("visits", "TINYINT"), ("born", "TIMESTAMP")]


def test_raw_numbers_and_priors(folder: Path) -> None:
    publish(wish(folder, out=None, raw=True, histogram=folder / "raw.csv", epsilon="1/10"), plan_only=False)
    assert ask(f'SELECT sum("count"), min("count") FROM \'{folder / "raw.csv"}\'')[0][0] == 600
    publish(wish(folder, prior=folder / "people.csv", epsilon="1/10"), plan_only=False)
    assert ask(f"SELECT count(*) FROM '{folder / 'public.parquet'}'") == [(600,)]


def test_a_plan_reads_no_record(folder: Path) -> None:
    (folder / "people.csv").unlink()
    rows = dict(publish(wish(folder), plan_only=True))
    assert rows["cells"] == "24 (Town 3 × Group 4 × ill 2)"
    assert "±" in rows["one value of Town"]
    assert charges(folder) == 0


def test_add_remove_hides_the_number_of_records(folder: Path) -> None:
    ledger = Ledger.create("memory:", budget=Guarantee(9, 1e-6), neighbours=Neighbours.ADD_REMOVE, questions=AsYouGo())
    domain = read_declaration(folder / "people.toml").domain.only(["Town", "ill"])
    plan = plan_sanitize(domain, epsilon="1/5", neighbours=Neighbours.ADD_REMOVE)
    totals = {int(sanitize(plan, folder / "people.csv", ledger=ledger)[0].counts.sum()) for _ in range(6)}
    assert len(totals) > 1
    empty = folder / "empty.csv"
    empty.write_text("Town,ill\n", encoding="utf-8")
    sanitize(plan, empty, ledger=ledger)  # That a table is empty is a secret here: it must not fail.
    with pytest.raises(BadValue, match="publishes the number of records"):
        plan_sanitize(
            domain,
            epsilon=1,
            neighbours=Neighbours.ADD_REMOVE,
            noise=FixedTotal(cells=6, epsilon=plan.noise.epsilon),
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": ("id",)}, "Column 'id' has no declaration"),
        ({"epsilon": "0"}, "epsilon = 0 must be a finite number above 0"),
        ({"out": None}, "Nothing would be published"),
        ({"out": Path("x.txt")}, "must end in .csv or .parquet"),
        ({"out": Path("/nowhere/x.csv")}, "its folder is not there"),
        ({"report": Path("x.pdf")}, "must end in .html"),
        ({"raw": True}, "with --raw give --histogram and no --out"),
        ({"delta": "1e-6"}, "--delta 1e-6 is of use with --wide only"),
        ({"wide": True}, "delta = 0 must be a number above 0 and below 1"),
        ({"wide": True, "delta": "1e-6", "prior": Path("x.csv")}, "--wide publishes records"),
        ({"neighbours": "near"}, "--neighbours near must be one of"),
        ({"table": Path("gone.csv"), "schema": Path("gone.toml")}, "The schema 'gone.toml' cannot be read"),
    ],
)
def test_bad_wishes_charge_nothing_and_leave_nothing(folder: Path, changes: dict[str, object], message: str) -> None:
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(BadValue, match=message):
        publish(wish(folder, **changes), plan_only=False)
    assert charges(folder) == 0
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Town,Group\n北京,A\n", "Column 'ill' is declared, but the table has no such column"),
        ("Town,Group,ill\n", "The table has no records"),
        ("", "'people.csv' is empty: it has no header line"),
        ("Town,town,ill\n", "two columns of one name"),
    ],
)
def test_bad_tables_charge_nothing_and_show_no_record(folder: Path, content: str, message: str) -> None:
    (folder / "people.csv").write_text(content, encoding="utf-8")
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(BadValue, match=message) as caught:
        publish(wish(folder), plan_only=False)
    assert "Berlin" not in str(caught.value)
    assert "perhaps" not in str(caught.value)
    assert charges(folder) == 0
    assert sorted(path.name for path in folder.iterdir()) == before


def test_broken_files_and_foreign_things_are_refused(folder: Path) -> None:
    (folder / "broken.parquet").write_bytes(b"PAR1 no")
    broken = wish(folder, table=folder / "broken.parquet", schema=folder / "people.toml")
    with pytest.raises(BadValue, match="could not be read or written"):
        publish(broken, plan_only=False)
    (folder / "broken.csv").write_bytes(b"Town,\xff\xfe\n")
    with pytest.raises(BadValue, match="Column 'Group' is declared, but the table has no such column"):
        publish(wish(folder, table=folder / "broken.csv", schema=folder / "people.toml"), plan_only=False)
    domain = read_declaration(folder / "people.toml").domain
    with pytest.raises(BadValue, match="cannot be read from a int"):
        public_prior(3, domain)
    with pytest.raises(BadValue, match="is not a file that is there"):
        public_prior(folder / "none.csv", domain)
    with pytest.raises(BadValue, match=r"must end in \.csv or \.parquet"):
        public_prior(folder / "people.toml", domain)
    (folder / "latin.toml").write_bytes(b"[columns]\n# \xe9\n")
    with pytest.raises(BadValue, match="is not text in UTF-8"):
        read_declaration(folder / "latin.toml")
    with pytest.raises(BadValue, match="is the private table itself"):
        publish(wish(folder, out=folder / "people.csv"), plan_only=False)
    with pytest.raises(BadValue, match="--raw and --prior exclude each other"):
        publish(
            wish(folder, out=None, raw=True, prior=folder / "people.csv", histogram=folder / "h.csv"), plan_only=False
        )


def test_ledgers_that_are_missing_full_or_unnamed(folder: Path) -> None:
    with pytest.raises(LedgerMissing, match="Make it once with: banister ledger create"):
        publish(wish(folder, ledger=str(folder / "none.ledger")), plan_only=False)
    with pytest.raises(BudgetExceeded, match="does not fit the budget"):
        publish(wish(folder, epsilon="10"), plan_only=False)
    assert not (folder / "public.parquet").exists()
    text = SCHEMA.replace('ledger = "people.ledger"', "")
    (folder / "people.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadValue, match="No ledger is named"):
        publish(wish(folder), plan_only=False)
    (folder / "people.toml").write_text(text.replace('neighbours = "replace"', ""), encoding="utf-8")
    with pytest.raises(BadValue, match="Say whom the guarantee protects"):
        publish(wish(folder), plan_only=False)


def test_plans_and_priors_have_to_fit(folder: Path) -> None:
    domain = read_declaration(folder / "people.toml").domain.only(["Town"])
    ledger = Ledger.create("memory:", budget=Guarantee(9), neighbours=Neighbours.REPLACE, questions=AsYouGo())
    plan = plan_sanitize(domain, epsilon=1, neighbours=Neighbours.REPLACE, repair=Repair.PRIOR)
    with pytest.raises(BadValue, match="A prior is needed for repair 'prior'"):
        sanitize(plan, folder / "people.csv", ledger=ledger)
    with pytest.raises(BadValue, match="The noise is for 2 cells, the columns have 3"):
        plan_sanitize(
            domain, epsilon=1, neighbours=Neighbours.REPLACE, noise=FixedTotal(cells=2, epsilon=plan.noise.epsilon)
        )
    raw = plan_sanitize(domain, epsilon=1, neighbours=Neighbours.REPLACE, repair=Repair.NONE)
    with pytest.raises(BadValue, match="Noisy numbers below 0 are no records"):
        sanitize(raw, folder / "people.csv", ledger=ledger)[0].codes()
    assert raw.key() != plan.key()


def test_errors_are_foretold_and_drawn(tmp_path: Path) -> None:
    rows = foretold(44064, 1, 100_000, tmp_path / "d.svg")
    assert rows[0][0] == "noise with a fixed total"
    assert rows[0][1] == pytest.approx(84558.305787)
    assert [times for _, _, times in rows] == sorted(times for _, _, times in rows)
    assert (tmp_path / "d.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert foretold(2, 1, 2_000_000)[0][0] == "noise with a fixed total"
    least = foretold(3, 1, 6)
    assert least[0][0] == "the least of all (linear program)"
    assert least[0][1] < least[1][1]


def test_one_row_a_person_counts(folder: Path) -> None:
    text = "id,Town,ill\n" + "".join(f"{i % 40},北京,true\n" for i in range(200)) + ",北京,true\n"
    (folder / "people.csv").write_text(text, encoding="utf-8")
    (folder / "people.toml").write_text(SCHEMA.replace("[source]", '[source]\nperson = "id"'), encoding="utf-8")
    publish(wish(folder, columns=("Town", "ill")), plan_only=False)
    assert ask(f"SELECT count(*) FROM '{folder / 'public.parquet'}'") == [(40,)]
    (folder / "people.csv").write_text("Town,ill\n北京,true\n", encoding="utf-8")
    with pytest.raises(BadValue, match="Column 'id' is declared, but the table has no such column"):
        publish(wish(folder, columns=("Town", "ill")), plan_only=False)


def test_a_plan_says_that_one_row_of_each_person_is_in_the_copy(folder: Path) -> None:
    schema = folder / "people.toml"

    def said() -> dict[str, str]:
        domain = read_declaration(schema).domain_of(("ill",))
        return dict(plan_sanitize(domain, epsilon=1, neighbours=Neighbours.REPLACE).rows(None))

    assert "a record" not in said()
    schema.write_text(SCHEMA.replace("[source]", '[source]\nperson = "id"\nrows = 1'), encoding="utf-8")
    assert said()["a record"] == "one row of each person named in 'id'; others are left out"
