"""Releases: sensitivity as claimed, intervals at their rate, charges first, faults free of charge."""

import html
import math
import re
import threading
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import banister as bn
from banister.accounting.totals.explanation import explain
from banister.errors import BadValue, BudgetExceeded, EngineFailed, LedgerMissing
from banister.mechanisms import TruncatedStaircase
from banister.release.payments.ladder import columns_of
from banister.release.payments.threshold import CellThreshold
from banister.release.run import _add_up, _draw
from banister.release.work import Totals
from banister.tables.schema import Schema
from tests.release.sources.places import planned
from tests.seeded import SeededBits

SOURCE = """
[source]
table = "{table}"
{person}
neighbours = "add-remove"
people = 400

[budget]
epsilon = {budget}
delta = 1e-6
ledger = "here.ledger"

[columns]
x = {{ kind = "integer", range = [0, 20], nulls = false }}
y = {{ kind = "number", range = [-1, 1], step = 0.001 }}
g = {{ kind = "category", values = ["a", "b"] }}
s = {{ kind = "category" }}
"""


def dataset(folder: Path, *, budget: str = "1.0", rows: int = 400, person: str = "") -> bn.Dataset:
    """A schema with its ledger, over a frame in memory."""
    path = folder / "here.toml"
    path.write_text(SOURCE.format(table="t.parquet", person=person, budget=budget))
    generator = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "who": np.arange(rows) // 2,
            "x": generator.integers(0, 21, rows),
            "y": np.where(generator.random(rows) < 0.2, np.nan, generator.random(rows) * 2 - 1),
            "g": generator.choice(["a", "b"], rows),
            "s": generator.choice(["common", "rare"], rows, p=[0.99, 0.01]),
        }
    )
    found = bn.open(path, data=frame)
    if not (folder / "here.ledger").exists():
        found.create_ledger().close()
    return found


QUESTION = "SELECT g, COUNT(*) AS n, SUM(x) AS t, AVG(x) AS m, AVG(y) AS my, STDDEV(x) AS d FROM data GROUP BY g"


@pytest.mark.slow
def test_intervals_hold_at_their_rate_and_errors_are_as_foreseen(tmp_path: Path) -> None:
    here = dataset(tmp_path, rows=4000)
    plan = here.plan(QUESTION, epsilon=2)
    part = plan.parts[0]
    frame = here.frames["data"]
    assert isinstance(frame, pd.DataFrame)
    grouped = frame.groupby("g")
    step = (frame["y"] * 1000 + 0.5).apply(lambda v: v if math.isnan(v) else math.floor(v)) / 1000
    truth = {
        "n": grouped.size().to_numpy(),
        "t": grouped["x"].sum().to_numpy(),
        "m": grouped["x"].mean().to_numpy(),
        "my": step.groupby(frame["g"]).mean().to_numpy(),
        "d": grouped["x"].std().to_numpy(),
    }
    runs = 200
    bits = SeededBits(5)
    exact_work = _add_up(part, here.source(), bits)
    inside = dict.fromkeys(truth, 0)
    squares = dict.fromkeys(truth, 0.0)
    for _ in range(runs):
        table = _draw(part, exact_work, 0.95, bits)
        for name, exact in truth.items():
            found = table.answers[name]
            inside[name] += int(((found.low <= exact) & (exact <= found.high)).sum())
            squares[name] += float(((found.values - exact) ** 2).sum())
    foreseen = {f.name: f for f in part.forecasts(2000, 0.95)}
    for name in truth:
        # 400 intervals at 95 %: a rate below 91.7 % would be three standard deviations short.
        assert inside[name] / (2 * runs) >= 0.917, name
        if name in ("n", "t"):
            error = math.sqrt(squares[name] / (2 * runs))
            assert error == pytest.approx(foreseen[name].error, rel=0.2)
        if name in ("m", "my"):  # Foreseen for a mean off the middle; this one is near it, so a little better.
            assert math.sqrt(squares[name] / (2 * runs)) <= 1.15 * foreseen[name].error


