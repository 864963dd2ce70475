"""Discrete Gaussian losses on their lattice, against plain convolution in high precision."""

from fractions import Fraction

import mpmath
import pytest

from banister.core.composition.discrete import DiscreteGaussianLaw, hockey_stick
from banister.core.privacy.loss import PrivacyLoss

mpmath.mp.dps = 40


def by_convolution(sigma: Fraction, shift: int, count: int, epsilon: Fraction) -> float:
    """Σ (1 − e^(epsilon − L))⁺ over the sum of `count` noises, which decides the total loss."""
    width = mpmath.mpf(sigma.numerator) / sigma.denominator
    far = int(12 * sigma) + 2
    row = [mpmath.exp(-(mpmath.mpf(i) ** 2) / (2 * width**2)) for i in range(-far, far + 1)]
    total = mpmath.fsum(row)
    one = [x / total for x in row]
    law = one
    for _ in range(count - 1):
        longer = [mpmath.mpf(0)] * (len(law) + len(one) - 1)
        for i, x in enumerate(law):
            for j, y in enumerate(one):
                longer[i + j] += x * y
        law = longer
    found = mpmath.mpf(0)
    for place, mass in enumerate(law):
        noise = place - count * far
        loss = (count * shift**2 - 2 * noise * shift) / (2 * width**2)
        if loss > epsilon:
            found -= mass * mpmath.expm1(mpmath.mpf(epsilon.numerator) / epsilon.denominator - loss)
    return float(found)


@pytest.mark.parametrize(("sigma", "shift"), [(Fraction(1, 2), 1), (Fraction(3, 2), 1), (Fraction(4), 3)])
@pytest.mark.parametrize("count", [2, 3])
def test_a_few_losses_agree_with_convolution(sigma: Fraction, shift: int, count: int) -> None:
    loss = PrivacyLoss.discrete_gaussian(sigma=sigma, sensitivity=shift).times(count)
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(3)):
        truth = by_convolution(sigma, shift, count, epsilon)
        found = loss.delta_at(epsilon)
        assert found.down * (1 - 1e-12) <= truth <= found.up * (1 + 1e-12)
        assert found.width <= 1e-9 * found.up


@pytest.mark.parametrize("sigma", [Fraction(1, 5), Fraction(7, 10), Fraction(3), Fraction(30)])
@pytest.mark.parametrize("delta", ["1e-6", "1e-95", "1e-300"])
def test_the_width_is_a_billionth_at_any_delta(sigma: Fraction, delta: str) -> None:
    found = PrivacyLoss.discrete_gaussian(sigma=sigma, sensitivity=1).times(5).epsilon_at(delta)
    assert 0 < found.up < float("inf")
    assert found.width <= 1e-9 * found.up


def test_moments_are_those_of_the_sum() -> None:
    for sigma in (Fraction(1, 2), Fraction(3), Fraction(50)):
        law = DiscreteGaussianLaw(sigma, 1)
        width = mpmath.mpf(sigma.numerator) / sigma.denominator
        for order in (Fraction(3, 2), Fraction(2), Fraction(20)):
            a = mpmath.mpf(order.numerator) / order.denominator - 1
            span = range(-int(12 * sigma) - 25, int(12 * sigma) + 26)
            masses = [mpmath.exp(-(mpmath.mpf(i) ** 2) / (2 * width**2)) for i in span]
            above = mpmath.fsum(
                m * mpmath.exp(a * (1 - 2 * i) / (2 * width**2)) for i, m in zip(span, masses, strict=True)
            )
            assert float(law.moment(order)) == pytest.approx(float(above / mpmath.fsum(masses)), rel=1e-13)


def test_one_alone_is_its_own_curve_in_both_signs() -> None:
    law = DiscreteGaussianLaw(Fraction(2), 1)
    assert law.hockey_stick(Fraction(1)).overlaps(hockey_stick(Fraction(2), 1, Fraction(1)))
    assert float(law.hockey_stick(Fraction(-40))) == pytest.approx(1.0)
    assert law.reverse() is law
    assert law.identity() == ("discrete gaussian", Fraction(2), 1)
    with pytest.raises(ArithmeticError):
        law.exponentials(2)


def test_a_very_wide_law_is_put_on_a_grid() -> None:
    wide = PrivacyLoss.discrete_gaussian(sigma=Fraction(10**4), sensitivity=10**4)
    assert wide.terms[0][0].grid() is None
    assert wide.epsilon_at("1e-6").up == pytest.approx(
        PrivacyLoss.gaussian(Fraction(1)).epsilon_at("1e-6").up, rel=1e-6
    )
