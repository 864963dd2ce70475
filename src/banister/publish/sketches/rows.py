"""The rows of a CSV file whose first line is what its owner says that it is: never guessed from what is in it."""

from collections.abc import Sequence
from pathlib import Path

from banister.errors import BadValue
from banister.tables.csv_rules import CsvRules
from banister.tables.frames.csv_lines import CsvFile

RULES = CsvRules(trim=True)


def csv_rows(path: Path, header: bool | None, names: Sequence[str]) -> CsvFile:
    """A CSV file, read line by line, so that no row hides or stops another, and without a look at values.

    Taken for a header, the first person's row would be published as names, or be lost; taken for a row, a header would
    be a person. Without a header the columns are called by `names`.
    """
    if header is None:
        raise BadValue(
            f"Say whether the first line of '{path.name}' holds the names of its columns (--header) or already data "
            "(--no-header). Guessing would depend on somebody's row."
        )
    return CsvFile(path, RULES, names=() if header else names)
