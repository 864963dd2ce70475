"""SQL expressions, turned into bounded terms. What is not on the list is refused."""

import re
from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from banister.questions import periods as dates
from banister.questions import terms
from banister.questions.reading.limits import LISTED_LIMIT, check_size
from banister.questions.reading.place import only, placed, refused, written_number
from banister.questions.reading.scope import Scope
from banister.questions.reading.values.dates import (
    MADE_A_DATE,
    PART,
    beside,
    between,
    cast_to,
    length_of,
    part_of,
    written_day,
    written_moment,
    written_time,
)
from banister.questions.reading.values.division import away_from_zero, divided
from banister.questions.reading.values.functions import CURVED, argument, curved, sign, without
from banister.questions.reading.values.rounding import ROUNDED, rounded, to_unit, unit_of
from banister.questions.reading.values.unknown import unknown
from banister.questions.terms import And, Boolean, Condition, In, IsNull, Leaf, Not, Or, Quantity, SameValue, Whole
from banister.tables.reading import Value
from banister.tables.schema import Kind

SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}

CONDITIONS = (*SIGNS, exp.And, exp.Or, exp.Not, exp.Is, exp.Between, exp.In, exp.Like)
"""What is true, false or missing, by its form."""


def quantity(node: exp.Expr, scope: Scope) -> Quantity:
    """The bounded number or date that an expression is."""
    with placed(node):
        return _quantity(node, scope)


def _quantity(node: exp.Expr, scope: Scope) -> Quantity:
    match node:
        case exp.Paren():
            only(node, "this")
            return quantity(node.this, scope)
        case exp.Literal() if not node.is_string:
            return terms.constant(written_number(node))
        case exp.Literal():
            day = written_day(node)
            return terms.moment(written_moment(node)) if day is None else terms.date(day)
        case exp.Null():
            return terms.NULL
        case exp.Column():
            return _column(node, scope)
        case exp.Neg():
            return terms.scaled(quantity(node.this, scope), Fraction(-1))
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Mod():
            return _arithmetic(node, scope)
        case exp.Abs():
            return terms.absolute(quantity(node.this, scope))
        case exp.Least() | exp.Greatest():
            only(node, "this", "expressions", "ignore_nulls")
            name = "LEAST" if isinstance(node, exp.Least) else "GREATEST"
            return terms.least_or_greatest(name, [quantity(part, scope) for part in (node.this, *node.expressions)])
        case exp.Coalesce():
            only(node, "this", "expressions")
            return terms.coalesce([quantity(part, scope) for part in (node.this, *node.expressions)])
        case exp.Case() | exp.If():
            return _cases(node, scope)
        case exp.Sign():
            return sign(quantity(node.this, scope))
        case exp.Nullif():
            return without(node, quantity(node.this, scope), quantity(node.expression, scope))
        case _ if isinstance(node, CURVED | exp.Div):
            return _in_steps(node, scope, None)
        case _ if isinstance(node, ROUNDED):
            inner = node.this.unnest()
            if isinstance(node, exp.Round) and isinstance(inner, CURVED | exp.Div):
                return _in_steps(inner, scope, unit_of(node))  # What has no step of its own takes that of ROUND.
            return _checked(node, rounded(node, quantity(node.this, scope)))
        case exp.Cast() if node.to.is_type(*exp.DataType.INTEGER_TYPES) and _says_truth(node.this):
            return truth(node.this, scope)
        case _ if isinstance(node, MADE_A_DATE):
            return _made(node, cast_to(node), scope)
        case _ if isinstance(node, PART):
            name, of = part_of(node)
            if name in dates.CLOCK_PARTS:
                return _checked(node, dates.clock_part(with_time(node, quantity(of, scope)), name))
            return _checked(node, dates.part(date(of, scope), name))
        case exp.DateDiff():
            return _between_dates(node, scope)
    raise unknown(node)


def date(node: exp.Expr, scope: Scope) -> Quantity:
    """The bounded date that an expression is; of a timestamp its day."""
    found = dated(node, scope)
    return dates.day_of(found) if found.moment else found


