"""A protected table from Python values: a frame, and what is public about it, without a file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from banister import need
from banister.core.exact.numbers import Number as ExactNumber
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.release.dataset import Dataset
from banister.tables.reading import Day, Value
from banister.tables.schema import Schema

Content = dict[str, object]


class Declared(Protocol):
    """What is public about one column."""

    def content(self) -> Content:
        """As the line of a schema says it."""
        ...


@dataclass(frozen=True, slots=True)
class Integer:
    """A column of whole numbers between two public ends.

    >>> Integer(0, 120).content()["range"]
    [0, 120]
    """

    low: int
    high: int
    nulls: bool = True

    def content(self) -> Content:
        return {"kind": "integer", "range": [_written(self.low), _written(self.high)], "nulls": self.nulls}


@dataclass(frozen=True, slots=True)
class Decimals:
    """A column of numbers between two public ends, read in whole steps.

    >>> Decimals(0, 5000, step=0.01).content()["step"]
    Decimal('0.01')
    """

    low: ExactNumber
    high: ExactNumber
    step: ExactNumber
    nulls: bool = True

    def content(self) -> Content:
        ends = [_written(self.low), _written(self.high)]
        return {"kind": "number", "range": ends, "step": _written(self.step), "nulls": self.nulls}


@dataclass(frozen=True, slots=True)
class Category:
    """A column of some values; without a list they are unknown, and appear only where enough people have them.

    >>> Category(["yes", "no"]).content()["values"]
    ['yes', 'no']
    """

    values: Sequence[Value] | None = None
    nulls: bool = True

    def content(self) -> Content:
        listed = {} if self.values is None else {"values": list(self.values)}
        return {"kind": "category", "nulls": self.nulls, **listed}


@dataclass(frozen=True, slots=True)
class Dates:
    """A column of dates between two public days, as `datetime.date` or as texts.

    >>> from datetime import date
    >>> Dates(date(2020, 1, 1), "2024-12-31").content()["range"][1]
    datetime.date(2024, 12, 31)
    """

    low: Day | str
    high: Day | str
    every: str = "day"
    zone: str = ""
    nulls: bool = True

    def content(self) -> Content:
        zone = {"zone": self.zone} if self.zone else {}
        ends = [_day(self.low), _day(self.high)]
        return {"kind": "date", "range": ends, "every": self.every, "nulls": self.nulls, **zone}


@dataclass(frozen=True, slots=True)
class Timestamps:
    """A column of days with a time, between two public days. With a zone, moments count by its clocks.

    >>> from datetime import date
    >>> Timestamps(date(2020, 1, 1), date(2024, 12, 31), zone="Europe/Berlin").content()["zone"]
    'Europe/Berlin'
    """

    low: Day | str
    high: Day | str
    every: str = "day"
    zone: str = ""
    nulls: bool = True

    def content(self) -> Content:
        zone = {"zone": self.zone} if self.zone else {}
        ends = [_day(self.low), _day(self.high)]
        return {"kind": "timestamp", "range": ends, "every": self.every, "nulls": self.nulls, **zone}


def Table(  # noqa: N802
    frame: object,
    *,
    neighbours: Neighbours | str,
    columns: Mapping[str, Declared],
    person: str | None = None,
    rows: int | None = None,
    groups: int | None = None,
    budget: Guarantee | None = None,
    ledger: str = "",
    name: str = "frame",
) -> Dataset:
    """A frame (pandas, Polars, Arrow, Spark, or what gives an Arrow capsule) with what is public about it.

    `name` is what the ledger calls the table, `ledger` the file in which its budget is kept.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [34, 71]}), neighbours="add-remove", columns={"age": Integer(0, 120)})
    >>> str(table.plan("SELECT AVG(age) FROM data", epsilon=1).guarantee)
    '(1, 0)'
    """
    relation = neighbours.value if isinstance(neighbours, Neighbours) else neighbours
    source: Content = {"table": name, "neighbours": relation, "person": person, "rows": rows, "groups": groups}
    kept: Content = {} if budget is None else {"epsilon": _written(budget.epsilon), "delta": _written(budget.delta)}
    declared = {column: _content(column, one) for column, one in columns.items()}
    schema = Schema.of_content(
        {
            "source": {key: value for key, value in source.items() if value is not None},
            "budget": kept | ({"ledger": ledger} if ledger else {}),
            "columns": declared,
        }
    )
    return Dataset(schema.for_looks(), folder=Path(), frames={"data": frame})


def _content(column: str, declared: Declared) -> Content:
    if not callable(getattr(declared, "content", None)):
        raise BadValue(
            f"columns[{column!r}] is a {type(declared).__name__}. Say what is public about it: bn.Integer(0, 120), "
            "bn.Decimals(0, 5000, step=0.01), bn.Category(['yes', 'no']), bn.Dates(first, last) or "
            "bn.Timestamps(first, last)."
        )
    return declared.content()


def _day(value: Day | str) -> Day:
    """A day that is written as a text; what is neither is left to the reader of schemas, which says what it must be."""
    if not isinstance(value, str):
        return value
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return cast(Day, np.datetime64(value, "D").item())
    except ValueError:  # A day that no calendar has.
        pass
    raise BadValue(f"{value[:40]!r} must be a day such as '2024-12-31'.")


def _written(value: ExactNumber) -> int | Decimal:
    """A number as a schema's reader takes it; a double is the decimal that is shown for it."""
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return Decimal(repr(value))
    exact: Fraction = need.exact("The number", value)
    return exact.numerator if exact.denominator == 1 else Decimal(exact.numerator) / Decimal(exact.denominator)
