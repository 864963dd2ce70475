"""A private look: one charge for all columns, quantiles within a rung, intervals that hold, and a proposal for free."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.errors import BadValue, BudgetExceeded, ReceiptUsed
from banister.release.profile import run as look_run
from banister.release.profile.ladders import ladder_of
from banister.release.profile.pieces import What
from banister.release.profile.profile import LadderFound, Profile
from banister.release.profile.proposal import most_each, proposed_schema, range_of
from banister.release.profile.ranks import quantile_found
from banister.release.profile.run import works
from banister.release.profile.words import columns_of, document
from banister.tables.columns import Column, Kind
from tests.seeded import SeededBits
from tests.sizes import sized

SCHEMA = """
[source]
table = "t.parquet"
neighbours = "add-remove"
{person}
[budget]
epsilon = 1
delta = 1e-5
ledger = "t.ledger"
[columns]
"""


def opened(folder: Path, columns: str, frame: pd.DataFrame, person: str = "") -> bn.Dataset:
    path = folder / "t.toml"
    path.write_text(SCHEMA.format(person=f'person = "{person}"' if person else "") + columns, encoding="utf-8")
    return bn.open(path, data=frame)


def test_twenty_columns_at_a_fifth_come_out_within_one_rung(tmp_path: Path) -> None:
    """The number that was asked for: 100 000 rows, epsilon 0.2, delta 1e-6, ranges that nobody has declared."""
    rng, n = np.random.default_rng(7), 100_000
    made = {
        **{f"a{i}": rng.lognormal(i, 1 + i / 5, n) for i in range(7)},
        **{f"b{i}": rng.normal(0, 10.0**i, n) for i in range(6)},
        **{f"c{i}": rng.integers(0, 10**i + 5, n) for i in range(7)},
    }
    lines = [f'{name} = {{ kind = "{"integer" if name[0] == "c" else "number"}", range = "FILL IN" }}' for name in made]
    table = opened(tmp_path, "\n".join(lines), pd.DataFrame(made))
    found = table.look(table.plan_look(epsilon="0.2", delta="1e-6"), bits=SeededBits(11))
    held = 0
    for column in found.columns:
        assert column.ladder is not None
        ladder = column.ladder.ladder
        steps = np.floor(np.sort(np.asarray(made[column.name], dtype=np.float64)) / float(ladder.step) + 0.5)
        for order in (Fraction(1, 20), Fraction(19, 20)):
            true = int(np.searchsorted(ladder.edges, steps[int(order * n) - 1], side="right"))
            seen = column.ladder.quantile(order)
            assert abs(seen.rung - true) <= 1, column.name
            held += seen.low <= true <= seen.high
    assert held >= 36  # 40 intervals of 95 %.
    assert found.people.low <= n <= found.people.high
    (charged,) = table.ledger().history()
    assert charged.label == "a private look at 20 columns"


def stays(people: int = 4000) -> pd.DataFrame:
    """Person i has 1 + i mod 4 rows, in wards north and south and, for one in ten, a rare one each."""
    rows = [
        (
            i,
            20 + i % 50,
            ("north", "south")[(i + k) % 2] if i % 10 else f"ward {i}",
            None if i % 5 == 0 else 3.5,
            bool(i % 2),
        )
        for i in range(people)
        for k in range(1 + i % 4)
    ]
    return pd.DataFrame(rows, columns=["who", "age", "ward", "cost", "flag"])


COLUMNS = """
age = { kind = "integer", range = [0, 60] }
ward = { kind = "category", values = "FILL IN" }
cost = { kind = "number", range = "FILL IN", step = 0.5 }
flag = { kind = "category", values = [true] }
"""


def look_at_stays(tmp_path: Path, *, delta: str = "1e-6") -> "tuple[bn.Dataset, bn.release.Profile]":
    table = opened(tmp_path, COLUMNS, stays(), "who")
    return table, table.look(table.plan_look(epsilon="0.9", delta=delta), bits=SeededBits(5))


@pytest.mark.parametrize("delta", ["1e-6", "0"])
def test_shares_values_rows_and_groups_are_found(tmp_path: Path, delta: str) -> None:
    _, profile = look_at_stays(tmp_path, delta=delta)
    age, ward, cost, flag = profile.columns
    assert abs(cost.missing.value - 0.2) < 0.05
    assert cost.missing.low <= 0.2 <= cost.missing.high
    assert age.outside is not None
    assert age.outside.low <= 9 / 50 <= age.outside.high  # Ages from 61 to 69.
    assert flag.outside is not None
    assert abs(flag.outside.value - 0.5) < 0.05
    assert {str(value) for value, _ in ward.values} == ({"north", "south"} if delta != "0" else set())
    assert cost.ladder is not None
    assert cost.ladder.ladder.ends(cost.ladder.quantile(Fraction(1, 2)).rung) == (Fraction(2), Fraction(7, 2))
    assert profile.rows_each is not None
    assert most_each(profile.rows_each) == 4
    assert ward.groups is not None
    assert most_each(ward.groups) == 2
    assert profile.rows.low <= 10_000 <= profile.rows.high


def test_the_proposal_fills_the_blanks_and_costs_nothing(tmp_path: Path) -> None:
    table, profile = look_at_stays(tmp_path)
    before = table.ledger().head
    assert table.path is not None
    text = proposed_schema(profile, table.path.read_text(encoding="utf-8") + "# rows = 1\n# groups = 1\n")
    assert "filled in by a private look at (" in text.splitlines()[0]
    assert proposed_schema(profile, "# age = 1\n").splitlines()[0].endswith("all was declared already.")
    nameless = 'nobody = { kind = "integer", range = "?" }\n'
    assert (
        proposed_schema(profile, nameless).splitlines()[0].startswith("# Nothing here comes from a private look at (")
    )
    assert proposed_schema(profile, "# rows = 1\n").startswith("# 1 line was filled in by")
    assert 'values = ["north", "south"]' in text.replace('"south", "north"', '"north", "south"')
    (cost,) = (line for line in text.splitlines() if line.startswith("cost = "))
    assert "range = [2, 3.5]" in cost  # The rung of 3.5, which everybody has who has any.
    assert "rows = 4 " in text
    assert "groups = 2 " in text
    assert "FILL IN" not in text
    assert table.ledger().head == before


def test_empty_rungs_stand_out_of_no_look_but_one_in_a_hundred(tmp_path: Path) -> None:
    """A constant column of 4000 people proposes its own rung again and again; the noise of the others adds nothing."""
    table = opened(tmp_path, COLUMNS, stays(20), "who")
    plan = table.plan_look(epsilon="0.9", delta="1e-6")
    (place,) = (i for i, p in enumerate(plan.pieces) if p.what is What.LADDER and p.column and p.column.name == "cost")
    ladder = plan.pieces[place].ladder
    assert ladder is not None
    exact = np.zeros(ladder.rungs, dtype=np.int64)
    (own,) = (rung for rung in range(ladder.rungs) if ladder.ends(rung) == (Fraction(2), Fraction(7, 2)))
    exact[own] = 3200
    bits, held, looks = SeededBits(1), 0, sized(60, 400)
    for _ in range(looks):
        counts = tuple(int(n) for n in plan.paid[place].draw(exact, bits))
        found = LadderFound(ladder=ladder, counts=counts, paid=plan.paid[place], confidence=0.95)
        held += range_of(found) == "[2, 3.5]" and found.quantile(Fraction(1, 20)).rung == own
    assert held >= 0.99 * looks - 3 * (0.0099 * looks) ** 0.5


def test_a_look_can_be_written_as_a_table_a_document_and_a_page(tmp_path: Path) -> None:
    _, profile = look_at_stays(tmp_path)
    columns = columns_of(profile)
    assert columns["column"] == ["age", "ward", "cost", "flag"]
    assert {len(values) for values in columns.values()} == {4}
    assert document(profile)["columns"][1]["groups"] == 2  # type: ignore[index]
    page = profile.report(tmp_path / "look.html").read_text(encoding="utf-8")
    assert page.count("<div class=card>") == 5  # Rows a person, and four columns.
    assert "<rect" in page


def test_what_does_not_fit_is_refused_and_nothing_is_read(tmp_path: Path) -> None:
    table = opened(tmp_path, COLUMNS, stays(20), "who")
    with pytest.raises(BudgetExceeded):
        table.look(table.plan_look(epsilon=2))
    assert table.awaits_ledger()
    with pytest.raises(BadValue, match="a look costs something"):
        table.plan_look(epsilon=0)
    other = opened(tmp_path, 'age = { kind = "integer", range = [0, 9] }', stays(20), "who")
    with pytest.raises(BadValue, match="planned for another schema"):
        other.look(table.plan_look(epsilon="0.1"))
    with pytest.raises(BadValue, match="values of column 'ward'"):
        table.plan("SELECT COUNT(*) FROM data", epsilon="0.1")


def test_unknown_values_are_looked_for_only_with_a_delta(tmp_path: Path) -> None:
    table = opened(tmp_path, COLUMNS, stays(20), "who")
    kinds = {piece.what for piece in table.plan_look(epsilon="0.1").pieces}
    assert What.UNKNOWN not in kinds
    assert What.UNKNOWN in {piece.what for piece in table.plan_look(epsilon="0.1", delta="1e-6").pieces}


def test_values_that_are_no_numbers_are_missing_and_nothing_fails(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, float("nan"), float("inf"), -float("inf"), None, 1e300, 5e-324, -0.0]})
    table = opened(tmp_path, 'x = { kind = "number", range = "FILL IN" }', frame)
    plan = table.plan_look(epsilon="0.1")
    counts = table.source().totals(works(plan, SeededBits(1))[1]).values[0]
    assert counts.sum() == 8
    assert counts[0] == 2
    assert counts[1] == 1
    assert counts[-1] == 2


def test_a_ladder_names_its_rungs_and_mirrors_them() -> None:
    column = Column(name="x", kind=Kind.INTEGER, low=Fraction(-8), high=Fraction(8))
    ladder = ladder_of(column)
    assert [ladder.name(rung) for rung in range(ladder.rungs)] == [
        "below -8", "-8", "-7 to -4", "-3 to -2", "-1", "0", "1", "2 to 3", "4 to 7", "8", "9 and above",
    ]  # fmt: skip
    days = ladder_of(Column(name="d", kind=Kind.DATE, low=Fraction(0), high=Fraction(800)))
    assert days.name(1) == "1970-01-01 to 1970-12-31"


def test_intervals_of_quantiles_hold_at_their_rate() -> None:
    """Many looks at one histogram; the rate may not be below 95 % by more than three deviations of the trial."""
    rng, trials, order = np.random.default_rng(3), 400, Fraction(1, 20)
    exact = np.array([0, 0, 30, 400, 900, 300, 60, 10, 0, 0])
    true = int(np.argmax(np.cumsum(exact) >= 0.05 * exact.sum()))
    sigma = 20.0

    def reach(parts: object, confidence: float) -> float:
        from banister.release.answering.combine import normal_reach

        return normal_reach(sigma, parts, confidence)  # type: ignore[arg-type]

    held = 0
    for _ in range(trials):
        noisy = exact + np.rint(rng.normal(0, sigma, len(exact))).astype(np.int64)
        seen = quantile_found(noisy, order, reach, 0.95)
        held += seen.low <= true <= seen.high
    assert held >= 0.95 * trials - 3 * np.sqrt(0.95 * 0.05 * trials)


def test_a_range_needs_something_that_stands_out(tmp_path: Path) -> None:
    table = opened(tmp_path, 'x = { kind = "number", range = "FILL IN" }', pd.DataFrame({"x": [1.0]}))
    found = table.look(table.plan_look(epsilon="0.01"), bits=SeededBits(2))
    assert found.columns[0].ladder is not None
    assert range_of(found.columns[0].ladder) is None


KEYED = 'g = { kind = "category" }\nx = { kind = "integer", range = [0, 9] }\n'


def keyed(folder: Path) -> bn.Dataset:
    return opened(folder, KEYED, pd.DataFrame({"g": ["often"] * 900, "x": np.arange(900) % 10}))


def test_a_look_under_a_key_is_charged_once_and_fetched(tmp_path: Path) -> None:
    table = keyed(tmp_path)
    plan = table.plan_look(epsilon="0.3", delta="1e-6")
    first = table.look(plan, key="june")
    assert first.columns[0].values[0][0] == "often"
    table._source = None
    table.frames.clear()  # From here on there is no table to read.
    again = table.look(plan, key="june")
    assert document(again) == document(first)
    assert table.remaining().charges == 1
    with pytest.raises(BadValue, match="belongs to another request"):
        table.look(table.plan_look(epsilon="0.2"), key="june")
    table.given(again, "june")
    with pytest.raises(ReceiptUsed, match="not kept any more"):
        table.look(plan, key="june")


@pytest.mark.parametrize("step", ["paid_and_kept", "look_of", "_draw"])
def test_a_look_that_was_cut_off_is_paid_for_once(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = keyed(tmp_path)
    plan = table.plan_look(epsilon="0.7", delta="1e-6")

    def cut(*given: object, **words: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(look_run, step, cut)
        with pytest.raises(KeyboardInterrupt):
            table.look(plan, key="june")
    found = table.look(plan, key="june")  # There is no room for a second one.
    assert table.remaining().charges == 1
    assert document(table.look(plan, key="june")) == document(found)


def test_a_file_of_a_look_that_cannot_be_written_costs_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pd.DataFrame({"g": ["often"] * 900, "x": np.arange(900) % 10}).to_parquet(tmp_path / "t.parquet")
    keyed(tmp_path)
    command = ["look", str(tmp_path / "t.toml"), "--epsilon", "0.7", "--page", str(tmp_path / "look.html")]

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(Profile, "report", full)
        refused = CliRunner().invoke(build(), command).exception
    assert isinstance(refused, BadValue)
    key = str(refused).rpartition("--key ")[2].rstrip(".")
    done = CliRunner().invoke(build(), [*command, "--key", key])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "look.html").exists()
    assert bn.open(tmp_path / "t.toml").remaining().charges == 1
    assert CliRunner().invoke(build(), [*command[:3], "0.1"]).exit_code == 0
    assert [one.key for one in bn.open(tmp_path / "t.toml").kept()] == [key], "a key made for one run is forgotten"
