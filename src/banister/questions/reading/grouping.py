"""ROLLUP, CUBE and GROUPING SETS: one question with totals is several questions, from the finest to the coarsest."""

import itertools
from collections.abc import Callable, Sequence

from sqlglot import exp

from banister.questions.aggregates import Shelf
from banister.questions.reading.calls import names_of
from banister.questions.reading.place import only, refused

SETS_LIMIT = 64
"""Groupings that one SELECT may ask for."""

Keys = tuple[exp.Expr, ...]
Resolve = Callable[[exp.Expr, exp.Select], exp.Expr]
"""The expression that a GROUP BY entry means: a number or a name may stand for an item of SELECT."""


def expanded(tree: exp.Select, resolve: Resolve) -> list[exp.Select]:
    """The questions that one SELECT asks, each with a plain GROUP BY; the items that are not grouped by fall away."""
    group = tree.args.get("group")
    if group is None or not any(isinstance(key, exp.Rollup | exp.Cube | exp.GroupingSets) for key in _all(group)):
        return [tree]
    for part in ("order", "limit"):
        if tree.args.get(part) is not None:
            raise refused(
                tree.args[part],
                "each grouping is a table of its own, and one order does not fit them all.",
                "Sort the released answers.",
            )
    sets = [_resolved(keys, tree, resolve) for keys in _sets(group)]
    if len(sets) > SETS_LIMIT:
        raise refused(group, f"this asks for {len(sets)} groupings; up to {SETS_LIMIT} are answered.")
    everything = {key.sql().lower() for keys in sets for key in keys}
    unique = {tuple(key.sql().lower() for key in keys): keys for keys in sets}
    return [_grouped(tree, keys, everything - set(names)) for names, keys in unique.items()]


def by_all(tree: exp.Select, shelf: Shelf) -> exp.Select:
    """The SELECT with GROUP BY ALL written out: by every item, by its number, in which no aggregate stands."""
    group = tree.args.get("group")
    if group is None or group.args.get("all") is not True:
        return tree
    only(group, "all")
    names = {name for kind in shelf for name in kind.names}
    keys = [
        exp.Literal.number(place)
        for place, item in enumerate(tree.expressions, start=1)
        if not any(isinstance(part, exp.AggFunc) or not names.isdisjoint(names_of(part)) for part in item.walk())
    ]
    made = tree.copy()
    made.set("group", exp.Group(expressions=keys) if keys else None)
    return made


def _all(group: exp.Group) -> list[exp.Expr]:
    """All that is grouped by; WITH ROLLUP and WITH CUBE stand beside the keys that they are about."""
    return [*group.expressions, *(group.args.get("rollup") or []), *(group.args.get("cube") or [])]


def _sets(group: exp.Group) -> list[Keys]:
    plain = tuple(group.expressions)
    if group.args.get("rollup"):
        return _prefixes(plain)
    if group.args.get("cube"):
        return _subsets(plain)
    choices = [_choices(key) for key in plain]
    return [tuple(itertools.chain(*choice)) for choice in itertools.product(*choices)]


def _choices(key: exp.Expr) -> list[Keys]:
    match key:
        case exp.Rollup():
            return _prefixes(key.expressions)
        case exp.Cube():
            return _subsets(key.expressions)
        case exp.GroupingSets():
            return [_together(one) for one in key.expressions]
    return [(key,)]


def _together(one: exp.Expr) -> Keys:
    if isinstance(one, exp.Tuple):
        return tuple(one.expressions)
    return (one.this if isinstance(one, exp.Paren) else one,)


def _prefixes(keys: Sequence[exp.Expr]) -> list[Keys]:
    parts = [_together(key) for key in keys]
    return [tuple(itertools.chain(*parts[:size])) for size in range(len(parts), -1, -1)]


def _subsets(keys: Sequence[exp.Expr]) -> list[Keys]:
    parts = [_together(key) for key in keys]
    sizes = range(len(parts), -1, -1)
    return [tuple(itertools.chain(*some)) for size in sizes for some in itertools.combinations(parts, size)]


def _resolved(keys: Keys, tree: exp.Select, resolve: Resolve) -> Keys:
    return tuple(resolve(key, tree) for key in keys)


def _grouped(tree: exp.Select, keys: Keys, dropped: set[str]) -> exp.Select:
    """The SELECT with these keys alone."""
    made = tree.copy()
    items = [item for item in made.expressions if item.unalias().sql().lower() not in dropped]
    made.set("expressions", items)
    made.set("group", exp.Group(expressions=[key.copy() for key in keys]) if keys else None)
    return made