def dated(node: exp.Expr, scope: Scope) -> Quantity:
    """The bounded date or timestamp that an expression is."""
    found = quantity(node, scope)
    if not (found.date or found.moment):
        raise refused(node, "this is no date.", 'Declare the column with kind = "date" or "timestamp".')
    return found


def with_time(node: exp.Expr, found: Quantity) -> Quantity:
    """The same, if it has a time of day."""
    if not found.moment:
        raise refused(node, "this has no time of day.", 'Declare the column with kind = "timestamp".')
    return found


def _made(node: exp.Expr, to: str, scope: Scope) -> Quantity:
    """What CAST gives: the day of a timestamp, its time in seconds since midnight, or a day's beginning."""
    if to == "date":
        return date(node.this, scope)
    if to == "time":
        if isinstance(node.this, exp.Literal):
            return terms.constant(Fraction(written_time(node.this)))
        return _checked(node, dates.time_of(with_time(node, quantity(node.this, scope))))
    found = dated(node.this, scope)
    return terms.midnight(found) if found.date else found


def _between_dates(node: exp.DateDiff, scope: Scope) -> Quantity:
    """How often a clock or a calendar goes on between two dates, which is what DATEDIFF counts."""
    later, earlier, unit = between(node)
    if unit == "day":
        return terms.minus(date(later, scope), date(earlier, scope))
    sides = [with_time(side, quantity(side, scope)) for side in (later, earlier)]
    if unit != "second":
        sides = [dates.clock_period(side, unit) for side in sides]
    return _checked(node, terms.minus(*sides))


def number(node: exp.Expr, scope: Scope) -> Quantity:
    """The bounded number that is added up."""
    found = quantity(node, scope)
    if found.date or found.moment:
        counted = "days" if found.date else "seconds"
        raise refused(
            node,
            "dates cannot be added up.",
            f"Ask for MEDIAN({node.sql()}), or count {counted} from one of yours: {node.sql()} - DATE '2020-01-01'.",
        )
    return found


def _column(node: exp.Column, scope: Scope) -> Quantity:
    leaf = scope.leaf(node)
    if leaf.column.kind is Kind.CATEGORY:
        raise refused(node, "a category is not a number.", "Compare it with a value, or group by it.")
    return terms.column(leaf)


def _arithmetic(node: exp.Expr, scope: Scope) -> Quantity:
    left, right = quantity(node.this, scope), _added(node, scope)
    match node:
        case exp.Add():
            return terms.plus(left, right)
        case exp.Sub():
            return terms.minus(left, right)
    left, right = terms.number(left), terms.number(right)
    if isinstance(node, exp.Mul):
        for a, b in ((left, right), (right, left)):
            if isinstance(b.term, Whole):
                return terms.scaled(a, b.term.value * b.step)
        return terms.times(left, right)
    if not isinstance(right.term, Whole) or right.term.value == 0:
        raise refused(node, "MOD needs a constant divisor above 0.")
    return terms.modulo(left, right.term.value * right.step)


def _added(node: exp.Expr, scope: Scope) -> Quantity:
    """What is added or taken away: an INTERVAL is a number of days for a date, of seconds for a timestamp."""
    if isinstance(node.expression, exp.Interval) and isinstance(node, exp.Add | exp.Sub):
        when = dated(node.this, scope)
        return terms.constant(Fraction(length_of(node.expression, seconds=when.moment)))
    return quantity(node.expression, scope)


def _says_truth(node: exp.Expr) -> bool:
    """Whether this is a condition by its form."""
    return isinstance(node.unnest(), CONDITIONS)


def truth(node: exp.Expr, scope: Scope) -> Quantity:
    """1 where a condition is true, 0 where it is false, and missing where it is neither."""
    holds = condition(node, scope)
    found = terms.case_when([holds, Not(holds)], [terms.constant(Fraction(1)), terms.constant(Fraction(0))], terms.NULL)
    return _checked(node, found)


