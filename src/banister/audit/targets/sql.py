"""A SQL endpoint: two questions that are the same on neighbouring tables are asked of it, again and again."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from banister.audit.targets.child import plain
from banister.audit.targets.raised import RaisedError
from banister.audit.targets.target import Pair, in_turns, timed
from banister.errors import BadValue


class Endpoint(Protocol):
    """A connection that is asked one question after another; what it refuses raises `EndpointRefused`."""

    def ask(self, question: str) -> Sequence[Sequence[object]]: ...


class EndpointRefused(Exception):
    """What an endpoint said in place of an answer: its kind, and its words."""


class EndpointLate(Exception):
    """An endpoint that did not answer in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlEndpoint:
    """An address: postgresql://…, or a DuckDB file. An input is a question, or a list of statements and a question."""

    address: str
    seconds: float
    """How long one question may take."""
    times: bool = False
    """Whether what counts is how many seconds a question takes, in place of its answer."""

    def by_time(self) -> "SqlEndpoint":
        """The same, of which time is taken."""
        return replace(self, times=True)

    @property
    def starts_afresh(self) -> bool:
        """A connection is made for every batch, so that noise from a seed that is fixed for one comes again."""
        return True

    def draw(self, given: object, count: int) -> list[object]:
        before, question = _statements(given)
        with self._connected() as endpoint:
            for statement in before:
                endpoint.ask(statement)
            return [self._one(endpoint, question) for _ in range(count)]

    def draw_both(self, pair: Pair, count: int) -> tuple[list[object], list[object]]:
        """On a connection for each input, since what is said before a question may change a connection."""
        (first, one), (second, other) = map(_statements, pair)
        with self._connected() as here, self._connected() as there:
            for endpoint, before in ((here, first), (there, second)):
                for statement in before:
                    endpoint.ask(statement)
            asked = ((here, one), (there, other))
            return in_turns(lambda side: self._one(*asked[side]), count)

    def _one(self, endpoint: Endpoint, question: str) -> object:
        return timed(lambda: _told(endpoint, question)) if self.times else _told(endpoint, question)

    @contextmanager
    def _connected(self) -> Iterator[Endpoint]:
        if self.address.startswith(("postgresql://", "postgres://")):
            from banister.audit.targets import postgres as engine
        else:
            from banister.audit.targets import duckdb as engine  # type: ignore[no-redef]
        try:
            with engine.connected(self.address, seconds=self.seconds) as endpoint:
                yield endpoint
        except EndpointRefused as error:
            raise BadValue(f"The endpoint does not answer: {error.args[1]}") from None
        except EndpointLate:
            raise BadValue(
                f"The endpoint did not answer within {self.seconds:g} seconds; allow more --seconds."
            ) from None


def _told(endpoint: Endpoint, question: str) -> object:
    """All rows of an answer, a number alone where it is one; a refusal is an output as any other."""
    try:
        rows = [[plain(each) for each in row] for row in endpoint.ask(question)]
    except EndpointRefused as error:
        return RaisedError(str(error.args[0]), str(error.args[1])[:200])
    return rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else [each for row in rows for each in row]


def _statements(given: object) -> tuple[list[str], str]:
    every = [given] if isinstance(given, str) else given
    if not isinstance(every, list) or not every or not all(isinstance(each, str) for each in every):
        raise BadValue(
            'A SQL endpoint is audited on pairs of questions, such as [["SELECT c FROM one", "SELECT c FROM other"]]; '
            "an input may be a list of statements whose last is the question."
        )
    return every[:-1], every[-1]
