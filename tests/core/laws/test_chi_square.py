"""The accountants of Gaussian sketches, by quadrature and by what is known in the limit."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2

from banister.core.laws.chi_square import narrowed, shifted, widened, wider
from banister.core.privacy.loss import PrivacyLoss


def by_quadrature(rows: int, ratio: float, epsilon: float, *, wide_first: bool) -> float:
    """∫ (p - e^epsilon q)⁺ over the squared length, on a fine grid."""
    t = np.linspace(1e-9, rows + 40 * np.sqrt(2 * rows) + 60, 400_001)
    wide, narrow = chi2.pdf(t / (1 + ratio), rows) / (1 + ratio), chi2.pdf(t, rows)
    first, second = (wide, narrow) if wide_first else (narrow, wide)
    return float(np.trapezoid(np.maximum(first - np.exp(epsilon) * second, 0), t))


@pytest.mark.parametrize(("rows", "ratio", "epsilon"), [(4, "1/2", "1/4"), (10, "3/10", "1/2"), (25, "1/5", "1")])
def test_both_orders_equal_quadrature(rows: int, ratio: str, epsilon: str) -> None:
    r, e = Fraction(ratio), Fraction(epsilon)
    up = by_quadrature(rows, float(r), float(e), wide_first=True)
    down = by_quadrature(rows, float(r), float(e), wide_first=False)
    assert float(widened(rows, r, e)) == pytest.approx(up, rel=1e-6)
    assert float(narrowed(rows, r, e)) == pytest.approx(down, rel=1e-6)
    assert float(wider(rows, r, e)) == pytest.approx(max(up, down), rel=1e-6)


def test_delta_grows_with_ratio_and_rows_and_falls_with_epsilon() -> None:
    assert wider(50, Fraction(1, 10), Fraction(1)) < wider(50, Fraction(2, 10), Fraction(1))
    assert wider(50, Fraction(1, 10), Fraction(1)) < wider(100, Fraction(1, 10), Fraction(1))
    assert wider(50, Fraction(1, 10), Fraction(1)) > wider(50, Fraction(1, 10), Fraction(2))
    assert narrowed(3, Fraction(1, 100), Fraction(5)) == 0


def test_random_shift_equals_quadrature_and_tends_to_the_fixed_one() -> None:
    rows, shift, epsilon = 12, Fraction(1, 10), Fraction(1, 2)
    with mpmath.workdps(30):

        def mass(t: mpmath.mpf) -> mpmath.mpf:
            mu = mpmath.mpf(1) / 10 * mpmath.sqrt(t)
            e = mpmath.mpf(1) / 2
            delta = mpmath.ncdf(-e / mu + mu / 2) - mpmath.exp(e) * mpmath.ncdf(-e / mu - mu / 2)
            return t**5 * mpmath.exp(-t / 2) / (2**6 * mpmath.gamma(6)) * delta

        expected = float(mpmath.quad(mass, [0, 5, 10, 20, 40, 80, 200]))
    assert float(shifted(rows, shift, epsilon)) == pytest.approx(expected, rel=1e-9)
    # With many rows the length hardly varies: mu² = rows · shift².
    many = 100_000
    fixed = PrivacyLoss.gaussian(many * Fraction(1, 1000) ** 2).delta_at("1/2").up
    assert float(shifted(many, Fraction(1, 1000), Fraction(1, 2))) == pytest.approx(fixed, rel=1e-3)
