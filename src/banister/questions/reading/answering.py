"""The columns of an answer, from SELECT, HAVING, ORDER BY and LIMIT: aggregates, and what is made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sqlglot import exp

from banister.questions.after import (
    After,
    Both,
    ByAnswer,
    ByGroup,
    Combined,
    Compared,
    Constant,
    Either,
    HeldWithin,
    Made,
    Named,
    Opposite,
    Rounded,
    Size,
    Sorting,
    Test,
    names_in,
)
from banister.questions.aggregates import Shelf, output
from banister.questions.question import Output
from banister.questions.reading.calls import names_of
from banister.questions.reading.filtering import unfiltered
from banister.questions.reading.naming import check_names, default_name, free_name
from banister.questions.reading.place import only, refused, written_number, written_whole
from banister.questions.reading.scope import Scope
from banister.questions.reading.together import TOGETHER, correlation, slope
from banister.questions.reading.values.expressions import SIGNS
from banister.questions.terms import Unit

COMBINED: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}

DIGITS_LIMIT = 15
"""Decimal digits to which an answer may be rounded; a double has no more."""

LARGEST = Fraction(10**100)
"""Numbers in arithmetic on answers stay far from the ends of doubles."""

FRACTIONS = ("double", "float", "decimal")
"""Types to which an answer may be cast: it is such a number already."""


@dataclass(slots=True)
class Answering:
    """The answers of one SELECT while it is read. An aggregate that stands in several places is asked for once."""

    scope: Scope
    shelf: Shelf
    keys: Mapping[str, str]
    """The names of the groups, by the texts of their expressions."""
    taken: list[str]
    outputs: list[Output] = field(default_factory=list)
    made: dict[str, Made] = field(default_factory=dict)

    def add(self, named: Sequence[tuple[str, exp.Expr]]) -> None:
        """Take the items of SELECT that are no groups; what is made of answers comes after the answers themselves."""
        plain = [(name, node) for name, node in named if not self._is_made(node)]
        self.outputs += [output(node, name, self.scope, self.shelf) for name, node in plain]
        for name, node in named:
            if self._is_made(node):
                found = self.number(node, alias=False)
                if not any(names_in(found)):
                    raise refused(node, "this is known without the table.", "Ask e.g. COUNT(*).")
                self.made[name] = found
        check_names(list(self.keys.values()), [name for name, _ in named])

    def after(self, tree: exp.Select, columns: Sequence[str]) -> After:
        """What is done after the draw. Aggregates that only stand there are asked for, and not shown."""
        having, order, limit = (tree.args.get(name) for name in ("having", "order", "limit"))
        return After(
            made=tuple(self.made.items()),
            having=None if having is None else self._test(having.this),
            order=() if order is None else tuple(self._sorting(one, columns) for one in order.expressions),
            limit=None if limit is None else _limit(limit),
        )

    def number(self, node: exp.Expr, *, alias: bool = True) -> Made:
        """A number made of answers; behind SELECT an answer may also be called by its name."""
        sign = COMBINED.get(type(node))
        if sign is not None:
            right = _divisor(node.expression) if sign == "/" else node.expression
            return Combined(sign, self.number(node.this, alias=alias), self.number(right, alias=alias))
        match node:
            case exp.Paren():
                return self.number(node.this, alias=alias)
            case exp.Literal() if not node.is_string:
                return _constant(node)
            case exp.Neg():
                return Combined("*", Constant(Fraction(-1)), self.number(node.this, alias=alias))
            case exp.Abs():
                return Size(self.number(node.this, alias=alias))
            case exp.Round():
                only(node, "this", "decimals")
                return Rounded(self.number(node.this, alias=alias), _digits(node))
            case exp.Cast() if node.to.is_type(*FRACTIONS):
                return self.number(node.this, alias=alias)
            case exp.Filter() if isinstance(node.this, TOGETHER):
                return self.number(unfiltered(node), alias=alias)
            case exp.Corr():
                return HeldWithin(self.number(correlation(node, self.scope), alias=alias), -1, 1)
            case exp.RegrSlope():
                return self.number(slope(node, self.scope), alias=alias)
        return self._answer(node, alias=alias)

    def _answer(self, node: exp.Expr, *, alias: bool) -> Made:
        if node.sql().lower() in self.keys:
            raise refused(node, "this is a group, and no answer to compute with.", "Filter groups in WHERE.")
        if alias and isinstance(node, exp.Column) and not node.table:
            if node.name in self.made:
                return self.made[node.name]
            named = next((one for one in self.outputs if one.name == node.name), None)
            if named is not None:
                return self._no_date(node, named)
        found = output(node, free_name(default_name(node), self.taken), self.scope, self.shelf)
        same = next((one for one in self.outputs if one.aggregate == found.aggregate), None)
        if same is None:
            self.outputs.append(found)
            self.taken.append(found.name)
        return self._no_date(node, same or found)

    def _no_date(self, node: exp.Expr, found: Output) -> Named:
        if found.aggregate.unit() is not Unit.NUMBER:
            raise refused(
                node, "this answer is a date, and a number is needed.", "Compute it from the released answers."
            )
        return Named(found.name)

    def _is_made(self, node: exp.Expr) -> bool:
        """Whether an item is arithmetic on answers; a call on the shelf is an answer itself."""
        if isinstance(node.this if isinstance(node, exp.Filter) else node, TOGETHER):
            return True
        shelved = any(not names_of(node).isdisjoint(kind.names) for kind in self.shelf)
        known = type(node) in COMBINED or isinstance(node, exp.Paren | exp.Neg | exp.Abs | exp.Round | exp.Cast)
        return known and not shelved

    def _test(self, node: exp.Expr) -> Test:
        sign = SIGNS.get(type(node))
        if sign is not None:
            return Compared(sign, self.number(node.this), self.number(node.expression))
        match node:
            case exp.Paren():
                return self._test(node.this)
            case exp.And():
                return Both(self._test(node.this), self._test(node.expression))
            case exp.Or():
                return Either(self._test(node.this), self._test(node.expression))
            case exp.Not():
                return Opposite(self._test(node.this))
            case exp.Between():
                only(node, "this", "low", "high")
                middle, low, high = (self.number(part) for part in (node.this, node.args["low"], node.args["high"]))
                return Both(Compared(">=", middle, low), Compared("<=", middle, high))
        raise refused(node, "HAVING compares answers with = <> < <= > >=, BETWEEN, AND, OR, NOT.")

    def _sorting(self, node: exp.Expr, columns: Sequence[str]) -> Sorting:
        only(node, "this", "desc", "nulls_first")
        key, descending = node.this, bool(node.args.get("desc"))
        if isinstance(key, exp.Literal) and not key.is_string:
            place = written_whole(key)
            if place is None or not 1 <= place <= len(columns):
                raise refused(key, f"SELECT has {len(columns)} columns.")
            key = exp.column(columns[place - 1])
        group = self.keys.get(key.sql().lower())
        if group is None and isinstance(key, exp.Column) and not key.table and key.name in self.keys.values():
            group = key.name
        if group is not None:
            return ByGroup(group, descending)
        if isinstance(key, exp.Column) and not key.table and key.name in [one.name for one in self.outputs]:
            return ByAnswer(Named(key.name), descending)  # Dates too: they have an order.
        return ByAnswer(self.number(key), descending)


def _digits(node: exp.Round) -> int:
    digits = node.args.get("decimals")
    if digits is None:
        return 0
    found = written_whole(digits)
    if found is not None and found <= DIGITS_LIMIT:
        return found
    raise refused(node, f"an answer is rounded to 0 to {DIGITS_LIMIT} digits.")


def _limit(node: exp.Expr) -> int:
    if isinstance(node, exp.Limit):
        only(node, "expression")
        count = written_whole(node.expression)
        if count is not None and count > 0:
            return count
    raise refused(node, "LIMIT takes a whole number above 0.")


def _divisor(node: exp.Expr) -> exp.Expr:
    """What divides; NULLIF(x, 0) is x there, because a division by 0 is missing anyway."""
    if isinstance(node, exp.Nullif) and isinstance(node.expression, exp.Literal) and node.expression.name == "0":
        found: exp.Expr = node.this
        return found
    return node


def _constant(node: exp.Literal) -> Constant:
    value = written_number(node)
    if abs(value) > LARGEST:
        raise refused(node, "this number is too large to compute with.")
    return Constant(value)
