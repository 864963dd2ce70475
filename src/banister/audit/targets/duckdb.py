"""A DuckDB file as an endpoint."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer

import duckdb

from banister.audit.targets.sql import EndpointLate, EndpointRefused


@dataclass(frozen=True, slots=True)
class DuckEndpoint:
    connection: duckdb.DuckDBPyConnection
    seconds: float

    def ask(self, question: str) -> Sequence[Sequence[object]]:
        # It has no limit of time of its own, but can be told to stop from another thread.
        watch = Timer(self.seconds, self.connection.interrupt)
        watch.start()
        try:
            return self.connection.execute(question).fetchall()
        except duckdb.InterruptException:
            raise EndpointLate from None
        except duckdb.Error as error:
            raise EndpointRefused(type(error).__name__, str(error)) from None
        finally:
            watch.cancel()


@contextmanager
def connected(address: str, *, seconds: float) -> Iterator[DuckEndpoint]:
    """The file, opened to read, on which no statement takes longer than that."""
    try:
        connection = duckdb.connect(address, read_only=True, config={"threads": 1})
    except duckdb.Error as error:
        raise EndpointRefused(type(error).__name__, str(error)) from None
    with connection:
        yield DuckEndpoint(connection, seconds)
