"""A new aggregate is one file and one line: SQL, plans, `--within`, releases, reports and the contract have it."""

from pathlib import Path

import pytest

from tests.scratch import copy_of_the_house, run_in

LINE = "from banister.release.aggregates.rms import RootMeanSquare as RootMeanSquare\n"
FILE = '''"""RMS: the root of the mean square of a quantity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from banister.questions.reading.calls import Call
from banister.questions.measures import Measure
from banister.questions.terms import Quantity, Unit
from banister.release.aggregates.aggregate import Aggregate, Answer, Noisy, Piece, Slopes, counted_rows, quarter_of
from banister.release.aggregates.aggregate import top_of
from banister.release.aggregates.board import SQUARES, Board, squared
from banister.release.aggregates.ratio import ratio


@dataclass(frozen=True, slots=True)
class RootMeanSquare(Aggregate):
    """The root of middle + step · squares / count."""

    names: ClassVar[tuple[str, ...]] = ("RMS",)
    told: ClassVar[str] = "RMS"
    additive: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    textbook: ClassVar[int] = 2

    quantity: Quantity

    @classmethod
    def of_call(cls, call: Call) -> Self:
        return cls(call.plain(1)[0].number())

    def counted(self, *, single: bool) -> frozenset[Quantity | None]:
        return counted_rows(self.quantity)

    def movable(self) -> None:
        return None

    def pieces(self, board: Board) -> tuple[Piece, ...]:
        count = board.count(self.quantity)
        return board.centred(squared(self.quantity), SQUARES), count

    def choice(self) -> None:
        return None

    def matter(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Slopes:
        return [(piece.place, 1 / measures[piece.place].sensitivity()) for piece in pieces]

    def slopes(self, pieces: Sequence[Piece], measures: Sequence[Measure], size: int) -> Slopes:
        square, count = pieces
        root = 2 * top_of(self.quantity) / 2
        return [
            (square.place, float(square.step) / root / size),
            (count.place, quarter_of(measures, square) / root / size),
        ]

    def foreseen(self, pieces: Sequence[Piece], measures: Sequence[Measure]) -> Sequence[Sequence[float]]:
        return [[0.0, 1.0]]

    def answer(self, pieces: Sequence[Piece], noisy: Noisy) -> Answer:
        square, count = pieces
        found = ratio(square, count, noisy, noisy.confidence)
        return Answer(*(np.sqrt(np.maximum(float(square.middle) + float(square.step) * x, 0)) for x in found))

    def laplace(self, scale: float, size: int) -> float:
        return scale * top_of(self.quantity) / size

    def compared_with(self, rows: int) -> float:
        return top_of(self.quantity)

    def can_be_below_zero(self) -> bool:
        return False

    def unit(self) -> Unit:
        return Unit.NUMBER
'''
PROGRAM = """
import sys
from pathlib import Path
import duckdb
from typer.testing import CliRunner
import banister as bn
from banister.apps.cli import build
from banister.release.aggregates import ALL

def run(*words):
    done = CliRunner().invoke(build(), words)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout

run("demo", "health")
sql = str(bn.open("health/health.toml").ask().group_by("plan").count().aggregate("RMS", "visits"))
print("asked:", sql)
print("planned:", "rms_visits" in run("plan", "health/health.toml", sql, "--epsilon", "0.3"))
print("within:", "rms_visits" in run("plan", "health/health.toml", sql, "--within", "20%"))
run("release", "health/health.toml", sql, "--epsilon", "0.9", "--report", "a.html", "--out", "a.csv")
print("reported:", "rms_visits" in Path("a.html").read_text() and "the squares behind" in Path("a.html").read_text())
exact = duckdb.sql(
    "SELECT plan, sqrt(avg(least(visits, 50) ^ 2)) FROM 'health/randhie.parquet' GROUP BY plan"
).fetchall()
rows = [line.split(",") for line in Path("a.csv").read_text().splitlines()]
found = {row[0]: float(row[rows[0].index("rms_visits")]) for row in rows[1:]}
print("answered:", all(abs(found[plan] - truth) < 3 for plan, truth in exact), found, exact)
try:
    bn.open("health/health.toml").plan("SELECT FOO(visits) FROM data", epsilon=1)
except bn.errors.BadValue as error:
    print("told:", "RMS" in str(error))

sys.path.insert(0, sys.argv[1])
from tests.contract import test_law_plans as law

question = "SELECT g, COUNT(*) AS n, RMS(y) AS r FROM data GROUP BY g"
law.test_noise_cell_by_cell_gives_away_what_is_claimed(question, 2, 3, "add-remove")
law.test_every_share_of_epsilon_is_drawn_with_once(question, 2, 3, "replace")
print("contract: kept")
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy with one more file and one more line."""
    house = copy_of_the_house(tmp_path)
    shelf = house / "release" / "aggregates"
    (shelf / "rms.py").write_text(FILE, encoding="utf-8")
    listed = (shelf / "__init__.py").read_text(encoding="utf-8")
    after = "from banister.release.aggregates.sum import"
    (shelf / "__init__.py").write_text(listed.replace(after, LINE + after), encoding="utf-8")
    return house


def test_sql_plans_releases_reports_and_the_contract_have_it(house: Path) -> None:
    told = run_in(house, "-c", PROGRAM, str(Path(__file__).resolve().parents[2]))
    assert "asked: SELECT plan, COUNT(*) AS n, RMS(visits) AS rms_visits" in told.stdout, told.stderr
    for line in ("planned: True", "within: True", "reported: True", "answered: True", "told: True", "contract: kept"):
        assert line in told.stdout, told.stdout + told.stderr
