"""DuckDB inside the process: CSV, Parquet and DuckDB files, and frames that are already in memory."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from banister.errors import BadValue, EngineBroke, EngineFailed
from banister.questions.question import cell_count
from banister.release.sources.guarded import guarded_query, guarded_types, needed
from banister.release.sources.kept import KeptLists, marks_of
from banister.release.sources.listed import ListReader
from banister.release.sources.sql.compile import Compiler
from banister.release.sources.sql.syntax import filled, written_date
from banister.release.work import Physical, Totals, Work, assemble, check_stored, check_ties
from banister.tables.frames.csv_lines import CsvFile, typed
from banister.tables.frames.moments import in_microseconds
from banister.tables.frames.paths import literal_path
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

EXACT_IN_NUMPY = {name for name, kind in TYPES.items() if kind is Physical.INTEGER} - {"HUGEINT"} | {
    "BOOLEAN",
    "VARCHAR",
}
"""Types of which NumPy holds every value, so that whole columns can be fetched at once."""

YEARS = 62_135_596_800
"""Seconds from 1 January of the year 1 to 1970."""

Columns = Mapping[str, Sequence[object] | NDArray[np.generic]]


def columns_of(found: duckdb.DuckDBPyConnection) -> Columns:
    """The columns of a result. NumPy has no 128-bit numbers, and would get doubles: these come row by row."""
    described = found.description or []
    if any(str(column[1]) not in EXACT_IN_NUMPY for column in described):
        rows = found.fetchall()
        return {column[0]: [row[place] for row in rows] for place, column in enumerate(described)}
    return {name: np.asarray(values) for name, values in found.fetchnumpy().items()}


class _OnData(EngineBroke):
    """DuckDB raised on a value."""


class DuckDBDialect:
    """What is particular to DuckDB."""

    name = "duckdb"
    columnar = True
    strict_doubles = False

    def text_code(self, text: exp.Expr) -> exp.Expr:
        start = exp.Substring(this=exp.MD5(this=text), start=exp.Literal.number(1), length=exp.Literal.number(7))
        return exp.cast(exp.paren(exp.DPipe(this=exp.Literal.string("0x"), expression=start)), "bigint")

    def by_bytes(self, text: exp.Expr) -> exp.Expr:
        return text  # Views over files see to it, where there are collations at all.

    def wide_sum(self, value: exp.Expr) -> exp.Expr:
        return exp.Sum(this=value)  # A sum of 64-bit numbers is a 128-bit number.

    def day_number(self, date: exp.Expr) -> exp.Expr:
        return exp.Sub(this=date, expression=written_date(0))

    def second_number(self, moment: exp.Expr, *, zoned: bool) -> exp.Expr:
        # Years are added first: a division of a number below 0 would round up.
        return filled(f"((EPOCH_US(__moment) + {YEARS}000000) // 1000000) - {YEARS}", moment, self.name)


class DuckDBSource:
    """Tables that DuckDB can read. Frames, by table name, take the place of files."""

    def __init__(
        self,
        schema: Schema,
        *,
        folder: Path,
        frames: Mapping[str, object],
        index: Path | None = None,
        indexing: bool = False,
    ) -> None:
        self._connection = duckdb.connect(config={"enable_external_access": "true"})
        _quiet(self._connection)
        self._schema = schema
        self.csv_files: dict[str, CsvFile] = {}
        paths = _files(schema, folder, frames)
        looked = [] if paths is None else marks_of(paths)
        for table in schema.tables:
            self._open(table, folder, frames)
        self._types = {table.name: self.describe(table) for table in schema.tables}
        for table in schema.tables:
            check_stored(table, self._types[table.name])
        check_ties(schema.tables, self._types)
        self._names = {name: _quoted(name) for name in self._types}
        rules = f"DuckDB {duckdb.__version__} {schema.tables!r}"
        self.listed = ListReader(
            compiler=Compiler(DuckDBDialect(), self._names, self._types),
            fetch=self._fetch,
            kept=None if index is None else KeptLists(index, rules, looked, making=indexing),
            paths=paths,
        )

    def describe(self, table: Table) -> Mapping[str, Physical]:
        """The columns and their types."""
        rows = self._run(f"DESCRIBE SELECT * FROM {_quoted(table.name)}").fetchall()
        return {row[0]: TYPES.get(str(row[1]).split("(")[0], Physical.OTHER) for row in rows}

    def stored(self, name: str) -> dict[str, Physical]:
        """What the columns of a table are stored as."""
        return dict(self._types[name])

    def counted(self, items: str, source: str) -> list[int]:
        """Exact counts over a table or a query, for the owner's eyes."""
        row = self._run(f"SELECT {items} FROM {source}").fetchone()
        return [int(value) for value in row or ()]

    def owner_rows(self, query: str) -> list[tuple[object, ...]]:
        """The rows of a query about {data}, for the owner's eyes; values of a CSV file come as they are written."""
        file = self.csv_files.get("data")
        return self._run(query.replace("{data}", '"data"' if file is None else f"({file.text_query})")).fetchall()

    def totals(self, work: Work) -> Totals:
        """Add up in DuckDB. Where it raises on a value, the second line answers."""
        try:
            listed = self.listed.totals(work)
            return self._added_up(work, self._names, self._types) if listed is None else listed
        except _OnData:
            return self.guarded_totals(work)

    def make_index(self, work: Work) -> bool:
        """Make and keep the list behind some work; whether the table held still for it."""
        return self.listed.make(work)

    def drop_index(self) -> None:
        """Nothing of an index lies in a table's file."""

    def guarded_totals(self, work: Work) -> Totals:
        """The same over guarded values, slower."""
        names = {table.name: _quoted(f"guarded_{table.name}") for table in self._schema.tables}
        for table in self._schema.tables:
            query = guarded_query(_quoted(table.name), needed(table, self._types[table.name]))
            self._run(f"CREATE OR REPLACE TEMP VIEW {names[table.name]} AS {query}")
        return self._added_up(work, names, guarded_types(self._schema, self._types))

    def _added_up(self, work: Work, names: Mapping[str, str], types: Mapping[str, Mapping[str, Physical]]) -> Totals:
        query = Compiler(DuckDBDialect(), names, types).query(work)
        return assemble(work, cell_count(work.axes), self._fetch(query))

    def _fetch(self, query: str) -> Columns:
        self._run(f"PREPARE work AS {query}")  # What fails here has read no row.
        return self._work()

    def _work(self) -> Columns:
        """Read the rows. From here on a failure may depend on what they hold."""
        try:
            return columns_of(self._connection.execute("EXECUTE work"))
        except (
            duckdb.OperationalError,
            duckdb.InterruptException,
            duckdb.FatalException,
            duckdb.InternalError,
        ) as error:
            raise EngineBroke(f"DuckDB could not do the work ({type(error).__name__}).") from None
        except duckdb.Error as error:
            raise _OnData(f"DuckDB could not do the work ({type(error).__name__}).") from None

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
        name = _quoted(table.name)
        match path.suffix.lower():
            case ".parquet":
                self._run(f"CREATE VIEW {name} AS {self._parquet_query(table, literal_path(path))}")
            case ".csv":
                self._run(f"CREATE VIEW {name} AS {self._csv_query(table, path)}")
            case ".duckdb" | ".db":
                inner = _quoted(table.inner or table.name)
                self._run(f"ATTACH '{_doubled(str(path))}' AS {_quoted('file_' + table.name)} (READ_ONLY)")
                self._run(f"CREATE VIEW {name} AS {self._stored_query(_quoted('file_' + table.name) + '.' + inner)}")
            case _:
                raise BadValue(
                    f"table = '{table.location}' must end in .csv, .parquet or .duckdb, or start with postgresql:// "
                    "or spark:."
                )

    def _csv_query(self, table: Table, path: Path) -> str:
        """Read a CSV file as text by its rules, and turn it into numbers and dates without failing."""
        self.csv_files[table.name] = CsvFile(path, table.rules)
        declared = {column.name: column for column in table.columns}
        header = self.csv_files[table.name].header
        items = [f"{typed(name, declared.get(name), table.rules)} AS {_quoted(name)}" for name in header]
        return f"SELECT {', '.join(items)} FROM ({self.csv_files[table.name].text_query})"

    def _stored_query(self, stored: str) -> str:
        """Read a table of a DuckDB file with texts that go by their bytes, whatever collation it gives them."""
        rows = self._run(f"DESCRIBE SELECT * FROM {stored}").fetchall()
        texts = {row[0]: f"{_quoted(row[0])} COLLATE C" for row in rows if row[1] == "VARCHAR"}
        return f"SELECT *{_replaced(texts | _by_nanoseconds(rows))} FROM {stored}"

    def _parquet_query(self, table: Table, text: str) -> str:
        """Read a Parquet file without believing its statistics about floating-point columns.

        They leave NaN out, and DuckDB then folds comparisons as if there were none: a NaN would count, or fail, or be
        missing depending on the other people's values. It sees nothing through TRY, which costs nothing.
        """
        source = f"read_parquet({text}, hive_partitioning = false)"  # A folder k=1 is a name and no column.
        rows = self._run(f"DESCRIBE SELECT * FROM {source}").fetchall()
        floats = {row[0]: f"TRY({_quoted(row[0])})" for row in rows if TYPES.get(str(row[1])) is Physical.FLOAT}
        return f"SELECT *{_replaced(floats | _whole_floats(table, rows) | _by_nanoseconds(rows))} FROM {source}"

    def _register(self, table: Table, frame: object) -> None:
        try:
            self._connection.register(f"frame_{table.name}", in_microseconds(frame))
            given = _quoted(f"frame_{table.name}")
            rows = self._connection.execute(f"DESCRIBE SELECT * FROM {given}").fetchall()
            replaced = _replaced(_whole_floats(table, rows) | _by_nanoseconds(rows))
            self._connection.execute(f"CREATE VIEW {_quoted(table.name)} AS SELECT *{replaced} FROM {given}")
        except duckdb.Error:
            raise BadValue(
                f"Table '{table.name}' cannot be read from a {type(frame).__name__}. "
                "Give a pandas, Polars or Arrow table."
            ) from None

    def _run(self, query: str) -> duckdb.DuckDBPyConnection:
        try:
            return self._connection.execute(query)
        except duckdb.Error as error:
            # The engine's own message may quote a value of the table, so only its kind is passed on.
            raise EngineFailed(
                f"DuckDB could not do the work ({type(error).__name__}). Nothing was drawn and nothing was charged."
            ) from None


