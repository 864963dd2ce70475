"""Answers of a stream as files and as a page, and the figure of its error over time."""

from pathlib import Path
from typing import TYPE_CHECKING

from banister.release.answering.answers import columns_of
from banister.release.answering.wording import number, with_interval
from banister.show.charts import IntervalChart
from banister.show.page import Chapter, PageTable, write_page
from banister.tables.frames.write import Columns, Value, write_tables

if TYPE_CHECKING:
    from banister.release.streams.plan import StreamPlan
    from banister.release.streams.run import Stream, StreamAnswer

WRITTEN = (".csv", ".parquet", ".json")
SHOWN = 1000
LINES = 12
"""Cells that a page shows over time."""


def answers_table(stream: "Stream") -> Columns:
    """All answers so far, one row for each period and cell, with the days and the ends of the intervals."""
    found: dict[str, list[Value]] = {}
    for answer in stream.answers():
        columns = columns_of(answer.table)
        size = len(answer.table)
        rows: dict[str, list[Value]] = {
            "period": [answer.period] * size,
            "from": [answer.days[0]] * size,
            "to": [answer.days[1]] * size,
        }
        for name, values in {**rows, **{name: list(values) for name, values in columns.items()}}.items():
            found.setdefault(name, []).extend(values)
    return found


def write_answers(stream: "Stream", path: Path) -> Path:
    """Write all answers so far to a .csv, .parquet or .json file."""
    return write_tables(path, [answers_table(stream)])[0]


def write_stream_report(stream: "Stream", path: Path) -> Path:
    """Write a page: the answers over time, the last period, the guarantee, the plan with its error over time."""
    answers = list(stream.answers())
    blocks = [_over_time(stream, answers), *([_last(stream, answers[-1])] if answers else []), _plan(stream.plan)]
    return write_page(path, f"Counts that go on: {stream.name}", blocks)


def draw_errors(plan: "StreamPlan", path: Path) -> None:
    """Draw the error over time, beside that of one count, and what other ways to measure would give."""
    from banister.core.laws.ahead import candidates
    from banister.show.panels import CurvePanel, PanelLine, draw_panels

    days, paid = plan.periods, plan.payments[0]
    periods = list(range(1, days.periods + 1))
    lines = [
        PanelLine(formula.name, periods, [plan.error_at(period)[formula.name] for period in periods], wide=True)
        for formula in plan.formulas
    ]
    others = []
    shown = {each.name for each in plan.figures}
    for factor in (each for each in candidates(days.periods, days.window) if each.name in shown):
        moved = (
            factor.sums(days.person_periods) if paid.kind == "Laplace" else factor.squares(days.person_periods) ** 0.5
        )
        figures = [float(moved) * each for each in factor.errors]
        others.append(PanelLine(factor.name, periods, figures, dashed=factor.name != plan.method))
    panels = [
        CurvePanel(title=f"Typical error at {plan.guarantee}", x_label=days.every, y_label="error", lines=tuple(lines)),
        CurvePanel(
            title="Ways to measure, over one count", x_label=days.every, y_label="times one count", lines=tuple(others)
        ),
    ]
    draw_panels(panels, path)


def _over_time(stream: "Stream", answers: "list[StreamAnswer]") -> Chapter:
    days = stream.plan.periods
    words = (
        f"{len(answers)} of {days.periods} periods so far, from one charge. A period is drawn once and never again; "
        "rows that come late count in the next one."
    )
    if not answers:
        return Chapter("Answers", [words], stream.plan.question.text)
    charts = []
    table = answers[-1].table
    for name in table.answers:
        for place, label in list(enumerate(table.labels))[: max(1, LINES // len(table.answers))]:
            whose = ", ".join(str(part) for part in label) or "all"
            of_cell = [each for each in answers if place < len(each.table)][-40:]
            values, low, high = (
                [float(getattr(each.table.answers[name], end)[place]) for each in of_cell]
                for end in ("values", "low", "high")
            )
            title = f"{name}, {whose}, with {stream.plan.confidence:.0%} intervals"
            charts.append(IntervalChart(title, [str(each.days[0]) for each in of_cell], values, low, high))
    return Chapter("Answers", [words], stream.plan.question.text, charts)


def _last(stream: "Stream", answer: "StreamAnswer") -> Chapter:
    rows = [with_interval(answer.table, place) for place in range(min(len(answer.table), SHOWN))]
    words = f"Period {answer.period}, {answer.days[0]} to {answer.days[1]}. Proof of its line: {answer.proof}"
    return Chapter("The last period", [words], "", (), [PageTable(answer.table.columns, rows, len(answer.table.names))])


def _plan(plan: "StreamPlan") -> Chapter:
    total = plan.periods.periods
    shown = sorted({1, *(max(1, total * part // 10) for part in range(1, 11))})
    names = [formula.name for formula in plan.formulas]
    rows = [[str(period), *(number(plan.error_at(period)[name]) for name in names)] for period in shown]
    grid = PageTable(["period", *(f"typical error of {name}" for name in names)], rows, 1)
    ways = PageTable(
        ["way to measure", "largest error over that of one count"],
        [[each.name, number(each.figure)] for each in plan.figures],
        1,
    )
    return Chapter("The plan, made before any record was read", str(plan).split("\n"), "", (), [grid, ways])
