"""Spark, when one machine is not enough: a session of the user's own, or one that is started here."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from logging import LogRecord
from threading import get_ident
from typing import TYPE_CHECKING

from sqlglot import exp

from banister.errors import BadValue, EngineBroke, EngineFailed, MissingExtra
from banister.questions.question import cell_count
from banister.release.sources.guarded import needed
from banister.release.sources.local import add_up_locally
from banister.release.sources.sql.compile import Compiler
from banister.release.sources.sql.syntax import cast, filled, number, paren, written_date
from banister.release.work import Physical, Totals, Work, assemble, check_stored, check_ties
from banister.tables.public import PUBLIC_LIMIT, PublicTable
from banister.tables.schema import Schema, Table

try:
    from pyspark.errors import (
        AnalysisException,
        ArithmeticException,
        DateTimeException,
        NumberFormatException,
        SparkRuntimeException,
    )
    from pyspark.logger import PySparkLogger
    from pyspark.sql import DataFrame, SparkSession
except ImportError:
    raise MissingExtra.naming("pyspark", "spark") from None

if TYPE_CHECKING:
    from pyspark.sql import Row

TYPES = {
    "tinyint": Physical.INTEGER,
    "smallint": Physical.INTEGER,
    "int": Physical.INTEGER,
    "bigint": Physical.INTEGER,
    "float": Physical.FLOAT,
    "double": Physical.FLOAT,
    "decimal": Physical.DECIMAL,
    "string": Physical.TEXT,
    "boolean": Physical.TRUTH,
    "date": Physical.DATE,
    "timestamp_ntz": Physical.TIMESTAMP,
    "timestamp": Physical.ZONED,
}

_KIND = re.compile(r"\(| collate ")
"""What ends the name of a type: its digits, or how its texts are compared."""

ON_DATA = (ArithmeticException, DateTimeException, NumberFormatException, SparkRuntimeException)
"""Errors that a value causes."""

CLOCK = (("HOUR", 3600), ("MINUTE", 60), ("SECOND", 1))
"""What a clock shows, with its seconds."""

BATCH = 50_000
"""So many rows are held as text at a time."""


class SparkDialect:
    """What is particular to Spark."""

    name = "spark"
    columnar = False
    strict_doubles = False

    def text_code(self, text: exp.Expr) -> exp.Expr:
        return filled("CAST(CONV(SUBSTRING(MD5(__text), 1, 7), 16, 10) AS BIGINT)", text, self.name)

    def by_bytes(self, text: exp.Expr) -> exp.Expr:
        return exp.Collate(this=text, expression=exp.Var(this="UTF8_BINARY"))

    def wide_sum(self, value: exp.Expr) -> exp.Expr:
        # A sum of 64-bit numbers is 64-bit in Spark and could overflow; 28 digits leave room for 10^9 rows and more.
        return exp.Sum(this=exp.cast(value, exp.DataType.build("decimal(28, 0)", dialect="spark")))

    def day_number(self, date: exp.Expr) -> exp.Expr:
        return exp.DateDiff(this=date, expression=written_date(0))

    def second_number(self, moment: exp.Expr, *, zoned: bool) -> exp.Expr:
        if zoned:
            return exp.func("UNIX_SECONDS", moment)
        # Spark has no seconds of a timestamp without a zone; its day and its clock do not depend on the session's.
        days = cast(self.day_number(cast(moment, "date")), "bigint")
        parts = ((days, 86_400), *((exp.func(name, moment), long) for name, long in CLOCK))
        whole = [exp.Mul(this=cast(part, "bigint"), expression=number(long)) for part, long in parts]
        found: exp.Expr = whole[0]
        for part in whole[1:]:
            found = exp.Add(this=found, expression=part)
        return paren(found)


class SparkSource:
    """Tables of one Spark session. Frames, by table name, take the place of tables in the catalogue."""

    def __init__(self, schema: Schema, *, frames: Mapping[str, object]) -> None:
        self._session = _session(frames)
        self._schema = schema
        self._names = {}
        for table in schema.tables:
            self._names[table.name] = self._open(table, frames.get(table.name))
        self._types = {table.name: self.describe(table) for table in schema.tables}
        for table in schema.tables:
            check_stored(table, self._types[table.name])
        check_ties(schema.tables, self._types)

    def describe(self, table: Table) -> Mapping[str, Physical]:
        """The columns and their types."""
        try:
            fields = self._session.table(self._names[table.name]).schema.fields
        except AnalysisException:
            raise BadValue(f'Spark has no table {self._names[table.name]}. Say it as table = "spark:name".') from None
        except Exception as error:  # Nothing is swallowed: py4j raises all kinds, and `_failed` keeps values out.
            raise _failed(error) from None
        return {f.name: TYPES.get(_KIND.split(f.dataType.simpleString())[0], Physical.OTHER) for f in fields}

    def totals(self, work: Work) -> Totals:
        """Add up in Spark. Where it raises on a value, the second line answers."""
        compiler = Compiler(SparkDialect(), self._names, self._types)
        try:
            rows = self._work(compiler.query(work))
        except _OnData:
            return self.guarded_totals(work)
        names = [
            "cell",
            "rung",
            *(f"x{i}" for i in range(len(work.axes))),
            *(f"m{i}" for i in range(len(work.measures))),
            *(["u", "n", *(f"c{i}" for i in range(len(work.measures)))] if work.each else []),
        ]
        found = set(rows[0].asDict()) if rows else set(names)
        columns = {name: [row[name] for row in rows] for name in names if name in found}
        return assemble(work, cell_count(work.axes), columns)

    def _open(self, table: Table, frame: object) -> str:
        if isinstance(frame, DataFrame):
            name = f"banister_{table.name}"
            try:
                frame.createOrReplaceTempView(name)
            except (
                Exception
            ) as error:  # Nothing is swallowed: a stopped session raises a kind of its own for each call.
                raise _failed(error) from None
            return name
        return table.location.removeprefix("spark:")

    def guarded_totals(self, work: Work) -> Totals:
        """The same over guarded values, here and slower: the rows are read one by one."""
        return add_up_locally(work, self._schema, self._types, self._texts)

    def _texts(self, table: Table) -> "Iterator[list[Row]]":
        """The rows of a table as text, in batches."""
        items = [_text(_quoted(name), kind) for name, kind in needed(table, self._types[table.name]).items()]
        with _unlogged(), _broken():
            rows = self._session.sql(f"SELECT {', '.join(items)} FROM {self._names[table.name]}").toLocalIterator()
            while batch := list(islice(rows, BATCH)):
                yield batch

    def _work(self, query: str) -> "list[Row]":
        """Read the rows. What fails before the plan is made has read none; from there on it may depend on them."""
        with _unlogged():
            try:
                planned = self._session.sql(query)
                _ = planned.schema  # Spark Connect plans when it is asked for this, and not before.
                if not is_remote(self._session):
                    _ = self._session.sparkContext.defaultParallelism  # A stopped session still plans; not this.
            except Exception as error:  # Nothing is swallowed: py4j raises all kinds, and `_failed` keeps values out.
                raise _failed(error) from None
            with _broken():
                return planned.collect()


def public_rows(table: PublicTable, frame: object) -> Mapping[str, list[object]]:
    """The rows of a public table, as they are."""
    given = {} if frame is None else {table.name: frame}
    try:
        name = table.location.removeprefix("spark:")
        found = frame if isinstance(frame, DataFrame) else _session(given).table(name)
        rows = found.limit(PUBLIC_LIMIT + 1).collect()
    except Exception as error:  # Nothing is swallowed: py4j raises all kinds.
        raise _failed(error) from None
    return {name: [row[name] for row in rows] for name in found.columns}


class _OnData(EngineBroke):
    """Spark raised on a value."""


@contextmanager
def _broken() -> Iterator[None]:
    """Failures while rows are read."""
    try:
        yield
    except Exception as error:  # Nothing is swallowed: py4j raises all kinds; their words may quote a value.
        kind = _OnData if isinstance(error, ON_DATA) else EngineBroke
        raise kind(f"Spark could not do the work ({type(error).__name__}).") from None


def _text(column: str, stored: Physical) -> str:
    """A column as text from which its value can be read again: a double for a number, a day of our calendar."""
    match stored:
        case Physical.FLOAT | Physical.DECIMAL:
            return f"CAST(CAST({column} AS DOUBLE) AS STRING)"
        case Physical.TIMESTAMP | Physical.ZONED:
            zoned = stored is Physical.ZONED
            kind, utc = ("TIMESTAMP", "+00:00") if zoned else ("TIMESTAMP_NTZ", "")
            first, last = f"0001-01-01 00:00:00{utc}", f"9999-12-31 23:59:59{utc}"
            start = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
            clock = f"TIMESTAMPADD(SECOND, UNIX_SECONDS({column}), {start})" if zoned else column
            return (
                f"CASE WHEN {column} < {kind} '{first}' THEN '{first}' WHEN {column} > {kind} '{last}' THEN '{last}' "
                f"ELSE CONCAT(CAST({clock} AS STRING), '{utc}') END"
            )
        case Physical.DATE:
            day, first, last = f"TRY_CAST({column} AS DATE)", "DATE '0001-01-01'", "DATE '9999-12-31'"
            return (
                f"CAST(CASE WHEN {day} < {first} THEN {first} WHEN {day} > {last} THEN {last} ELSE {day} END AS STRING)"
            )
    return f"CAST({column} AS STRING)"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def _unlogged() -> Iterator[None]:
    """PySpark writes errors of the Java side, values and all, into two logs of its own; not while we ask."""
    here = get_ident()
    loggers = [PySparkLogger.getLogger(name) for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger")]

    def others(record: LogRecord) -> bool:
        return record.thread != here

    for logger in loggers:
        logger.addFilter(others)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(others)


def _failed(error: Exception) -> EngineFailed:
    """Errors of the Java side may quote a value of the table, so only their kind is passed on."""
    if _kind(error) == "java.lang.StackOverflowError":
        return EngineFailed(
            "The question is a tree too deep for Spark's stack. Start Spark with spark.driver.extraJavaOptions=-Xss8m. "
            "Nothing was drawn and nothing was charged."
        )
    return EngineFailed(
        f"Spark could not do the work ({type(error).__name__}). Nothing was drawn and nothing was charged."
    )


def _kind(error: Exception) -> str:
    """The class of an error of the Java side; nothing where that cannot be told."""
    try:
        return str(error.java_exception.getClass().getName())  # type: ignore[attr-defined]
    except Exception:  # The other side may be gone as well; then the error at hand is told.
        return ""


def is_remote(session: object) -> bool:
    """Whether a session speaks to a server through Spark Connect: it has no context of its own in this process."""
    return type(session).__module__.startswith("pyspark.sql.connect.")


def _session(frames: Mapping[str, object]) -> SparkSession:
    for frame in frames.values():
        if isinstance(frame, DataFrame):
            return frame.sparkSession
    try:
        # A session that we start says nothing: its log would quote values of the table when something fails.
        quiet = SparkSession.builder.appName("banister").config("spark.log.level", "OFF")
        quiet = quiet.config("spark.driver.extraJavaOptions", "-Xss8m")  # Questions can be deep trees.
        return SparkSession.getActiveSession() or quiet.getOrCreate()
    except (
        Exception
    ) as error:  # Nothing is swallowed: a missing Java, a wrong one and a closed port all raise their own.
        raise EngineFailed(
            f"No Spark session could be started ({type(error).__name__}). Spark needs Java 17."
        ) from None
