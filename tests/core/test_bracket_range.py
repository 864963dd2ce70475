"""Brackets around numbers that no double can hold."""

import math
import sys

from flint import arb

from banister.core.exact import Bracket


def test_numbers_below_every_double() -> None:
    assert Bracket.of_ball((arb(-(10**12))).exp()) == Bracket(0.0, 5e-324)
    assert Bracket.of_ball(-(arb(-(10**12))).exp()) == Bracket(-5e-324, 0.0)
    assert math.copysign(1, Bracket.of_ball(arb(0)).up) == 1


def test_numbers_above_every_double() -> None:
    assert Bracket.of_ball(arb(10**12).exp()) == Bracket(sys.float_info.max, math.inf)
    assert Bracket.of_ball(-arb(10**12).exp()) == Bracket(-math.inf, -sys.float_info.max)
