"""A PostgreSQL server of the user's own: it adds up, and only totals come back."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlglot import exp

from banister.errors import BadValue, EngineBroke, EngineFailed, MissingExtra
from banister.questions.question import cell_count
from banister.release.sources.compile import Compiler
from banister.release.sources.guarded import needed
from banister.release.sources.local import add_up_locally
from banister.release.sources.render import filled, written_date
from banister.release.work import Physical, Totals, Work, assemble, check_stored
from banister.tables.schema import Schema, Table

try:
    import psycopg
    from psycopg.rows import TupleRow
except ImportError:
    raise MissingExtra.naming("psycopg", "postgres") from None

TYPES = {
    "smallint": Physical.INTEGER,
    "integer": Physical.INTEGER,
    "bigint": Physical.INTEGER,
    "real": Physical.FLOAT,
    "double precision": Physical.FLOAT,
    "numeric": Physical.DECIMAL,
    "text": Physical.TEXT,
    "character varying": Physical.TEXT,
    "boolean": Physical.TRUTH,
    "date": Physical.DATE,
    "timestamp without time zone": Physical.TIMESTAMP,
    "timestamp with time zone": Physical.ZONED,
}

DATA_EXCEPTION = "22"
"""The class of errors that a value causes."""

BATCH = 50_000
"""So many rows are held as text at a time."""


class PostgresDialect:
    """What is particular to PostgreSQL."""

    name = "postgres"
    columnar = False
    strict_doubles = True

    def text_code(self, text: exp.Expr) -> exp.Expr:
        return filled(
            "CAST(CAST('x' || SUBSTRING(MD5(CAST(__text AS TEXT)), 1, 7) AS BIT(28)) AS BIGINT)", text, self.name
        )

    def by_bytes(self, text: exp.Expr) -> exp.Expr:
        return exp.Collate(this=text, expression=exp.column(exp.to_identifier("C", quoted=True)))

    def wide_sum(self, value: exp.Expr) -> exp.Expr:
        return exp.Sum(this=value)  # A sum of 64-bit numbers is numeric, which has no end.

    def day_number(self, date: exp.Expr) -> exp.Expr:
        return exp.Sub(this=date, expression=written_date(0))


class PostgresSource:
    """Tables of one database. Every query has a connection of its own that only reads."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._names = {table.name: _name(table) for table in schema.tables}
        if len({table.location for table in schema.tables}) > 1:
            raise BadValue("The tables live in several databases. Keep them in one, so that they can be joined there.")
        self._address = schema.main.location
        self._types = {table.name: self.describe(table) for table in schema.tables}
        for table in schema.tables:
            check_stored(table, self._types[table.name])

    def describe(self, table: Table) -> Mapping[str, Physical]:
        """The columns and their types."""
        query = (
            "SELECT a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a "
            "WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped"
        )
        _, rows = self._run(query, (self._names[table.name],))
        if not rows:
            raise BadValue(f'The database has no table {self._names[table.name]}. Say its name with name = "...".')
        return {str(row[0]): TYPES.get(str(row[1]), Physical.OTHER) for row in rows}

    def owner_rows(self, query: str) -> list[tuple[object, ...]]:
        """The rows of a query about {data}, for the owner's eyes."""
        return self._run(query.replace("{data}", self._names["data"]))[1]

    def totals(self, work: Work) -> Totals:
        """Add up in PostgreSQL. Where it raises on a value, the second line answers."""
        compiler = Compiler(PostgresDialect(), self._names, self._types)
        try:
            names, rows = self._work(compiler.query(work))
        except _OnData:
            return self.guarded_totals(work)
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        return assemble(work, cell_count(work.axes), columns)

    def guarded_totals(self, work: Work) -> Totals:
        """The same over guarded values, here and slower: the rows are read one by one."""
        return add_up_locally(work, self._schema, self._types, self._texts)

    def _texts(self, table: Table) -> Iterator[list[tuple[str | None, ...]]]:
        """The rows of a table as text, in batches."""
        items = [_text(_quoted(name), kind) for name, kind in needed(table, self._types[table.name]).items()]
        query = f"SELECT {', '.join(items)} FROM {self._names[table.name]}"
        with (
            self._connected() as connection,
            _broken(),
            connection.transaction(),
            connection.cursor(name="guarded") as cursor,
        ):
            cursor.execute(query.encode())
            while batch := cursor.fetchmany(BATCH):
                yield batch

    def _work(self, query: str) -> tuple[list[str], list[tuple[object, ...]]]:
        """Read the rows. What fails before the plan is made has read none; from there on it may depend on them."""
        with self._connected() as connection:
            with _free():
                connection.execute(f"EXPLAIN {query}".encode())
            with _broken():
                cursor = connection.execute(query.encode())
                return [column.name for column in cursor.description or []], cursor.fetchall()

    def _run(self, query: str, parameters: tuple[str, ...] | None = None) -> tuple[list[str], list[tuple[object, ...]]]:
        """Names and rows of a query that reads no table of the user's."""
        with self._connected() as connection, _free():
            cursor = connection.execute(query.encode(), parameters)
            return [column.name for column in cursor.description or []], cursor.fetchall()

    @contextmanager
    def _connected(self) -> "Iterator[psycopg.Connection[TupleRow]]":
        """A connection of its own that only reads: no lock outlives the query."""
        with _free():
            connection = psycopg.connect(self._address, connect_timeout=10, autocommit=True)
            connection.execute("SET default_transaction_read_only = on")
        with connection:
            yield connection


