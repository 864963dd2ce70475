"""A PostgreSQL server, or whatever speaks its language, as an endpoint."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from banister.audit.targets.sql import EndpointLate, EndpointRefused


@dataclass(frozen=True, slots=True)
class PostgresEndpoint:
    connection: psycopg.Connection[tuple[object, ...]]

    def ask(self, question: str) -> Sequence[Sequence[object]]:
        try:
            asked = self.connection.execute(question.encode("utf-8"))
            return asked.fetchall() if asked.description else []
        except psycopg.errors.QueryCanceled:
            raise EndpointLate from None
        except psycopg.Error as error:
            raise EndpointRefused(type(error).__name__, str(error).strip()) from None


@contextmanager
def connected(address: str, *, seconds: float) -> Iterator[PostgresEndpoint]:
    """A connection on which no statement takes longer than that."""
    try:
        connection = psycopg.connect(address, autocommit=True, connect_timeout=max(2, int(seconds)))
    except psycopg.Error as error:
        raise EndpointRefused(type(error).__name__, str(error).strip()) from None
    with connection:
        connection.execute(f"SET statement_timeout = {int(seconds * 1000)}".encode())
        yield PostgresEndpoint(connection)
