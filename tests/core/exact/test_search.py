"""Searches by halving: what they return was asked and holds, and what lies just beyond it fails."""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from banister.core.exact.numbers import BALL_BITS, ball, precision
from banister.core.exact.search import (
    doubled,
    halved,
    largest_whole,
    least_double,
    least_epsilon,
    least_whole,
    next_double,
)

WHOLE = st.integers(min_value=-(10**12), max_value=10**12)
SIZES = st.floats(min_value=1e-30, max_value=1e30)


class Asked:
    """A condition that remembers where it was asked."""

    def __init__(self, holds: Callable[..., bool]) -> None:
        self.holds = holds
        self.points: list[int | float | Fraction] = []

    def __call__(self, point) -> bool:
        self.points.append(point)
        return self.holds(point)


@given(WHOLE, st.integers(min_value=1, max_value=10**12), st.data())
def test_whole_numbers_end_as_neighbours_of_which_one_holds(low: int, width: int, data: st.DataObject) -> None:
    high = low + width
    edge = data.draw(st.integers(min_value=low + 1, max_value=high))
    for holds, failing, holding in ((lambda n: n >= edge, low, high), (lambda n: n < edge, high, low)):
        asked = Asked(holds)
        bad, good = halved(asked, failing, holding)
        assert abs(good - bad) == 1
        assert holds(good)
        assert not holds(bad)
        assert all(low < point < high for point in asked.points)
        assert len(asked.points) == len(set(asked.points)) <= width.bit_length()


@given(st.floats(min_value=-1e300, max_value=1e300), st.floats(min_value=-1e300, max_value=1e300), st.data())
def test_doubles_end_as_neighbours(one: float, other: float, data: st.DataObject) -> None:
    low, high = sorted((one, other))
    edge = data.draw(st.floats(min_value=low, max_value=high))
    if low == edge:
        return
    asked = Asked(lambda x: x >= edge)
    bad, good = halved(asked, low, high)
    assert bad < edge <= good == edge
    assert math.nextafter(bad, math.inf) == good
    assert all(low < point < high for point in asked.points)


@given(st.fractions(min_value=0, max_value=1), st.integers(min_value=0, max_value=80))
def test_fractions_are_halved_as_often_as_is_said(edge: Fraction, rounds: int) -> None:
    asked = Asked(lambda x: x > edge)
    bad, good = halved(asked, Fraction(0), Fraction(1), rounds=rounds)
    assert good - bad == Fraction(1, 2**rounds)
    assert bad <= edge
    assert good > edge or good == 1
    assert len(asked.points) == rounds


def test_a_condition_that_is_never_decided_leaves_the_point_that_holds() -> None:
    """Where nothing can be proven, the answer stays where the caller knows that it holds."""
    assert halved(lambda _: False, 0, 1000)[1] == 1000
    assert halved(lambda _: False, 1.0, 0.0)[1] == 0.0


@given(st.integers(min_value=0, max_value=10**15), st.integers(min_value=1, max_value=10**6))
def test_the_first_double_of_the_start_that_holds(edge: int, start: int) -> None:
    bad, good = doubled(lambda n: n >= edge, failing=0, start=start)
    assert good >= edge
    assert good == start or (bad < edge and good == 2 * bad)


@given(st.integers(min_value=0, max_value=10**15), st.integers(min_value=1, max_value=1000))
def test_the_least_whole_number_holds_and_the_one_below_fails(edge: int, start: int) -> None:
    asked = Asked(lambda n: n >= edge)
    assert least_whole(asked, above=-1, start=start) == edge
    assert -1 not in asked.points
    assert len(asked.points) <= 2 * max(edge, start, 2).bit_length() + 1


@given(st.integers(min_value=1, max_value=10**15))
def test_a_least_whole_number_within_a_part_is_never_too_small(edge: int) -> None:
    exact = Fraction(1, 64)
    found = least_whole(lambda n: n >= edge, within=exact)
    assert edge <= found <= edge + found * exact


@given(st.integers(min_value=0, max_value=10**15), st.integers(min_value=0, max_value=60))
def test_the_largest_whole_number_is_never_too_large(edge: int, rounds: int) -> None:
    assert largest_whole(lambda n: n <= edge) == edge
    rough = largest_whole(lambda n: n <= edge, rounds=rounds)
    assert edge * (1 - Fraction(1, 2**rounds)) <= rough <= edge


@given(SIZES, SIZES)
def test_the_least_double_holds_and_the_one_below_fails(edge: float, start: float) -> None:
    found = least_double(lambda x: x >= Fraction(edge), start=Fraction(start))
    if edge >= start * 2.0**-195:
        assert found == edge
    assert found >= edge


def test_what_always_holds_ends_far_below_the_start() -> None:
    assert 0 < least_double(lambda _: True, start=Fraction(1)) <= 2.0**-199


def test_the_next_double_is_the_start_where_that_holds() -> None:
    assert next_double(lambda x: x >= 0, 0.0) == 0.0
    assert next_double(lambda x: x > 0, 0.0) == 5e-324


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


def test_a_curve_that_cannot_be_decided_at_its_end_is_proven_from_below_alone() -> None:
    found = least_epsilon(lambda x: arb(1 if x < 2 else 0.5, 0 if x < 2 else 0.1), arb(0.5), top=Fraction(3))
    assert found.up == math.inf
    assert found.down == pytest.approx(2, abs=1e-15)


@pytest.mark.parametrize("blur", [0.01, 1e-6])
def test_a_blurred_curve_gives_a_wider_bracket_that_still_holds_the_root(blur: float) -> None:
    def curve(x: Fraction) -> arb:
        return ball(3 - x) + arb(0, blur)

    found = least_epsilon(curve, arb(0), top=None)
    assert found.holds(3)
    assert curve(Fraction(found.down)) > 0  # Both ends are proven, and no double further in is.
    assert curve(Fraction(found.up)) <= 0
    assert not curve(Fraction(math.nextafter(found.down, math.inf))) > 0
    assert not curve(Fraction(math.nextafter(found.up, -math.inf))) <= 0
    assert 1.9 * blur < found.width < 2.1 * blur


def test_a_curve_below_the_target_needs_nothing() -> None:
    assert least_epsilon(lambda _: arb(0), arb(0.5), top=None).up == 0
