"""A new protocol is one file and one line: text, the command line, the network of nodes and the contract have it."""

from pathlib import Path

import pytest

from tests.scratch import copy_of_the_house, run_in

LINE = "from banister.spread.lab.protocols.chatter import Chatter as Chatter\n"
SPY_LINE = "from banister.spread.lab.adversaries.lurker import Lurker as Lurker\n"
PROGRAM = """
import sys
import pytest
from typer.testing import CliRunner
from banister.apps.cli import build
from banister.spread import Study, parse_adversary, parse_protocol

print("parsed:", parse_protocol("chatter:rate=0.25").spec, type(parse_protocol("chatter").rules()).__name__)
print("parsed:", type(parse_adversary("lurker:0.2")).__name__)
asked = ["spread", "attack", "regular-tree:3", "--protocol", "chatter:0.5", "--adversary", "lurker:0.2"]
asked += ["--steps", "2", "--trials", "3", "--workers", "1"]
print("attacked:", CliRunner().invoke(build(), asked).stdout)
print("contract:", pytest.main(["-q", "-p", "no:cacheprovider", sys.argv[1], "-k", "Chatter and same_seed"]))
"""


def shelve(shelf: Path, *, old: tuple[str, str, str], new: tuple[str, str, str], line: str) -> None:
    """A copy of one file of a shelf under other names (file, class, name), and one line in the list."""
    text = (shelf / f"{old[0]}.py").read_text(encoding="utf-8")
    changed = text.replace(old[1], new[1]).replace(f'"{old[2]}', f'"{new[2]}')
    (shelf / f"{new[0]}.py").write_text(changed, encoding="utf-8")
    listed = (shelf / "__init__.py").read_text(encoding="utf-8")
    (shelf / "__init__.py").write_text(listed.replace("\nALL", f"{line}\nALL"), encoding="utf-8")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy with one more protocol and one more adversary, each a file and a line."""
    house = copy_of_the_house(tmp_path)
    lab = house / "spread" / "lab"
    names = ("diffusion", "Diffusion", "diffusion"), ("chatter", "Chatter", "chatter")
    shelve(lab / "protocols", old=names[0], new=names[1], line=LINE)
    names = ("spies", "SpyAdversary", "spies"), ("lurker", "Lurker", "lurker")
    shelve(lab / "adversaries", old=names[0], new=names[1], line=SPY_LINE)
    return house


def test_text_the_command_line_nodes_and_the_contract_offer_it(house: Path) -> None:
    told = run_in(house, "-c", PROGRAM, str(Path(__file__).parent / "test_protocols.py"))
    assert "parsed: chatter:0.25 GossipRules\n" in told.stdout, told.stderr
    assert "parsed: Lurker\n" in told.stdout
    row = next(line for line in told.stdout.splitlines() if line.startswith("chatter"))
    assert row.split()[:3] == ["chatter:0.5", "2", "lurker:0.2"]
    assert "contract: 0\n" in told.stdout.replace("ExitCode.OK", "0"), told.stdout
