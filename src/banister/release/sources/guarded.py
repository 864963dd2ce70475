"""The second line: the same work once more, over values of which each is cast so that none can fail.

An engine that raises on a value has told something about the person whose value it is, so nobody may see it raise.
Where the first, quick query does, the rows are read again, as whole numbers, doubles, dates, truth values and text.
Every row that the first query could read counts exactly the same here: else one person's value would move the parts of
the others.
"""

from collections.abc import Mapping

from banister.release.work import Physical
from banister.tables.schema import Schema, Table

Types = Mapping[str, Mapping[str, Physical]]

_CASTS = {
    Physical.INTEGER: ("HUGEINT", Physical.INTEGER),
    Physical.DECIMAL: ("DOUBLE", Physical.FLOAT),
    Physical.FLOAT: ("DOUBLE", Physical.FLOAT),
    Physical.TRUTH: ("BOOLEAN", Physical.TRUTH),
    Physical.DATE: ("DATE", Physical.DATE),
    Physical.TIMESTAMP: ("TIMESTAMP", Physical.TIMESTAMP),
    Physical.ZONED: ("TIMESTAMPTZ", Physical.ZONED),
}
"""What a stored value becomes; whatever is not listed becomes text."""


def needed(table: Table, stored: Mapping[str, Physical]) -> Mapping[str, Physical]:
    """The columns that work can ask for: those that are declared, the person, and the keys between tables."""
    return {name: stored[name] for name in table.needed}


def guarded_types(schema: Schema, stored: Types) -> Types:
    """What the columns of the guarded tables are stored as."""
    return {
        table.name: {
            name: _CASTS.get(kind, ("", Physical.TEXT))[1] for name, kind in needed(table, stored[table.name]).items()
        }
        for table in schema.tables
    }


def guarded_query(source: str, columns: Mapping[str, Physical]) -> str:
    """The columns of a table of DuckDB, each cast so that a value that cannot be cast is missing."""
    items = [
        f"TRY_CAST({quoted(name)} AS {_CASTS.get(kind, ('VARCHAR',))[0]}) AS {quoted(name)}"
        for name, kind in columns.items()
    ]
    return f"SELECT {', '.join(items)} FROM {source}"


def quoted(name: str) -> str:
    """A name for SQL."""
    return '"' + name.replace('"', '""') + '"'
