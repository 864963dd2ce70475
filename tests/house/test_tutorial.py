"""The tutorial runs word for word, and so does its notebook."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.house.test_readme import blocks, commands

DOCS = Path(__file__).parents[2] / "docs"


def test_the_tutorial_leads_from_a_file_to_a_report(tmp_path: Path) -> None:
    program = Path(sys.executable).parent
    environment = os.environ | {"COLUMNS": "80", "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    typed = [commands(block) for _, block in blocks((DOCS / "tutorial.md").read_text(encoding="utf-8"))]
    # What is typed first is a program over several lines, which ends with its own quote.
    made = blocks((DOCS / "tutorial.md").read_text(encoding="utf-8"))[0][1].removeprefix("$ ")
    script = "\n".join([made, *typed[1:]])
    done = subprocess.run(
        ["bash", "-euc", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    for name in ("stays.toml", "report.html", "answers.csv", "look.html"):
        assert (tmp_path / name).is_file()
    lines = (tmp_path / "answers.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in lines] == ["Station", "Innere", "Chirurgie", "Kinder", "Geburtshilfe"]


@pytest.mark.filterwarnings("ignore")
def test_the_notebook_runs_and_shows_tables_and_pictures(tmp_path: Path) -> None:
    notebook = nbformat.read(DOCS / "tutorial.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # What was drawn once belongs in no repository.
    NotebookClient(
        notebook, timeout=1200, startup_timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [out["data"] for cell in notebook.cells for out in cell.get("outputs", []) if "data" in out]
    pages = [data["text/html"] for data in shown if "text/html" in data]
    assert len(pages) >= 6
    assert any("<svg" in page for page in pages)
    assert (tmp_path / "report.html").is_file()
