"""Tables with planted people, and what exact answers to a question would be with and without one of them."""

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from banister.audit.canaries.planting import Planting
from banister.errors import BadValue

Answered = dict[tuple[object, ...], tuple[float, ...]]
"""The numbers of each cell; a cell is told by the values of the table's own columns."""
_FORMATS = {".csv": "(FORMAT csv, HEADER)", ".parquet": "(FORMAT parquet)"}


def plant(table: Path, rows: Path, person: str, into: Path, planting: Planting | None = None) -> Planting:
    """Write the table with a random half of the people in `rows` added to it, each with all of her rows."""
    with duckdb.connect() as engine:
        _load(engine, table, rows, person, as_text=True)
        found = planting or Planting.drawn(_people(engine, person))
        _choose(engine, [who for who, here in zip(found.people, found.present, strict=True) if here])
        form = _FORMATS.get(into.suffix.lower())
        if form is None:
            raise BadValue(f"{into.name} must end in .csv or .parquet.")
        engine.execute(f"COPY (SELECT * FROM data) TO {_quoted(str(into))} {form}")
    return found


def scores(
    table: Path, rows: Path, person: str, planting: Planting, questions: Sequence[str], answers: Sequence[Path]
) -> dict[str, NDArray[np.float64]]:
    """How far the answers lie towards those with each canary: by their numbers, and by which cells appear at all.

    Only the table without canaries, the canaries' rows and the pipeline's answers are looked at, not the coins.
    """
    if len(questions) != len(answers):
        raise BadValue(f"There are {len(questions)} questions and {len(answers)} files of answers; each needs its own.")
    numbers, cells = np.zeros(len(planting.people)), np.zeros(len(planting.people))
    with duckdb.connect() as engine:
        _load(engine, table, rows, person, as_text=False)
        if set(_people(engine, person)) != set(planting.people):
            raise BadValue(f"{rows.name} does not have the people who were planted.")
        for question, file in zip(questions, answers, strict=True):
            _choose(engine, [])
            names, keys = _columns(engine, question)
            without = _exact(engine, question, names, keys)
            given = _given(engine, file, names, keys)
            with_each = [_moved(engine, question, who, names, keys, without) for who in planting.people]
            numbers += _towards(given, without, with_each, len(names) - len(keys))
            cells += np.array([_appearing(given, without, each) for each in with_each])
    return {"the numbers": numbers, "which cells appear": cells}


def _towards(given: Answered, without: Answered, with_each: list[Answered], width: int) -> NDArray[np.float64]:
    """For each canary the sum over cells of how far she moves an answer times how far it lies from that without her,
    each column in units of its own spread."""
    none = (0.0,) * width
    far = {
        cell: np.array(given.get(cell, none)) - np.array(without.get(cell, none))
        for cell in {*given, *without, *(cell for each in with_each for cell in each)}
    }
    spread = np.median(np.abs(np.array(list(far.values()))), axis=0) if far else np.ones(width)
    scale = np.where(spread > 0, spread, 1.0)
    return np.array(
        [
            sum(
                float(((np.array(there) - np.array(without.get(cell, none))) * far[cell] / scale**2).sum())
                for cell, there in each.items()
            )
            for each in with_each
        ]
    )


def _appearing(given: Answered, without: Answered, moved: Answered) -> float:
    """One up for each cell of hers alone that is there, and one down for each that is not."""
    return float(sum(1 if cell in given else -1 for cell in moved if cell not in without))


def _moved(
    engine: duckdb.DuckDBPyConnection, question: str, who: str, names: list[str], keys: list[str], without: Answered
) -> Answered:
    """The cells in which one canary changes the exact answer."""
    _choose(engine, [who])
    found = _exact(engine, question, names, keys)
    return {cell: numbers for cell, numbers in found.items() if without.get(cell) != numbers}


def _columns(engine: duckdb.DuckDBPyConnection, question: str) -> tuple[list[str], list[str]]:
    """The names of the results of a question, and those that are columns of the table: they tell cells apart."""
    try:
        names = [str(each[0]) for each in engine.execute(f"DESCRIBE {question}").fetchall()]
    except duckdb.Error as error:
        raise BadValue(f"The question cannot be asked of the planted table: {str(error).splitlines()[0]}") from None
    columns = {str(each[0]).lower() for each in engine.execute("DESCRIBE data").fetchall()}
    keys = [name for name in names if name.lower() in columns]
    if len(keys) == len(names):
        raise BadValue(
            "The question has no number of its own: every result has the name of a column. Name it otherwise (AS)."
        )
    return names, keys


