"""A mechanism is one file and one line: tried in a copy of the package."""

from pathlib import Path

import pytest

from banister.mechanisms import ALL
from banister.mechanisms.offers import Offer, Serves
from tests.scratch import copy_of_the_house, run_in

FILE = '''"""The geometric noise of half the epsilon, by another name."""

from fractions import Fraction

from banister.mechanisms.integers.geometric import Geometric
from banister.mechanisms.offers import Offer, Serves


class Doubtful(Geometric):
    """It can do no more than the geometric noise can."""

    __slots__ = ()


OFFERS = (
    Offer(
        name="doubtful",
        serves=Serves.INTEGERS,
        kind=Doubtful,
        fits=lambda asked: asked.epsilon > 0 and asked.steps == 1,
        make=lambda asked: Doubtful(epsilon=asked.epsilon / 2, cost=asked.cost),
        on_grid=True,
    ),
    Offer(
        name="sound",
        serves=Serves.INTEGERS,
        kind=Doubtful,
        fits=lambda asked: asked.epsilon == Fraction(1, 5) and asked.steps == 1,
        make=lambda asked: Doubtful(epsilon=asked.epsilon, cost=asked.cost),
        optimal=lambda asked: "as good as the geometric noise",
    ),
    Offer(
        name="rash",
        serves=Serves.INTEGERS,
        kind=Doubtful,
        fits=lambda asked: asked.epsilon == Fraction(7, 10) and asked.steps == 1,
        make=lambda asked: Doubtful(epsilon=2 * asked.epsilon, cost=asked.cost),
        optimal=lambda asked: "it says so",
    ),
)


def examples() -> tuple[Doubtful, ...]:
    return (Doubtful(epsilon=Fraction(1, 2)),)
'''

TRIAL = """
import sys
from pathlib import Path
import tempfile
from typer.testing import CliRunner
from banister.accounting.totals.written import read_questions
from banister.apps.cli import build
from banister.mechanisms import ALL
from banister.mechanisms.comparison.figure import draw_noise
from banister.mechanisms.comparison.least_noise import least_noise

found = least_noise(epsilon=1, sensitivity=1, over="integers")
assert [each.name for each in found.contenders] == ["geometric", "doubtful"], found
vectors = least_noise(epsilon=1, sensitivity=1, over="integers", dimension=3, touches="one")
assert "doubtful, each alone" in [each.name for each in vectors.contenders]
told = CliRunner().invoke(build(), ["noise", "--epsilon", "1", "--sensitivity", "1", "--integer"])
assert "doubtful" in told.stdout, told.stdout
path = draw_noise(found, Path(tempfile.mkdtemp()) / "noise.svg")
assert "doubtful" in path.read_text()
assert read_questions("3 x doubtful(0.5)")[0].count == 3
assert "Doubtful" in [type(noise).__name__ for module in ALL for noise in module.examples()]

import banister as bn

Path("people.toml").write_text(
    '[source]\\ntable = "people.csv"\\nneighbours = "add-remove"\\n'
    '[columns]\\nward = { kind = "category", values = ["a", "b"] }\\n'
    '[budget]\\nepsilon = 1\\ndelta = 0\\nledger = "people.ledger"\\n'
)
Path("people.csv").write_text("ward\\na\\nb\\na\\n")
sql = "SELECT ward, COUNT(*) AS n FROM data GROUP BY ward"
table = bn.open("people.toml")
plan = table.plan(sql, epsilon="1/5")
assert [paid.name for part in plan.parts for paid in part.measured] == ["sound"]
table.release(plan).report("people.html")
assert "sound" in Path("people.html").read_text()
try:
    table.plan(sql, epsilon="7/10")
except bn.errors.Uncertified as error:
    assert "is not proven to keep (0.7, 0)" in str(error), error
else:
    raise AssertionError("what gives away more than was asked for was planned")

sys.path.insert(0, sys.argv[1])
from tests.contract import test_law_integers as law

(examined,) = [noise for noise in law.SETTINGS if type(noise).__name__ == "Doubtful"]
law.test_the_claim_is_the_true_curve(examined)
print("offered everywhere")
"""


@pytest.mark.parametrize("module", ALL, ids=lambda module: module.__name__)
def test_every_file_of_the_shelf_states_what_it_offers(module) -> None:
    assert module.examples()
    for offer in module.OFFERS:
        assert isinstance(offer, Offer)
        assert offer.kind.__module__ == module.__name__
        assert offer.serves is Serves.INTEGERS or not offer.on_grid


def test_a_new_mechanism_is_one_file_and_one_line(tmp_path: Path) -> None:
    shelf = copy_of_the_house(tmp_path) / "mechanisms"
    (shelf / "integers" / "doubtful.py").write_text(FILE)
    door = shelf / "__init__.py"
    # Before the geometric noise: of two that are equally good, the planner takes the first.
    line = '    "integers.geometric",\n'
    door.write_text(door.read_text().replace(line, '    "integers.doubtful",\n' + line))
    done = run_in(tmp_path / "banister", "-c", TRIAL, str(Path(__file__).parents[2]))
    assert done.stdout.strip() == "offered everywhere", done.stderr
