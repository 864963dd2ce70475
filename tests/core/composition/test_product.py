"""A composition that answers as one law says what its terms say together."""

from fractions import Fraction

import pytest
from flint import arb

from banister.core.exact.numbers import BALL_BITS, Bracket, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss

pair = PrivacyLoss.of_guarantee(Guarantee(1, Fraction(1, 10))).times(2)


def test_it_knows_its_end_its_mass_at_infinity_and_its_curve() -> None:
    law = pair.law
    assert law.top() == 2
    assert law.infinite().overlaps(arb(19) / 100)
    assert law.reverse() is law
    assert Bracket.of_ball(law.hockey_stick(Fraction(1))) == pair.delta_at(1)
    atoms = law.atoms()
    assert atoms is not None
    assert set(atoms) == {-2, 0, 2}


def test_moments_multiply() -> None:
    with precision(BALL_BITS):
        one = PrivacyLoss.pure(Fraction(1)).law.moment(Fraction(3))
        both = PrivacyLoss.pure(Fraction(1)).times(5).law.moment(Fraction(3))
        assert both.overlaps(one**5)


def test_gaussians_are_one_gaussian() -> None:
    assert PrivacyLoss.gaussian(Fraction(1, 4)).times(3).law.gaussian() == Fraction(3, 4)
    assert PrivacyLoss.laplace(Fraction(1)).times(3).law.gaussian() is None
    assert PrivacyLoss.laplace(Fraction(1)).times(3).law.atoms() is None


def test_identities_tell_losses_apart() -> None:
    assert pair.law.identity() == PrivacyLoss.of_guarantee(Guarantee(1, "0.1")).times(2).law.identity()
    assert pair.law.identity() != pair.times(2).law.identity()


def test_terms_are_tilted_one_by_one() -> None:
    law = PrivacyLoss.pure(Fraction(1)).times(3).law
    assert law.cumulants(0.0)[1] == pytest.approx(3 * PrivacyLoss.pure(Fraction(1)).law.cumulants(0.0)[1])
    with pytest.raises(ArithmeticError, match="one by one"):
        law.tilted(Fraction(1))
