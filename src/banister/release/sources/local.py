"""The second line of engines that are elsewhere: their rows as text, added up by DuckDB in this process."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import duckdb
import numpy as np

from banister.errors import EngineBroke
from banister.questions.question import cell_count
from banister.release.sources.duckdb import DuckDBDialect, columns_of
from banister.release.sources.guarded import guarded_query, guarded_types, needed, quoted
from banister.release.sources.sql.compile import Compiler
from banister.release.work import Physical, Totals, Work, assemble
from banister.tables.schema import Schema, Table

Batches = Iterable[Sequence[Sequence[str | None]]]
Texts = Callable[[Table], Batches]
"""The rows of a table, in batches: the columns that `needed` names, each as text."""


def add_up_locally(work: Work, schema: Schema, types: Mapping[str, Mapping[str, Physical]], texts: Texts) -> Totals:
    """The exact work over rows that are read one by one."""
    names = {table.name: quoted(table.name) for table in schema.tables}
    query = Compiler(DuckDBDialect(), names, guarded_types(schema, types)).query(work)
    try:
        with duckdb.connect() as connection:
            for table in schema.tables:
                _load(connection, table.name, needed(table, types[table.name]), texts(table))
            columns = columns_of(connection.execute(query))
    except duckdb.Error as error:
        raise EngineBroke(f"DuckDB could not do the work ({type(error).__name__}).") from None
    return assemble(work, cell_count(work.axes), columns)


def _load(connection: duckdb.DuckDBPyConnection, name: str, columns: Mapping[str, Physical], batches: Batches) -> None:
    """Fill a guarded table of DuckDB with batches of rows that came as text."""
    connection.execute("SET pandas_analyze_sample = 0")  # Text stays text, whatever it looks like.
    made = False
    for batch in batches:
        _register(connection, columns, batch)
        start = f"INSERT INTO {quoted(name)}" if made else f"CREATE TABLE {quoted(name)} AS"
        connection.execute(f"{start} {guarded_query('batch', columns)}")
        made = True
    if not made:
        nothing = ", ".join(f"CAST(NULL AS VARCHAR) AS {quoted(column)}" for column in columns)
        empty = guarded_query(f"(SELECT {nothing}) WHERE FALSE", columns)
        connection.execute(f"CREATE TABLE {quoted(name)} AS {empty}")


def _register(
    connection: duckdb.DuckDBPyConnection, columns: Mapping[str, Physical], batch: Sequence[Sequence[str | None]]
) -> None:
    texts = {}
    for place, column in enumerate(columns):
        texts[column] = np.empty(len(batch), dtype=object)
        texts[column][:] = [row[place] for row in batch]
    connection.register("batch", texts)
