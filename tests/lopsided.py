"""A pair that is worse in one order of the neighbours than in the other, for tests that both are asked."""

from fractions import Fraction

from flint import arb

from banister.core.exact.numbers import BALL_BITS, exp_ball, precision
from banister.core.privacy.loss import PrivacyLoss

HALF = Fraction(1, 2)


def lopsided_atoms(*, turned: bool) -> list[tuple[Fraction, arb]]:
    """Losses 1 and −1/2, with the masses that make them a pair; or −1 and 1/2, the neighbours' places changed."""
    with precision(BALL_BITS):
        share = (exp_ball(HALF) - 1) / (exp_ball(HALF) - exp_ball(-1))
        atoms = [(Fraction(1), share), (-HALF, 1 - share)]
        return [(-value, mass * exp_ball(-value)) for value, mass in atoms] if turned else atoms


def lopsided(*, turned: bool) -> PrivacyLoss:
    """The loss of that pair: the largest is 1 in one order and 1/2 in the other, and none is infinite."""
    return PrivacyLoss.of_one_sided_atoms(lopsided_atoms(turned=turned), infinite=arb(0))
