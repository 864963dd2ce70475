"""The README runs word for word: each section in an empty folder of its own, its commands and its Python in order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^#+ (.*?)\n(.*?)(?=^## |\Z)", README, flags=re.MULTILINE | re.DOTALL))
ELSEWHERE = {"Several parties, one answer"}
"""Sections whose commands are played by several people; tests/apps/test_parties.py runs them."""


def blocks(section: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w*)\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)


def commands(block: str) -> str:
    """The lines of a block that a person types, as a script; what is printed in between is left out."""
    typed = re.findall(r"^\$ ((?:.*\\\n)*.*)", block, flags=re.MULTILINE)
    return "\n".join(typed)


@pytest.mark.parametrize("title", SECTIONS)
def test_a_section_works_word_for_word(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a section changes folder, what follows in it starts there."""
    program = Path(sys.executable).parent
    environment = os.environ | {"COLUMNS": "80", "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    names: dict[str, object] = {"bn": __import__("banister")}
    here = tmp_path
    for language, block in blocks(SECTIONS[title]):
        if language == "python":
            monkeypatch.chdir(here)
            exec(compile(block, "README.md", "exec"), names)
        elif title not in ELSEWHERE and (script := commands(block)):
            ending = tmp_path / ".ending"
            done = subprocess.run(
                ["bash", "-euc", f"{script}\npwd > '{ending}'"],
                cwd=here,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
            here = Path(ending.read_text(encoding="utf-8").strip())


def test_the_readme_has_examples() -> None:
    found = [each for section in SECTIONS.values() for each in blocks(section)]
    assert sum(language == "python" for language, _ in found) >= 2
    assert sum(commands(block).count("banister") for _, block in found) >= 10
