"""What a table protects and what about it is public knowledge: the content of a file such as `health.toml`.

Questions and whole tables read the same file by the same rules. What is said must be right for both; what only one of
them needs (where the table is, the relation) may be left out, and is asked for by whoever needs it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.foreign import MOST_TOML, read_text
from banister.tables.blanks import Blank, blanks_in, refuse_blanks
from banister.tables.columns import Column, Kind, read_columns
from banister.tables.csv_rules import KEYS, read_rules
from banister.tables.links import PersonWay, linked, read_way
from banister.tables.public import Known, PublicTable, is_public, read_public
from banister.tables.reading import Section, read_toml, relation
from banister.tables.streams import StreamPeriods, read_periods
from banister.tables.table import Table

if TYPE_CHECKING:
    from banister.tables.domain import Domain

__all__ = ["Column", "Kind", "Schema", "Table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Everything that may be known before a single record is read."""

    tables: tuple[Table, ...]
    relation: Neighbours | None
    """The neighbours that the file names, or nothing."""
    budget: Guarantee | None
    ledger: str | None
    groups: int | None
    rows: int | None
    people: int | None
    public: tuple[PublicTable, ...] = ()
    """Tables that anybody may know; no engine reads them."""
    from_data: tuple[str, ...] = ()
    """What else of [source] its owner has taken from the data."""
    blanks: tuple[Blank, ...] = ()
    """What of the columns is still to be filled in."""
    indexing: bool = False
    """Whether a release makes the index that it gains from, and keeps it."""
    stream: StreamPeriods | None = field(default=None, repr=False)
    """The periods of counts that go on, or nothing. What else is asked does not depend on them."""

    @property
    def main(self) -> Table:
        """The table that questions call `data`."""
        return self.tables[0]

    @property
    def neighbours(self) -> Neighbours:
        """The relation that the guarantee is about, which has to be said."""
        if self.relation is None:
            raise BadValue(
                "[source] needs neighbours: 'add-remove' (one person more or less) or 'replace' (one person exchanged "
                "for another). The guarantee means nothing without it."
            )
        return self.relation

    def table(self, name: str) -> Table | PublicTable | None:
        """The table of that name, upper or lower case alike; the main one is `data`, and what its owner calls it."""
        wanted = name.lower()
        every: tuple[Table | PublicTable, ...] = (*self.tables, *self.public)
        for table in every:
            if table.name.lower() == wanted:
                return table
        return self.main if wanted in [own.lower() for own in self.main.own_names] else None

    def with_public(self, content: Mapping[str, Known]) -> "Schema":
        """The schema with the content of its public tables, checked: each key has to be there, and unique."""
        read = tuple(replace(table, known=table.checked(content[table.name])) for table in self.public)
        return replace(self, public=read)

    @property
    def domain(self) -> "Domain":
        """All records that could be in the main table, for publishing it whole."""
        return self.domain_of([column.name for column in self.main.columns])

    def domain_of(self, names: Sequence[str]) -> "Domain":
        """The records over some columns of the main table; only these need values, ranges or bins to be gone through.

        >>> schema = Schema.of_text('''
        ... [columns]
        ... smokes = { kind = "category", values = ["yes", "no"], nulls = false }
        ... age = { kind = "integer", range = [0, 99], bins = [0, 18, 65] }
        ... town = { kind = "category" }''')
        >>> schema.domain_of(["smokes", "age"]).shape
        (2, 4)
        """
        from banister.tables.domain import Domain

        refuse_blanks(tuple(b for b in self.blanks if any(b.section == f"column '{name}'" for name in names)))
        if not self.main.columns:
            raise BadValue("The schema needs a section [columns] with one line for each column that may be published.")
        return Domain.of_columns(self.main.columns, names, person=self.main.person, rules=self.main.rules)

    def for_questions(self) -> "Schema":
        """The schema, if it says all that questions need: where the table is, and whom the guarantee protects."""
        refuse_blanks(self.blanks)
        return self.for_looks()

    def for_looks(self) -> "Schema":
        """The schema, if it says all that a private look needs: as for questions, but columns may have blanks."""
        if not self.main.location:
            raise BadValue("[source] needs table, a text in quotes.")
        if self.budget is None and self.ledger is not None:
            raise BadValue("[budget] needs epsilon, a number.")
        _ = self.neighbours
        return self

    @classmethod
    def of_file(cls, path: str | Path) -> "Schema":
        """Read a `.toml` file; a frame says nothing of what a schema says."""
        if not isinstance(path, str | Path):
            raise BadValue(
                f"A {type(path).__name__} does not say whom the guarantee protects, nor what of its columns is public. "
                "Say so: bn.Table(frame, person='id', neighbours='add-remove', columns={'age': bn.Integer(0, 120)})."
            )
        place = Path(path)
        if not place.is_file():
            raise BadValue(
                f"The schema '{path}' cannot be read. Give the path of a .toml file that declares what is public about "
                'each column, e.g. [columns] smokes = { kind = "category", values = ["yes", "no"] }.'
            )
        return cls.of_text(read_text(place, "a schema", most_bytes=MOST_TOML))

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

    @classmethod
    def of_content(cls, content: Mapping[str, object]) -> "Schema":
        """Read what a `.toml` file would hold, as values; decimals are given as `Decimal`."""
        return _schema(Section("the schema", content))


