"""DuckDB inside the process: CSV, Parquet and DuckDB files, and frames that are already in memory."""

import csv
from collections.abc import Mapping
from pathlib import Path

import duckdb
import numpy as np
from sqlglot import exp

from banister.errors import BadValue, EngineFailed
from banister.questions.question import cell_count
from banister.release.sources.compile import Compiler
from banister.release.sources.render import written_date
from banister.release.work import Physical, Totals, Work, assemble, check_stored, refuse_nameless
from banister.tables.schema import Column, Kind, Schema, Table

TYPES = {
    "TINYINT": Physical.INTEGER,
    "SMALLINT": Physical.INTEGER,
    "INTEGER": Physical.INTEGER,
    "BIGINT": Physical.INTEGER,
    "HUGEINT": Physical.INTEGER,
    "UTINYINT": Physical.INTEGER,
    "USMALLINT": Physical.INTEGER,
    "UINTEGER": Physical.INTEGER,
    "UBIGINT": Physical.INTEGER,
    "FLOAT": Physical.FLOAT,
    "DOUBLE": Physical.FLOAT,
    "DECIMAL": Physical.DECIMAL,
    "VARCHAR": Physical.TEXT,
    "ENUM": Physical.TEXT,
    "BOOLEAN": Physical.TRUTH,
    "DATE": Physical.DATE,
    "TIMESTAMP": Physical.TIMESTAMP,
    "TIMESTAMP_S": Physical.TIMESTAMP,
    "TIMESTAMP_MS": Physical.TIMESTAMP,
    "TIMESTAMP_NS": Physical.TIMESTAMP,
    "TIMESTAMP WITH TIME ZONE": Physical.ZONED,
}

PERSON_BITS = 21
"""People who are numbered within 2^21 are found by place and not by hash: quicker, for 100 MB at most."""

USUAL_BITS = 12

NEEDLESS = "join_filter_pushdown,compressed_materialization"
"""Where everybody is looked up, filters that a join hands to the scan keep all rows, and narrower keys cost casts."""


class DuckDBDialect:
    """What is particular to DuckDB."""

    name = "duckdb"
    columnar = True

    def text_code(self, text: exp.Expr) -> exp.Expr:
        start = exp.Substring(this=exp.MD5(this=text), start=exp.Literal.number(1), length=exp.Literal.number(7))
        return exp.cast(exp.paren(exp.DPipe(this=exp.Literal.string("0x"), expression=start)), "bigint")

    def wide_sum(self, value: exp.Expr) -> exp.Expr:
        return exp.Sum(this=value)  # A sum of 64-bit numbers is a 128-bit number.

    def day_number(self, date: exp.Expr) -> exp.Expr:
        return exp.Sub(this=date, expression=written_date(0))


