"""Questions put together in the page: from groups and measures to SQL, and the words that complete what is typed."""

from dataclasses import dataclass

from banister.apps.studio.workbench import Workbench
from banister.core.exact.numbers import brief
from banister.release.aggregates import ALL
from banister.tables.columns import Column, Kind
from banister.tables.reading import Value

SPOKEN = (
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "HAVING",
    "ORDER BY",
    "LIMIT",
    "AS",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
)
"""Words of SQL that a question may use; the parser has the last word."""
MOST_VALUES = 40
"""Values of one column that complete what is typed."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is ticked in the page."""

    groups: list[str]
    measures: list[str]


def first_choice(bench: Workbench) -> Chosen:
    """Groups and measures that the schema allows, to begin with."""
    table = bench.dataset.schema.main
    group = next((column.name for column in table.columns if column.kind is Kind.CATEGORY and column.values), None)
    number = next((column.name for column in table.columns if column.kind in (Kind.INTEGER, Kind.NUMBER)), None)
    return Chosen([group] if group else [], ["rows", *([f"mean {number}"] if number else [])])


def example(bench: Workbench) -> str:
    """A first question that the schema allows."""
    first = first_choice(bench)
    return built(bench, first.groups, first.measures)


def built(bench: Workbench, groups: list[str], measures: list[str]) -> str:
    """The SQL of groups and measures, a clause a line."""
    table = bench.dataset.schema.main
    asking = bench.dataset.ask()
    for measure in measures or ["rows"]:
        kind, _, name = measure.partition(" ")
        if kind == "people" and table.person is not None:
            asking = asking.people(table.person)
        elif kind == "mean":
            asking = asking.mean(name)
        elif kind == "sum":
            asking = asking.sum(name)
        elif kind == "median":
            asking = asking.quantile(name, "0.5", f"median_{name}")
        else:
            asking = asking.count()
    keys = [_key(column) for column in table.columns if column.name in groups]
    text = str(asking.group_by(*keys) if keys else asking)
    return text.replace(" FROM ", "\nFROM ", 1).replace(" GROUP BY ", "\nGROUP BY ", 1)


def groupable(column: Column) -> bool:
    return column.kind is Kind.CATEGORY or bool(column.bins)


def _key(column: Column) -> str:
    return f"BIN({column.name})" if column.bins else column.name


def column_words(column: Column) -> str:
    """What the schema says about a column, in a few words."""
    if column.kind is Kind.CATEGORY:
        if column.values is None:
            return "category, values not declared"
        shown = ", ".join(str(value) for value in column.values[:6])
        return f"category: {shown}{', …' if len(column.values) > 6 else ''}"
    if column.kind.dated:
        return f"{column.kind.value}, every {column.every}{', ' + column.zone if column.zone else ''}"
    bins = f", {len(column.bins) - 1} bins" if column.bins else ""
    return f"{column.kind.value} from {brief(column.low)} to {brief(column.high)}{bins}"


def completions(bench: Workbench) -> list[str]:
    """What may stand in a question about the open table: columns and their declared values first, then SQL's words."""
    schema = bench.dataset.schema
    found: dict[str, None] = {}
    for table in schema.tables:
        found.update(dict.fromkeys(column.name for column in table.columns))
        found.update({table.person: None} if table.person else {})
        found[table.name] = None
    for table in schema.tables:
        for column in table.columns:
            found.update({_written(value): None for value in (column.values or ())[:MOST_VALUES]})
    told = [name.strip() for kind in ALL for name in kind.told.split(",")]
    person = schema.main.person
    called = [name.replace("person", person) for name in told if "(" in name and person]
    return [*found, "COUNT(*)", *called, *(f"{name}(" for name in told if "(" not in name), "BIN(", *SPOKEN]


def _written(value: Value) -> str:
    """A value as SQL writes it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
