"""Tables from Python values, and how everything looks in a notebook."""

from datetime import date
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import banister as bn
from banister.errors import BadValue
from banister.local.comparison import compare
from banister.release.from_python import Declared

DAY = date(2024, 3, 1)
FRAME = pd.DataFrame(
    {"id": [1, 1, 2], "age": [30, 31, 70], "cost": [1.5, 2.25, 9.0], "ward": ["n", "s", "n"], "day": DAY}
)
COLUMNS: dict[str, Declared] = {
    "age": bn.Integer(0, 120),
    "cost": bn.Decimals(0, 100, step=0.25),
    "ward": bn.Category(["n", "s"]),
    "day": bn.Dates(date(2024, 1, 1), date(2024, 12, 31)),
}


def table(frame: object = FRAME, ledger: str = "") -> bn.Dataset:
    return bn.Table(
        frame,
        person="id",
        neighbours="add-remove",
        rows=2,
        groups=2,
        columns=COLUMNS,
        budget=bn.Guarantee(100),
        ledger=ledger,
    )


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)])
def test_a_frame_is_answered_by_what_python_declares(frame: object, tmp_path: Path) -> None:
    found = table(frame, str(tmp_path / "t.ledger"))
    answers = found.release(
        found.plan("SELECT ward, COUNT(*) AS n, SUM(cost) AS t FROM data GROUP BY ward", epsilon=90)
    )
    assert [row["n"] for row in answers.table] == [2, 1]
    assert found.remaining().charges == 1


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"A DataFrame does not say whom.*bn\.Table\(frame"):
        bn.open(FRAME)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"columns\['age'\] is a tuple"):
        bn.Table(FRAME, neighbours="replace", columns={"age": (0, 120)})  # type: ignore[dict-item]
    with pytest.raises(BadValue, match="from low to high"):
        bn.Table(FRAME, neighbours="replace", columns={"age": bn.Integer(5, 1)})
    with pytest.raises(BadValue, match="neighbours = 'both'"):
        bn.Table(FRAME, neighbours="both", columns=COLUMNS)
    plain = bn.Table(FRAME, neighbours="replace", columns=COLUMNS)
    with pytest.raises(BadValue, match=r"needs a \[budget\]"):
        plain.release(plain.plan("SELECT COUNT(*) FROM data", epsilon=1))


def test_answers_go_to_polars_and_arrow_also_by_the_capsule(tmp_path: Path) -> None:
    found = table(FRAME, str(tmp_path / "t.ledger"))
    answers = found.release(
        found.plan("SELECT ward, COUNT(*) AS n, MEDIAN(day) AS d FROM data GROUP BY ward", epsilon=90)
    )
    assert answers.to_polars()["n"].to_list() == [2, 1]
    assert [str(value) for value in answers.to_arrow().column("ward")] == ["n", "s"]
    assert pa.table(answers).num_rows == 2
    assert pl.DataFrame(answers[0]).shape == answers.to_polars().shape


def test_everything_shows_itself_in_a_notebook_and_nothing_of_the_rows(tmp_path: Path) -> None:
    found = table(FRAME, str(tmp_path / "t.ledger"))
    plan = found.plan('SELECT ward, COUNT(*) AS "<b>" FROM data GROUP BY ward', epsilon=1)
    answers = found.release(plan)
    profile = found.look(found.plan_look(epsilon=1))
    shown = [one._repr_html_() for one in (found, plan, answers, answers[0], profile)]
    assert all("<table>" in html or "<div" in html for html in shown)
    assert not any("<b>" in html for html in shown)
    assert "0 to 120" in shown[0]
    assert "2024-01-01 to 2024-12-31" in shown[0]
    assert repr(found) == "Dataset('frame', 4 columns)"
    assert "9.0" not in shown[0] + repr(found)


def test_a_picture_of_answers_is_shown_and_saved(tmp_path: Path) -> None:
    found = table(ledger=str(tmp_path / "t.ledger"))
    sql = "SELECT ward, COUNT(*) AS n, MEDIAN(day) AS d FROM data GROUP BY ward; SELECT SUM(cost) AS t FROM data"
    picture = found.release(found.plan(sql, epsilon=90)).plot()
    assert repr(picture) == "AnswersPicture(2 charts)"  # A date has no bar.
    assert picture._repr_html_().count("<svg") == 2
    assert "with 95% intervals" in picture.save(tmp_path / "p.html").read_text(encoding="utf-8")


