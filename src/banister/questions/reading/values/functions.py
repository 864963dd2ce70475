"""SQRT, LN, LOG10, EXP, POWER, SIGN and NULLIF as they stand in a question, in steps of their own or in ROUND's."""

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from banister.errors import BadValue
from banister.questions import curves, terms
from banister.questions.reading.place import only, refused
from banister.questions.terms import NULL, Quantity, Whole

CURVED = exp.Sqrt | exp.Ln | exp.Log | exp.Exp | exp.Pow

EXPONENTS = Fraction(1, 100), Fraction(100)
"""The least and the largest size of an exponent."""

MULTIPLIED = 8
"""Up to so large a whole exponent is a number multiplied with itself, which is exact."""


def argument(node: exp.Expr) -> exp.Expr:
    """What a function is taken of."""
    found: exp.Expr = node.this
    if isinstance(node, exp.Log) and node.expression is not None:
        found = node.expression
    return found


def curved(node: exp.Expr, x: Quantity, exponent: Quantity | None, step: Fraction | None) -> Quantity:
    """The function of a bounded number that a call is."""
    match node:
        case exp.Sqrt():
            return curves.applied(curves.SQRT, _from(node, x, 0), step=step)
        case exp.Ln():
            return curves.applied(curves.LN, _from(node, x, 1), step=step)
        case exp.Log():
            if node.expression is not None and node.this.name != "10":
                raise refused(node, "logarithms are LN and LOG10.", "Divide LN by that of the base: LN(x) / 0.6931.")
            return curves.applied(curves.LOG10, _from(node, x, 1), step=step)
        case exp.Exp():
            return curves.applied(curves.EXP, x, step=step)
    assert exponent is not None
    return _power(node, x, exponent, step)


def _power(node: exp.Expr, x: Quantity, exponent: Quantity, step: Fraction | None) -> Quantity:
    by = exponent.step * exponent.low
    if exponent.low != exponent.high or exponent.nulls or not EXPONENTS[0] <= abs(by) <= EXPONENTS[1]:
        raise refused(node, "the exponent has to be a number between 0.01 and 100, or below 0 between -100 and -0.01.")
    if by.denominator == 1 and 0 < by <= MULTIPLIED:
        try:
            return curves.whole_power(x, int(by))
        except BadValue:
            if x.low < 0:
                raise
    return curves.applied(curves.power_of(by), _from(node, x, 0 if by > 0 else 1), step=step)


def _from(node: exp.Expr, x: Quantity, least: int) -> Quantity:
    """The argument, where it is never below so many of its steps."""
    x = terms.number(x)
    if x.low < least:
        end, held = ("below 0", "0") if least == 0 else ("0 or below", "1")
        text = argument(node).sql()
        raise refused(
            node,
            f"its argument can be {end}, where there is no answer.",
            f"Hold it in what you know, e.g. GREATEST({text}, {held}); a missing value becomes {held} there.",
        )
    return x


def sign(x: Quantity) -> Quantity:
    """-1, 0 or 1."""
    x, zero = terms.number(x), terms.constant(Fraction(0))
    values = [terms.constant(Fraction(value)) for value in (1, -1, 0)]
    conditions = [terms.compare(compared, x, zero) for compared in (">", "<", "=")]
    found = terms.case_when(conditions, values, NULL)
    return replace(found, low=max(-1, min(0, x.low)), high=min(1, max(0, x.high)), nulls=x.nulls)


def without(node: exp.Expr, x: Quantity, value: Quantity) -> Quantity:
    """NULLIF: a number that is missing where it equals a constant; an end of the range that is left out is none."""
    only(node, "this", "expression")
    if not isinstance(value.term, Whole):
        raise refused(node, "NULLIF takes a number written in the question.", "Write CASE WHEN ... THEN ... END.")
    x, value = terms.same_step(x, value)
    found = terms.case_when([terms.compare("=", x, value)], [NULL], x)
    low = x.low + 1 if value.low == x.low < x.high else x.low
    high = x.high - 1 if value.low == x.high > low else x.high
    return replace(found, low=low, high=high)
