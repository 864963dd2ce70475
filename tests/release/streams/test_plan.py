"""Plans of streams: the least noise with and without a delta, what is refused, and the error over time."""

import re
from pathlib import Path

import pytest

from banister.errors import BadValue
from banister.release import Dataset, plan_stream
from banister.release.streams.example import SCHEMA, days_of_a_year
from banister.tables.schema import Schema

SQL = "SELECT COUNT(*) AS n FROM data"


def dataset(*changes: tuple[str, str], periods: int = 52, every: str = "week") -> Dataset:
    text = SCHEMA.replace("EVERY", every).replace("PERIODS", str(periods))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Dataset(Schema.of_text(text), folder=Path(), frames={})


def test_a_year_of_days_errs_less_than_three_counts_with_a_delta_and_eight_without() -> None:
    with_delta = plan_stream(days_of_a_year(), SQL, epsilon=1, delta="1e-4")
    without = plan_stream(days_of_a_year(), SQL, epsilon=1)
    assert with_delta.method == "square root"
    assert 2.94 < with_delta.figures[0].figure < 2.95
    assert without.method == "blocks of 1, 9 and 135 by least squares"
    assert without.figures[0].figure == pytest.approx(7.682, abs=1e-3)
    assert without.guarantee.delta == 0
    assert without.rival is None
    one = (
        with_delta.payments[0].noise.risk_for("squared") ** 0.5
        / 2**16
        / (with_delta.payments[0].factor.squares(1) ** 0.5 / 2**16)
    )
    assert with_delta.error_at(365)["n"] == pytest.approx(2.944 * one, rel=1e-3)


def test_noise_that_needs_no_delta_is_taken_where_it_errs_less_and_the_other_is_named() -> None:
    plan = plan_stream(days_of_a_year(), SQL, epsilon=1, delta="1e-6")
    assert plan.guarantee.delta == 0
    assert plan.rival is not None
    assert 2.94 < plan.rival.figure < 2.95
    assert plan.payments[0].largest() < plan.rival.payments[0].largest()
    assert "Gaussian noise errs more: square root, 2.944 times one count with Gaussian noise, is a" in str(plan)
    assert not any(paid.factor.ahead for paid in plan.rival.payments)


def test_what_is_not_needed_of_a_delta_is_not_charged() -> None:
    plan = plan_stream(dataset(periods=2), SQL, epsilon=1, delta="1e-6")
    assert plan.payments[0].kind == "Laplace"
    assert plan.guarantee.delta == 0


def test_more_periods_a_person_cost_what_the_factor_says() -> None:
    def error(many: int) -> float:
        changed = dataset(("person_periods = 1", f"person_periods = {many}"))
        return plan_stream(changed, SQL, epsilon=1, delta="1e-2").error_at(52)["n"]

    one = plan_stream(dataset(), SQL, epsilon=1, delta="1e-2").payments[0].factor
    assert one.name == "square root"
    assert error(4) / error(1) == pytest.approx((one.squares(4) / one.squares(1)) ** 0.5, rel=1e-3)


def test_errors_grow_slowly_over_time_and_are_said() -> None:
    plan = plan_stream(dataset(), SQL, epsilon=1, delta="1e-2")
    found = [plan.error_at(period)["n"] for period in range(1, 53)]
    assert found == sorted(found)
    assert found[-1] < 1.6 * found[0]
    text = str(plan)
    assert "one charge for 52 periods" in text
    assert "running totals, every week from 2026-01-05 to 2027-01-03" in text
    assert re.search(r"square root 2\.322, ", text)


@pytest.mark.parametrize(
    ("window", "said"), [("window = 1", "counts of each period"), ("window = 4", "sums of the last 4 periods")]
)
def test_windows_are_said(window: str, said: str) -> None:
    changed = dataset(("person_periods = 1", f"person_periods = 1\n{window}"))
    assert said in str(plan_stream(changed, SQL, epsilon=1, delta="1e-4"))


def test_the_error_over_time_is_drawn(tmp_path: Path) -> None:
    plan_stream(dataset(), SQL, epsilon=1).plot(tmp_path / "error.svg")
    assert "noise each period" in (tmp_path / "error.svg").read_text()


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (f"{SQL}; {SQL}", "A stream answers one question, not 2"),
        ("SELECT COUNT(DISTINCT id) AS n FROM data", "A stream counts rows, not different people"),
        ("SELECT MEDIAN(size) AS n FROM data", "'n' is chosen by rank, which no running total is"),
        ("SELECT COUNT(DISTINCT size) AS n FROM data", "'n' counts different values, which is no running total"),
        ("SELECT town, COUNT(*) AS n FROM data GROUP BY town", "A stream needs cells that are known"),
        ("SELECT COUNT(*) AS n FROM (SELECT id, COUNT(*) AS k FROM data GROUP BY id) AS per", "about the main table"),
    ],
)
def test_what_cannot_go_on_is_refused(sql: str, said: str) -> None:
    more = 'size = { kind = "integer", range = [0, 9] }\ntown = { kind = "category" }\n\n[stream]'
    with pytest.raises(BadValue, match=re.escape(said)):
        plan_stream(dataset(("[stream]", more)), sql, epsilon=1, delta="1e-6")


def test_a_schema_without_a_stream_says_what_to_write() -> None:
    text = SCHEMA[: SCHEMA.index("[stream]")]
    with pytest.raises(BadValue, match=r"The schema has no \[stream\]\. Say when periods are"):
        plan_stream(Dataset(Schema.of_text(text), folder=Path(), frames={}), SQL, epsilon=1)


def test_too_little_epsilon_is_refused() -> None:
    wide = ("[stream]", 'size = { kind = "integer", range = [0, 1000000000000000] }\n\n[stream]')
    with pytest.raises(BadValue, match=r"epsilon = .* is too small for what one person can contribute in 1 periods"):
        plan_stream(dataset(wide), "SELECT SUM(size) AS s FROM data", epsilon="1e-3")
