"""The inverse of a counted composition: the double that is given is proven, and the one below it is not."""

import math
from fractions import Fraction

import pytest
from flint import arb

from banister.core.composition.stairs import Stairs
from banister.core.composition.ways import counted
from banister.core.exact.numbers import BALL_BITS, ball, precision
from banister.core.privacy.loss import PrivacyLoss

LOSSES = {
    "responses": PrivacyLoss.pure(Fraction(1, 7)).times(20),
    "mixed": PrivacyLoss.pure(Fraction(1, 3)).times(4).with_(PrivacyLoss.pure(Fraction(2, 5)).times(3)),
}


@pytest.mark.parametrize("name", LOSSES)
def test_epsilon_is_proven_from_both_sides(name: str) -> None:
    stairs = Stairs.of_masses(counted(LOSSES[name].terms))
    with precision(BALL_BITS):
        for goal in (ball(Fraction(1, n)) for n in (5, 10, 37, 1000, 10**6, 10**12)):
            found = stairs.epsilon(goal)
            assert stairs.delta(Fraction(found.up)) <= goal
            assert not stairs.delta(Fraction(found.down)) < goal
            assert found.up <= math.nextafter(found.down, math.inf)


@pytest.mark.parametrize("name", LOSSES)
def test_at_a_corner_the_least_double_that_can_be_proven_is_given(name: str) -> None:
    """The goal is delta at a loss itself, known to the ball's digits only; whatever is given can be proven."""
    stairs = Stairs.of_masses(counted(LOSSES[name].terms))
    with precision(BALL_BITS):
        for value in (value for value in stairs.values if value > 0):
            goal = stairs.delta(value)
            if goal > arb(0):
                assert stairs.delta(Fraction(stairs.epsilon(goal).up)) <= goal
