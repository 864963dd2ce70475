"""Tables whose rows find their person through the rows of another: `through = "orders.order_id"`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from banister.errors import BadValue
from banister.tables.reading import Section
from banister.tables.table import Table, Through


@dataclass(frozen=True, slots=True)
class PersonWay:
    """What a section says about its parent: the parent's name, its key, and the column here that holds that key."""

    title: str
    parent: str
    key: str
    own: str


def read_way(section: Section) -> PersonWay | None:
    """The way to the person that a section of a table declares; None where it declares none."""
    text, own = section.maybe("through"), section.maybe("key")
    if text is None:
        if own is not None:
            raise BadValue(f'key in {section.title} is the column that `through` compares; say through = "orders.id".')
        return None
    parent, dot, key = text.rpartition(".")
    if not dot or not parent or not key:
        raise BadValue(f"through = {text!r} in {section.title} must be a table and its key, such as 'orders.order_id'.")
    if section.maybe("person") is not None:
        raise BadValue(f"{section.title} declares person and through. A row's person is found in one of two ways.")
    return PersonWay(section.title, parent, key, own or key)


def linked(tables: Sequence[Table], ways: Mapping[str, PersonWay]) -> tuple[Table, ...]:
    """The tables with their parents and the columns that tie them together; refuses a way that leads to nobody."""
    done: dict[str, Table] = {}
    keys: dict[str, list[str]] = {table.name: [] for table in tables}
    for way in ways.values():
        keys[_parent(way, tables).name].append(way.key)

    def found(table: Table, before: tuple[str, ...]) -> Table:
        if table.name in before:
            circle = " -> ".join((*before[before.index(table.name) :], table.name))
            raise BadValue(f"through goes in a circle, and reaches no person: {circle}. One of them needs person.")
        if table.name in done:
            return done[table.name]
        way = ways.get(table.name)
        made = replace(table, links=tuple(dict.fromkeys(keys[table.name])))
        if way is not None:
            parent = found(_parent(way, tables), (*before, table.name))
            links = tuple(dict.fromkeys((way.own, *made.links)))
            made = replace(made, person=parent.person, through=Through(parent, way.key, way.own), links=links)
            if parent.person is None:
                raise BadValue(f"{way.title} goes through '{parent.name}', which has no person. Declare person there.")
        done[table.name] = made
        return made

    return tuple(found(table, ()) for table in tables)


def _parent(way: PersonWay, tables: Sequence[Table]) -> Table:
    named = {table.name.lower(): table for table in tables}
    for own in tables[0].own_names:
        named.setdefault(own.lower(), tables[0])
    if way.parent.lower() not in named:
        raise BadValue(
            f"{way.title} goes through '{way.parent}', which is no declared table. Declared are: "
            f"{', '.join(table.name for table in tables)}."
        )
    return named[way.parent.lower()]