def test_small_values_show_themselves(tmp_path: Path) -> None:
    with bn.Ledger.create(
        str(tmp_path / "<b>.ledger"), budget=bn.Guarantee(1), neighbours=bn.Neighbours.REPLACE, questions=bn.AsYouGo()
    ) as ledger:
        told = ledger._repr_html_()
    assert "&lt;b&gt;.ledger" in told
    assert "<b>" not in told
    shown = {
        "at most e<sup>1</sup> times as likely": bn.Guarantee(1, "1e-6"),
        "<td class=label>sensitivity</td><td>2</td>": bn.Laplace(epsilon=1, sensitivity=2),
        "<td class=label>cost</td><td>absolute</td>": bn.Geometric(epsilon=1),
        "RandomizedResponse: Report the true cell": bn.local.RandomizedResponse(1, categories=4),
        "The least noise first; nothing is below": bn.least_noise(epsilon=5, sensitivity=1, cost="squared"),
        "1000 people, 10 answers, epsilon 1": compare(1, 10, 1000),
        "PermuteAndFlip": bn.mechanisms.PermuteAndFlip(epsilon=1, sensitivity=1, moves=bn.mechanisms.Moves.ONE_WAY),
    }
    for words, value in shown.items():
        assert words in value._repr_html_()  # type: ignore[attr-defined]


def test_one_question_has_bounds_and_extremes_of_its_own(tmp_path: Path) -> None:
    found = table(ledger=str(tmp_path / "t.ledger"))
    plan = found.plan("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward", epsilon=1, rows=1, groups=1)
    assert (plan.parts[0].reach.rows, plan.parts[0].reach.groups) == (1, 1)
    assert found.plan("SELECT COUNT(*) FROM data", epsilon=1).parts[0].reach.rows == 2
    with pytest.raises(BadValue, match="rows = 0 must be a whole number"):
        found.plan("SELECT COUNT(*) FROM data", epsilon=1, rows=0)
    with pytest.raises(BadValue, match=r"extremes = 1/2|extremes = 0\.5"):
        found.plan("SELECT MAX(age) FROM data", epsilon=1, extremes=0.5)
    asked = found.plan("SELECT MAX(age) AS top FROM data HAVING MIN(cost) > 0", epsilon=1, extremes="0.02")
    assert asked.parts[0].question.text == "SELECT QUANTILE(age, 0.98) AS top FROM data HAVING QUANTILE(cost, 0.02) > 0"
    inner = "SELECT AVG(m) AS x FROM (SELECT id, MAX(age) AS m FROM data GROUP BY id) q"
    assert "MAX(age)" in found.plan(inner, epsilon=1, extremes="0.02").parts[0].question.text


def test_a_histogram_is_one_call(tmp_path: Path) -> None:
    found = table(ledger=str(tmp_path / "t.ledger"))
    answers = found.release(found.plan("SELECT HISTOGRAM(cost, 4) FROM data", epsilon=90, rows=2, groups=4))
    assert [row["cost"] for row in answers.table] == ["[0, 25)", "[25, 50)", "[50, 75)", "[75, 100]"]
    assert [row["n"] for row in answers.table] == [3, 0, 0, 0]
    assert str(found.ask().histogram("cost", 4)) == "SELECT BIN(cost, 4), COUNT(*) AS n FROM data GROUP BY BIN(cost, 4)"


def test_distinct_values_are_counted_under_each_person(tmp_path: Path) -> None:
    """Three people with the same three wards of which one counts: two of them bring it twice, and it counts once."""
    frame = pd.DataFrame({"id": [1, 1, 1, 2], "ward": ["n", "s", "w", "n"], "age": 1})
    found = bn.Table(
        frame,
        person="id",
        neighbours="add-remove",
        rows=3,
        columns={"ward": bn.Category(), "age": bn.Integer(0, 9)},
        budget=bn.Guarantee(1000),
        ledger=str(tmp_path / "t.ledger"),
    )
    sql = "SELECT COUNT(DISTINCT ward) AS w, COUNT(DISTINCT age) AS a, COUNT(*) AS n FROM data"
    assert found.release(found.plan(sql, epsilon=300)).table == [{"w": 3, "a": 1, "n": 4}]
    one = found.release(found.plan(sql, epsilon=300, rows=1)).table[0]
    assert 1 <= one["w"] <= 2  # type: ignore[operator]
    with pytest.raises(BadValue, match="in groups that are known beforehand"):
        found.plan("SELECT ward, COUNT(DISTINCT age) FROM data GROUP BY ward", epsilon=1, delta="1e-6", groups=1)
