"""A pair that is known by its curve alone composes between a law above it and a law below it."""

from fractions import Fraction

import pytest
from flint import arb

from banister.core.composition.curve import CurveLaw, _line_below
from banister.core.exact.numbers import BALL_BITS, ball, precision
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue

GAUSSIAN = PrivacyLoss.gaussian(Fraction(1, 4))
LAPLACE = PrivacyLoss.laplace(Fraction(1, 2))


def curve_of(loss: PrivacyLoss) -> PrivacyLoss:
    return PrivacyLoss.of_curve(loss.law.hockey_stick, key=("curve of", loss.law.identity()))


@pytest.mark.parametrize("loss", [GAUSSIAN, LAPLACE], ids=["gaussian", "laplace"])
def test_the_curve_lies_between_its_bounds_everywhere(loss: PrivacyLoss) -> None:
    above, below = curve_of(loss).law.bounds(1e-4)
    with precision(BALL_BITS):
        for n in range(-40, 41):
            at = Fraction(n, 33)
            truth = loss.law.hockey_stick(at)
            assert not below.hockey_stick(at) > truth
            assert not above.hockey_stick(at) < truth  # They meet on the grid.


@pytest.mark.parametrize(("loss", "count", "width"), [(GAUSSIAN, 2, 3e-3), (GAUSSIAN, 300, 3e-3), (LAPLACE, 30, 0.1)])
def test_the_exact_total_lies_between_the_bounds(loss: PrivacyLoss, count: int, width: float) -> None:
    exact = loss.times(count).epsilon_at("1e-6")
    found = curve_of(loss).times(count).epsilon_at("1e-6", relative_width=1e-4)
    assert found.down <= exact.up
    assert exact.down <= found.up
    assert found.width <= width * found.up
    delta = loss.times(count).delta_at(1)
    rough = curve_of(loss).times(count).delta_at(1, relative_width=1e-4)
    assert rough.down <= delta.up
    assert delta.down <= rough.up


@pytest.mark.parametrize("middle", [1, 3, 5, 7, 9], ids=lambda middle: f"middle at {middle}")
def test_a_line_below_three_points_is_below_every_convex_curve_through_them(middle: int) -> None:
    """The lowest such curve goes on straight from the other side's chord; the line must not pass above it anywhere."""
    x0, xm, x1 = arb(0), arb(middle), arb(10)
    a, m, b = arb(1), arb(1) - arb(middle) / 10, arb(1) / 2
    left, right = _line_below(x0, xm, x1, a, m, b)
    before, after = (m - a) / (xm - x0), (b - m) / (x1 - xm)
    spare_left, spare_right = m + after * (x0 - xm) - left, m + before * (x1 - xm) - right
    assert min(float(spare_left), float(spare_right)) == pytest.approx(
        0, abs=1e-12
    )  # Neither above, nor lower than so.
    line_at_middle = left + (right - left) * (xm - x0) / (x1 - x0)
    assert line_at_middle <= m


def test_several_curves_lie_between_the_products_of_their_bounds() -> None:
    above, below = curve_of(GAUSSIAN).times(2).law.bounds(1e-2)
    exact = GAUSSIAN.times(2)
    for at in (Fraction(1, 5), Fraction(1, 2), Fraction(1)):
        with precision(BALL_BITS):
            assert below.hockey_stick(at) < above.hockey_stick(at)
            assert not below.hockey_stick(at) > ball(Fraction(exact.delta_at(at).up))
            assert not above.hockey_stick(at) < ball(Fraction(exact.delta_at(at).down))


def test_curves_mix_with_other_losses() -> None:
    others = (PrivacyLoss.pure(Fraction(1, 7)).times(5), LAPLACE.times(3))
    exact = GAUSSIAN.times(4).with_(*others).epsilon_at("1e-5")
    found = curve_of(GAUSSIAN).times(4).with_(*others).epsilon_at("1e-5", relative_width=1e-4)
    assert found.down <= exact.up
    assert exact.down <= found.up
    assert found.width <= 3e-3 * found.up


def test_a_curve_of_two_orders_counts_the_worse() -> None:
    worse, milder = PrivacyLoss.gaussian(Fraction(1)), PrivacyLoss.gaussian(Fraction(1, 9))
    both = PrivacyLoss.of_two_curves(milder.law.hockey_stick, worse.law.hockey_stick, key="both")
    assert both.delta_at(1) == worse.delta_at(1)
    assert isinstance(both.law, CurveLaw)
    assert both.law.reverse().reverse() != both.law.reverse()


def test_what_cannot_be_is_refused() -> None:
    nothing = PrivacyLoss.of_curve(lambda _: arb(0), key="nothing")
    with pytest.raises(BadValue, match="gives nothing away"):
        nothing.times(2).epsilon_at("1e-6")
    with pytest.raises(ArithmeticError, match="above and below"):
        curve_of(GAUSSIAN).law.tilted(Fraction(1))
    assert curve_of(GAUSSIAN).law.cumulants(0.0)[2] == pytest.approx(0.25, rel=2e-2)
