"""The browser's draws have no floating-point operation: each operator of the client is watched while it draws."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from banister.apps.collect.saved import STATIC
from banister.local.channels import ALL
from tests.local.collect.campaigns import signed

WATCH = Path(__file__).with_name("arithmetic.mjs")


def watched(client: Path) -> dict[str, int]:
    """What was done in 200 draws through each example of every kind of channel."""
    asked = signed(*(channel for kind in ALL for channel in kind.examples()))
    documents = json.dumps(json.loads(asked.text.split("\n")[0])["questions"])
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is needed to watch the client's arithmetic")
    command = [node, "--expose-internals", str(WATCH), str(client)]
    ended = subprocess.run(command, input=documents, capture_output=True, text=True, timeout=120, check=False)
    if "internal/deps/acorn" in ended.stderr:
        pytest.skip("this node has no parser to watch the client's arithmetic with")
    assert ended.returncode == 0, ended.stderr
    found: dict[str, int] = json.loads(ended.stdout)
    return found


def test_a_client_with_a_wrong_clock_is_right_regardless() -> None:
    """No script of a person's page reads a clock: whether a campaign has ended the collector says, by its own."""
    scripts = list(STATIC.glob("*.mjs")) + list(STATIC.glob("*.js"))
    assert STATIC / "client.mjs" in scripts
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\b(Date|Temporal|performance|timeOrigin)\b", text), path.name


def test_no_draw_has_a_floating_point_operation() -> None:
    found = watched(STATIC / "client.mjs")
    assert found["floating"] == found["functions"] == 0
    assert found["whole"] > 10_000
    assert found["kinds"]
    assert found["draws"] == 200 * len([channel for kind in ALL for channel in kind.examples()])


def test_a_floating_point_operation_would_be_seen(tmp_path: Path) -> None:
    client = (STATIC / "client.mjs").read_text(encoding="utf-8")
    honest = "const other = below(count - 1n, bits);"
    assert client.count(honest) == 1
    other = tmp_path / "client.mjs"
    other.write_text(client.replace(honest, "const other = BigInt(Math.floor(Number(bits.byte()) / 256));"))
    found = watched(other)
    assert found["floating"] > 0
    assert found["functions"] > 0
