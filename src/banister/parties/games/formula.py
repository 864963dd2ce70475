"""Formulas over the parties' bits: parsed by Python's own grammar, evaluated by an allow-list, never run.

x1 ^ (x2 & x3)        x1 and not x2        x1 + x2 + x3 >= 2        2*x1 + x2
"""

import ast
import re
from dataclasses import dataclass
from functools import reduce

import numpy as np

from banister.core.programs.linear import Ints
from banister.errors import BadValue

LONGEST = 4000
"""Characters of a formula; a longer rule is better given as a table."""
DEEPEST = 100
MOST_PARTIES = 20
_LARGEST = 1 << 53
_NAME = re.compile(r"x([1-9]\d{0,3})\Z")
_HELP = "Use x1, x2, ..., whole numbers, parentheses, ~ & ^ |, not and or, + - *, and == != < <= > >=."


@dataclass(frozen=True, slots=True)
class _Term:
    """A value for each input (or one for all), and whether it can only be 0 or 1."""

    values: Ints
    logical: bool


def parties_in(text: str) -> int:
    """The highest number of a party that the formula names.

    >>> parties_in("x1 ^ (x2 & x3)")
    3
    """
    found = [_number(node) for node in ast.walk(_tree(text)) if isinstance(node, ast.Name)]
    if not found:
        raise BadValue(f"The formula {_shown(text)} names no party. {_HELP}")
    return max(found)


def evaluate(text: str, parties: int) -> Ints:
    """The value of the formula for each of the 2^k inputs; party 1 is the highest bit of the input's number.

    >>> evaluate("x1 > x2", 2).tolist()
    [0, 0, 1, 0]
    """
    named = parties_in(text)
    if named > parties:
        raise BadValue(f"The formula names x{named}, and there are {parties} parties. Name parties from x1 on.")
    if parties > MOST_PARTIES:
        raise BadValue(
            f"A formula of {parties} parties has 2^{parties} inputs; up to {MOST_PARTIES} parties are listed. "
            "Use a function of the number of ones (xor, and, or, majority, threshold, sum, mean) for more."
        )
    inputs = np.arange(1 << parties, dtype=np.int64)
    bits = [(inputs >> (parties - 1 - i)) & 1 for i in range(parties)]
    value = _value(_tree(text), bits, 0).values
    return np.broadcast_to(value, inputs.shape).astype(np.int64)


def _tree(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise BadValue(f"The formula has {len(text)} characters, more than {LONGEST}. Give a table instead.")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadValue(f"The formula {_shown(text)} cannot be read. {_HELP}") from None


def _value(node: ast.expr, bits: list[Ints], depth: int) -> _Term:
    if depth > DEEPEST:
        raise BadValue(f"The formula is nested deeper than {DEEPEST} levels. Give a table instead.")

    def down(inner: ast.expr) -> _Term:
        return _value(inner, bits, depth + 1)

    match node:
        case ast.Name():
            return _Term(bits[_number(node) - 1], True)
        case ast.Constant(value=bool() | int() as constant):
            if abs(constant) > 10**6:
                raise BadValue(f"The formula has the number {constant}; numbers may go up to 1000000.")
            return _Term(np.array([int(constant)], dtype=np.int64), constant in (0, 1))
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=inner):
            return _Term(1 - _logical(down(inner), "not and ~"), True)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _Term(-down(inner).values, False)
        case ast.BoolOp(op=op, values=parts):
            sides = [_logical(down(part), "and, or") for part in parts]
            joined = reduce(np.bitwise_and if isinstance(op, ast.And) else np.bitwise_or, sides)
            return _Term(joined, True)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, down(left), down(right))
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [down(part).values for part in (left, *others)]
            tests = [_compare(op, a, b) for op, a, b in zip(ops, sides[:-1], sides[1:], strict=True)]
            return _Term(reduce(np.bitwise_and, tests), True)
    raise BadValue(f"The formula uses {type(node).__name__}, which is not allowed. {_HELP}")


def _binary(op: ast.operator, left: _Term, right: _Term) -> _Term:
    a, b = left.values, right.values
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        a, b = _logical(left, "& | ^"), _logical(right, "& | ^")
        table = {ast.BitAnd: np.bitwise_and, ast.BitOr: np.bitwise_or, ast.BitXor: np.bitwise_xor}
        return _Term(table[type(op)](a, b), True)
    if isinstance(op, ast.Add | ast.Sub | ast.Mult):
        largest = int(np.abs(a).max()), int(np.abs(b).max())
        if max(sum(largest), largest[0] * largest[1]) > _LARGEST:
            raise BadValue("A value of the formula is above 2^53. Use smaller numbers.")
        arithmetic = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply}
        return _Term(arithmetic[type(op)](a, b), isinstance(op, ast.Mult) and left.logical and right.logical)
    raise BadValue(f"The formula uses {type(op).__name__}, which is not allowed. {_HELP}")


def _compare(op: ast.cmpop, a: Ints, b: Ints) -> Ints:
    tests = {ast.Eq: np.equal, ast.NotEq: np.not_equal, ast.Lt: np.less, ast.LtE: np.less_equal}
    tests |= {ast.Gt: np.greater, ast.GtE: np.greater_equal}
    if type(op) not in tests:
        raise BadValue(f"The formula uses {type(op).__name__}, which is not allowed. {_HELP}")
    return tests[type(op)](a, b).astype(np.int64)


def _logical(term: _Term, words: str) -> Ints:
    if not term.logical:
        raise BadValue(
            f"In a formula, {words} take bits and comparisons, not numbers. Compare first, e.g. x1 + x2 > 1."
        )
    return term.values


def _number(node: ast.Name) -> int:
    found = _NAME.match(node.id)
    if not found:
        raise BadValue(f"The formula names {_shown(node.id)}; parties are called x1, x2, and so on.")
    return int(found[1])


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