class DuckDBSource:
    """Tables that DuckDB can read. Frames, by table name, take the place of files."""

    def __init__(self, schema: Schema, *, folder: Path, frames: Mapping[str, object]) -> None:
        self._connection = duckdb.connect(config={"enable_external_access": "true"})
        self._connection.execute("SET enable_progress_bar = false")
        for table in schema.tables:
            self._open(table, folder, frames)
        self._types = {table.name: self.describe(table) for table in schema.tables}
        for table in schema.tables:
            check_stored(table, self._types[table.name])
            self._check_people(table)

    def describe(self, table: Table) -> Mapping[str, Physical]:
        """The columns and their types."""
        rows = self._run(f"DESCRIBE SELECT * FROM {_quoted(table.name)}").fetchall()
        return {row[0]: TYPES.get(str(row[1]).split("(")[0], Physical.OTHER) for row in rows}

    def totals(self, work: Work) -> Totals:
        """Add up in DuckDB."""
        compiler = Compiler(DuckDBDialect(), {name: _quoted(name) for name in self._types}, self._types)
        one = work.groups == 1
        self._run(f"SET perfect_ht_threshold = {PERSON_BITS if one else USUAL_BITS}")
        self._run(f"SET disabled_optimizers = '{NEEDLESS if one else ''}'")
        columns = {name: np.asarray(values) for name, values in self._run(compiler.query(work)).fetchnumpy().items()}
        return assemble(work, cell_count(work.axes), columns)

    def _open(self, table: Table, folder: Path, frames: Mapping[str, object]) -> None:
        if table.name in frames:
            self._register(table, frames[table.name])
            return
        path = folder / table.location
        if not path.is_file():
            raise BadValue(
                f"table = '{table.location}' is not a file that is there. Paths start at the folder of the schema."
            )
        try:
            self._open_file(table, path)
        except EngineFailed:
            raise BadValue(
                f"table = '{table.location}' cannot be read as what its name says ({path.suffix}): it is damaged, of "
                "another kind, or locked by another program."
            ) from None

    def _open_file(self, table: Table, path: Path) -> None:
        text = str(path).replace("'", "''")
        name = _quoted(table.name)
        match path.suffix.lower():
            case ".parquet":
                self._run(f"CREATE VIEW {name} AS {self._parquet_query(text)}")
            case ".csv":
                self._run(f"CREATE VIEW {name} AS {_csv_query(table, path)}")
            case ".duckdb" | ".db":
                inner = _quoted(table.inner or table.name)
                self._run(f"ATTACH '{text}' AS {_quoted('file_' + table.name)} (READ_ONLY)")
                self._run(f"CREATE VIEW {name} AS SELECT * FROM {_quoted('file_' + table.name)}.{inner}")
            case _:
                raise BadValue(
                    f"table = '{table.location}' must end in .csv, .parquet or .duckdb, or start with postgresql:// "
                    "or spark:."
                )

    def _parquet_query(self, text: str) -> str:
        """Read a Parquet file without believing its statistics about floating-point columns.

        They leave NaN out, and DuckDB then folds comparisons as if there were none: a NaN would count, or fail, or be
        missing depending on the other people's values. It sees nothing through TRY, which costs nothing.
        """
        rows = self._run(f"DESCRIBE SELECT * FROM read_parquet('{text}')").fetchall()
        floats = [_quoted(row[0]) for row in rows if TYPES.get(str(row[1])) is Physical.FLOAT]
        opaque = f" REPLACE ({', '.join(f'TRY({name}) AS {name}' for name in floats)})" if floats else ""
        return f"SELECT *{opaque} FROM read_parquet('{text}')"

    def _register(self, table: Table, frame: object) -> None:
        try:
            self._connection.register(table.name, frame)
        except duckdb.Error:
            raise BadValue(
                f"Table '{table.name}' cannot be read from a {type(frame).__name__}. "
                "Give a pandas, Polars or Arrow table."
            ) from None

    def _check_people(self, table: Table) -> None:
        if table.person is None:
            return
        query = f"SELECT 1 FROM {_quoted(table.name)} WHERE {_quoted(table.person)} IS NULL LIMIT 1"
        if self._run(query).fetchone() is not None:
            refuse_nameless(table)

    def _run(self, query: str) -> duckdb.DuckDBPyConnection:
        try:
            return self._connection.execute(query)
        except duckdb.Error as error:
            # The engine's own message may quote a value of the table, so only its kind is passed on.
            raise EngineFailed(
                f"DuckDB could not do the work ({type(error).__name__}). Nothing was drawn and nothing was charged."
            ) from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _csv_query(table: Table, path: Path) -> str:
    """Read a CSV file as text and turn it into numbers and dates without failing: what is none becomes NULL.

    Guessing types from the content would let one person's row change what the engine does.
    """
    try:  # A row with bytes that are no text must not stop the reading of the header.
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            header = next(csv.reader(file), [])
    except (OSError, csv.Error):
        raise BadValue(f"table = '{table.location}' cannot be read: it has no header line of a CSV file.") from None
    if not header:
        raise BadValue(f"table = '{table.location}' is empty: it has no header line.")
    types = ", ".join(f"'{name.replace(chr(39), chr(39) * 2)}': 'VARCHAR'" for name in header)
    text = str(path).replace("'", "''")
    source = (
        f"read_csv('{text}', columns = {{{types}}}, header = true, delim = ',', quote = '\"', escape = '\"', "
        "auto_detect = false, null_padding = true, ignore_errors = true, parallel = false)"
    )
    declared = {column.name: column for column in table.columns}
    items = [_csv_item(name, declared.get(name)) for name in header]
    return f"SELECT {', '.join(items)} FROM {source}"


def _csv_item(name: str, column: Column | None) -> str:
    quoted = _quoted(name)
    kind = "VARCHAR"
    if column is not None and column.kind is Kind.INTEGER:
        kind = "BIGINT"
    elif column is not None and column.kind is Kind.NUMBER:
        kind = "DOUBLE"
    elif column is not None and column.kind is Kind.DATE:
        kind = "DATE"
    elif column is not None and column.values is not None and not isinstance(column.values[0], str):
        kind = "BOOLEAN" if isinstance(column.values[0], bool) else "BIGINT"
    return f"TRY_CAST(NULLIF({quoted}, '') AS {kind}) AS {quoted}"
