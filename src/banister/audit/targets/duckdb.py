"""A DuckDB file as an endpoint."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb

from banister.audit.targets.sql import EndpointRefused


@dataclass(frozen=True, slots=True)
class DuckEndpoint:
    connection: duckdb.DuckDBPyConnection

    def ask(self, question: str) -> Sequence[Sequence[object]]:
        try:
            return self.connection.execute(question).fetchall()
        except duckdb.Error as error:
            raise EndpointRefused(type(error).__name__, str(error)) from None


@contextmanager
def connected(address: str, *, seconds: float) -> Iterator[DuckEndpoint]:
    """The file, opened to read; it has no limit of time of its own."""
    try:
        connection = duckdb.connect(address, read_only=True, config={"threads": 1})
    except duckdb.Error as error:
        raise EndpointRefused(type(error).__name__, str(error)) from None
    with connection:
        yield DuckEndpoint(connection)