def _in_steps(node: "CURVED | exp.Div", scope: Scope, step: Fraction | None) -> Quantity:
    """A division or a function, which are in steps that are asked for by ROUND, or of their own."""
    if not isinstance(node, exp.Div):
        exponent = quantity(node.expression, scope) if isinstance(node, exp.Pow) else None
        return _checked(node, curved(node, quantity(argument(node), scope), exponent, step))
    left, right = (terms.number(quantity(part, scope)) for part in (node.this, node.expression))
    if not isinstance(right.term, Whole):
        return _checked(node, away_from_zero(node, left, right, scope, step))
    if right.term.value == 0:
        raise refused(node, "this divides by 0.")
    found = divided(node, left, right.term.value * right.step, scope)
    return _checked(node, found if step is None else to_unit(found, step))


def _checked(node: exp.Expr, found: Quantity) -> Quantity:
    """The same, where writing a part of it several times has not made it too large."""
    check_size(node, found.term)
    return found


def _cases(node: exp.Expr, scope: Scope) -> Quantity:
    branches, default = branches_of(node)
    return terms.case_when(
        [condition(when, scope) for when, _ in branches],
        [quantity(value, scope) for _, value in branches],
        quantity(default, scope),
    )


def branches_of(node: exp.Expr) -> tuple[list[tuple[exp.Expr, exp.Expr]], exp.Expr]:
    """The conditions of CASE or IF, each with what stands behind it, and what stands behind ELSE.

    CASE x WHEN 1 THEN ... is CASE WHEN x = 1 THEN ...
    """
    parts = [node] if isinstance(node, exp.If) else node.args["ifs"]
    default = node.args.get("false") if isinstance(node, exp.If) else node.args.get("default")
    whom = node.this if isinstance(node, exp.Case) else None
    branches = [
        (part.this if whom is None else exp.EQ(this=whom.copy(), expression=part.this), part.args["true"])
        for part in parts
    ]
    return branches, exp.Null() if default is None else default


def condition(node: exp.Expr, scope: Scope) -> Condition:
    """The condition that an expression is, with SQL's three-valued logic kept as it stands."""
    with placed(node):
        return _condition(node, scope)


def _condition(node: exp.Expr, scope: Scope) -> Condition:
    match node:
        case exp.Paren():
            return condition(node.this, scope)
        case exp.And():
            return And(condition(node.this, scope), condition(node.expression, scope))
        case exp.Or():
            return Or(condition(node.this, scope), condition(node.expression, scope))
        case exp.Not():
            return Not(condition(node.this, scope))
        case exp.Boolean():
            return Boolean(bool(node.this))
        case exp.Is():
            return _is_null(node, scope)
        case exp.Between():
            return _between(node, scope)
        case exp.In():
            return _in(node, scope)
        case exp.Like():
            return _like(node, scope)
        case exp.Exists():
            return _among(node, scope)
    sign = SIGNS.get(type(node))
    if sign is None:
        raise unknown(node)
    return _comparison(node, sign, scope)


def _is_null(node: exp.Expr, scope: Scope) -> Condition:
    if not isinstance(node.expression, exp.Null):
        raise refused(node, "only IS NULL and IS NOT NULL are understood.", "Write column = TRUE.")
    return IsNull(_leaf_or_term(node.this, scope))


def _leaf_or_term(node: exp.Expr, scope: Scope) -> terms.Term:
    return scope.leaf(node) if isinstance(node, exp.Column) else quantity(node, scope).term


def _between(node: exp.Expr, scope: Scope) -> Condition:
    only(node, "this", "low", "high")
    middle = quantity(node.this, scope)
    low, high = (quantity(beside(node.this, node.args[end]), scope) for end in ("low", "high"))
    return And(terms.compare(">=", middle, low), terms.compare("<=", middle, high))


