"""What differs between engines, and what is written the same for all of them."""

from collections.abc import Sequence
from typing import Protocol

import sqlglot
from sqlglot import exp


class Dialect(Protocol):
    """What differs between engines beyond spelling."""

    name: str
    columnar: bool
    """Whether it is quicker to group by and add up columns as they are stored, and to compute with the totals."""
    strict_doubles: bool
    """Whether a number that no double holds raises, instead of becoming infinite or 0."""

    def text_code(self, text: exp.Expr) -> exp.Expr:
        """A whole number below 2^28 from the digest of a text, the same on every engine."""
        ...

    def by_bytes(self, text: exp.Expr) -> exp.Expr:
        """A text that equals another only where all bytes do, whatever its column says about upper and lower case."""
        ...

    def wide_sum(self, value: exp.Expr) -> exp.Expr:
        """A sum of 64-bit numbers that cannot overflow."""
        ...

    def day_number(self, date: exp.Expr) -> exp.Expr:
        """The days from 1 January 1970 to a date of the years 1 to 9999."""
        ...

    def second_number(self, moment: exp.Expr, *, zoned: bool) -> exp.Expr:
        """The seconds from 1970 to a timestamp of the years 1 to 9999, rounded down; by UTC where it has a zone."""
        ...


def written(dialect: Dialect, rows: Sequence[tuple[exp.Expr, ...]], name: str, *columns: str) -> exp.Values:
    """A table of constants, put into words at once: a tree of them would be copied at every step of the query."""
    speak = sqlglot.Dialect.get_or_raise(dialect.name).generator()
    lines = [", ".join(speak.generate(item, copy=False) for item in row) for row in rows]
    alias = exp.TableAlias(this=exp.to_identifier(name), columns=[exp.to_identifier(column) for column in columns])
    return exp.Values(expressions=[exp.Var(this=", ".join(f"({line})" for line in lines))], alias=alias)
