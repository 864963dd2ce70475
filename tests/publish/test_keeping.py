"""A copy that was paid for is written, whatever the table's types; and it is charged once under its key."""

import stat
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import banister as bn
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.publish.job import Wish, publish
from banister.publish.sketches import files as sketch_files
from banister.publish.sketches.sketch import SketchWish, answer_cut, sketch_graph, sketch_matrix
from banister.publish.table import plan_sanitize, sanitize
from banister.publish.wide import plan_wide, sanitize_wide
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain
from banister.tables.schema import Schema
from tests.seeded import SeededBits

REPLACE = Neighbours.REPLACE
SCHEMA = """
[source]
neighbours = "replace"
[columns]
integer = { kind = "integer", range = [-400, 70000], bins = [0, 100, 1000] }
number = { kind = "number", range = [-1000, 1000], step = 0.5, bins = [-10, 10] }
category = { kind = "category", values = ["a", "b", "300"] }
date = { kind = "date", range = [1900-01-01, 2400-12-31], every = "year" }
"""
STORED = {
    "integer": ("TINYINT", "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL(3,1)"),
    "number": ("TINYINT", "FLOAT", "DOUBLE", "DECIMAL(2,0)", "DECIMAL(3,1)", "DECIMAL(38,10)", "BIGINT"),
    "category": ("VARCHAR",),
    "date": ("DATE", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMPTZ", "VARCHAR"),
}
VALUES = {"integer": "1", "number": "1", "category": "a", "date": "2024-05-06"}


def ledger(folder: Path) -> bn.Ledger:
    budget = Guarantee(10, "0.1")
    return bn.Ledger.create(folder / "a.ledger", budget=budget, neighbours=REPLACE, questions=bn.AsYouGo())


def declared(folder: Path, column: str) -> Domain:
    (folder / "t.toml").write_text(SCHEMA)
    return Schema.of_file(folder / "t.toml").domain_of((column,))


@pytest.mark.parametrize(("column", "stored"), [(c, s) for c, kinds in STORED.items() for s in kinds])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_copy_of_every_type_can_hold_every_declared_value(
    tmp_path: Path, column: str, stored: str, suffix: str
) -> None:
    """Noise puts records into every cell, so a copy holds values that the table's own type cannot."""
    value = VALUES[column]
    table = tmp_path / "t.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT CAST('{value}' AS {stored}) AS \"{column}\") TO '{table}' (FORMAT parquet)")
    plan = plan_sanitize(declared(tmp_path, column), epsilon="0.01", neighbours=Neighbours.ADD_REMOVE)
    budget = Guarantee(1)
    book = bn.Ledger.create("memory:", budget=budget, neighbours=Neighbours.ADD_REMOVE, questions=bn.AsYouGo())
    done, _ = sanitize(plan, table, ledger=book)
    done = replace(done, counts=np.full_like(done.counts, 20))
    for seed in range(3):  # The values within a cell are drawn when it is written.
        done.write(tmp_path / f"copy{suffix}", bits=SeededBits(seed))
    with duckdb.connect() as connection:
        read = connection.execute(f"SELECT count(*) FROM '{tmp_path / f'copy{suffix}'}'").fetchall()
    assert read == [(int(done.counts.sum()),)]


def test_a_categorical_does_not_need_to_know_every_declared_value(tmp_path: Path) -> None:
    frame = pd.DataFrame({"category": pd.Categorical(["a", "b"] * 30)})
    plan = plan_sanitize(declared(tmp_path, "category"), epsilon="0.01", neighbours=REPLACE)
    with ledger(tmp_path) as book:
        done, _ = sanitize(plan, frame, ledger=book)
        replace(done, counts=np.full_like(done.counts, 20)).write(tmp_path / "copy.parquet")


def wish(folder: Path, **more: object) -> Wish:
    words: dict[str, object] = {
        "table": folder / "t.csv",
        "epsilon": "1",
        "delta": "0",
        "out": folder / "copy.csv",
        "columns": ("category",),
        "schema": folder / "t.toml",
        "neighbours": "",
        "ledger": str(folder / "a.ledger"),
        "wide": False,
        "histogram": None,
        "report": None,
        "prior": None,
        "raw": False,
    }
    return Wish(**(words | more))  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    declared(tmp_path, "category")
    (tmp_path / "t.csv").write_text("category\n" + "a\nb\n" * 50)
    ledger(tmp_path).close()
    return tmp_path


def charges(folder: Path) -> int:
    with bn.Ledger.open(folder / "a.ledger") as book:
        return book.remaining().charges


