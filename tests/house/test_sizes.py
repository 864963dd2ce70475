"""No file is two ideas, and no folder a drawer."""

from pathlib import Path

import pytest

import banister

SOURCE = Path(banister.__file__).parent
MOST_LINES = 400
MOST_FILES = 18
"""About fifteen files of one kind."""
SHELVES = {
    "apps/cli": "a family of commands each",
    "apps/studio": "a page each",
}
"""Folders that may be longer, and what each of their files is."""
FILES = sorted(path for path in SOURCE.rglob("*.py") if "vendored" not in path.parts)
FOLDERS = sorted({path.parent for path in FILES})


def test_no_file_is_longer_than_four_hundred_lines() -> None:
    lengths = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8").count("\n") for path in FILES}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(SOURCE)))
def test_no_folder_is_a_drawer(folder: Path) -> None:
    files = [path for path in FILES if path.parent == folder and path.name != "__init__.py"]
    name = folder.relative_to(SOURCE).as_posix()
    assert len(files) <= MOST_FILES or name in SHELVES, f"{name} has {len(files)} files: give it rooms"


def test_a_shelf_is_there_and_needs_to_be_one() -> None:
    for name in SHELVES:
        assert len([path for path in FILES if path.parent == SOURCE / name]) > MOST_FILES
