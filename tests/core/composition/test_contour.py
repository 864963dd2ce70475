"""The sum along a line holds the truth even where it is laid badly: every error, made large on purpose, is counted."""

from collections import defaultdict
from fractions import Fraction

import mpmath
import pytest

from banister.core.composition import contour
from banister.core.composition.atoms import Atoms
from banister.core.composition.contour import Circle, Kernel, WholeLine, spectrum
from banister.core.exact.numbers import Bracket
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms import IntegerStaircase
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


@pytest.mark.parametrize("count", [1, 2, 4])
def test_copies_of_a_law_of_three_losses_turn_as_often(count: int) -> None:
    """Laws of two losses are turned together with their counts; with more, each law turns by itself."""
    loss = IntegerStaircase(epsilon=1, sensitivity=3).loss()
    ((law, _),) = loss.terms
    assert isinstance(law, Atoms)
    assert sorted(law.values) == [-1, 0, 1]
    total = {Fraction(0): mpmath.mpf(1)}
    for _ in range(count):
        after: dict[Fraction, mpmath.mpf] = defaultdict(mpmath.mpf)
        for at, mass in total.items():
            for value, more in zip(law.values, law.masses, strict=True):
                after[at + value] += mass * mpmath.mpf(more.mid().str(40, radius=False))
        total = after
    circle = Circle(Fraction(-count), Fraction(1), 200)
    for point in (Fraction(0), Fraction(1, 5), Fraction(1, 2)):
        truth = sum(mass * -mpmath.expm1(float(point - at)) for at, mass in total.items() if at > point)
        found = Bracket.of_ball(spectrum(loss.times(count).terms, circle, TILT, ECHOES).delta(point))
        assert found.down * (1 - 1e-12) <= truth <= found.up * (1 + 1e-12)  # The truth has some 15 digits here.
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