def _exact(engine: duckdb.DuckDBPyConnection, question: str, names: list[str], keys: list[str]) -> Answered:
    return _cells(names, keys, engine.execute(question).fetchall())


def _given(engine: duckdb.DuckDBPyConnection, file: Path, names: list[str], keys: list[str]) -> Answered:
    """The answers of the pipeline, by the names that the question gives them."""
    read = engine.execute(f"SELECT * FROM {_reader(file, as_text=False)}")
    have = [each[0] for each in read.description or ()]
    rows = read.fetchall()
    lower = [each.lower() for each in have]
    missing = [name for name in names if name.lower() not in lower]
    if missing:
        raise BadValue(f"{file.name} has no column {missing[0]!r}, which the question gives; it has {', '.join(have)}.")
    places = [lower.index(name.lower()) for name in names]
    return _cells(names, keys, [tuple(row[place] for place in places) for row in rows])


def _cells(names: list[str], keys: list[str], rows: list[tuple[object, ...]]) -> Answered:
    found: Answered = {}
    for row in rows:
        told = dict(zip(names, row, strict=True))
        found[tuple(str(told[key]) for key in keys)] = tuple(_number(told[name]) for name in names if name not in keys)
    return found


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0.0


def _load(engine: duckdb.DuckDBPyConnection, table: Path, rows: Path, person: str, *, as_text: bool) -> None:
    """The views `base`, `canaries`, and `data`: the first with those of the second whom `chosen` names."""
    engine.execute("SET threads = 1")
    try:
        engine.execute(f"CREATE TABLE base AS SELECT * FROM {_reader(table, as_text=as_text)}")
        types = [(each[0], each[1]) for each in engine.execute("DESCRIBE base").fetchall()]
        if person not in [name for name, _ in types]:
            raise BadValue(f"{table.name} has no column {person!r}; --person names the one that tells people apart.")
        cast = ", ".join(f"CAST({_name(name)} AS {kind}) AS {_name(name)}" for name, kind in types)
        engine.execute(f"CREATE TABLE canaries AS SELECT {cast} FROM {_reader(rows, as_text=True)}")
    except duckdb.Error as error:
        raise BadValue(f"{table.name} and {rows.name} cannot be read together: {str(error).splitlines()[0]}") from None
    engine.execute("CREATE TABLE chosen (who VARCHAR)")
    engine.execute(
        f"CREATE VIEW data AS SELECT * FROM base UNION ALL SELECT * FROM canaries "
        f"WHERE CAST({_name(person)} AS VARCHAR) IN (SELECT who FROM chosen)"
    )
    shared = engine.execute(
        f"SELECT count(*) FROM canaries WHERE {_name(person)} IN (SELECT {_name(person)} FROM base)"
    ).fetchone()
    if shared and shared[0]:
        raise BadValue(f"{rows.name} has people who are in the table already; a canary is nobody else.")


def _people(engine: duckdb.DuckDBPyConnection, person: str) -> tuple[str, ...]:
    found = engine.execute(f"SELECT DISTINCT CAST({_name(person)} AS VARCHAR) AS who FROM canaries ORDER BY who")
    return tuple(str(each[0]) for each in found.fetchall())


def _choose(engine: duckdb.DuckDBPyConnection, who: list[str]) -> None:
    engine.execute("DELETE FROM chosen")
    if who:
        engine.execute("INSERT INTO chosen SELECT unnest(?)", [who])


def _reader(path: Path, *, as_text: bool) -> str:
    if not path.is_file():
        raise BadValue(f"{path} does not exist.")
    quoted = _quoted(str(path))
    if path.suffix.lower() == ".parquet":
        return f"read_parquet({quoted})"
    if path.suffix.lower() == ".csv":
        return f"read_csv({quoted}, header = true{', all_varchar = true' if as_text else ''})"
    raise BadValue(f"{path.name} must end in .csv or .parquet.")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