def test_a_release_is_charged_and_then_there_is_less(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    plan = here.plan("SELECT COUNT(*) FROM data", epsilon="0.7")
    answers = here.release(plan)
    assert len(answers.table) == 1
    assert answers.remaining.charges == 1
    with pytest.raises(BudgetExceeded, match=r"largest epsilon that still fits is 0\.3"):
        here.release(plan)
    assert here.remaining().charges == 1


def test_of_two_releases_at_once_that_exceed_the_budget_one_succeeds(tmp_path: Path) -> None:
    opened = [dataset(tmp_path) for _ in range(4)]
    plans = [here.plan("SELECT COUNT(*) FROM data", epsilon="0.6") for here in opened]
    done: list[str] = []

    def run(place: int) -> None:
        try:
            opened[place].release(plans[place])
            done.append("answered")
        except BudgetExceeded:
            done.append("refused")

    threads = [threading.Thread(target=run, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == ["answered", "refused", "refused", "refused"]


def test_nothing_is_charged_when_the_engine_fails(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    plan = here.plan("SELECT COUNT(*) FROM data", epsilon="0.5")

    class Gone:
        def describe(self, table):
            return {}

        def totals(self, work):
            raise EngineFailed("gone")

    here._source = Gone()
    with pytest.raises(EngineFailed, match="gone"):
        here.release(plan)
    assert here.remaining().charges == 0


def test_nothing_is_charged_or_written_when_the_file_goes_away_in_between(tmp_path: Path) -> None:
    path = tmp_path / "here.toml"
    path.write_text(SOURCE.format(table="t.parquet", person="", budget="1.0"))
    frame = dataset(tmp_path).frames["data"]
    assert isinstance(frame, pd.DataFrame)
    frame.to_parquet(tmp_path / "t.parquet")
    here = bn.open(path)
    here.source()
    (tmp_path / "t.parquet").unlink()
    with pytest.raises(EngineFailed, match=r"DuckDB could not do the work .* nothing was charged"):
        here.release(here.plan("SELECT COUNT(*) FROM data", epsilon="0.5"))
    assert here.remaining().charges == 0


def test_rare_unknown_values_do_not_appear_and_common_ones_do(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    plan = here.plan("SELECT s, COUNT(*) AS n, AVG(x) AS m FROM data GROUP BY s", epsilon=1, delta=4e-7)
    table = here.release(plan).tables[0]
    assert table.labels == (("common",),)
    assert abs(float(table.answers["n"].values[0]) - 396) < 60


def test_a_value_with_one_person_appears_with_probability_delta() -> None:
    asked = Schema.of_text(SOURCE.format(table="t", person="", budget="1.0"))
    first = planned("SELECT s, COUNT(*) FROM data GROUP BY s", asked).parts[0].measured[0]
    assert isinstance(first, CellThreshold)
    noise = first.noise
    beyond = sum(noise.mass(k) for k in range(noise.edge, noise.edge + 1))
    assert 0 < beyond <= 1e-6
    assert noise.mass(noise.edge + 1) == 0


def test_values_appear_one_person_after_the_optimal_rule_at_worst() -> None:
    """With p people the optimum is p(n + 1) = min(e^ε p(n) + δ, 1 − e^−ε (1 − p(n) − δ), 1), from p(0) = 0."""
    noise = TruncatedStaircase(epsilon=1, delta=1e-6, sensitivity=1)
    tail = {k: float(noise.at_least(np.array([float(k)]))[0]) / 2 for k in range(1, noise.edge + 2)}

    def ours(n: int) -> float:
        gap = noise.edge + 1 - n  # n + Z exceeds the edge when Z is at least this.
        return tail.get(gap, 0.0) if gap >= 1 else 1 - tail.get(1 - gap, 0.0)

    best = 0.0
    for n in range(1, 2 * noise.edge + 2):
        best = min(math.e * best + 1e-6, 1 - (1 - best - 1e-6) / math.e, 1.0)
        assert ours(n) <= best * (1 + 1e-9)
        assert ours(n + 1) >= best * (1 - 1e-9)


def test_unknown_values_need_a_delta(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    with pytest.raises(BadValue, match="needs a delta above 0"):
        here.plan("SELECT s, COUNT(*) FROM data GROUP BY s", epsilon=1)


@pytest.mark.parametrize("person", ["", 'person = "who"\nrows = 2\ngroups = 2'])
def test_quantiles_of_unknown_groups_are_those_of_the_groups_that_appear(person: str, tmp_path: Path) -> None:
    """A declared column, an unknown one, and a quantile: cells whose value is rare do not appear at all."""
    here = dataset(tmp_path, budget="1000", rows=4000, person=person)
    frame = here.frames["data"]
    assert isinstance(frame, pd.DataFrame)
    plan = here.plan("SELECT g, s, MEDIAN(x) AS m, COUNT(*) AS n FROM data GROUP BY g, s", epsilon=20, delta=4e-7)
    table = here.release(plan).tables[0]
    assert {("a", "common"), ("b", "common")} <= set(table.labels)
    for place, label in enumerate(table.labels):
        cell = frame[(frame["g"] == label[0]) & (frame["s"] == label[1])]["x"]
        found = table.answers["m"]
        assert found.low[place] <= cell.median() <= found.high[place]
        assert label[1] == "rare" or abs(found.values[place] - cell.median()) <= 1


def test_a_ladder_knows_only_the_cells_that_were_let_through() -> None:
    totals = Totals(
        values=np.array([[4, 5, 6]]), labels=(("a",), ("a",), ("b",)), rungs=np.array([0, 2, 1], dtype=np.int64)
    )
    assert columns_of(totals, (("c",), ("a",)), 3).tolist() == [[0, 4], [0, 0], [0, 5]]


def test_quantiles_are_near_and_their_intervals_hold(tmp_path: Path) -> None:
    here = dataset(tmp_path, budget="1000", rows=4000)
    plan = here.plan("SELECT MEDIAN(x) AS m, QUANTILE(y, 0.9) AS q FROM data", epsilon=4)
    frame = here.frames["data"]
    assert isinstance(frame, pd.DataFrame)
    held = 0
    for _ in range(20):
        answers = here.release(plan)
        found = answers.tables[0].answers
        assert abs(found["m"].values[0] - float(frame["x"].median())) <= 1
        low, high = found["q"].low[0], found["q"].high[0]
        held += low - 0.001 <= float(frame["y"].quantile(0.9)) <= high + 0.001
        assert high - low < 0.2
    assert held >= 18


def test_quantiles_of_all_rows_of_people_with_several_are_answered(tmp_path: Path) -> None:
    """There is one cell and nothing to group by, and still some of a person's rows have to be chosen."""
    here = dataset(tmp_path, budget="1000", rows=4000, person='person = "who"\nrows = 2')
    plan = here.plan("SELECT MEDIAN(x) AS m, COUNT(*) AS n FROM data", epsilon=100)
    found = here.release(plan).tables[0].answers
    frame = here.frames["data"]
    assert isinstance(frame, pd.DataFrame)
    assert abs(found["m"].values[0] - float(frame["x"].median())) <= 1
    assert abs(found["n"].values[0] - 4000) < 10


def test_quantiles_of_an_empty_table_are_answered(tmp_path: Path) -> None:
    """Every rung is as good as the next, and so are the places beyond the ladder's ends."""
    here = dataset(tmp_path, budget="1000", rows=0)
    plan = here.plan("SELECT g, MEDIAN(x) AS m FROM data GROUP BY g", epsilon="0.1")
    for _ in range(30):
        found = here.release(plan).tables[0].answers["m"]
        assert ((found.low >= 0) & (found.low <= found.high) & (found.high <= 20)).all()


def test_a_variance_is_that_of_people_with_more_rows_than_count(tmp_path: Path) -> None:
    """Everyone has twenty rows of which two may count: clamped each for itself, sum and squares would contradict."""
    path = tmp_path / "here.toml"
    path.write_text(SOURCE.format(table="t.parquet", person='person = "who"\nrows = 2', budget="1000"))
    rows = [(who, 4 + place % 3, 0.0, "a", "s") for who in range(2000) for place in range(20)]
    here = bn.open(path, data=pd.DataFrame(rows, columns=["who", "x", "y", "g", "s"]))
    here.create_ledger().close()
    answers = here.release(here.plan("SELECT VARIANCE(x) AS v FROM data", epsilon=50))
    exact = np.var([4 + place % 3 for place in range(20)])
    found = answers.intervals[0]["v"]
    assert isinstance(found, tuple)
    assert isinstance(found[0], float)
    assert isinstance(found[1], float)
    assert (
        found[0] - 0.04 <= exact <= found[1] + 0.04
    )  # Each person's part is rounded to a 64th, which its mean of -5 multiplies.
    assert found[1] - found[0] < 0.1


def test_several_questions_share_one_charge(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    plan = here.plan("SELECT COUNT(*) FROM data; SELECT g, SUM(x) FROM data GROUP BY g", epsilon="0.4")
    answers = here.release(plan)
    assert [len(table) for table in answers.tables] == [1, 2]
    assert answers.remaining.charges == 1
    for name, ask in (
        ("table", lambda: answers.table),
        ("intervals", lambda: answers.intervals),
        ("to_pandas()", answers.to_pandas),
    ):
        with pytest.raises(BadValue, match=re.escape(f"Say which: `answers[0].{name}` to `answers[1].{name}`")):
            ask()
    assert [len(one.table) for one in answers] == [len(one.intervals) for one in answers] == [1, 2]
    assert answers[1].to_pandas().shape == (2, 4)
    assert answers[-1].table == answers[1].table
    assert repr(answers[1]) == "OneAnswer(2 cells of g, sum_x)"
    with pytest.raises(BadValue, match=r"There is no question 2: 2 were answered, from answers\[0\] to answers\[1\]"):
        answers[2]
    files = answers.write(tmp_path / "out.csv")
    assert [path.name for path in files] == ["out.csv", "out-2.csv"]


def test_answers_are_written_whole_in_every_format(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    answers = here.release(here.plan(QUESTION, epsilon="0.5"), non_negative=True)
    for name in ("a.csv", "a.parquet"):
        answers.write(tmp_path / name)
        rows = duckdb.execute(f"SELECT * FROM '{tmp_path / name}' ORDER BY g").fetchall()
        assert [row[0] for row in rows] == ["a", "b"]
    answers.write(tmp_path / "a.json")
    assert answers.to_pandas().shape == (2, 17)
    page = answers.report(tmp_path / "a.html").read_text()
    assert "What this gives away" in page
    for sentence, points in explain(answers.plan.guarantee).blocks():
        assert f"<p>{html.escape(sentence)}</p>" in page
        assert all(f"<li>{html.escape(point)}</li>" in page for point in points)
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert not list(tmp_path.glob(".*"))
    with pytest.raises(BadValue, match=r"must end in \.csv"):
        answers.write(tmp_path / "a.xlsx")
    with pytest.raises(BadValue, match="cannot be written"):
        answers.write(tmp_path / "nowhere" / "a.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadValue, match=r"it is a folder\. Give the path of a file in it"):
        answers.write(tmp_path / "folder.csv")


def test_the_accuracy_that_is_asked_for_is_bought_at_the_least_price(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    plan = here.plan_within("SELECT COUNT(*) AS n FROM data", within="0.05")
    near = plan.parts[0].forecasts(400, 0.95)[0].half_width
    assert near <= 20
    cheaper = here.plan("SELECT COUNT(*) AS n FROM data", epsilon=plan.guarantee.epsilon * 9 / 10)
    assert cheaper.parts[0].forecasts(400, 0.95)[0].half_width > 20
    with pytest.raises(BadValue, match=r"than the budget can buy: with all that is left, epsilon = 1, cells of 400"):
        here.plan_within("SELECT COUNT(*) FROM data", within="0.001")
    here.release(here.plan("SELECT COUNT(*) AS n FROM data", epsilon="0.9"))
    with pytest.raises(BadValue, match=r"with all that is left, epsilon = 0\.\d+, cells of 400 rows come within 0\.\d"):
        here.plan_within("SELECT COUNT(*) AS n FROM data", within="0.05")
    assert here.plan_within("SELECT COUNT(*) AS n FROM data", within="0.2").guarantee.epsilon <= Fraction(1, 10)
    here.release(here.plan("SELECT COUNT(*) AS n FROM data", epsilon="0.1"))
    with pytest.raises(BadValue, match="Nothing is left of the budget"):
        here.plan_within("SELECT COUNT(*) AS n FROM data", within="0.2")


def test_a_plan_can_be_read_and_holds_no_data(tmp_path: Path) -> None:
    text = str(dataset(tmp_path).plan(QUESTION, epsilon="0.5"))
    assert "Plan at (0.5, 0), add-remove neighbours. One row is one person." in text
    assert "n: ±" in text
    assert "typically" in text


def test_the_first_release_makes_the_ledger_and_says_so(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    (tmp_path / "here.ledger").unlink()
    plan = here.plan("SELECT COUNT(*) FROM data", epsilon="0.5")
    with pytest.raises(BudgetExceeded, match="after 0 charges"):
        here.release(here.plan("SELECT COUNT(*) FROM data", epsilon=5))
    assert not (tmp_path / "here.ledger").exists()
    assert here.release(plan).new_ledger == str(tmp_path / "here.ledger")
    assert here.release(plan).new_ledger is None
    with pytest.raises(BudgetExceeded):
        here.release(plan)


def test_of_two_first_releases_at_once_one_makes_the_ledger_and_both_are_charged(tmp_path: Path) -> None:
    dataset(tmp_path)
    (tmp_path / "here.ledger").unlink()
    made: list[str | None] = []

    def work() -> None:
        frame = pd.DataFrame({"x": [1], "y": [0.5], "g": ["a"], "s": ["b"]})
        mine = bn.open(tmp_path / "here.toml", data=frame)
        made.append(mine.release(mine.plan("SELECT COUNT(*) FROM data", epsilon="0.5")).new_ledger)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 2
    assert made.count(None) == 1
    assert bn.open(tmp_path / "here.toml").remaining().charges == 2


def test_a_ledger_in_memory_is_not_made_anew_for_every_release(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    path = tmp_path / "here.toml"
    path.write_text(path.read_text().replace("here.ledger", "memory:"))
    forgetful = bn.open(path, data=here.frames["data"])
    with pytest.raises(LedgerMissing):
        forgetful.release(forgetful.plan("SELECT COUNT(*) FROM data", epsilon="0.5"))


def test_missing_pieces_are_named(tmp_path: Path) -> None:
    path = tmp_path / "here.toml"
    path.write_text(SOURCE.format(table="t.parquet", person="", budget="1.0"))
    here = bn.open(path)
    plan = here.plan("SELECT COUNT(*) FROM data", epsilon=1)
    with pytest.raises(LedgerMissing, match="The first release makes it"):
        here.remaining()
    with pytest.raises(BadValue, match="is not a file that is there"):
        here.release(plan)
    with pytest.raises(LedgerMissing):  # A release that failed made none.
        here.remaining()
    here.create_ledger().close()
    with pytest.raises(BadValue, match=r"cannot be read\. Give the path of a \.toml file"):
        bn.open(tmp_path / "nothing.toml")
    with pytest.raises(BadValue, match="the schema does not declare it"):
        bn.open(path, tables={"more": 1})
    with pytest.raises(BadValue, match="weights name 'z'"):
        here.plan("SELECT COUNT(*) AS n FROM data", epsilon=1, weights={"z": 1})
    path.write_text(SOURCE.format(table="t.parquet", person="", budget="2.0"))
    with pytest.raises(BadValue, match="a ledger's terms are fixed"):
        bn.open(path).remaining()
    with pytest.raises(BadValue, match="made for another schema"):
        bn.open(path).release(plan)


def test_bounds_on_a_person_are_declared_or_harmless(tmp_path: Path) -> None:
    here = dataset(tmp_path, person='person = "who"')
    with pytest.raises(BadValue, match=r"Declare it in \[source\] or \[tables\.x\], e\.g\. rows = 5"):
        here.plan("SELECT COUNT(*) FROM data", epsilon=1)
    there = dataset(tmp_path, person='person = "who"\nrows = 2')
    part = there.plan("SELECT g, COUNT(*) FROM data GROUP BY g", epsilon=1).parts[0]
    assert (part.reach.groups, part.reach.bounded, part.reach.proposed) == (2, False, True)
    with pytest.raises(BadValue, match=r"e\.g\. groups = 3"):
        there.plan("SELECT x, COUNT(*) FROM data GROUP BY x", epsilon=1)
