"""Whom a declared table protects, as the ledger wants to know it."""

import hashlib
from pathlib import PurePosixPath

from banister.accounting.protects import Protects
from banister.tables.domain import Domain
from banister.tables.schema import Schema, Table


def protected_by_schema(schema: Schema) -> Protects:
    """One person or one row, in the schema's tables; ranges, columns and bounds go into the hash.

    >>> text = '[source]\\ntable = "visits.csv"\\nperson = "id"\\nneighbours = "replace"\\nrows = 3\\n[columns]\\n'
    >>> print(protected_by_schema(Schema.of_text(text + 'visits = { kind = "integer", range = [0, 50] }')))
    person id in visits.csv
    """
    declared = repr((schema.tables, schema.rows, schema.groups, schema.people))
    return Protects.of_person(
        schema.main.person, tables=tuple(_name(table) for table in schema.tables), schema=_digest(declared)
    )


def protected_by_domain(domain: Domain) -> Protects:
    """The same for a table that is given as it is, and has no name."""
    return Protects.of_person(domain.person, schema=_digest(repr(domain)))


def _name(table: Table) -> str:
    """The table's name without the way to it, which may differ from place to place and hold a password."""
    if table.inner is not None:
        return table.inner
    return table.name if "://" in table.location else PurePosixPath(table.location).name or table.name


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
