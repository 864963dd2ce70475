"""What a table protects and what about it is public knowledge: the content of a file such as `health.toml`."""

from dataclasses import dataclass

from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.tables.columns import Column, Kind, read_columns
from banister.tables.reading import Section, read_toml, relation

__all__ = ["Column", "Kind", "Schema", "Table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table: where it is, who a row belongs to, and its declared columns."""

    name: str
    location: str
    inner: str | None
    person: str | None
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column | None:
        """The declared column of that name, upper or lower case alike."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Everything that may be known before a single record is read."""

    tables: tuple[Table, ...]
    neighbours: Neighbours
    budget: Guarantee | None
    ledger: str | None
    groups: int | None
    rows: int | None
    people: int | None

    @property
    def main(self) -> Table:
        """The table that questions call `data`."""
        return self.tables[0]

    @classmethod
    def of_text(cls, text: str) -> "Schema":
        """Read the content of a `.toml` file.

        >>> schema = Schema.of_text('''
        ... [source]
        ... table = "visits.csv"
        ... neighbours = "add-remove"
        ... [columns]
        ... visits = { kind = "integer", range = [0, 50] }''')
        >>> schema.main.column("visits").units
        (0, 50)
        """
        return _schema(read_toml(text))


def _schema(root: Section) -> Schema:
    root.only("source", "budget", "columns", "tables")
    source = root.section("source", "table, person and neighbours")
    source.only("table", "name", "person", "neighbours", "rows", "groups", "people")
    main = _table("data", source, root)
    others = [_other(root.section("tables", ""), name) for name in root.names("tables")]
    if others and main.person is None:
        raise BadValue("[tables] can be joined on the person key only, and [source] declares no person column.")
    budget = root.section("budget", "") if "budget" in root.content else None
    if budget is not None:
        budget.only("epsilon", "delta", "ledger")
    return Schema(
        tables=(main, *others),
        neighbours=_neighbours(source),
        budget=None if budget is None else Guarantee(budget.number("epsilon"), budget.number("delta", 0)),
        ledger=None if budget is None else budget.maybe("ledger"),
        groups=source.whole("groups"),
        rows=source.whole("rows") if main.person is not None else 1,
        people=source.whole("people"),
    )


def _neighbours(source: Section) -> Neighbours:
    found = relation(source)
    if found is None:
        raise BadValue(
            "[source] needs neighbours: 'add-remove' (one person more or less) or 'replace' (one person exchanged for "
            "another). The guarantee means nothing without it."
        )
    return found


def _other(tables: Section, name: str) -> Table:
    section = tables.section(name, "table, person and columns")
    section.only("table", "name", "person", "columns")
    table = _table(name, section, section)
    if table.person is None:
        raise BadValue(f"[tables.{name}] declares no person column; only tables with one can be joined.")
    return table


def _table(name: str, section: Section, holder: Section) -> Table:
    columns = holder.section("columns", "one line for each column that questions may use")
    return Table(
        name=name,
        location=section.text("table"),
        inner=section.maybe("name"),
        person=section.maybe("person"),
        columns=read_columns(columns),
    )
