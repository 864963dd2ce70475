"""A function of a number in SQL: the engine's own, rounded down to whole steps, and held in its bounds."""

from fractions import Fraction

from sqlglot import exp

from banister.questions.nodes import FunctionOf
from banister.release.sources.sql.syntax import between, cast, double, paren


def curved(curve: FunctionOf, x: exp.Expr) -> exp.Expr:
    """⌊f(given · x) / step + shift⌋ for a whole number; a missing one stays missing.

    LEAST and GREATEST hold what the function is given, so that it never fails, and whatever the engine makes of it;
    they pass over NULL, so that is asked before.
    """
    held_x = between(x, curve.first, curve.last)
    given = _times(cast(held_x, "double"), curve.given)
    steps = _times(_function(curve, given), 1 / curve.step)
    shifted = exp.Add(this=paren(steps), expression=double(curve.shift))
    whole = cast(exp.Floor(this=shifted), "bigint")
    held = cast(between(whole, curve.low, curve.high), "bigint")
    return exp.Case(ifs=[exp.If(this=exp.Not(this=exp.Is(this=x, expression=exp.Null())), true=held)])


def _function(curve: FunctionOf, x: exp.Expr) -> exp.Expr:
    match curve.name:
        case "SQRT":
            return exp.Sqrt(this=x)
        case "LN":
            return exp.Ln(this=x)
        case "EXP":
            return exp.Exp(this=x)
        case "POWER":
            return exp.Pow(this=x, expression=double(curve.exponent))
    return exp.Anonymous(this=curve.name, expressions=[x])


def _times(x: exp.Expr, factor: Fraction) -> exp.Expr:
    """x times a fraction: times its numerator, then over its denominator, so that 0.01 is not rounded by itself."""
    up, down = factor.numerator, factor.denominator
    found = x if up == 1 else paren(exp.Mul(this=x, expression=double(Fraction(up))))
    if down == 1:
        return found
    return paren(exp.Div(this=found, expression=double(Fraction(down)), typed=False, safe=False))
