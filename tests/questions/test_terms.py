"""Bounds by interval arithmetic hold for every value that a row can have."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.errors import BadValue
from banister.questions import inside, terms
from banister.questions.nodes import FloorDivide, FunctionOf
from banister.questions.terms import (
    Abs,
    Add,
    Case,
    Coalesce,
    Compare,
    IntegerDivide,
    Leaf,
    LeastOrGreatest,
    Mod,
    Multiply,
    Null,
    Quantity,
    Term,
    Whole,
)
from banister.tables.schema import Column, Kind

X = Column(name="x", kind=Kind.NUMBER, low=Fraction(-3), high=Fraction(5), step=Fraction(1, 2))
Y = Column(name="y", kind=Kind.INTEGER, low=Fraction(0), high=Fraction(7))


def evaluate(term: Term, row: dict[str, int | None]) -> int | None:
    """What a term is for one row, with SQL's treatment of NULL."""
    match term:
        case Leaf():
            return row[term.column.name]
        case Whole(value):
            return value
        case Null():
            return None
        case Add(a, b) | Multiply(a, b):
            left, right = evaluate(a, row), evaluate(b, row)
            if left is None or right is None:
                return None
            return left + right if isinstance(term, Add) else left * right
        case Abs(a):
            inner = evaluate(a, row)
            return None if inner is None else abs(inner)
        case Mod(a, divisor) | IntegerDivide(a, divisor):
            inner = evaluate(a, row)
            assert inner is None or inner >= 0, "where engines differ"
            return None if inner is None else inner % divisor if isinstance(term, Mod) else inner // divisor
        case LeastOrGreatest(name, parts):
            there = [found for found in (evaluate(part, row) for part in parts) if found is not None]
            return (min if name == "LEAST" else max)(there) if there else None
        case Coalesce(parts):
            return next((found for found in (evaluate(part, row) for part in parts) if found is not None), None)
        case Case(pairs, otherwise):
            for condition, chosen in pairs:
                assert isinstance(condition, Compare)
                left, right = evaluate(condition.left, row), evaluate(condition.right, row)
                if left is not None and right is not None and left < right:
                    return evaluate(chosen, row)
            return evaluate(otherwise, row)
        case FloorDivide() | FunctionOf():
            raise AssertionError("quotients and functions are tried in test_curves.py")


def quantities() -> st.SearchStrategy[Quantity]:
    leaves = st.sampled_from([terms.column(Leaf("r", X, False)), terms.column(Leaf("r", Y, False))])
    constants = st.fractions(min_value=-4, max_value=4, max_denominator=4).map(terms.constant)
    return st.recursive(
        st.one_of(leaves, constants, st.just(terms.NULL)),
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda pair: terms.plus(*pair)),
            st.tuples(inner, inner).map(lambda pair: terms.times(*pair)),
            inner.map(terms.absolute),
            st.tuples(inner, st.fractions(min_value=-3, max_value=3, max_denominator=3)).map(
                lambda p: terms.scaled(*p)
            ),
            st.tuples(st.sampled_from(["LEAST", "GREATEST"]), st.lists(inner, min_size=1, max_size=3)).map(
                lambda pair: terms.least_or_greatest(*pair)
            ),
            st.lists(inner, min_size=1, max_size=3).map(terms.coalesce),
            st.tuples(inner, inner, inner, inner).map(
                lambda four: terms.case_when([terms.compare("<", four[0], four[1])], [four[2]], four[3])
            ),
            inner.map(lambda q: terms.modulo(terms.absolute(q), Fraction(3))),
            st.tuples(inner, st.integers(1, 5)).map(lambda pair: terms.integer_quotient(*pair)),
        ),
        max_leaves=6,
    )


@given(quantities(), st.one_of(st.none(), st.integers(-6, 10)), st.one_of(st.none(), st.integers(0, 7)))
def test_every_value_lies_in_its_bounds(quantity: Quantity, x: int | None, y: int | None) -> None:
    value = evaluate(quantity.term, {"x": x, "y": y})
    if value is None:
        assert quantity.nulls
    else:
        assert quantity.low <= value <= quantity.high


def test_a_constant_bounds_the_least_and_the_greatest() -> None:
    x, y = terms.column(Leaf("r", X, False)), terms.column(Leaf("r", Y, False))
    assert terms.least_or_greatest("LEAST", [x, terms.constant(Fraction(2))]).high == 4
    assert terms.least_or_greatest("GREATEST", [x, terms.constant(Fraction(2))]).low == 4
    zero, most = terms.constant(Fraction(0)), terms.constant(Fraction(2))
    held = terms.least_or_greatest("LEAST", [terms.least_or_greatest("GREATEST", [x, zero]), most])
    assert (held.low, held.high, held.nulls) == (0, 4, False)
    assert terms.least_or_greatest("GREATEST", [x, terms.NULL]).low == X.units[0]
    sure = replace(Y, nulls=False)
    believed = terms.least_or_greatest("LEAST", [terms.column(Leaf("r", sure, False)), x])
    assert believed.high == terms.least_or_greatest("LEAST", [y, x]).high, "privacy does not rest on nulls = false"


@given(quantities(), st.one_of(st.none(), st.integers(-6, 10)), st.one_of(st.none(), st.integers(0, 7)))
def test_a_term_is_missing_where_a_deciding_part_is(quantity: Quantity, x: int | None, y: int | None) -> None:
    row = {"x": x, "y": y}
    missing = any(evaluate(part, row) is None for part in inside.deciding(quantity.term))
    assert missing == (evaluate(quantity.term, row) is None)


def test_overflow_is_refused_before_it_can_happen() -> None:
    wide = terms.column(Leaf("r", Column(name="w", kind=Kind.INTEGER, low=Fraction(0), high=Fraction(2**40)), False))
    with pytest.raises(BadValue, match=r"more than 2\^62 steps"):
        terms.times(wide, wide)


def test_remainders_need_what_engines_agree_on() -> None:
    with pytest.raises(BadValue, match="below 0 differs between engines"):
        terms.modulo(terms.column(Leaf("r", X, False)), Fraction(2))
    with pytest.raises(BadValue, match="constant divisor above 0"):
        terms.modulo(terms.column(Leaf("r", Y, False)), Fraction(-2))
