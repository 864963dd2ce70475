"""Bounds taken back from a smoothed total, against totals whose curve is known with and without the smoothing."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import pytest
from flint import arb

from banister.core.composition.contour import Spectrum
from banister.core.composition.law import GaussianLaw, Law
from banister.core.composition.smooth import Smoothed
from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.privacy.loss import PrivacyLoss


@dataclass(frozen=True)
class Known:
    """In place of a spectrum: the exact curve of a law and one more Gaussian, and a tilt with its moment."""

    delta: Callable[[Fraction], arb]
    tilt: Fraction
    log_mass: arb


def smoothed(law: Law, extra: Fraction, tilt: Fraction) -> Smoothed:
    with precision(BALL_BITS):
        log_mass = law.moment(tilt + 1).log() + ball(extra * tilt * (tilt + 1) / 2)
    mu_squared, atoms = law.gaussian(), law.atoms()

    def delta(point: Fraction) -> arb:
        with precision(BALL_BITS):
            if mu_squared is not None:
                return GaussianLaw(mu_squared + extra).hockey_stick(point)
            assert atoms is not None
            return sum((mass * GaussianLaw(extra).hockey_stick(point - value) for value, mass in atoms.items()), arb(0))

    return Smoothed(cast(Spectrum, Known(delta, tilt, log_mass)), extra)


LAWS = {"gaussian": GaussianLaw(Fraction(1, 4)), "response": PrivacyLoss.pure(Fraction(1, 2)).law}


@pytest.mark.parametrize("extra", [Fraction(1, 10**n) for n in (3, 6, 12, 18)], ids=str)
@pytest.mark.parametrize("name", LAWS)
def test_the_truth_lies_between_the_bounds_and_they_are_close(name: str, extra: Fraction) -> None:
    """Where the extra variance is tiny, a bound that left out any of its parts would be on the wrong side."""
    law, tilt = LAWS[name], Fraction(2)
    bounds = smoothed(law, extra, tilt)
    for point in (Fraction(1, 10), Fraction(1, 4), Fraction(2, 5)):
        with precision(BALL_BITS):
            truth = law.hockey_stick(point)
            assert bounds.lower(point) <= truth
            assert not truth > bounds.upper(point)  # Far from a kink they agree to more digits than are kept.
            # What Chernoff leaves open beyond 13/2 deviations, and a multiple of the variance.
            gap = bounds.upper(point) - bounds.lower(point)
            assert gap <= 100 * ball(extra) + arb(10) ** -9 * exp_ball(1)


def test_without_a_variance_both_bounds_are_the_spectrum() -> None:
    known = Known(lambda point: arb(1) / 3, Fraction(1), arb(0))
    same = Smoothed(cast(Spectrum, known), Fraction(0))
    assert float(same.lower(Fraction(1))) == float(same.upper(Fraction(1))) == 1 / 3
