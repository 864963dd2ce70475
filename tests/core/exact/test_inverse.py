"""The inverse of a falling curve is a bracket that holds the crossing."""

import math
from fractions import Fraction

from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from banister.core.exact.inverse import least_epsilon
from banister.core.exact.numbers import BALL_BITS, ball, precision


@given(st.fractions(min_value=Fraction(1, 1000), max_value=500, max_denominator=1000))
def test_the_crossing_lies_in_the_narrowest_doubles(root: Fraction) -> None:
    with precision(BALL_BITS):
        step = Fraction(1, 8)
        found = least_epsilon(lambda x: arb.max(ball(root - x), arb(0)) + ball(step), ball(step), top=root)
    assert found.holds(root)
    assert found.width <= math.ulp(float(root))


def test_a_curve_that_stays_above_has_no_epsilon() -> None:
    assert least_epsilon(lambda _: arb(1), arb(0.5), top=None).down == math.inf
    assert least_epsilon(lambda _: arb(1), arb(0.5), top=Fraction(3)).down == math.inf


def test_a_blurred_curve_gives_a_wider_bracket_that_still_holds_the_root() -> None:
    found = least_epsilon(lambda x: ball(3 - x) + arb(0, 0.01), arb(0), top=None)
    assert found.holds(3)
    assert 0.019 < found.width < 0.021


def test_a_curve_below_the_target_needs_nothing() -> None:
    assert least_epsilon(lambda _: arb(0), arb(0.5), top=None).up == 0