def tables_in(path: Path) -> list[str]:
    """The names of the tables of a DuckDB file."""
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            found = connection.execute(
                "SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY 1"
            ).fetchall()
    except duckdb.Error:
        raise BadValue(f"'{path.name}' cannot be read as a DuckDB file: it is damaged, or locked by another.") from None
    return [str(row[0]) for row in found]


def _files(schema: Schema, folder: Path, frames: Mapping[str, object]) -> tuple[Path, ...] | None:
    """The files that the tables are in, with what belongs to them; nothing where some table is a frame."""
    if any(table.name in frames for table in schema.tables):
        return None
    paths = [folder / table.location for table in schema.tables]
    return (*paths, *(Path(f"{path}.wal") for path in paths if path.suffix.lower() in (".duckdb", ".db")))


def _whole_floats(table: Table, described: Sequence[tuple[str, str]]) -> dict[str, str]:
    """People and categories that are stored as floating-point numbers, as the whole numbers that they were.

    That is how pandas keeps whole numbers of which one is missing. What is not whole becomes NULL, row by row.
    """
    wanted = {column.name for column in table.columns if column.kind is Kind.CATEGORY and _may_be_whole(column)}
    wanted |= {*table.links, *(() if table.owner is None else (table.owner,))}
    found = [row[0] for row in described if row[0] in wanted and TYPES.get(str(row[1])) is Physical.FLOAT]
    whole = "CASE WHEN {x} = floor({x}) AND abs({x}) < 9e18 THEN TRY_CAST({x} AS BIGINT) END"
    return {name: whole.format(x=f"TRY({_quoted(name)})") for name in found}


def _by_nanoseconds(described: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Timestamps with a zone and nanoseconds, as pandas makes them, in microseconds; a far one is missing."""
    return {row[0]: f"TRY_CAST({_quoted(row[0])} AS TIMESTAMPTZ)" for row in described if row[1] == "TIMESTAMPTZ_NS"}


def _may_be_whole(column: Column) -> bool:
    return column.values is None or (isinstance(column.values[0], int) and not isinstance(column.values[0], bool))


def _replaced(columns: Mapping[str, str]) -> str:
    """The clause behind SELECT * that puts expressions in the places of columns."""
    return f" REPLACE ({', '.join(f'{item} AS {_quoted(name)}' for name, item in columns.items())})" if columns else ""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _doubled(text: str) -> str:
    return text.replace("'", "''")


def _quiet(connection: "duckdb.DuckDBPyConnection") -> None:
    """No moving line. In a notebook without ipywidgets DuckDB refuses to be told so, because it could draw none."""
    try:
        connection.execute("SET enable_progress_bar = false")
    except duckdb.InvalidInputException:
        if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall() != [(False,)]:
            raise