def tables_of(address: str) -> list[str]:
    """The names of the tables of a database that are not the server's own."""
    query = (
        "SELECT CASE WHEN schemaname = current_schema() THEN tablename ELSE schemaname || '.' || tablename END "
        "FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
    )
    with _free(), psycopg.connect(address, connect_timeout=10, autocommit=True) as connection:
        return [str(row[0]) for row in connection.execute(query).fetchall()]


class _OnData(EngineBroke):
    """PostgreSQL raised on a value."""


@contextmanager
def _free() -> Iterator[None]:
    """Failures before a row is read. The server's own message may quote a value, so only its code is passed on."""
    try:
        yield
    except psycopg.Error as error:
        raise EngineFailed(
            f"PostgreSQL could not do the work ({_reason(error)}). Nothing was drawn and nothing was charged."
        ) from None


@contextmanager
def _broken() -> Iterator[None]:
    """Failures while rows are read."""
    try:
        yield
    except psycopg.Error as error:
        kind = _OnData if (error.sqlstate or "").startswith(DATA_EXCEPTION) else EngineBroke
        reason = f"SQLSTATE {error.sqlstate}" if error.sqlstate else "the connection was lost"
        raise kind(f"PostgreSQL could not do the work ({reason}).") from None


def _text(column: str, stored: Physical) -> str:
    """A column as text from which its value can be read again: a double for a float, a day of our calendar."""
    match stored:
        case Physical.FLOAT:
            return f"CAST(CAST({column} AS DOUBLE PRECISION) AS TEXT)"
        case Physical.DATE | Physical.TIMESTAMP:
            day, first, last = f"CAST({column} AS DATE)", "DATE '0001-01-01'", "DATE '9999-12-31'"
            return (
                f"CAST(CASE WHEN {day} < {first} THEN {first} WHEN {day} > {last} THEN {last} ELSE {day} END AS TEXT)"
            )
    return f"CAST({column} AS TEXT)"


def _reason(error: psycopg.Error) -> str:
    if error.sqlstate is not None:
        return f"SQLSTATE {error.sqlstate}"
    return "no connection: check host, database and user in the table's address"


def _name(table: Table) -> str:
    return ".".join(_quoted(part) for part in (table.inner or table.name).split("."))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
