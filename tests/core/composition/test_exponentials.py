"""Laplace losses in closed form, against numbers that were found in other ways."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb

from banister.core.composition import exponentials
from banister.core.composition.exponentials import Exponentials
from banister.core.composition.law import LaplaceLaw
from banister.core.composition.ways import OnLine, way_for
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss


def by_quadrature(epsilon: float, point: float) -> float:
    """delta of two Laplace losses: the second one's curve averaged over the first loss."""
    e, g = mpmath.mpf(epsilon), mpmath.mpf(point)

    def one(x: mpmath.mpf) -> mpmath.mpf:
        if x >= e:
            return mpmath.mpf(0)
        return 1 - mpmath.exp(x) if x <= -e else 1 - mpmath.exp((x - e) / 2)

    inside = mpmath.quad(lambda s: mpmath.exp((s - e) / 2) / 4 * one(g - s), [-e, min(e, max(-e, g - e)), e])
    return float(one(g - e) / 2 + mpmath.exp(-e) / 2 * one(g + e) + inside)


@pytest.mark.parametrize(("epsilon", "point"), [(0.5, 0.25), (0.5, 0.75), (2.0, 0.5), (3.0, 5.5)])
def test_two_laplace_losses_agree_with_quadrature(epsilon: float, point: float) -> None:
    found = PrivacyLoss.laplace(Fraction(epsilon)).times(2).delta_at(point)
    assert found.width <= 1e-15
    assert found.up == pytest.approx(by_quadrature(epsilon, point), rel=1e-11)


@pytest.mark.parametrize("count", [3, 30, 100])
@pytest.mark.parametrize("point", [Fraction(0), Fraction(1, 10), Fraction(1), Fraction(2)])
def test_the_closed_form_lies_in_the_bracket_of_the_line(count: int, point: Fraction) -> None:
    terms = ((LaplaceLaw(Fraction(1, 10)), count),)
    exact, line = Exponentials(terms).delta(point), OnLine(terms, 1e-4).delta(point)
    assert line.contains(exact) or line.overlaps(exact)
    assert exact.rel_accuracy_bits() >= 64 or exact == 0


def test_thirty_laplace_losses_are_known_to_a_rounding() -> None:
    """The issue's case: 1e-12, where a bracket of the line was 6.5e-6 wide."""
    found = PrivacyLoss.laplace(Fraction(1, 10)).times(30).delta_at(1)
    assert found.width / found.up < 1e-15
    assert found.down == pytest.approx(0.010114540614884555, rel=1e-15)


def test_laplace_losses_of_several_sizes_and_guarantees_agree_with_the_line() -> None:
    loss = (
        PrivacyLoss.laplace(Fraction(1, 10))
        .times(4)
        .with_(
            PrivacyLoss.laplace(Fraction(1, 7)).times(3), PrivacyLoss.of_guarantee(Guarantee("0.3", "1e-9")).times(2)
        )
    )
    terms = tuple((law, count) for law, count in loss.terms if law.infinite() == 0)
    exact, line = Exponentials(terms), OnLine(terms, 1e-5)
    for point in (Fraction(0), Fraction(1, 3), Fraction(1)):
        assert line.delta(point).overlaps(exact.delta(point))
    found = loss.epsilon_at("1e-6")
    assert found.width <= 1e-12
    assert loss.delta_at(found.up).up <= 1e-6 <= loss.delta_at(found.down).up


@pytest.mark.parametrize("delta", ["1e-15", "1e-95", "1e-300"])
def test_a_tiny_delta_is_met_next_to_the_largest_loss(delta: str) -> None:
    found = PrivacyLoss.laplace(Fraction(1, 10)).times(30).epsilon_at(delta)
    assert 2.99 < found.down <= found.up <= 3.0
    assert found.width < 1e-14


def test_many_losses_still_take_the_line() -> None:
    assert exponentials.fits([(LaplaceLaw(Fraction(1, 10)), 100)])
    assert isinstance(way_for([(LaplaceLaw(Fraction(1, 10)), 1000)], relative_width=1e-6), OnLine)


def test_steps_are_sums_of_every_second_power() -> None:
    for z in (0.01, 1.0, 30.0):
        steps = exponentials._steps(arb(z), 6, 128)
        for m, step in enumerate(steps):
            truth = 2 * mpmath.nsum(
                lambda n, m=m, z=z: mpmath.mpf(z) ** (m + 2 * n + 1) / mpmath.factorial(m + 2 * n + 1), [0, 200]
            )
            assert float(step) == pytest.approx(float(truth), rel=1e-13)
