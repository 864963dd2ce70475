"""The transforms that composition rests on are off by no more than they say, against forty digits."""

from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb

from banister.core.composition.atoms import turners
from banister.core.composition.law import Law
from banister.core.exact.numbers import precision
from banister.core.privacy.loss import PrivacyLoss
from tests.oracle import real

PERIOD = Fraction(37, 3)
TILT = Fraction(9, 4)


def moment(law: Law, s: mpmath.mpc) -> mpmath.mpc:
    """E[e^(sL)] over the finite losses, from the definition of each law."""
    atoms = law.atoms()
    if atoms is not None:
        return sum(mpmath.mpf(mass.mid().str(50, radius=False)) * mpmath.exp(s * real(v)) for v, mass in atoms.items())
    mu_squared = law.gaussian()
    if mu_squared is not None:
        return mpmath.exp(real(mu_squared) * s * (s + 1) / 2)
    e = real(law.top() or 0)
    density = mpmath.exp(-e / 2) / 4 * (mpmath.exp((s + 0.5) * e) - mpmath.exp(-(s + 0.5) * e)) / (s + 0.5)
    return mpmath.exp(s * e) / 2 + mpmath.exp(-e - s * e) / 2 + density


def many_atoms() -> Law:
    """The law above a Gaussian's curve: more than a hundred losses on a grid of a power of two."""
    curve = PrivacyLoss.of_curve(PrivacyLoss.gaussian(Fraction(1, 4)).law.hockey_stick, key="g")
    return curve.law.bounds(1e-3)[0]


@pytest.mark.parametrize(
    ("law", "period"),
    [
        (PrivacyLoss.pure(Fraction(1, 3)).law, PERIOD),
        (PrivacyLoss.laplace(Fraction(1, 3)).law, PERIOD),
        (PrivacyLoss.gaussian(Fraction(1, 3)).law, PERIOD),
        (many_atoms(), PERIOD),
        (many_atoms(), Fraction(32)),
    ],
    ids=["response", "laplace", "gaussian", "summed", "tabled"],
)
def test_a_turn_is_off_by_no_more_than_it_says(law: Law, period: Fraction) -> None:
    with precision(256):
        tilted = law.tilted(TILT)
    steps = np.array([0, 1, 2, 5, 17, 60, 400])
    turn = tilted.turner(period)(steps)
    for n, log_size, angle, error in zip(steps, turn.log_size, turn.angle, turn.error, strict=True):
        s = mpmath.mpc(real(TILT), 2 * mpmath.pi * int(n) / real(period))
        truth = moment(law, s) / moment(law, s.real) * mpmath.exp(-mpmath.mpc(0, s.imag) * real(tilted.centre))
        found = mpmath.exp(mpmath.mpc(log_size, angle))
        assert abs(found) >= abs(truth) * (1 - mpmath.mpf(10) ** -18)
        assert abs(found - truth) <= abs(found) * mpmath.expm1(mpmath.mpf(error)) + mpmath.mpf(10) ** -30
        assert error < 1e-9 or abs(truth) < 1e-3


@pytest.mark.parametrize("kind", [PrivacyLoss.pure, PrivacyLoss.laplace, PrivacyLoss.gaussian])
def test_tilted_masses_are_certified(kind: Callable[[Fraction], PrivacyLoss]) -> None:
    law = kind(Fraction(1, 2)).law
    with precision(128):
        found = law.tilted(TILT).log_mass.exp()
        assert found.overlaps(arb(str(mpmath.nstr(moment(law, mpmath.mpc(real(TILT), 0)).real, 40))) + arb(0, 1e-30))


def test_many_laws_of_two_losses_turn_together_by_no_more_than_they_say() -> None:
    """Seventy responses, some of them several times, and a Laplace loss between them, against the product of all."""
    terms = [(PrivacyLoss.pure(Fraction(k, 97)).law, 1 + k % 3) for k in range(1, 71)]
    terms.insert(40, (PrivacyLoss.laplace(Fraction(1, 5)).law, 2))
    with precision(256):
        tilted = [(law.tilted(TILT), count) for law, count in terms]
    ways = turners(tilted, PERIOD)
    assert len(ways) == 3  # Forty together, the Laplace loss, thirty together.
    for n in (0, 1, 3, 8, 20):
        steps = np.array([n])
        parts = [(way(steps), count) for way, count in ways]
        log_size, angle, error = (
            sum(float(getattr(turn, part)[0]) * count for turn, count in parts)
            for part in ("log_size", "angle", "error")
        )
        s = mpmath.mpc(real(TILT), 2 * mpmath.pi * n / real(PERIOD))
        truth = mpmath.mpf(1)
        for (law, count), (one, _) in zip(terms, tilted, strict=True):
            each = moment(law, s) / moment(law, s.real) * mpmath.exp(-mpmath.mpc(0, s.imag) * real(one.centre))
            truth *= each**count
        found = mpmath.exp(mpmath.mpc(log_size, angle))
        assert abs(found) >= abs(truth) * (1 - mpmath.mpf(10) ** -13)
        assert abs(found - truth) <= abs(found) * mpmath.expm1(mpmath.mpf(error) + 1e-14)
        assert error < 1e-10