@pytest.mark.parametrize("wide", [False, True])
def test_a_copy_that_could_not_be_written_is_fetched_by_its_key(
    folder: Path, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import banister.tables.frames.records as records

    def fail(*args: object, **words: object) -> None:
        raise BadValue("There is no room.")

    level = {"delta": "1e-3", "wide": True} if wide else {}
    with monkeypatch.context() as patch:
        patch.setattr(records, "write_records", fail)
        with pytest.raises(BadValue, match=r"There is no room\. .* fetch it with --key \w+\.") as caught:
            publish(wish(folder, **level), plan_only=False)
    key = str(caught.value).split()[-1].removesuffix(".")
    kept = list((folder / "a.ledger.paid").iterdir())
    assert [stat.S_IMODE(path.stat().st_mode) for path in kept] == [0o600]
    copies = []
    for name in ("one.csv", "two.csv"):
        publish(wish(folder, out=folder / name, key=key, **level), plan_only=False)
        copies.append((folder / name).read_text())
    assert copies[0] == copies[1]
    assert charges(folder) == 1


def test_a_refusal_before_the_charge_names_no_key(folder: Path) -> None:
    (folder / "t.csv").write_text("other\na\n")
    with pytest.raises(BadValue, match="no such column") as caught:
        publish(wish(folder), plan_only=False)
    assert "--key" not in str(caught.value)
    assert charges(folder) == 0


def test_a_written_copy_is_not_kept_and_the_head_is_told(folder: Path) -> None:
    rows = dict(publish(wish(folder, report=folder / "r.html"), plan_only=False))
    with bn.Ledger.open(folder / "a.ledger") as book:
        assert book.kept is not None
        assert book.kept.waiting() == ()
        assert rows["head"] == book.head
        assert book.head in (folder / "r.html").read_text()


def test_the_same_copy_and_the_same_sketch_under_one_key(tmp_path: Path) -> None:
    frame = pd.DataFrame({"category": ["a", "b"] * 30})
    domain = declared(tmp_path, "category")
    cells = plan_sanitize(domain, epsilon="0.1", neighbours=REPLACE)
    both = Attribute(name="other", kind=Kind.CATEGORY, values=("x",), nulls=True)
    broad = plan_wide(Domain((*domain.attributes, both)), epsilon=1, delta="1e-3", neighbours=REPLACE)
    with ledger(tmp_path) as book:
        one, two = (sanitize(cells, frame, ledger=book, key="june")[0] for _ in range(2))
        assert np.array_equal(one.counts, two.counts)
        wide = [sanitize_wide(broad, frame.assign(other="x"), ledger=book, key="july")[0] for _ in range(2)]
        assert [c.tolist() for c in wide[0].codes] == [c.tolist() for c in wide[1].codes]
        assert wide[0].joined == wide[1].joined
        asked = SketchWish(epsilon=1, delta="1e-3", rows=8)
        for name in ("one", "two"):
            out = tmp_path / f"{name}.sketch"
            sketch_matrix(np.eye(3), out, asked, ledger=book, neighbours=REPLACE, key="august")
        assert (tmp_path / "one.sketch").read_bytes() == (tmp_path / "two.sketch").read_bytes()
        assert book.remaining().charges == 3
        with pytest.raises(
            BadValue, match=r"The key 'june' belongs to another request \('sanitized table: category', epsilon 1/10\)"
        ):
            sanitize(plan_sanitize(domain, epsilon="0.2", neighbours=REPLACE), frame, ledger=book, key="june")


def test_a_sketch_that_could_not_be_written_is_fetched_by_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = Guarantee(4, "0.001")
    edges, asked = tmp_path / "g.edges", SketchWish(epsilon=4, delta="0.001", rows=8)
    edges.write_text("ann bob 0.5\n")

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    made = bn.Ledger.create(tmp_path / "book", budget=cost, neighbours=REPLACE, questions=[(cost, 1)])
    with made as book:
        with monkeypatch.context() as broken:
            broken.setattr(sketch_files, "write_sketch", full)
            with pytest.raises(BadValue, match="What was drawn is paid for and kept: fetch it with --key") as caught:
                sketch_graph(edges, tmp_path / "g.sketch", asked, ledger=book, nodes=["ann", "bob", "cy"])
        key = str(caught.value).split()[-1].removesuffix(".")
        with pytest.raises(BadValue, match="belongs to another request"):
            sketch_graph(edges, tmp_path / "g.sketch", asked, ledger=book, nodes=["ann", "bob", "di"], key=key)
        sketch_graph(edges, tmp_path / "g.sketch", asked, ledger=book, nodes=["ann", "bob", "cy"], key=key)
        assert book.remaining().charges == 1
    assert answer_cut(tmp_path / "g.sketch", ["ann"])[1] >= 0
