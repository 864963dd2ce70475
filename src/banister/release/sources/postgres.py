"""A PostgreSQL server of the user's own: it adds up, and only totals come back."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from banister.errors import BadValue, EngineBroke, EngineFailed, MissingExtra
from banister.questions.question import cell_count
from banister.questions.relation import Base
from banister.release.sources.changes import cannot_watch, look, unwatching, watching
from banister.release.sources.guarded import needed
from banister.release.sources.kept import KeptLists
from banister.release.sources.listed import CANNOT_LIST, NO_PLACE, listable
from banister.release.sources.lists import PersonLists, of_columns
from banister.release.sources.local import add_up_locally
from banister.release.sources.sql.compile import Compiler, Listing
from banister.release.sources.sql.syntax import filled, written_date
from banister.release.work import Physical, Totals, Work, assemble, check_stored, check_ties
from banister.tables.public import PUBLIC_LIMIT, PublicTable
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
    "character": Physical.TEXT,
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
        # Made a text first: enumerations have no collation, and blanks behind a character(n) are none of it.
        return exp.Collate(this=exp.cast(text, "text"), expression=exp.column(exp.to_identifier("C", quoted=True)))

    def wide_sum(self, value: exp.Expr) -> exp.Expr:
        return exp.Sum(this=value)  # A sum of 64-bit numbers is numeric, which has no end.

    def day_number(self, date: exp.Expr) -> exp.Expr:
        return exp.Sub(this=date, expression=written_date(0))

    def second_number(self, moment: exp.Expr, *, zoned: bool) -> exp.Expr:
        return filled("CAST(FLOOR(EXTRACT(EPOCH FROM __moment)) AS BIGINT)", moment, self.name)


class PostgresSource:
    """Tables of one database. Every query has a connection of its own that only reads.

    `index` is a folder in which lists of people's groups are kept, `indexing` whether a release makes missing ones.
    """

    def __init__(self, schema: Schema, *, index: Path | None = None, indexing: bool = False) -> None:
        self._schema = schema
        self._names = {table.name: _name(table) for table in schema.tables}
        if len({table.location for table in schema.tables}) > 1:
            raise BadValue("The tables live in several databases. Keep them in one, so that they can be joined there.")
        self._address = schema.main.location
        self._types = {table.name: self.describe(table) for table in schema.tables}
        for table in schema.tables:
            check_stored(table, self._types[table.name])
        check_ties(schema.tables, self._types)
        rules = f"PostgreSQL {schema.tables!r}"
        self._kept = None if index is None else KeptLists(index, rules, None, making=indexing)

    def describe(self, table: Table) -> Mapping[str, Physical]:
        """The columns and their types: an enumeration is a text, a domain what it is made of."""
        query = (
            "SELECT a.attname, CASE t.typtype WHEN 'e' THEN 'text' WHEN 'd' THEN format_type(t.typbasetype, NULL) "
            "ELSE format_type(a.atttypid, NULL) END FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            "WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped"
        )
        _, rows = self._run(query, (self._names[table.name],))
        if not rows:
            name = self._names[table.name]
            raise BadValue(f'The database has no table {name}. Say its name with name = "...", or --table of a draft.')
        return {str(row[0]): TYPES.get(str(row[1]), Physical.OTHER) for row in rows}

    def owner_rows(self, query: str) -> list[tuple[object, ...]]:
        """The rows of a query about {data}, for the owner's eyes."""
        return self._run(query.replace("{data}", self._names["data"]))[1]

    def totals(self, work: Work) -> Totals:
        """Add up in PostgreSQL. Where it raises on a value, the second line answers."""
        compiler = Compiler(PostgresDialect(), self._names, self._types)
        try:
            if (listed := self._listed(compiler, work, making=False)) is not None:
                return listed[0].totals(work, listed[1])
            names, rows = self._work(compiler.query(work))
        except _OnData:
            return self.guarded_totals(work)
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        return assemble(work, cell_count(work.axes), columns)

    def make_index(self, work: Work) -> bool:
        """Watch the table behind some work, and keep its list; whether one is there afterwards."""
        if not listable(work):
            raise BadValue(CANNOT_LIST)
        if self._kept is None:
            raise BadValue(NO_PLACE)
        assert isinstance(work.relation, Base)
        compiler, table = Compiler(PostgresDialect(), self._names, self._types), self._names[work.relation.table.name]
        with self._snapshot() as ask:
            watched = look(ask, table) is not None
        if not watched:
            self._change(watching(table))
        try:
            return self._listed(compiler, work, making=True) is not None
        except _OnData:
            return False

    def drop_index(self) -> None:
        """Stop watching the tables. Where we have no right to, somebody else watches them."""
        for name in self._names.values():
            with self._snapshot() as ask:
                watched = look(ask, name) is not None
            if watched:
                self._change(unwatching(name))

    def _listed(self, compiler: Compiler, work: Work, *, making: bool) -> tuple[PersonLists, Listing] | None:
        """The list behind some work, if a fresh one is kept, or may be made: all in one snapshot of the table."""
        if self._kept is None or not listable(work):
            return None
        assert isinstance(work.relation, Base)
        with self._snapshot() as ask:
            looks = look(ask, self._names[work.relation.table.name])
            listing = compiler.listing(work)
            if looks is None:
                return None
            found = self._kept.find_at(listing, looks)
            if found is None and (making or self._kept.making):
                old = self._kept.fresh(listing, looks)
                listing = compiler.listing(work, also=() if old is None else tuple(old.parts))
                found = of_columns(self._columns(ask, listing.query), listing)
                self._kept.keep_at(listing, looks, found)
            return None if found is None else (found, listing)

    def _columns(self, ask: "_Snapshot", query: str) -> dict[str, NDArray[np.int64]]:
        """The columns of a query, some rows at a time."""
        names: list[str] = []
        parts: list[NDArray[np.int64]] = []
        for names, rows in ask.batches(query):
            parts.append(np.array(rows, dtype=np.int64).reshape(len(rows), len(names)))
        whole = np.concatenate(parts)
        return {name: whole[:, place] for place, name in enumerate(names)}

    @contextmanager
    def _snapshot(self) -> "Iterator[_Snapshot]":
        """One moment of the database, for several queries."""
        with self._connected() as connection:
            with _free():
                connection.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield _Snapshot(connection)

    def _change(self, statements: Sequence[str]) -> None:
        """Run what changes the database, all of it or nothing."""
        try:
            with psycopg.connect(self._address, connect_timeout=10) as connection:
                for statement in statements:
                    connection.execute(statement.encode())
        except psycopg.Error as error:
            raise cannot_watch(_reason(error)) from None

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


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """A transaction that reads: what it is asked is about the same moment."""

    connection: "psycopg.Connection[TupleRow]"

    def __call__(self, query: str) -> list[TupleRow]:
        """The rows of a query about the catalogue."""
        with _free():
            return self.connection.execute(query.encode()).fetchall()

    def batches(self, query: str) -> "Iterator[tuple[list[str], list[TupleRow]]]":
        """The rows of a query about the table, some at a time. What fails before the plan is made has read none."""
        with _free():
            self.connection.execute(f"EXPLAIN {query}".encode())
        with _broken(), self.connection.cursor(name="lists") as cursor:
            cursor.execute(query.encode())
            names = [column.name for column in cursor.description or []]
            rows = cursor.fetchmany(BATCH)
            yield names, rows
            while rows := cursor.fetchmany(BATCH):
                yield names, rows


