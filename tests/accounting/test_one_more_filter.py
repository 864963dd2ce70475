"""A new filter is a gate, its name, and a guard that asks for it: ledgers and the command line then have it."""

from pathlib import Path

import pytest

from tests.scratch import copy_of_the_house, run_in

GATE = '''"""Epsilons, each counted twice."""

from dataclasses import dataclass
from fractions import Fraction

from banister.accounting.filters.basic import Basic
from banister.accounting.filters.gate import Gate
from banister.core.privacy.loss import PrivacyLoss


@dataclass(frozen=True, slots=True)
class Twice(Gate):
    """Adds up epsilons, each of them counted twice."""

    limit: Fraction

    def price(self, loss: PrivacyLoss) -> Fraction | None:
        price = Basic(self.limit).price(loss)
        return None if price is None else 2 * price

    def in_words(self) -> str:
        return "epsilons, each counted twice"
'''
IMPORT = "from banister.accounting.filters.units import Units\n"
TOO = f"{IMPORT}from banister.accounting.filters.twice import Twice\n"
EDITS = (
    ("shelf.py", IMPORT, TOO),
    ("shelf.py", '    "units": Units,\n', '    "units": Units,\n    "twice": Twice,\n'),
    ("filter.py", 'UNITS = "units"\n', 'UNITS = "units"\n    TWICE = "twice"\n'),
    ("filter.py", IMPORT, TOO),
    (
        "filter.py",
        "        Guard.ZCDP: lambda",
        "        Guard.TWICE: lambda: Twice(inner.epsilon),\n        Guard.ZCDP: lambda",
    ),
)
PROGRAM = """
import banister as bn
from typer.testing import CliRunner
from banister.apps.cli import build

asked = ["ledger", "create", "a.ledger", "--epsilon", "1", "--delta", "1e-6"]
print(CliRunner().invoke(build(), [*asked, "--neighbours", "replace", "--as-you-go", "twice"]).stdout)
with bn.Ledger.open("a.ledger") as book:
    book.charge(bn.Guarantee("0.3"), label="one", neighbours=bn.Neighbours.REPLACE)
    print("charges:", book.verify()[0], [str(total) for total in book.history()[0].totals])
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    house = copy_of_the_house(tmp_path)
    (house / "accounting" / "filters" / "twice.py").write_text(GATE, encoding="utf-8")
    for file, old, new in EDITS:
        path = house / "accounting" / "filters" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file}: {old!r}; CONTRIBUTING.md says how a filter is added: keep both in step"
        path.write_text(text.replace(old, new), encoding="utf-8")
    return house


def test_a_ledger_is_made_charged_and_read_again(house: Path) -> None:
    told = run_in(house, "-c", PROGRAM)
    assert "each counted twice" in " ".join(told.stdout.split()), told.stderr
    assert "charges: 1 ['0', '3/10', '3/5']" in told.stdout, told.stdout + told.stderr
