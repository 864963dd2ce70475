"""A new kind of channel is one file and one line: files, the comparison, the command line and the contract have it."""

from pathlib import Path

import pytest

from tests.scratch import copy_of_the_house, run_in

LINE = "from banister.local.channels.shuffled import ShuffledResponse as ShuffledResponse\n"
PROGRAM = """
import json, sys
import pytest
from typer.testing import CliRunner
from banister.apps.cli import build
from banister.local.channels import ALL
from banister.local.document import Survey, read_document, write_document

kind = next(kind for kind in ALL if kind.kind == "shuffled-response")
written = json.loads(json.dumps(write_document(Survey(kind(1, 3), ["a", "b", "c"]))))
print("read back:", read_document(written).channel.kind)
asked = ["local", "compare", "--epsilon", "1", "--categories", "9", "--people", "100"]
print("compared:", "shuffled response" in CliRunner().invoke(build(), asked).stdout)
print("contract:", pytest.main(["-q", "-p", "no:cacheprovider", sys.argv[1], "-k", "shuffled and zero"]))
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy with one more file, randomized response under another name, and one more line."""
    house = copy_of_the_house(tmp_path)
    shelf = house / "local" / "channels"
    plain = (shelf / "response.py").read_text(encoding="utf-8")
    other = plain.replace("RandomizedResponse", "ShuffledResponse").replace("randomized-response", "shuffled-response")
    (shelf / "shuffled.py").write_text(other.replace('"randomized response"', '"shuffled response"'), encoding="utf-8")
    listed = (shelf / "__init__.py").read_text(encoding="utf-8")
    after = "from banister.local.channels.subset import"
    (shelf / "__init__.py").write_text(listed.replace(after, LINE + after), encoding="utf-8")
    return house


def test_files_the_command_line_and_the_contract_offer_it(house: Path) -> None:
    told = run_in(house, "-c", PROGRAM, str(Path(__file__).parent / "test_channels.py"))
    assert "read back: shuffled-response\n" in told.stdout, told.stderr
    assert "compared: True\n" in told.stdout
    assert "contract: 0\n" in told.stdout.replace("ExitCode.OK", "0"), told.stdout
