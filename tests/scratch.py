"""A copy of the package to which a test adds a file and a line, and programs that run in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import banister


def copy_of_the_house(folder: Path) -> Path:
    """The package in a folder of its own; gives the path of its sources. Bytecode comes along: it need not be made."""
    source = Path(banister.__file__).parent
    shutil.copytree(source, folder / "banister")
    return folder / "banister"


def run_in(house: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run Python with that copy before any other."""
    root = Path(__file__).parents[1]
    path = os.pathsep.join([str(house.parent), str(root)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=house.parent, check=False)
