"""Records in and out through DuckDB: CSV and Parquet files, and frames that are already in memory.

A table is read as whole units, column by column, so that nothing after this file touches a record's own text. A file is
written beside its target and moved there at the end: no half-written file is ever seen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.files import check_target, whole
from banister.tables.columns import Kind
from banister.tables.domain import FAR, UNREAD, Attribute, Domain, Integers
from banister.tables.frames.csv_lines import CsvFile, normal
from banister.tables.frames.paths import literal_path

Types = Mapping[str, str]
"""The type of each column as it was stored, by name."""

Law = Callable[[Attribute, Integers, NDArray[np.bool_]], Integers]
"""From units and missing values of a column to codes."""

_PLAIN = {Kind.INTEGER: "BIGINT", Kind.NUMBER: "DOUBLE", Kind.DATE: "DATE"}


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """The records of a table as codes, column by column, and the types that a copy of it is written in."""

    codes: tuple[Integers, ...]
    types: Types
    unread: int = 0
    """Rows of a CSV file that no rule can read, where a row is a record: they are there, and have no value."""

    @property
    def records(self) -> int:
        return int(self.codes[0].size)


def read_codes(table: object, domain: Domain, *, law: Law = Attribute.codes) -> Coded:
    """Read the declared columns of a file (.csv, .parquet) or of a frame (pandas, Polars, Arrow).

    `law` says what becomes of units and missing values: by default what is not declared is -1.
    """
    with duckdb.connect() as connection:
        source, rows = _open(connection, table, domain)
        types = {str(row[0]): str(row[1]) for row in _run(connection, f"DESCRIBE SELECT * FROM {source}").fetchall()}
        for name in (*domain.names, *([domain.person] if domain.person else [])):
            if name not in types:
                raise BadValue(f"Column '{name}' is declared, but the table has no such column.")
        if domain.person:
            source = _one_row_each(connection, source, domain.person)
        codes = tuple(_column(connection, source, attribute, types, law) for attribute in domain.attributes)
        kept = {
            attribute.name: _holding(connection, attribute, types[attribute.name]) for attribute in domain.attributes
        }
    return Coded(codes, kept, 0 if domain.person or rows is None else rows - int(codes[0].size))


def _holding(connection: duckdb.DuckDBPyConnection, attribute: Attribute, stored: str) -> str:
    """The type that the table stores a column in, if it can hold all that is declared; else no type, so that the
    declared kind decides. A copy may hold every declared value, whatever the table's own values are.

    Numbers and days are cast in order, so that the least and the largest show whether all of them fit. An ENUM lists
    the values of the table, which are nobody's business.
    """
    if stored.startswith("ENUM"):
        return ""
    if attribute.kind is Kind.CATEGORY:
        units = list(range(len(attribute.values)))
    else:
        units = [int(attribute.edges[0]), int(attribute.edges[-1]) - 1]
    probes = ", ".join(f"(CAST({unit} AS BIGINT))" for unit in (missing_unit(attribute), *units))
    value = value_sql(attribute, stored).replace("{c}", "c")
    try:
        connection.execute(f"SELECT {value} FROM (VALUES {probes}) AS probe(c)").fetchall()
    except duckdb.Error:
        return ""
    return stored


def _open(connection: duckdb.DuckDBPyConnection, table: object, domain: Domain) -> tuple[str, int | None]:
    """What to read from, and how many rows a file has where some of them may not be read."""
    if not isinstance(table, str | Path):
        try:
            connection.register("given", table)
        except duckdb.Error:
            raise BadValue(
                f"The table cannot be read from a {type(table).__name__}; give a file, or a pandas, Polars or Arrow "
                "table."
            ) from None
        return "given", None
    path = Path(table)
    if not path.is_file():
        raise BadValue(f"'{path}' is not a file that is there.")
    text = literal_path(path)
    match path.suffix.lower():
        case ".parquet":
            return f"read_parquet({text}, hive_partitioning = false)", None
        case ".csv":
            file = CsvFile(path, domain.rules)
            return _csv(connection, file, domain), file.lines()
    raise BadValue(f"'{path.name}' must end in .csv or .parquet.")


def _csv(connection: duckdb.DuckDBPyConnection, file: CsvFile, domain: Domain) -> str:
    """The declared columns of a file as texts that need no rules any more. They are copied, because what the file was
    prepared in goes when this function ends."""
    declared = {attribute.name: attribute for attribute in domain.attributes}
    items = ", ".join(
        f"{normal(declared[name], domain.rules) if name in declared else quoted(name)} AS {quoted(name)}"
        for name in file.header
    )
    _run(connection, f"CREATE TEMP TABLE written AS SELECT {items} FROM ({file.text_query})")
    return "written"


def _one_row_each(connection: duckdb.DuckDBPyConnection, source: str, person: str) -> str:
    """One row of each person, picked by a hash of the row, so that the choice depends on that person's rows alone.

    A row without a person belongs to nobody whom the guarantee could protect, and is left out.
    """
    key = quoted(person)
    _run(
        connection,
        f"CREATE TEMP TABLE people AS SELECT DISTINCT ON ({key}) * FROM {source} AS given_rows WHERE {key} IS NOT NULL "
        f"ORDER BY {key}, md5(CAST(given_rows AS VARCHAR))",
    )
    return "people"


def _column(
    connection: duckdb.DuckDBPyConnection, source: str, attribute: Attribute, types: Types, law: Law
) -> Integers:
    name = quoted(attribute.name)
    value = f"NULLIF({name}, '')" if types[attribute.name] == "VARCHAR" else name
    query = f"SELECT {_units(attribute, value)} AS units, {value} IS NULL AS missing FROM {source}"
    found = _run(connection, query).fetchnumpy()
    unread = missing_unit(attribute) if attribute.kind is Kind.CATEGORY else UNREAD
    units = np.ma.filled(np.ma.asarray(found["units"]), unread).astype(np.int64)
    missing: NDArray[np.bool_] = np.ma.filled(np.ma.asarray(found["missing"]), True).astype(np.bool_)
    return law(attribute, units, missing)


def _units(attribute: Attribute, value: str) -> str:
    match attribute.kind:
        case Kind.CATEGORY:
            return _category_units(attribute, value)
        case Kind.DATE:
            return f"TRY(CAST(date_diff('day', DATE '1970-01-01', TRY_CAST({value} AS DATE)) AS BIGINT))"
        case Kind.INTEGER:
            return _or_far(f"TRY_CAST({value} AS BIGINT)", f"TRY_CAST({value} AS DOUBLE)")
    step = attribute.step
    scaled = f"TRY_CAST({value} AS DOUBLE) * {step.denominator}.0 / {step.numerator}.0"
    return _or_far(f"TRY_CAST(floor({scaled} + 0.5) AS BIGINT)", scaled)


def _or_far(units: str, number: str) -> str:
    """Units, or where a number is too large for them one that is beyond every range on its side."""
    far = f"CASE WHEN isnan({number}) THEN NULL WHEN {number} > 0 THEN {FAR} WHEN {number} < 0 THEN -{FAR} END"
    return f"COALESCE({units}, {far})"


def _category_units(attribute: Attribute, value: str) -> str:
    first = attribute.values[0]
    kind = "BOOLEAN" if isinstance(first, bool) else "BIGINT" if isinstance(first, int) else "VARCHAR"
    texts = [str(v).lower() if isinstance(v, bool) else str(v) for v in attribute.values]
    listed = ", ".join(quoted_text(text) for text in texts)
    as_text = f"CAST(TRY_CAST({value} AS {kind}) AS VARCHAR)"
    return f"CAST(enum_code(TRY_CAST({as_text} AS ENUM({listed}))) AS BIGINT)"


def write_records(path: Path, domain: Domain, columns: Sequence[Integers], types: Types, *, about: str) -> None:
    """Write records given as units (positions for a category, -1 for a missing value), in the types they had.

    `about` goes into a Parquet file's metadata; a CSV file has no place for it.
    """
    items = [value_sql(attribute, types.get(attribute.name, "")) for attribute in domain.attributes]
    _write(path, items, domain, columns, about)


def write_counts(path: Path, domain: Domain, columns: Sequence[Integers], counts: Integers, *, about: str) -> None:
    """Write a histogram: the labels of every cell that is not 0, and its count."""
    items = [_label(attribute) for attribute in domain.attributes] + ['"count"']
    _write(path, items, domain, [*columns, counts], about)


def _write(path: Path, items: Sequence[str], domain: Domain, columns: Sequence[Integers], about: str) -> None:
    names = [f"c{i}" for i in range(len(domain.attributes))] + ["count"]
    check_target(path, (".csv", ".parquet"))

    def write(temporary: Path) -> None:
        with duckdb.connect() as connection:
            connection.register("codes", dict(zip(names, columns, strict=False)))
            placed = [item.replace("{c}", f"c{i}") for i, item in enumerate(items)]
            how = (
                "FORMAT csv, HEADER true, USE_TMP_FILE false"
                if path.suffix.lower() == ".csv"
                else f"FORMAT parquet, USE_TMP_FILE false, KV_METADATA {{banister: {quoted_text(about)}}}"
            )
            query = f"COPY (SELECT {', '.join(placed)} FROM codes) TO {quoted_text(str(temporary))} ({how})"
            _run(connection, query)

    whole(path, write)


def value_sql(attribute: Attribute, stored: str) -> str:
    """SQL for the value of a code, NULL where it is -1."""
    if attribute.kind is Kind.CATEGORY:
        value = f"list_extract([{', '.join(_literal(v) for v in attribute.values)}], {{c}} + 1)"
    elif attribute.kind is Kind.DATE:
        value = "(DATE '1970-01-01' + CAST({c} AS INTEGER))"
    elif attribute.kind is Kind.NUMBER:
        value = f"(CAST({{c}} * {attribute.step.numerator} AS DOUBLE) / {attribute.step.denominator})"
    else:
        value = "{c}"
    nothing = missing_unit(attribute)
    # What was text, as everything in a CSV file, comes back in the declared kind.
    kind = stored if stored not in ("", "VARCHAR") else _PLAIN.get(attribute.kind, "")
    cast = f"CAST({value} AS {kind})" if kind else value
    return f"CASE WHEN {{c}} = {nothing} THEN NULL ELSE {cast} END AS {quoted(attribute.name)}"


def missing_unit(attribute: Attribute) -> int:
    """The unit that stands for a value that is missing or cannot be read: one that no declared value has."""
    return -1 if attribute.kind is Kind.CATEGORY else int(attribute.edges[0]) - 1


def _label(attribute: Attribute) -> str:
    labels = ", ".join(quoted_text(attribute.label(code)) for code in range(attribute.size))
    return f"list_extract([{labels}], {{c}} + 1) AS {quoted(attribute.name)}"


def _literal(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    return str(value) if isinstance(value, int) else quoted_text(value)


def quoted(name: str) -> str:
    """A name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def _run(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyConnection:
    try:
        return connection.execute(query)
    except duckdb.Error as error:
        # The engine's own message may quote a value of the table, so only its kind is passed on.
        raise BadValue(
            f"The table could not be read or written ({type(error).__name__}). Check that it is whole and in the "
            "format that its name says."
        ) from None
