"""Intervals hold the exact aggregate at their rate and errors are as the plan foresaw: each aggregate, each engine.

The engine adds up once for each question, through the real path; noise and intervals are then drawn many times. Every
rate is compared with the least number of hits that has a chance of 10^-7 or more, so that the whole file raises a false
alarm about once in a hundred thousand runs.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from banister.accounting.filters import AsYouGo
from banister.accounting.ledger import Ledger
from banister.core.privacy.guarantee import Guarantee
from banister.release.planning.planner import Part
from banister.release.run import AnswerTable, _add_up, _draw, release
from banister.release.work import Source
from banister.sampling.bits import SYSTEM
from tests.release.sources.places import DAY, HOUR, Place, Rows, planned
from tests.sizes import LONG

RARE = 1e-7
SURE = 0.95
PEOPLE = 1320
CELLS = [(plan, ok, visits) for plan in ("free", "it's", "none") for ok in (True, False) for visits in range(11)]
Row = dict[str, object]


def table() -> list[tuple[object, ...]]:
    """Each person has two rows in each of two of 66 cells, and there are 80 rows in a cell: bounds leave nobody out.

    Of `far`, half the values are in the middle and half at the top of the range: mean and deviation are then a quarter
    of the range off the middle and a quarter wide, which is what errors are foreseen for.
    """
    chance = np.random.default_rng(8)
    rows: list[tuple[object, ...]] = []
    for who in range(PEOPLE):
        own = float(chance.normal(40, 40))
        for place in (who % len(CELLS), (who + 1) % len(CELLS)):
            plan, ok, visits = CELLS[place]
            for far in (0, 1_000_000):
                income = own if chance.random() < 0.9 else (math.nan, None)[who % 2]
                cost = Decimal(int(chance.integers(-50_000, 600_000))) / 1000
                came = int(chance.integers(0, 700))
                went = (came + int(chance.integers(0, 200))) * DAY + HOUR
                rows.append((who, visits, income, plan, str(who % 3), ok, far, cost, place % 22, came, went))
    return rows


ROWS: Rows = table()
NAMES = ("who", "visits", "income", "plan", "site", "ok", "far", "cost", "code", "came", "went")


def steps(value: object, low: str, high: str, step: str) -> float | None:
    """A number as the schema reads it: held in its range, rounded to its step; missing where it is NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    assert isinstance(value, int | float | Decimal)
    held = min(max(Fraction(value), Fraction(low)), Fraction(high))
    return float(math.floor(held / Fraction(step) + Fraction(1, 2)) * Fraction(step))


def read(row: Row) -> Row:
    return row | {
        "income": steps(row["income"], "-5", "100", "0.5"),
        "cost": steps(row["cost"], "-20", "500", "0.01"),
        "far": steps(row["far"], "-1000000", "1000000", "1"),
        "stay": _days(row["went"]) - _days(row["came"], 1),
    }


