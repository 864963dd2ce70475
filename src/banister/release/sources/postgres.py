"""A PostgreSQL server of the user's own: it adds up, and only totals come back."""

from collections.abc import Mapping

from sqlglot import exp

from banister.errors import BadValue, EngineFailed, MissingExtra
from banister.questions.question import cell_count
from banister.release.sources.compile import Compiler
from banister.release.sources.render import filled, written_date
from banister.release.work import Physical, Totals, Work, assemble, check_stored, refuse_nameless
from banister.tables.schema import Schema, Table

try:
    import psycopg
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


class PostgresDialect:
    """What is particular to PostgreSQL."""

    name = "postgres"
    columnar = False

    def text_code(self, text: exp.Expr) -> exp.Expr:
        return filled(
            "CAST(CAST('x' || SUBSTRING(MD5(CAST(__text AS TEXT)), 1, 7) AS BIT(28)) AS BIGINT)", text, self.name
        )

    def wide_sum(self, value: exp.Expr) -> exp.Expr:
        return exp.Sum(this=value)  # A sum of 64-bit numbers is numeric, which has no end.

    def day_number(self, date: exp.Expr) -> exp.Expr:
        return exp.Sub(this=date, expression=written_date(0))


class PostgresSource:
    """Tables of one database. Every query has a connection of its own that only reads."""

    def __init__(self, schema: Schema) -> None:
        self._names = {table.name: _name(table) for table in schema.tables}
        if len({table.location for table in schema.tables}) > 1:
            raise BadValue("The tables live in several databases. Keep them in one, so that they can be joined there.")
        self._address = schema.main.location
        self._types = {table.name: self.describe(table) for table in schema.tables}
        for table in schema.tables:
            check_stored(table, self._types[table.name])
            self._check_people(table)

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

    def totals(self, work: Work) -> Totals:
        """Add up in PostgreSQL."""
        compiler = Compiler(PostgresDialect(), self._names, self._types)
        names, rows = self._run(compiler.query(work))
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        return assemble(work, cell_count(work.axes), columns)

    def _check_people(self, table: Table) -> None:
        if table.person is None:
            return
        person = _quoted(table.person)
        query = f"SELECT 1 FROM {self._names[table.name]} WHERE {person} IS NULL LIMIT 1"
        if self._run(query)[1]:
            refuse_nameless(table)

    def _run(self, query: str, parameters: tuple[str, ...] | None = None) -> tuple[list[str], list[tuple[object, ...]]]:
        """Names and rows, over a connection of its own that only reads: no lock outlives the query."""
        try:
            with psycopg.connect(self._address, connect_timeout=10, autocommit=True) as connection:
                connection.execute("SET default_transaction_read_only = on")
                cursor = connection.execute(query.encode(), parameters)
                return [column.name for column in cursor.description or []], cursor.fetchall()
        except psycopg.Error as error:
            # The server's own message may quote a value of the table, so only its code is passed on.
            raise EngineFailed(
                f"PostgreSQL could not do the work ({_reason(error)}). Nothing was drawn and nothing was charged."
            ) from None


def _reason(error: psycopg.Error) -> str:
    if error.sqlstate is not None:
        return f"SQLSTATE {error.sqlstate}"
    return "no connection: check host, database and user in the table's address"


def _name(table: Table) -> str:
    return ".".join(_quoted(part) for part in (table.inner or table.name).split("."))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
