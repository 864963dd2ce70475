"""Brackets around numbers that no double can hold."""

import math
import sys
from fractions import Fraction

from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from banister.core.exact.numbers import Bracket, float_down, float_up


def test_numbers_below_every_double() -> None:
    assert Bracket.of_ball((arb(-(10**12))).exp()) == Bracket(0.0, 5e-324)
    assert Bracket.of_ball(-(arb(-(10**12))).exp()) == Bracket(-5e-324, 0.0)
    assert math.copysign(1, Bracket.of_ball(arb(0)).up) == 1


def test_numbers_above_every_double() -> None:
    assert Bracket.of_ball(arb(10**12).exp()) == Bracket(sys.float_info.max, math.inf)
    assert Bracket.of_ball(-arb(10**12).exp()) == Bracket(-math.inf, -sys.float_info.max)


@given(st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**9))
def test_doubles_around_a_fraction_are_the_nearest_on_their_side(value: Fraction) -> None:
    down, up = float_down(value), float_up(value)
    assert Fraction(down) <= value <= Fraction(up)
    assert up == (down if Fraction(down) == value else math.nextafter(down, math.inf))