def _days(value: object, unit: int = DAY) -> float:
    assert isinstance(value, int)
    return float(value // unit)


@cache
def records() -> list[Row]:
    """The rows as the schema reads them, worked out here."""
    return [read(dict(zip(NAMES, row, strict=True))) for row in ROWS]


def values(rows: Sequence[Row], name: str) -> list[float]:
    return [x for x in (row[name] for row in rows) if isinstance(x, float)]


Exact = Callable[[Sequence[Row]], float]
TRUTH: dict[str, Exact] = {
    "n": len,
    "present": lambda rows: len(values(rows, "income")),
    "people": lambda rows: len({row["who"] for row in rows}),
    "sum": lambda rows: math.fsum(values(rows, "cost")),
    "total": lambda rows: math.fsum(values(rows, "far")),
    "stay": lambda rows: math.fsum(values(rows, "stay")),
    "mean": lambda rows: float(np.mean(values(rows, "far"))),
    "mean_income": lambda rows: float(np.mean(values(rows, "income"))),
    "var": lambda rows: float(np.var(values(rows, "far"), ddof=1)),
    "var_pop": lambda rows: float(np.var(values(rows, "far"))),
    "dev": lambda rows: float(np.std(values(rows, "far"), ddof=1)),
    "dev_pop": lambda rows: float(np.std(values(rows, "far"))),
    "middle": lambda rows: float(np.quantile(values(rows, "income"), 0.5, method="inverted_cdf")),
    "upper": lambda rows: float(np.quantile(values(rows, "cost"), 0.9, method="inverted_cdf")),
}
FINE = {"sum", "total", "stay"}
"""Outputs with noise so fine that an interval can be as narrow as its rate allows."""
LINEAR = {"n", "present", "people", "sum", "total", "stay"}
EQUAL = LINEAR | {"mean", "var", "dev"}
"""Outputs whose error is foreseen for cells such as these; that of `mean_income` is foreseen for another mean."""
RANKED = {"middle": ("income", 0.5), "upper": ("cost", 0.9)}
"""Outputs whose error is foreseen in rows."""

GROUPED = "FROM data GROUP BY plan, ok, visits"
QUESTIONS = {
    "counts and sums": f"SELECT plan, ok, visits, COUNT(*) AS n, COUNT(income) AS present, SUM(cost) AS sum, "
    f"SUM(far) AS total {GROUPED}",
    "days between dates": f"SELECT plan, ok, visits, SUM(went - came) AS stay {GROUPED}",
    "means": f"SELECT plan, ok, visits, AVG(far) AS mean, AVG(income) AS mean_income {GROUPED}",
    "variances": f"SELECT plan, ok, visits, VARIANCE(far) AS var, VAR_POP(far) AS var_pop {GROUPED}",
    "deviations": f"SELECT plan, ok, visits, STDDEV(far) AS dev, STDDEV_POP(far) AS dev_pop {GROUPED}",
    "a histogram": "SELECT BIN(income) AS bin, visits, COUNT(*) AS n FROM data GROUP BY 1, 2",
    "unknown groups": "SELECT code, COUNT(*) AS n, SUM(cost) AS sum, AVG(far) AS mean FROM data GROUP BY code",
    "quantiles": "SELECT visits, MEDIAN(income) AS middle, QUANTILE(cost, 0.9) AS upper FROM data GROUP BY visits",
}
PEOPLE_QUESTION = f"SELECT plan, ok, visits, COUNT(DISTINCT who) AS people, COUNT(*) AS n {GROUPED}"
EPSILON = {"a histogram": 1}
DRAWS = {"quantiles": 20, "a histogram": 200, "unknown groups": 200}


def keys(question: str, row: Row) -> tuple[object, ...] | None:
    """The cell of a row, worked out here."""
    if "BIN" in question:
        x = row["income"]
        bins = {"[-5, 0)": (-5, 0), "[0, 10)": (0, 10), "[10, 50)": (10, 50), "[50, 100]": (50, 101)}
        found = [name for name, (low, high) in bins.items() if isinstance(x, float) and low <= x < high]
        return (found[0], row["visits"]) if found else None
    return tuple(row[name] for name in question.rsplit("GROUP BY ", 1)[1].split(", "))


@cache
def cells(question: str) -> dict[tuple[object, ...], list[Row]]:
    found: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in records():
        key = keys(question, row)
        if key is not None:
            found[key].append(row)
    return found


def tables(part: Part, source: Source, first: AnswerTable | None, draws: int) -> list[AnswerTable]:
    exact = _add_up(part, source, SYSTEM)
    return [*([] if first is None else [first]), *(_draw(part, exact, SURE, SYSTEM) for _ in range(draws))]


def check(part: Part, found: Sequence[AnswerTable], question: str) -> None:
    grouped = cells(question)
    size = round(sum(map(len, grouped.values())) / len(grouped))
    foreseen = {forecast.name: forecast for forecast in part.forecasts(size, SURE)}
    for name in (formula.name for formula in part.formulas):
        exact = {label: TRUTH[name](rows) for label, rows in grouped.items()}
        inside, errors = 0, []
        for answers in found:
            truth = np.array([exact[label] for label in answers.labels])
            answer = answers.answers[name]
            near = 1e-9 * np.maximum(1, np.abs(truth))  # Sums of doubles on both sides.
            inside += int(((answer.low - near <= truth) & (truth <= answer.high + near)).sum())
            errors.append(answer.values - truth)
        flat = np.concatenate(errors)
        assert len(flat) == len(found) * len(grouped), "a large group did not appear"
        least = binom.ppf(RARE, len(flat), SURE)
        assert inside >= least, f"{name}: {inside} of {len(flat)} intervals hold, at least {least:.0f} should"
        if name in FINE:
            most = binom.ppf(1 - RARE, len(flat), SURE + 0.01)
            assert inside <= most, f"{name}: {inside} of {len(flat)} intervals hold, which are wider than they need be"
        if name in EQUAL:
            squares = flat**2
            # Five deviations of the mean; where the plan looks at the first order only, what that leaves out.
            allowed = 5.4 * float(squares.std() / squares.mean()) / math.sqrt(len(flat))
            allowed += 0 if name in LINEAR else 0.08
            ratio = float(squares.mean()) / foreseen[name].error ** 2
            assert ratio == pytest.approx(1, abs=allowed), f"{name}: squared error {ratio:.3f} times the foreseen"
        elif name in RANKED:
            missed = [ranks_missed(name, grouped[label], x) for t in found for label, x in zip_values(t, name)]
            held = sum(rows <= foreseen[name].half_width for rows in missed)
            assert held >= least, f"{name}: {held} of {len(missed)} choices are within the ranks that were foreseen"


def zip_values(answers: AnswerTable, name: str) -> list[tuple[tuple[object, ...], float]]:
    return list(zip(answers.labels, answers.answers[name].values.tolist(), strict=True))


def ranks_missed(name: str, rows: Sequence[Row], chosen: float) -> float:
    """By how many rows a chosen value misses the quantile; a rung of the ladder is at most 0.51 wide."""
    column, order = RANKED[name]
    found = np.array(values(rows, column))
    target = order * len(found)
    below, upto = int((found < chosen - 0.3).sum()), int((found <= chosen + 0.3).sum())
    return max(0.0, below - target, target - upto)


@pytest.mark.slow
@pytest.mark.parametrize("person", [False, True], ids=["rows", "people"])
def test_intervals_hold_at_their_rate_and_errors_are_as_foreseen(person: bool, place: Place) -> None:
    asked = place.schema(person=person)
    source = place.load(asked, {"data": ROWS, "people": []} if person else {"data": ROWS})
    questions = QUESTIONS | ({"people": PEOPLE_QUESTION} if person else {})
    for name, question in questions.items():
        plan = planned(question, asked, epsilon=EPSILON.get(name, 4) * (4 if person else 1))
        ledger = Ledger.create(
            "memory:", budget=Guarantee(40, 1e-5), neighbours=asked.neighbours, questions=AsYouGo(reserve="1/2")
        )
        paid = release(plan, source, ledger)
        assert ledger.remaining().charges == 1
        part = plan.parts[0]
        draws = DRAWS.get(name, 120) // (1 if LONG else 2) // (1 if place.engine == "duckdb" else 2)
        check(part, tables(part, source, paid.tables[0], draws), question)
        if part.alternative is not None and place.engine == "duckdb":
            check(part.alternative, tables(part.alternative, source, None, draws), question)
