"""The README runs, in order, in an empty folder: its Python blocks, and each line that begins with `$ banister`."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[str]:
    """The commands of a block, with lines that end in a backslash joined and comments dropped."""
    joined = block.replace("\\\n", " ")
    return [line.removeprefix("$ ") for line in joined.splitlines() if line.startswith("$ banister")]


def test_every_example_of_the_readme_works_word_for_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = str(Path(sys.executable).with_name("banister"))
    environment = os.environ | {"COLUMNS": "80"}
    names: dict[str, object] = {}
    for language, block in BLOCKS:
        if language == "python":
            exec(compile(block, "README.md", "exec"), names)
        for line in commands(block):
            words = shlex.split(line, comments=True)
            done = subprocess.run(
                [program, *words[1:]], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            assert max((len(text) for text in done.stdout.splitlines()), default=0) <= 400


def test_the_readme_has_examples() -> None:
    assert sum(language == "python" for language, _ in BLOCKS) >= 2
    assert sum(len(commands(block)) for _, block in BLOCKS) >= 3
