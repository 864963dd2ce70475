"""What expressions and conditions are made of: their parts, and the columns that they read."""

from collections.abc import Sequence

from banister.questions.terms import (
    Abs,
    Add,
    And,
    Case,
    Coalesce,
    Compare,
    Condition,
    FloorDivide,
    FunctionOf,
    In,
    IntegerDivide,
    IsNull,
    Leaf,
    LeastOrGreatest,
    Mod,
    Multiply,
    Not,
    Or,
    SameValue,
    Term,
    Whole,
)


def leaves(node: Term | Condition) -> frozenset[Leaf]:
    """Every column that an expression or a condition reads."""
    if isinstance(node, Leaf):
        return frozenset([node])
    return frozenset().union(*(leaves(child) for child in children(node)))


def deciding(term: Term) -> tuple[Term, ...]:
    """The parts of which one is missing exactly where the whole is: arithmetic is missing where any part of it is."""
    match term:
        case Whole():
            return ()
        case Add(a, b) | Multiply(a, b) | FloorDivide(a, b):
            return tuple(dict.fromkeys(deciding(a) + deciding(b)))
        case Abs(a) | Mod(a, _) | IntegerDivide(a, _) | FunctionOf(term=a):
            return deciding(a)
    return (term,)


def children(node: Term | Condition) -> Sequence[Term | Condition]:
    """The parts of which a term or a condition is made."""
    match node:
        case Add(a, b) | Multiply(a, b) | FloorDivide(a, b) | And(a, b) | Or(a, b) | Compare(_, a, b):
            return (a, b)
        case SameValue(a, b):
            return (a, b)
        case Abs(a) | Mod(a, _) | IntegerDivide(a, _) | FunctionOf(term=a) | IsNull(a) | Not(a) | In(a, _):
            return (a,)
        case LeastOrGreatest(_, parts) | Coalesce(parts):
            return parts
        case Case(pairs, otherwise):
            return [*(part for pair in pairs for part in pair), otherwise]
    return ()
