"""The README runs word for word: each section in an empty folder of its own, its commands and its Python in order.

What a plain `pip install .` does not bring is kept from them.
"""

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


NOT_PLAIN = (
    *("matplotlib", "psycopg", "pyspark", "fastapi", "starlette", "uvicorn", "jinja2", "python_multipart", "authlib"),
    *(
        "httpx",
        "itsdangerous",
        "sqlcipher3",
        "segno",
        "PIL",
        "pandas",
        "polars",
        "pyarrow",
        "networkx",
        "igraph",
        "mpmath",
    ),
)
"""What comes with the extras, and with the tests alone."""

KEPT_AWAY = f"""
import sys

sys.modules.update(dict.fromkeys({NOT_PLAIN!r}))
"""
"""The content of a sitecustomize.py: a module that is None cannot be imported."""


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
    (tmp_path / ".plain").mkdir()
    (tmp_path / ".plain" / "sitecustomize.py").write_text(KEPT_AWAY, encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path / ".plain"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"COLUMNS": "80", "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    environment["PYTHONPATH"] = paths
    for name in NOT_PLAIN:
        monkeypatch.setitem(sys.modules, name, None)
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
