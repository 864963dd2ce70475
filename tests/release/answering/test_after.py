"""What is done after the draw: on drawn numbers alone, with intervals that hold wherever those behind them do."""

import json
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest

from banister.questions.after import After, Combined, Constant, Made, Named, Rounded, Size
from banister.release.aggregates.aggregate import Answer
from banister.release.answering.after import computed
from banister.release.answering.wording import describe_after
from banister.release.planning.plan import Part
from banister.release.run import AnswerTable, _add_up, _draw, works
from banister.release.sources.duckdb import DuckDBSource
from banister.release.work import Work
from tests.release.sources.places import TABLES, as_arrow, planned, schema
from tests.release.test_run import dataset
from tests.seeded import SeededBits

A, B = Named("a"), Named("b")
FORMULAS: list[Made] = [
    Combined("+", A, B),
    Combined("-", A, B),
    Combined("*", A, B),
    Combined("/", A, B),
    Combined("/", Combined("*", A, Constant(Fraction(100))), Combined("+", A, B)),
    Combined("-", Size(A), Combined("*", Constant(Fraction(1, 10)), B)),
    Combined("/", A, Combined("/", B, A)),
]


def _exactly(made: Made, values: dict[str, Fraction]) -> Fraction | None:
    """The same in fractions; nothing where something is divided by 0."""
    match made:
        case Named(name):
            return values[name]
        case Constant(value):
            return value
        case Size(inner):
            found = _exactly(inner, values)
            return None if found is None else abs(found)
        case Combined(sign, left, right):
            a, b = _exactly(left, values), _exactly(right, values)
            if a is None or b is None or (sign == "/" and b == 0):
                return None
            return {"+": a + b, "-": a - b, "*": a * b, "/": a / (b or 1)}[sign]
    raise AssertionError(made)


@pytest.mark.parametrize("made", FORMULAS)
def test_what_is_made_lies_in_its_interval_wherever_the_answers_lie_in_theirs(made: Made) -> None:
    generator = np.random.default_rng(3)
    ends = np.sort(generator.normal(size=(2, 2, 500)) * generator.choice([1e-3, 1.0, 1e6], 500), axis=1)
    ends[:, :, ::7] = np.round(ends[:, :, ::7])  # Some ends are 0 and some intervals are a point.
    inner = generator.choice([0.0, 0.3, 1.0], (2, 500))
    points = np.clip(ends[:, 0] + inner * (ends[:, 1] - ends[:, 0]), ends[:, 0], ends[:, 1])
    drawn = {name: Answer(points[i], ends[i, 0], ends[i, 1]) for i, name in enumerate("ab")}
    found = computed(made, drawn, 500)
    for cell in range(500):
        exact = _exactly(made, {name: Fraction(points[i, cell]) for i, name in enumerate("ab")})
        if exact is None:
            assert np.isnan(found.values[cell])
            continue
        for end, below in ((found.low[cell], True), (found.high[cell], False)):
            assert np.isinf(end) or (Fraction(end) <= exact if below else exact <= Fraction(end))


def test_rounding_keeps_the_order_and_halves_go_away_from_zero() -> None:
    points = np.array([-2.5, -0.5, 0.5, 2.5, 1.25, -np.inf])
    found = computed(Rounded(A, 0), {"a": Answer(points, points, points)}, 6)
    assert found.values.tolist() == [-3, -1, 1, 3, 1, -np.inf]


QUESTION = "SELECT visits, COUNT(*) AS n, SUM(far) AS t{more} FROM data GROUP BY visits{after}"


def _table(question: str) -> tuple[AnswerTable, tuple[Work, ...], Part]:
    """The answers, and the exact work behind them, from the same bits."""
    here = schema(person=True)
    plan = planned(question, here)
    frames = {name: as_arrow(name, rows) for name, rows in TABLES.items()}
    source = DuckDBSource(here, folder=Path(), frames=frames)
    part = plan.parts[0]
    return _draw(part, _add_up(part, source, SeededBits(4)), 0.95, SeededBits(8)), works(part, SeededBits(4)), part


def test_having_order_and_limit_see_what_was_drawn_and_the_engine_sees_none_of_them() -> None:
    whole, work, _ = _table(QUESTION.format(more="", after=""))
    after = " HAVING n > 0 AND COUNT(*) < 1000 ORDER BY t DESC, visits LIMIT 3"
    some, same, _ = _table(QUESTION.format(more="", after=after))
    assert same == work
    n, t = whole.answers["n"].values, whole.answers["t"].values
    kept = sorted(np.flatnonzero((n > 0) & (n < 1000)).tolist(), key=lambda place: -t[place])[:3]
    assert 0 < len(kept) < np.count_nonzero(n > 0) + 1
    assert some.labels == tuple(whole.labels[place] for place in kept)
    for name in ("n", "t"):
        for part in ("values", "low", "high"):
            assert getattr(some.answers[name], part).tolist() == getattr(whole.answers[name], part)[kept].tolist()


def test_an_aggregate_that_stands_twice_is_asked_for_once_and_one_that_is_not_selected_is_not_shown() -> None:
    table, _, part = _table(
        "SELECT COUNT(*) * 2 AS twice FROM data HAVING COUNT(*) > -1000000 OR SUM(visits) > 3 ORDER BY AVG(far)"
    )
    assert [output.name for output in part.question.outputs] == ["count", "sum_visits", "avg_far"]
    assert set(table.answers) == {"twice"} == set(table.columns)
    assert "twice is computed from count; groups are kept" in describe_after(part)[0]


def test_what_is_made_of_two_answers_shares_the_chance_of_a_miss_between_them() -> None:
    plain, _, alone = _table("SELECT COUNT(*) AS n, SUM(visits) AS t FROM data")
    ratio, _, part = _table("SELECT COUNT(*) AS n, SUM(visits) AS t, SUM(visits) / COUNT(*) AS r FROM data")
    assert [part.sure("n", 0.9), alone.sure("n", 0.9)] == pytest.approx([0.95, 0.9])
    assert ratio.answers["n"].low[0] < plain.answers["n"].low[0] <= plain.answers["n"].values[0]
    assert part.forecasts(100, 0.9)[0].half_width == alone.forecasts(100, 0.95)[0].half_width
    assert After().together("n") == 1


def test_a_release_with_computed_columns_is_written_and_shown(tmp_path: Path) -> None:
    here = dataset(tmp_path)
    plan = here.plan(
        "SELECT g, SUM(x) / COUNT(*) AS m, COUNT(y) / (COUNT(*) - COUNT(*)) AS none FROM data GROUP BY g "
        "ORDER BY g DESC",
        epsilon=1,
    )
    answers = here.release(plan)
    assert [row["g"] for row in answers.table] == ["b", "a"]
    found = answers.tables[0].answers["m"]
    assert found.low[0] < found.values[0] < found.high[0]
    assert answers.table[0]["none"] is None
    for kind in ("json", "csv", "parquet"):
        answers.write(tmp_path / f"found.{kind}")
    rows = json.loads((tmp_path / "found.json").read_text())["answers"]
    assert (rows[0]["none"], rows[0]["none_low"], rows[0]["m"]) == (None, None, answers.table[0]["m"])
    stored = duckdb.execute(f"SELECT m FROM '{tmp_path / 'found.parquet'}'").fetchall()
    assert [m for (m,) in stored] == [row["m"] for row in answers.table]
    assert "[-inf, inf]" in answers.report(tmp_path / "found.html").read_text()
