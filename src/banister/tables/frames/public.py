"""The rows of a public table in a file or a frame, read as they are: anybody may know them."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb

from banister.errors import BadValue
from banister.tables.csv_rules import CsvRules
from banister.tables.frames.csv_lines import CsvFile, thousands_form
from banister.tables.frames.paths import literal_path
from banister.tables.public import PUBLIC_LIMIT, PublicTable

Columns = Mapping[str, Sequence[object]]

WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
FRACTION = re.compile(r"-?(0|[1-9]\d{0,17})\.\d{1,12}")
TRUTHS = {"true": True, "false": False}


def public_rows(table: PublicTable, folder: Path, frame: object) -> Columns:
    """The columns of a public table with their values; one row more than may be is enough to see that."""
    try:
        with duckdb.connect() as connection:
            if frame is not None:
                connection.register("given", frame)
                return _fetched(connection, "given")
            path = folder / table.location
            if not path.is_file():
                raise BadValue(f"The public table '{table.name}' names '{table.location}', and no such file is there.")
            if path.suffix.lower() == ".csv":
                file = CsvFile(path, table.rules)
                texts = _fetched(connection, f"({file.text_query})")
                return {name: _values(values, table.rules) for name, values in texts.items()}
            if path.suffix.lower() == ".parquet":
                return _fetched(connection, f"read_parquet({literal_path(path)}, hive_partitioning = false)")
            inner = (table.inner or table.name).replace('"', '""')
            connection.execute(f"ATTACH '{str(path).replace(chr(39), chr(39) * 2)}' AS file (READ_ONLY)")
            return _fetched(connection, f'file."{inner}"')
    except duckdb.Error as error:
        raise BadValue(f"The public table '{table.name}' cannot be read ({type(error).__name__}).") from None


def _fetched(connection: duckdb.DuckDBPyConnection, source: str) -> Columns:
    found = connection.execute(f"SELECT * FROM {source} LIMIT {PUBLIC_LIMIT + 1}")
    names = [column[0] for column in found.description or []]
    rows = found.fetchall()
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _values(texts: Sequence[object], rules: CsvRules) -> Sequence[object]:
    """The texts of a column as numbers, dates or truth values where all of them are such; 007 stays a text."""
    there = [text.strip() if rules.trim else text for text in texts if isinstance(text, str)]
    if rules.thousands and there and all(_number(text, rules) is not None for text in there):
        return [
            _number(text.strip() if rules.trim else text, rules) if isinstance(text, str) else None for text in texts
        ]
    stripped = [text.strip() if rules.trim and isinstance(text, str) else text for text in texts]
    for made in (_whole, _truth, lambda text: _fraction(text, rules), lambda text: _day(text, rules)):
        if there and all(made(text) is not None for text in there):
            return [made(text) if isinstance(text, str) else None for text in stripped]
    return stripped


def _whole(text: str) -> int | None:
    return int(text) if WHOLE.fullmatch(text) else None


def _truth(text: str) -> bool | None:
    return TRUTHS.get(text.lower())


def _fraction(text: str, rules: CsvRules) -> int | Decimal | None:
    if rules.decimal == "," and "." in text:  # It would be anything.
        return None
    point = text.replace(",", ".") if rules.decimal == "," else text
    return Decimal(point) if FRACTION.fullmatch(point) else _whole(text)


def _number(text: str, rules: CsvRules) -> int | Decimal | None:
    """A number whose thousands may be apart."""
    if rules.thousands in text:
        text = text.replace(rules.thousands, "") if re.fullmatch(thousands_form(rules), text) else ""
    return _fraction(text, rules)


def _day(text: str, rules: CsvRules) -> date | None:
    try:
        return datetime.strptime(text, rules.date_format or "%Y-%m-%d").date()
    except ValueError:
        return None
