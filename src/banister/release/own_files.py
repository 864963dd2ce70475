"""The files that a dataset is made of, which nothing may be written over, and those that hold its questions."""

from collections.abc import Mapping
from pathlib import Path

from banister.errors import BadValue
from banister.foreign import read_text
from banister.tables.schema import Schema


def tables_of(schema: Schema, path: Path | None, folder: Path, frames: Mapping[str, object]) -> dict[str, Path]:
    """The schema and the tables that lie in files, with what they are."""
    needed = {} if path is None else {"the schema": path}
    places = {table.name: table.location for table in schema.tables}
    places |= {table.name: table.location for table in schema.public}
    for name, location in places.items():
        if name not in frames and "://" not in location:
            needed[f"the table '{name}'"] = folder / location
    return needed


def text_of(sql: str) -> str:
    """The questions; an address of a file that ends in .sql is read first."""
    if not sql.strip().lower().endswith(".sql") or "\n" in sql:
        return sql
    if not Path(sql.strip()).is_file():
        raise BadValue(f"The questions '{sql}' cannot be read. Give SQL, or the path of a .sql file.")
    return read_text(Path(sql.strip()), "a file of questions", most_bytes=1 << 22)
