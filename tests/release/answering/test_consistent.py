"""Totals that equal the sums of their parts: the best estimate, honest intervals, flagged, and never where untrue."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import banister as bn
from banister.errors import BadValue
from banister.release.answering.consistent import _added, families
from banister.release.planning.plan import Plan
from banister.release.run import _draw_all, add_up_all
from tests.seeded import SeededBits

SCHEMA = """
[source]
table = "t.parquet"
{person}
neighbours = "add-remove"

[budget]
epsilon = 100
delta = 1e-6
ledger = "here.ledger"

[columns]
x = {{ kind = "integer", range = [0, 20], nulls = false }}
plan = {{ kind = "category", values = ["a", "b", "c"] }}
site = {{ kind = "category", values = ["n", "s"] }}
ward = {{ kind = "category" }}
"""
BOTH = (
    "SELECT plan, site, COUNT(*) AS n, SUM(x) AS t, AVG(x) AS m FROM data GROUP BY plan, site; "
    "SELECT site, COUNT(*) AS n FROM data GROUP BY site; "
    "SELECT plan, COUNT(*) AS n, SUM(x) AS t FROM data GROUP BY plan; "
    "SELECT COUNT(*) AS n, SUM(x) AS t FROM data"
)


def dataset(folder: Path, *, person: str = "", rows: int = 600) -> bn.Dataset:
    path = folder / "here.toml"
    path.write_text(SCHEMA.format(person=person))
    generator = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "who": np.arange(rows) // 3,
            "x": generator.integers(0, 21, rows),
            "plan": generator.choice(["a", "b", "c", "other"], rows),
            "site": generator.choice(["n", "s"], rows),
            "ward": generator.choice(["1", "2"], rows),
        }
    )
    found = bn.open(path, data=frame)
    if not (folder / "here.ledger").exists():
        found.create_ledger().close()
    return found


@pytest.mark.parametrize("person", ["", 'person = "who"\nrows = 2\ngroups = 1'])
def test_totals_equal_the_sums_of_their_parts(person: str, tmp_path: Path) -> None:
    here = dataset(tmp_path, person=person)
    plan = here.plan(BOTH, epsilon=4, consistent=True)
    answers = here.release(plan)
    fine, sites, plans, whole = (table.answers for table in answers.tables)
    for name in ("n", "t"):
        cells = fine[name].values.reshape(3, 2)
        assert cells.sum(axis=1) == pytest.approx(plans[name].values, abs=1e-6)
        assert cells.sum() == pytest.approx(whole[name].values[0], abs=1e-6)
    assert fine["n"].values.reshape(3, 2).sum(axis=0) == pytest.approx(sites["n"].values, abs=1e-6)
    assert answers.remaining.charges == 1
    files = answers.write(tmp_path / "out.csv")
    assert set(pd.read_csv(files[0])["_adjusted"]) == {"consistent"}
    assert "totals equal the sums of their parts" in answers.report(tmp_path / "out.html").read_text()


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_no_person_moves_the_sums_of_the_finest_table_by_more_than_the_plan_says(
    neighbours: str, tmp_path: Path
) -> None:
    """Everyone in turn is left out, or gives her place to somebody whose rows are all elsewhere."""
    here = dataset(tmp_path, person='person = "who"\nrows = 2\ngroups = 1', rows=60)
    path = tmp_path / "here.toml"
    path.write_text(path.read_text().replace('"add-remove"', f'"{neighbours}"'))
    frame = here.frames["data"]
    assert isinstance(frame, pd.DataFrame)

    def exact(rows: pd.DataFrame) -> tuple[Plan, list[NDArray[np.int64]]]:
        there = bn.open(path, data=rows)
        plan = there.plan(BOTH, epsilon=1, consistent=True)
        found = add_up_all(plan, there.source(), SeededBits(5), lambda stage: None)
        return plan, [one.totals.values for one in found]

    plan, before = exact(frame)
    for who in range(20):
        others = frame[frame["who"] != who]
        if neighbours == "replace":
            mine = frame[frame["who"] == who].assign(who=1000, x=20, plan="c", site="s")
            others = pd.concat([others, mine])
        for part, here_values, there_values in zip(plan.parts, before, exact(others)[1], strict=True):
            for measured, move in zip(part.measured, np.abs(here_values - there_values), strict=True):
                steps = np.ceil(move / measured.share.sensitivity)
                assert steps.sum() <= measured.share.touches
                assert steps.max() <= measured.share.moves
                assert (move**2).sum() <= measured.share.squares


def test_without_being_asked_nothing_is_moved_and_counts_are_whole(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    answers = here.release(here.plan(BOTH, epsilon=4))
    assert not any(table.consistent for table in answers.tables)
    assert all(isinstance(row["n"], int) for one in answers for row in one.table)
    assert all("_adjusted" not in one.to_pandas().columns for one in answers)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.5", "4"])
def test_intervals_hold_at_their_rate_and_errors_are_as_foreseen_and_smaller(epsilon: str, tmp_path: Path) -> None:
    here = dataset(tmp_path, rows=6000)
    plan, alone = here.plan(BOTH, epsilon=epsilon, consistent=True), here.plan(BOTH, epsilon=epsilon)
    bits = SeededBits(5)  # So many rates are looked at that by chance alone one would now and then be too low.
    exact = add_up_all(plan, here.source(), bits, lambda stage: None)
    frame = here.frames["data"]
    assert isinstance(frame, pd.DataFrame)
    kept = frame[frame["plan"] != "other"]
    grouped = kept.groupby(["plan", "site"])["x"]
    cells = {"n": grouped.size().to_numpy().reshape(3, 2), "t": grouped.sum().to_numpy().reshape(3, 2)}
    runs = 400
    inside: dict[tuple[int, str], float] = {}
    squares: dict[tuple[int, str], float] = {}
    for _ in range(runs):
        for place, table in enumerate(_draw_all(plan, exact, bits)):
            for name, found in table.answers.items():
                if name == "m":
                    truth = cells["t"].reshape(-1) / cells["n"].reshape(-1)
                else:
                    one = cells[name]
                    truth = (one.reshape(-1), one.sum(axis=0), one.sum(axis=1), one.sum())[place]
                key = (place, name)
                inside[key] = inside.get(key, 0.0) + float(((found.low <= truth) & (truth <= found.high)).mean())
                squares[key] = squares.get(key, 0.0) + float(((found.values - truth) ** 2).mean())
    for place, part in enumerate(plan.parts):
        before = {f.name: f for f in alone.parts[place].forecasts(1000, 0.95)}
        for foreseen in part.forecasts(1000, 0.95):
            # 400 runs or more of one interval: a rate below 91.7 % would be three deviations short.
            assert inside[place, foreseen.name] / runs >= 0.917, (place, foreseen.name)
            if foreseen.name != "m":
                assert foreseen.error < before[foreseen.name].error
                error = (squares[place, foreseen.name] / runs) ** 0.5
                # The fourth moment is six squares of the second at most: four deviations of 400 runs are 23 %.
                assert error == pytest.approx(foreseen.error, rel=0.23)


def test_agreeing_is_refused_where_it_would_be_untrue(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    with pytest.raises(BadValue, match="needs two questions or more about the same rows"):
        here.plan("SELECT COUNT(*) FROM data; SELECT COUNT(*) FROM data WHERE x > 3", epsilon=1, consistent=True)
    asked = "SELECT ward, COUNT(*) FROM data GROUP BY ward; SELECT COUNT(*) FROM data"
    with pytest.raises(BadValue, match="needs two questions or more"):
        here.plan(asked, epsilon=1, delta=1e-7, consistent=True)
    several = dataset(tmp_path, person='person = "who"\nrows = 2\ngroups = 2')
    with pytest.raises(BadValue, match="only where a person counts in one group: declare groups = 1"):
        several.plan(BOTH, epsilon=1, consistent=True)
    wide = "SELECT x, plan, COUNT(*) FROM data GROUP BY x, plan; SELECT COUNT(*) FROM data"
    questions = here.questions(wide)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("banister.release.answering.consistent.FINEST", 10)
        with pytest.raises(BadValue, match="make 63 cells; up to 10 can be made to agree"):
            families(questions, None)


def test_a_consistent_plan_is_another_plan(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    assert here.plan(BOTH, epsilon=1).digest != here.plan(BOTH, epsilon=1, consistent=True).digest
    again = here.plan(BOTH, epsilon=1, consistent=True)
    assert again.digest == here.plan(BOTH, epsilon=1, consistent=True).digest


def test_sums_of_held_totals_are_held_and_do_not_overflow() -> None:
    large = np.array([[2**60] * 40, [-(2**60)] * 40, [2**60, -(2**60)] * 20, [7, -9] * 20], dtype=np.int64)
    assert _added(large, (1,)).tolist() == [2**60, -(2**60), 0, -40]


def test_totals_equal_their_parts_also_where_nothing_is_below_zero(tmp_path: Path) -> None:
    """On an empty table about half of all cells would be below 0."""
    here = dataset(tmp_path, rows=0)
    plan = here.plan(BOTH, epsilon="0.5", consistent=True)
    for _ in range(5):
        answers = here.release(plan, non_negative=True)
        fine, sites, plans, whole = (table.answers for table in answers.tables)
        for name in ("n", "t"):
            cells = fine[name].values.reshape(3, 2)
            assert (cells >= 0).all()
            assert cells.sum(axis=1) == pytest.approx(plans[name].values, abs=1e-6)
            assert cells.sum() == pytest.approx(whole[name].values[0], abs=1e-6)
            assert (fine[name].low <= fine[name].values).all()
            assert (fine[name].values <= fine[name].high).all()
        assert fine["n"].values.reshape(3, 2).sum(axis=0) == pytest.approx(sites["n"].values, abs=1e-6)
        table = answers.tables[0]
        assert {table.adjusted(place) for place in range(6)} <= {"consistent", "consistent, raised to 0"}


def test_what_can_be_below_zero_is_left_there(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    asked = "SELECT AVG(x - 40) AS m, SUM(x - 40) AS t, MEDIAN(x - 40) AS q, VARIANCE(x) AS v FROM data"
    found = here.release(here.plan(asked, epsilon=50), non_negative=True).tables[0].answers
    assert found["m"].values[0] < -20
    assert found["t"].values[0] < 0
    assert found["q"].values[0] < -20


def test_raised_cells_are_flagged(tmp_path: Path) -> None:
    here = dataset(tmp_path, rows=0)
    answers = here.release(
        here.plan("SELECT plan, COUNT(*) AS n FROM data GROUP BY plan", epsilon="0.1"), non_negative=True
    )
    table = answers.tables[0]
    for place in range(3):
        raised = place in (table.raised or ())
        assert table.adjusted(place) == ("raised to 0" if raised else "")
        assert not raised or table.answers["n"].values[place] == 0
    assert (table.answers["n"].values >= 0).all()