def _comparison(node: exp.Expr, sign: str, scope: Scope) -> Condition:
    left, right = node.this, node.expression
    if isinstance(left, exp.Null) or isinstance(right, exp.Null):
        raise refused(node, "a comparison with NULL is never true.", "Write IS NULL or IS NOT NULL.")
    for a, b in ((left, right), (right, left)):
        leaf = _category(a, scope)
        if leaf is not None:
            if sign not in ("=", "<>"):
                raise refused(node, "categories have no order.", "Compare with = or <>, or list values with IN.")
            other = _other_category(b, scope)
            found: Condition = In(leaf, (_value(b, leaf),)) if other is None else SameValue(leaf, other)
            return found if sign == "=" else Not(found)
    return terms.compare(sign, quantity(beside(right, left), scope), quantity(beside(left, right), scope))


def _other_category(node: exp.Expr, scope: Scope) -> Leaf | None:
    """A column that a category can be compared with: another one, or the whole numbers of a public table."""
    if not isinstance(node, exp.Column):
        return None
    leaf = scope.leaf(node)
    whole = leaf.ready and leaf.column.kind is Kind.INTEGER
    return leaf if whole or leaf.column.kind is Kind.CATEGORY else None


def _among(node: exp.Expr, scope: Scope) -> Condition:
    """IN (SELECT ...) and EXISTS, where the SELECT that they stand in can answer them."""
    if scope.members is None:
        raise refused(node, "a subquery is not understood here.", "Write it behind WHERE.")
    return scope.members.holds(node, scope)


def _in(node: exp.Expr, scope: Scope) -> Condition:
    if node.args.get("query") is not None:
        only(node, "this", "query")
        return _among(node, scope)
    only(node, "this", "expressions")
    if not node.expressions:
        raise refused(node, "IN needs a list of values.")
    leaf = _category(node.this, scope)
    if leaf is not None:
        return In(leaf, tuple(_value(item, leaf) for item in node.expressions))
    middle = quantity(node.this, scope)
    pairs = [terms.same_step(middle, quantity(item, scope)) for item in node.expressions]
    # What lies outside the range is never met; one is kept, as a missing value is in no list and out of none.
    met = [pair for pair in pairs if pair[0].low <= pair[1].high and pair[1].low <= pair[0].high] or pairs[:1]
    if len(met) > LISTED_LIMIT:
        raise refused(node, f"this list has more than {LISTED_LIMIT} numbers.", "Write BETWEEN low AND high.")
    return _any_of([terms.compare("=", *pair) for pair in met])


def _any_of(parts: Sequence[Condition]) -> Condition:
    """One of them holds; halved again and again, so that a long list is not as deep as it is long."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return Or(_any_of(parts[:half]), _any_of(parts[half:]))


def _like(node: exp.Expr, scope: Scope) -> Condition:
    leaf = _category(node.this, scope)
    pattern = node.expression
    if leaf is None or leaf.column.values is None or not (isinstance(pattern, exp.Literal) and pattern.is_string):
        raise refused(node, "LIKE needs a category with declared values and a pattern in quotes.")
    parts = {"%": ".*", "_": "."}
    text = re.compile("".join(parts.get(letter, re.escape(letter)) for letter in pattern.name), re.DOTALL)
    found = tuple(v for v in leaf.column.values if isinstance(v, str) and text.fullmatch(v))
    # A missing value is neither like nor unlike: IN keeps it missing, also with an empty list.
    return In(leaf, found)


def _category(node: exp.Expr, scope: Scope) -> Leaf | None:
    if not isinstance(node, exp.Column):
        return None
    leaf = scope.leaf(node)
    return leaf if leaf.column.kind is Kind.CATEGORY else None


def _value(node: exp.Expr, leaf: Leaf) -> Value:
    value: Value
    if isinstance(node, exp.Literal) and node.is_string:
        value = node.name
    elif isinstance(node, exp.Boolean):
        value = bool(node.this)
    elif isinstance(node, exp.Literal) and node.name.isdigit():
        value = int(node.name)
    elif isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and node.this.name.isdigit():
        value = -int(node.this.name)
    else:
        raise refused(node, f"column '{leaf.column.name}' can be compared with a value only.")
    known = leaf.column.values
    if known is not None and not any(value == v and type(value) is type(v) for v in known):
        names = ", ".join(str(v) for v in known[:8])
        raise refused(node, f"'{leaf.column.name}' has no such value.", f"Declared are: {names}.")
    return value