def _schema(root: Section) -> Schema:
    blanks = blanks_in(root.content)
    if not all(blank.column for blank in blanks):
        refuse_blanks(blanks)
    root.only("source", "budget", "columns", "tables", "stream")
    source = root.optional("source")
    known = (
        "table",
        "name",
        "person",
        "through",
        "key",
        "neighbours",
        "rows",
        "groups",
        "people",
        "from_data",
        "index",
    )
    source.only(*known, *KEYS)
    main = _table("data", source, root, location=source.maybe("table") or "")
    sections = {
        name: root.section("tables", "").section(name, "table, person and columns") for name in root.names("tables")
    }
    public = [read_public(_known_words(one), name, read_rules(one)) for name, one in sections.items() if is_public(one)]
    private = {name: section for name, section in sections.items() if not is_public(section)}
    ways = {name: way for name, one in {"data": source, **private}.items() if (way := read_way(one)) is not None}
    others = [_other(section, name, ways) for name, section in private.items()]
    if others and main.person is None and "data" not in ways:
        raise BadValue("[tables] can be joined on the person key only, and [source] declares no person column.")
    budget = root.optional("budget")
    budget.only("epsilon", "delta", "ledger")
    tables = linked((main, *others), ways)
    return Schema(
        tables=tables,
        relation=relation(source),
        budget=_guarantee(budget),
        ledger=budget.maybe("ledger"),
        groups=source.whole("groups"),
        rows=source.whole("rows") if tables[0].person is not None else 1,
        people=source.whole("people"),
        public=tuple(public),
        from_data=tuple(str(word) for word in source.values("from_data") or ()),
        blanks=blanks,
        indexing=_indexing(source),
        stream=read_periods(root.optional("stream"), tables[0]),
    )


def _known_words(section: Section) -> Section:
    section.only("table", "name", "public", "key", "person", "through", "columns", "rows", "groups", *KEYS)
    return section


def _indexing(source: Section) -> bool:
    said = source.maybe("index")
    if said not in (None, "release", "command"):
        raise BadValue(
            f"[source] index = '{said}' must be 'release' (a release makes the index that it gains from) or 'command' "
            "(only `banister index` makes one)."
        )
    return said == "release"


def _guarantee(budget: Section) -> Guarantee | None:
    if not {"epsilon", "delta"} & set(budget.content):
        return None
    return Guarantee(budget.number("epsilon"), budget.number("delta", 0))


def _other(section: Section, name: str, ways: Mapping[str, PersonWay]) -> Table:
    section.only("table", "name", "public", "person", "through", "key", "rows", "groups", "columns", *KEYS)
    table = _table(name, section, section, location=section.text("table"))
    if table.person is None and name not in ways:
        raise BadValue(
            f"[tables.{name}] declares no person column; only tables with one can be joined. Say person, or through "
            'which table its person is found, e.g. through = "orders.order_id"; or public = true with a key.'
        )
    return table


def _table(name: str, section: Section, holder: Section, *, location: str) -> Table:
    columns = holder.section("columns", "one line for each column that may be used")
    return Table(
        name=name,
        location=location,
        inner=section.maybe("name"),
        person=section.maybe("person"),
        columns=read_columns(columns),
        rules=read_rules(section),
        rows=section.whole("rows"),
        groups=section.whole("groups"),
    )
