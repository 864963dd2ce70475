"""Neighbours that are searched for: random tables from a schema, and one person more who is as bad as can be.

The tables are those a schema allows: none at all, a few people, many. The person has values at the ends of their
ranges, missing ones, more rows than may count in one group, and rows spread over all groups. So a bound that a pipeline
forgets shows as a person who moves its answers too far.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.release.practice import practice_frames
from banister.tables.calendar import date_of
from banister.tables.columns import Column, Kind
from banister.tables.schema import Schema

Rows = list[dict[str, object]]
_MANY = 3
"""A person has so many more rows than may count."""
_MOST_GROUPS = 12
_NEW = 10**9
"""A number that no person of a made-up table has."""


def searched_pairs(schema: Schema) -> list[tuple[Rows, Rows]]:
    """Pairs of tables, as lists of rows, that differ in one person; the plainest come first.

    >>> from banister.tables.schema import Schema
    >>> told = '[source]\\ntable = "t.csv"\\nperson = "who"\\nneighbours = "add-remove"\\nrows = 2\\ngroups = 1\\n'
    >>> schema = Schema.of_text(told + '[columns]\\nage = { kind = "integer", range = [0, 99], nulls = false }\\n')
    >>> searched_pairs(schema)[1]
    ([], [{'who': 1000000000, 'age': 99}])
    """
    if len(schema.tables) > 1:
        raise BadValue("Neighbours are searched for in schemas of one table; name them with --neighbours for more.")
    who = schema.main.person
    tables = [[], _rows(schema, 3), _rows(schema, 40)]
    people = list(_people(schema, who))
    if schema.neighbours is Neighbours.REPLACE:
        plain = people[0]
        return [([*table, *plain], [*table, *each]) for each in people[1:] for table in tables]
    return [(table, [*table, *each]) for each in people for table in tables[:1]] + [
        (table, [*table, *people[1]]) for table in tables[1:]
    ]


def _rows(schema: Schema, people: int) -> Rows:
    frame = practice_frames(schema, people=people)[schema.main.name]
    columns = {name: [_plain(each) for each in values] for name, values in frame.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _people(schema: Schema, who: str | None) -> Iterator[Rows]:
    """The low end of everything, the high end, nothing known, many rows, and one row in each group."""
    columns = [each for each in schema.main.columns if each.name != who]
    name = {} if who is None else {who: _NEW}
    ends = [{each.name: _end(each, place) for each in columns} for place in (0, -1)]
    yield [{**name, **ends[0]}]
    yield [{**name, **ends[1]}]
    if any(each.nulls for each in columns):
        yield [{**name, **{each.name: None if each.nulls else _end(each, -1) for each in columns}}]
    if who is not None:
        yield [{**name, **ends[1]} for _ in range((schema.rows or 1) + _MANY)]
        listed = [each for each in columns if each.kind is Kind.CATEGORY and each.values]
        cells = product(*[[(each.name, value) for value in each.values or ()] for each in listed])
        spread = [{**name, **ends[1], **dict(cell)} for cell, _ in zip(cells, range(_MOST_GROUPS), strict=False)]
        if len(spread) > 1:
            yield spread


def _end(column: Column, place: int) -> object:
    """The lowest or the highest value of a column."""
    if column.kind is Kind.CATEGORY:
        return (column.values or ("one", "another"))[place]
    steps = column.units[place]
    if column.kind is Kind.DATE:
        return date_of(steps).isoformat()
    value = steps * Fraction(column.step)
    return int(value) if value.denominator == 1 else float(value)


def _plain(value: object) -> object:
    """As JSON can say it."""
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else str(value)[:10]
    found = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(found, float) and found != found else found
