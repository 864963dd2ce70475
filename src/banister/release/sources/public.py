"""The content of public tables, from wherever each of them is: it need not be where the private ones are."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from banister.release.sources.open import POSTGRES, SPARK
from banister.tables.public import Known, PublicTable, plain_value


def read_public_tables(
    tables: Sequence[PublicTable], *, folder: Path, frames: Mapping[str, object]
) -> Mapping[str, Known]:
    """The content of each public table. No private row is read."""
    return {table.name: _known(table, folder, frames.get(table.name)) for table in tables}


def _known(table: PublicTable, folder: Path, frame: object) -> Known:
    found = _columns(table, folder, frame)
    return Known.of_columns({name: [plain_value(value) for value in values] for name, values in found.items()})


def _columns(table: PublicTable, folder: Path, frame: object) -> Mapping[str, Sequence[object]]:
    if frame is None and table.location.startswith(POSTGRES):
        from banister.release.sources.postgres import public_rows as postgres_rows

        return postgres_rows(table)
    if table.location.startswith(SPARK) if frame is None else type(frame).__module__.startswith("pyspark."):
        from banister.release.sources.spark import public_rows as spark_rows

        return spark_rows(table, frame)
    from banister.tables.frames.public import public_rows

    return public_rows(table, folder, frame)