def public_rows(table: PublicTable) -> Mapping[str, list[object]]:
    """The rows of a public table, as they are."""
    with _free(), psycopg.connect(table.location, connect_timeout=10, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = on")
        cursor = connection.execute(f"SELECT * FROM {_name(table)} LIMIT {PUBLIC_LIMIT + 1}".encode())
        names, rows = [column.name for column in cursor.description or []], cursor.fetchall()
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


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
        case Physical.DATE:
            day, first, last = f"CAST({column} AS DATE)", "DATE '0001-01-01'", "DATE '9999-12-31'"
            return (
                f"CAST(CASE WHEN {day} < {first} THEN {first} WHEN {day} > {last} THEN {last} ELSE {day} END AS TEXT)"
            )
        case Physical.TIMESTAMP | Physical.ZONED:
            zoned = stored is Physical.ZONED
            kind, utc = ("TIMESTAMPTZ", "+00") if zoned else ("TIMESTAMP", "")
            first, last = f"0001-01-01 00:00:00{utc}", f"9999-12-31 23:59:59{utc}"
            clock = f"({column} AT TIME ZONE 'UTC')" if zoned else column
            return (
                f"CASE WHEN {column} < {kind} '{first}' THEN '{first}' WHEN {column} > {kind} '{last}' THEN '{last}' "
                f"ELSE TO_CHAR({clock}, 'YYYY-MM-DD HH24:MI:SS.US') || '{utc}' END"
            )
    return f"CAST({column} AS TEXT)"


def _reason(error: psycopg.Error) -> str:
    if error.sqlstate is not None:
        return f"SQLSTATE {error.sqlstate}"
    return "no connection: check host, database and user in the table's address"


def _name(table: Table | PublicTable) -> str:
    return ".".join(_quoted(part) for part in (table.inner or table.name).split("."))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
