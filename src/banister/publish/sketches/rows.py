"""The rows of a CSV file whose first line is what its owner says that it is: never guessed from what is in it."""

import csv
from collections.abc import Sequence
from pathlib import Path

from banister.errors import BadValue
from banister.tables.frames.paths import literal_path
from banister.tables.frames.records import quoted_text


def csv_rows(path: Path, header: bool | None, names: Sequence[str]) -> str:
    """SQL that reads a CSV file as text, without looking at values to decide how.

    Taken for a header, the first person's row would be published as names, or be lost; taken for a row, a header would
    be a person. Without a header the columns are called by `names`.
    """
    if header is None:
        raise BadValue(
            f"Say whether the first line of '{path.name}' holds the names of its columns (--header) or already data "
            "(--no-header). Guessing would depend on somebody's row."
        )
    columns = _header(path) if header else list(names)
    listed = ", ".join(f"{quoted_text(name)}: 'VARCHAR'" for name in columns)
    return (
        f"read_csv({literal_path(path)}, columns = {{{listed}}}, header = {str(header).lower()}, delim = ',', "
        "quote = '\"', escape = '\"', auto_detect = false, null_padding = true, ignore_errors = true, parallel = false)"
    )


def _header(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            found = [name.strip() for name in next(csv.reader(file), [])]
    except (OSError, csv.Error):
        found = []
    if not found or len({name.lower() for name in found}) < len(found):
        raise BadValue(f"The first line of '{path.name}' names no columns, or one of them twice.")
    return found
