"""Making and dropping indexes: which questions gain from one, and lists for all of them at once."""

from typing import Protocol, runtime_checkable

from banister.errors import BadValue, EngineFailed
from banister.release.dataset import Dataset
from banister.release.planning.planner import plan_release
from banister.release.planning.request import PlanRequest
from banister.release.run import works
from banister.release.sources.kept import drop_lists
from banister.release.sources.listed import listable
from banister.release.sources.open import on_server
from banister.release.work import Work
from banister.sampling.bits import SYSTEM
from banister.tables.schema import Kind, Schema


@runtime_checkable
class KeepsIndex(Protocol):
    """An engine of whose tables an index can be kept."""

    def make_index(self, work: Work) -> bool:
        """Make and keep the list behind some work; whether the table held still for it."""
        ...

    def drop_index(self) -> None:
        """Take away what of an index lies in the engine."""
        ...


def make_index(dataset: Dataset, sql: str) -> int:
    """Make and keep the index behind some questions about people with many rows; how many questions gain from it.

    An empty text stands for counts, sums and means of every number, by each category whose values are declared.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.demo import write_demo
    >>> from banister.release.dataset import open
    >>> with TemporaryDirectory() as folder:
    ...     make_index(open(write_demo(folder)[1]), "SELECT plan, COUNT(*) FROM data GROUP BY plan")
    1
    """
    source = dataset.source()
    if not isinstance(source, KeepsIndex):
        raise BadValue(
            "An index is about tables in files that DuckDB reads, or on PostgreSQL; this table lives in another "
            "engine, which does not say for sure whether a table has changed. Its releases need no index. Where the "
            "table is a Parquet file on this machine, name the file."
        )
    found = dataset.questions(sql or usual_questions(dataset.schema))
    plan = plan_release(PlanRequest.of(found, epsilon=1, delta=0), dataset.schema)  # Nothing is released at this level.
    asked = [work for part in plan.parts for work in works(part, SYSTEM)]
    wanted = [work for work in asked if listable(work)] or asked[:1]
    for work in wanted:
        if not source.make_index(work):
            raise BadValue(
                "The table's file changed while it was read, or its time of change lies in the future, so that later "
                "changes could not be told. No index was kept; try again when the file is at rest."
            )
    return len(wanted)


def drop_index(dataset: Dataset) -> int:
    """Delete every index of a dataset, fresh or not; how many there were. Its table may be gone or damaged.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.demo import write_demo
    >>> from banister.release.dataset import open
    >>> with TemporaryDirectory() as folder:
    ...     drop_index(open(write_demo(folder)[1]))
    0
    """
    place = dataset.index_folder
    count = 0 if place is None else drop_lists(place)
    if on_server(dataset.schema, dataset.frames):
        try:
            source = dataset.source()
            if isinstance(source, KeepsIndex):
                source.drop_index()
        except (BadValue, EngineFailed) as error:
            raise EngineFailed(
                f"Indexes deleted: {count}. What watches the table on its server could not be taken away: {error}"
            ) from None
    return count


def usual_questions(schema: Schema) -> str:
    """Counts, sums and means of every number, by each category whose values are declared."""
    table = schema.main
    keys = [c.name for c in table.columns if c.kind is Kind.CATEGORY and c.values is not None]
    numbers = [c.name for c in table.columns if c.kind in (Kind.INTEGER, Kind.NUMBER)]
    if not keys:
        raise BadValue(
            "No category of the table has declared values, so there is nothing to make an index for without a question."
        )
    totals = "".join(f", SUM({_named(name)}), AVG({_named(name)})" for name in numbers)
    return ";\n".join(f"SELECT {_named(key)}, COUNT(*){totals} FROM data GROUP BY {_named(key)}" for key in keys)


def _named(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
