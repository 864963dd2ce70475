"""The text of questions, read into trees; what cannot be read gets one sentence that says what to do."""

import logging
import re
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import sqlglot
from sqlglot import TokenType, exp

from banister.errors import BadValue, Refused
from banister.questions.reading.limits import not_too_deep

NAMES = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER)
"""Tokens that are no words of SQL."""

DIALECTS = ("duckdb", "postgres", "spark", "mysql", "tsql", "bigquery", "snowflake", "oracle")
"""Whose SQL a text may be that plain SQL is not."""


def trees(text: str, dialect: str | None, columns: Collection[str]) -> list[exp.Expr | None]:
    """The statements of a text. A column that has the name of a word of SQL, such as Alter, is one where it must be."""
    try:
        return _parsed(text, dialect)
    except sqlglot.errors.SqlglotError as error:
        quoted, names = _quoted(text, dialect, columns)
        if names:
            try:
                return _parsed(quoted, dialect)
            except sqlglot.errors.SqlglotError:
                pass
        raise Refused(
            f"The question is not SQL that can be read: {_first(error)} {_advice(text, dialect, names)}"
        ) from None


def _parsed(text: str, dialect: str | None) -> list[exp.Expr | None]:
    try:
        with not_too_deep(), _without_notices():
            return list(sqlglot.parse(text, read=dialect))
    except Refused:
        raise
    except ValueError as error:
        if isinstance(error, sqlglot.errors.SqlglotError):
            raise
        raise BadValue(f"dialect = {dialect!r} is not known; say e.g. 'duckdb', 'postgres' or 'spark'.") from None


@contextmanager
def _without_notices() -> Iterator[None]:
    """What the parser logs while this thread reads goes nowhere: whatever is wrong gets our sentence, and no other."""
    here, log = threading.get_ident(), logging.getLogger("sqlglot")

    def elsewhere(record: logging.LogRecord) -> bool:
        return record.thread != here

    log.addFilter(elsewhere)
    try:
        yield
    finally:
        log.removeFilter(elsewhere)


def _quoted(text: str, dialect: str | None, columns: Collection[str]) -> tuple[str, list[str]]:
    """The text with double quotes around words of SQL that are declared as columns, and which those are."""
    known = {name.lower() for name in columns}
    try:
        tokens = sqlglot.tokenize(text, read=dialect)
    except sqlglot.errors.SqlglotError:
        return text, []
    words = [one for one in tokens if one.token_type not in NAMES and one.text.lower() in known]
    for one in reversed(words):
        text = f'{text[: one.start]}"{text[one.start : one.end + 1]}"{text[one.end + 1 :]}'
    return text, [one.text for one in words]


def _advice(text: str, dialect: str | None, names: list[str]) -> str:
    if names:
        return f'{names[0]} is also a word of SQL: where the column is meant, write it in double quotes, "{names[0]}".'
    for other in DIALECTS if dialect is None else ():
        try:
            found = _parsed(text, other)
        except (sqlglot.errors.SqlglotError, Refused):
            continue
        if not all(isinstance(one, exp.Query) for one in found):  # Some read anything as a command of theirs.
            continue
        return f'It can be read as SQL of {other}: --dialect {other}, in Python dialect="{other}".'
    return 'A name that is also a word of SQL, such as a column called Order, is written in double quotes: "Order".'


def _first(error: sqlglot.errors.SqlglotError) -> str:
    found = getattr(error, "errors", None)
    if not found:
        return str(error).splitlines()[0][:200]
    one = found[0]
    said = re.sub(r"<class '[\w.]*?(\w+)'>", r"\1", str(one["description"])).rstrip(".")
    return f"{said} at line {one['line']}, column {one['col']}."
