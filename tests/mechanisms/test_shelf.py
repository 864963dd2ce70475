"""A mechanism is one file and one line: tried in a copy of the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from banister.mechanisms import ALL
from banister.mechanisms.offers import Offer, Serves

SOURCE = Path(__file__).parents[2] / "src" / "banister"

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
)


def examples() -> tuple[Doubtful, ...]:
    return (Doubtful(epsilon=Fraction(1, 2)),)
'''

TRIAL = """
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
    shutil.copytree(SOURCE, tmp_path / "banister", ignore=shutil.ignore_patterns("__pycache__"))
    shelf = tmp_path / "banister" / "mechanisms"
    (shelf / "integers" / "doubtful.py").write_text(FILE)
    door = shelf / "__init__.py"
    door.write_text(
        door.read_text().replace('    "integers.geometric",\n', '    "integers.geometric",\n    "integers.doubtful",\n')
    )
    done = subprocess.run(
        [sys.executable, "-c", TRIAL],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "offered everywhere", done.stderr
