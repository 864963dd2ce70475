"""Paths of files as DuckDB has to be told of them: literally."""

from pathlib import Path

from banister.errors import BadValue

PATTERN = "*?["
"""What DuckDB reads as a pattern over names."""


def literal_path(path: Path) -> str:
    """The path, written so that DuckDB opens this file and no other, as text for SQL.

    >>> literal_path(Path("lab[1]/it's.parquet"))
    "'lab[[]1]/it''s.parquet'"
    """
    text = str(path)
    if any(letter in text for letter in PATTERN):
        if "\\" in text:  # There a backslash would stand for the letter behind it.
            raise BadValue(f"'{path}' has a backslash beside *, ? or [ in its path. Rename the file or its folder.")
        text = "".join(f"[{letter}]" if letter in PATTERN else letter for letter in text)
    return "'" + text.replace("'", "''") + "'"
