"""The three engines, one after the other, for tests that demand the same of each."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from banister.release.sources.sql.compile import Compiler, Listing
from banister.release.work import Work
from tests.release.sources.places import Place, in_duckdb, in_postgres, in_spark

SPARK = pytest.param(
    "spark",
    marks=[
        pytest.mark.slow,
        pytest.mark.filterwarnings("ignore::ResourceWarning"),
        pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    ],
)


@pytest.fixture(autouse=True)
def _query_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbouring tables are asked the same questions: writing the query takes longer than running it."""
    write, list_out = Compiler.query, Compiler.listing

    def query(compiler: Compiler, work: Work) -> str:
        key = _asked(compiler, work)
        if key not in _WRITTEN:
            _WRITTEN[key] = write(compiler, work)
        return _WRITTEN[key]

    def listing(compiler: Compiler, work: Work, *, also: Sequence[str] = ()) -> Listing:
        key = (*_asked(compiler, work), tuple(also))
        if key not in _LISTED:
            _LISTED[key] = list_out(compiler, work, also=also)
        return _LISTED[key]

    monkeypatch.setattr(Compiler, "query", query)
    monkeypatch.setattr(Compiler, "listing", listing)


def _asked(compiler: Compiler, work: Work) -> tuple[object, ...]:
    """All that a query's text depends on."""
    types = tuple((name, tuple(columns.items())) for name, columns in compiler.types.items())
    return compiler.dialect.name, tuple(compiler.names.items()), types, work


_WRITTEN: dict[object, str] = {}
_LISTED: dict[object, Listing] = {}


def _place(request: pytest.FixtureRequest, folder: Path) -> Place:
    match request.param:
        case "postgres":
            address = request.getfixturevalue("postgres")
            return Place("postgres", address, lambda asked, tables: in_postgres(asked, tables, address))
        case "spark":
            session = request.getfixturevalue("spark")
            return Place("spark", "data.parquet", lambda asked, tables: in_spark(asked, tables, session))
    return Place("duckdb", "data.parquet", lambda asked, tables: in_duckdb(asked, tables, folder))


@pytest.fixture(params=["duckdb", "postgres", SPARK])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Each engine."""
    return _place(request, tmp_path)


@pytest.fixture(params=["duckdb", "postgres"])
def quick_place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """The engines that are quick enough for hypothesis."""
    return _place(request, tmp_path)


@pytest.fixture(params=["postgres", SPARK])
def other_place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """The engines that are compared with DuckDB."""
    return _place(request, tmp_path)
