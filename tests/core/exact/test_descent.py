"""Where a curve comes down to a goal: proven from both sides, or refused."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import arb

from banister.core.exact.descent import crossing
from banister.core.exact.numbers import ball
from banister.errors import Uncertified


def falling(blur: float) -> Callable[[Fraction], arb]:
    return lambda point: (-3 * ball(point)).exp() * (1 + arb(0, blur))


@pytest.mark.parametrize("start", [0.0, 2.0, 9.0])
def test_the_crossing_is_found_from_any_start(start: float) -> None:
    found = crossing(falling(1e-12), falling(1e-12), (arb(-6)).exp(), start=start, rate=3)
    assert found.down < 2 < found.up
    assert found.width < 1e-10


def test_different_bounds_give_their_own_sides() -> None:
    upper = lambda point: falling(1e-12)(point) * 2  # noqa: E731
    found = crossing(upper, falling(1e-12), (arb(-6)).exp(), start=2, rate=3)
    assert found.down == pytest.approx(2)
    assert found.up == pytest.approx(2 + 0.231049, abs=1e-6)


def test_below_the_goal_everywhere_means_nothing_is_needed_from_below() -> None:
    assert crossing(falling(1e-12), falling(1e-12), arb(2), start=1, rate=3).down == 0


def test_what_cannot_be_proven_is_refused() -> None:
    with pytest.raises(Uncertified, match="could not be proven"):
        crossing(lambda _: arb(1), lambda _: arb(1), arb(0.5), start=1, rate=1)


def test_fractions_are_asked_exactly() -> None:
    asked: list[Fraction] = []

    def curve(point: Fraction) -> arb:
        asked.append(point)
        return falling(1e-12)(point)

    crossing(curve, curve, arb(0.5), start=1, rate=3)
    assert all(point >= 0 for point in asked)
