"""The sum along a line holds the truth even where it is laid badly: every error, made large on purpose, is counted."""

from fractions import Fraction

import mpmath
import pytest

from banister.core.composition import contour
from banister.core.composition.contour import Circle, Kernel, WholeLine, spectrum
from banister.core.exact.numbers import Bracket
from banister.core.privacy.loss import PrivacyLoss
from tests.oracle import binomial_delta, gaussian_delta

COUNT, EPSILON = 30, Fraction(1, 10)
MU_SQUARED = Fraction(1, 2)
POINTS = [Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(17, 10)]
TILT = Fraction(3)
ECHOES = Fraction(5), Fraction(1)


def holds(bracket: Bracket, truth: mpmath.mpf) -> bool:
    return bool(mpmath.mpf(bracket.down) <= truth <= mpmath.mpf(bracket.up))


def responses(kernel: Kernel, point: Fraction) -> Bracket:
    return Bracket.of_ball(spectrum(PrivacyLoss.pure(EPSILON).times(COUNT).terms, kernel, TILT, ECHOES).delta(point))


def gaussian(kernel: Kernel, point: Fraction) -> Bracket:
    return Bracket.of_ball(spectrum(PrivacyLoss.gaussian(MU_SQUARED).terms, kernel, TILT, ECHOES).delta(point))


@pytest.mark.parametrize("points", [6, 7, 10, 15, 30, 61])
@pytest.mark.parametrize("point", POINTS)
def test_a_short_circle_counts_its_echoes(points: int, point: Fraction) -> None:
    circle = Circle(-EPSILON * COUNT, 2 * EPSILON, points)
    assert holds(responses(circle, point), binomial_delta(EPSILON, COUNT, point))


@pytest.mark.parametrize("points", [200, 201])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_responses_are_summed_over_the_whole_turn(points: int, count: int) -> None:
    """With so few, the transform is still large half a turn away, a point that an even number of points meets once."""
    circle = Circle(-EPSILON * count, 2 * EPSILON, points)
    terms = PrivacyLoss.pure(EPSILON).times(count).terms
    for point in (Fraction(1, 50), Fraction(1, 20), Fraction(1, 12)):
        found = Bracket.of_ball(spectrum(terms, circle, TILT, ECHOES).delta(point))
        truth = binomial_delta(EPSILON, count, point)
        assert holds(found, truth)
        assert found.width <= 1e-9 * float(truth)


@pytest.mark.parametrize("period", [Fraction(3), Fraction(5), Fraction(20)])
@pytest.mark.parametrize("steps", [3, 6, 12, 200])
@pytest.mark.parametrize("point", POINTS)
def test_a_short_line_counts_its_echoes_and_what_lies_beyond_its_end(
    period: Fraction, steps: int, point: Fraction
) -> None:
    line = WholeLine(period, float(MU_SQUARED) * (1 - 1e-12), steps)
    assert holds(gaussian(line, point), gaussian_delta(MU_SQUARED, point))


@pytest.mark.parametrize("negligible", [-0.5, -2.0, -8.0])
@pytest.mark.parametrize("point", POINTS)
def test_points_that_are_left_out_are_counted(
    negligible: float, point: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contour, "NEGLIGIBLE", negligible)
    circle = Circle(-EPSILON * COUNT, 2 * EPSILON, 200)
    assert holds(responses(circle, point), binomial_delta(EPSILON, COUNT, point))
    line = WholeLine(Fraction(20), float(MU_SQUARED) * (1 - 1e-12), 400)
    assert holds(gaussian(line, point), gaussian_delta(MU_SQUARED, point))
