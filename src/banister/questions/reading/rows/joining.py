"""JOIN: what ties two relations together so that each row keeps its person."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from banister.questions.reading.place import only, refused
from banister.questions.reading.rows.lookups import Lookup
from banister.questions.reading.rows.members import conjuncts
from banister.questions.reading.scope import Field, Scope
from banister.questions.reading.values.expressions import condition
from banister.questions.relation import ALWAYS, Joined, LookedUp, Relation, Side
from banister.questions.terms import And, Condition, Linked
from banister.tables.table import Table

Fields = tuple[Field, ...]
Pair = tuple[exp.Expr, exp.Expr]

TIE = "Join ON a.person = b.person, or on a key that `through` declares."


@dataclass(frozen=True, slots=True)
class Tie:
    """What ON says: whether the person is compared, by which declared key besides, and what else must hold."""

    person: bool
    keys: tuple[Condition, ...]
    parent: Table | None
    rest: tuple[exp.Expr, ...]


def joined(left: Relation, fields: Fields, right: Relation, more: Fields, join: exp.Join) -> tuple[Relation, Fields]:
    """Two private relations, joined on their person; a declared key between a table and its child implies it."""
    side = _side(join)
    if side == "RIGHT":
        left, fields, right, more, side = right, more, left, fields, "LEFT"
    tie = _tie(join, fields, more)
    if not tie.person and not tie.keys:
        raise refused(
            join,
            "tables can be joined on the person key only: another key would mix the rows of several people.",
            TIE,
        )
    whole = Scope(fields + more)
    on = _all([*tie.keys, *(condition(one, whole) for one in tie.rest)])
    if side == "FULL":
        if on != ALWAYS:
            raise refused(join, "FULL JOIN is understood on the person alone.", TIE)
        names = dict.fromkeys(field.name for field in fields + more if field.person)
        both = tuple(_maybe_missing(field) for field in fields + more)
        merged = tuple(Field("", name, None, person=True) for name in names)
        return Joined(left, right, Side.FULL), (*both, *merged)
    if side == "LEFT":
        more = tuple(_maybe_missing(field) for field in more)
    return Joined(left, right, Side.LEFT if side == "LEFT" else Side.INNER, on, tie.parent), fields + more


def looked_up(source: Relation, fields: Fields, lookup: Lookup, join: exp.Join) -> tuple[Relation, Fields]:
    """A private relation whose rows look up a public one."""
    pairs: list[exp.Expr] = []
    left, right = Scope(fields), Scope(lookup.fields)
    if join.args.get("using"):
        using = join.args["using"]
        pairs = [exp.EQ(this=_named(name, fields), expression=_named(name, lookup.fields)) for name in using]
    else:
        pairs = _conjuncts(join.args.get("on"))
    names: list[str] = []
    for pair in pairs:
        a: exp.Expr | None = pair.this if isinstance(pair, exp.EQ) else None
        b: exp.Expr | None = pair.expression if isinstance(pair, exp.EQ) else None
        if isinstance(a, exp.Column) and right.sees(a) and not (a.table == "" and left.sees(a)):
            a, b = b, a
        found = right.find(b).leaf if isinstance(b, exp.Column) and right.sees(b) else None
        if found is None or a is None or any(right.sees(c) and not left.sees(c) for c in a.find_all(exp.Column)):
            raise refused(
                join,
                f"the public table '{lookup.owner}' is looked up by its key, column = column.",
                "Write further conditions behind WHERE.",
            )
        names.append(found.column.name)
    if not names or not lookup.known.unique(names):
        raise refused(
            join,
            f"in '{lookup.owner}' several rows can have the same {', '.join(names) or 'key'}, so a row would count "
            "several times.",
            f"Join on its whole key{': ' + ', '.join(lookup.key) if lookup.key else ''}.",
        )
    on = _all([condition(pair, Scope(fields + lookup.fields)) for pair in pairs])
    outer = _side(join) == "LEFT"
    if _side(join) not in ("", "LEFT"):
        raise refused(join, "rows of a public table belong to nobody.", "Write JOIN, or LEFT JOIN from your table.")
    more = tuple(_maybe_missing(field) for field in lookup.fields) if outer else lookup.fields
    columns = tuple(column.name for column in lookup.known.columns)
    return LookedUp(source, lookup.known, columns, on, outer, lookup.alias), fields + more


def flipped(join: exp.Join) -> exp.Join:
    """The same join seen from its other side."""
    sides = {"LEFT": "RIGHT", "RIGHT": "LEFT"}
    found = join.copy()
    found.set("side", sides.get((join.args.get("side") or "").upper(), join.args.get("side")))
    return found


def _side(join: exp.Join) -> str:
    only(join, "this", "on", "using", "side", "kind")
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    if kind not in ("", "INNER", "OUTER"):
        raise refused(join, "only JOIN, LEFT, RIGHT and FULL JOIN are understood.")
    if not join.args.get("on") and not join.args.get("using"):
        raise refused(join, "nothing says what ties these tables together.", TIE)
    return side


def _tie(join: exp.Join, left: Fields, right: Fields) -> Tie:
    using = join.args.get("using")
    if using:
        parts: list[exp.Expr] = [exp.EQ(this=_named(name, left), expression=_named(name, right)) for name in using]
    else:
        parts = _conjuncts(join.args.get("on"))
    person, rest = False, []
    keys: list[Condition] = []
    parent: Table | None = None
    for part in parts:
        sides = _sides(part, left, right)
        if sides is not None and Scope(left).is_person(sides[0]) and Scope(right).is_person(sides[1]):
            person = True
            continue
        key = None if sides is None else _key(sides, left, right)
        if key is None:
            rest.append(part)
        else:
            keys.append(key[0])
            parent = key[1]
    return Tie(person, tuple(keys), parent, tuple(rest))


def _key(sides: Pair, left: Fields, right: Fields) -> tuple[Condition, Table] | None:
    """The equality of a declared key with that of a child, and the parent; None for any other."""
    if not (isinstance(sides[0], exp.Column) and isinstance(sides[1], exp.Column)):
        return None
    a, b = Scope(left).find(sides[0]), Scope(right).find(sides[1])
    if a.link is None or b.link is None or a.absent or b.absent:
        return None
    for parent, child in ((a.link, b.link), (b.link, a.link)):
        through = child.table.through
        if through is None or through.parent.name != parent.table.name:
            continue
        if (through.key, through.own) == (parent.column, child.column):
            return Linked(a.link.alias, a.link.column, b.link.alias, b.link.column), parent.table
    return None


def _sides(part: exp.Expr, left: Fields, right: Fields) -> Pair | None:
    """The two sides of an equality of which one is seen on the left alone and the other on the right alone."""
    if not isinstance(part, exp.EQ):
        return None
    for a, b in ((part.this, part.expression), (part.expression, part.this)):
        if _seen(a, left, right) and _seen(b, right, left):
            return a, b
    return None


def _seen(node: exp.Expr, here: Fields, there: Fields) -> bool:
    columns = list(node.find_all(exp.Column))
    return bool(columns) and all(bool(c.table) and Scope(here).sees(c) and not Scope(there).sees(c) for c in columns)


def _named(name: exp.Expr, fields: Fields) -> exp.Column:
    """A column behind USING, with the table that has it."""
    found = [field for field in fields if field.name.lower() == name.name.lower()]
    if not found:
        raise refused(name, "this is no column of both tables.")
    owner = next((field for field in found if not field.absent), found[0]).owner
    column = exp.column(name.name, table=owner or None)
    column.this.meta.update(name.meta)
    return column


def _conjuncts(node: exp.Expr | None) -> list[exp.Expr]:
    return [] if node is None else conjuncts(node)


def _all(parts: Sequence[Condition]) -> Condition:
    found: Condition = ALWAYS
    for part in parts:
        found = part if found == ALWAYS else And(found, part)
    return found


def _maybe_missing(found: Field) -> Field:
    """The field as it is seen on a side of an outer join that may find nothing."""
    if found.leaf is None:
        return replace(found, absent=True)
    column = replace(found.leaf.column, nulls=True)
    return replace(found, leaf=replace(found.leaf, column=column), absent=True)
