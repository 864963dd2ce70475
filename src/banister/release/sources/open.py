"""From where a table is to the engine that reads it."""

from collections.abc import Mapping
from pathlib import Path

from banister.errors import BadValue
from banister.release.work import Source
from banister.tables.schema import Schema

POSTGRES = ("postgresql://", "postgres://")
SPARK = "spark:"


def open_source(
    schema: Schema, *, folder: Path, frames: Mapping[str, object], index: Path | None = None, indexing: bool = False
) -> Source:
    """One engine for all tables of a schema; they have to live in the same place.

    `index` is a folder in which lists of people's groups are kept, `indexing` whether a release makes missing ones.
    """
    kinds = {_kind(table.location, frames.get(table.name)) for table in schema.tables}
    if len(kinds) > 1:
        raise BadValue("The tables live in several engines. Keep them in one, so that they can be joined there.")
    match kinds.pop():
        case "postgres":
            from banister.release.sources.postgres import PostgresSource

            return PostgresSource(schema, index=index, indexing=indexing)
        case "spark":
            from banister.release.sources.spark import SparkSource

            return SparkSource(schema, frames=frames)
    from banister.release.sources.duckdb import DuckDBSource

    return DuckDBSource(schema, folder=folder, frames=frames, index=index, indexing=indexing)


def on_server(schema: Schema, frames: Mapping[str, object]) -> bool:
    """Whether some table is on PostgreSQL, which then watches it where there is an index."""
    return any(_kind(table.location, frames.get(table.name)) == "postgres" for table in schema.tables)


def _kind(location: str, frame: object) -> str:
    if frame is not None:
        return "spark" if type(frame).__module__.startswith("pyspark.") else "duckdb"
    if location.startswith(POSTGRES):
        return "postgres"
    return "spark" if location.startswith(SPARK) else "duckdb"
