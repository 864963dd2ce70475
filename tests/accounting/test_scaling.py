"""Calibration is the inverse of composition, and always on the safe side."""

from fractions import Fraction

import pytest
from flint import arb

from banister.accounting.scaling import largest_size
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, Uncertified

NOTHING = PrivacyLoss.nothing()
TOTAL = Guarantee(1, 1e-6)


@pytest.mark.parametrize(
    ("family", "questions", "size"),
    [
        (PrivacyLoss.pure, 10, 0.100063),
        (PrivacyLoss.pure, 30, 0.045734),
        (PrivacyLoss.pure, 100, 0.024011),
        (PrivacyLoss.laplace, 100, 0.0241037),
        (PrivacyLoss.gaussian, 100, 1 / 1785),
    ],
)
def test_known_sizes_for_a_total_of_1_and_a_millionth(family, questions, size) -> None:
    found = largest_size(family, total=TOTAL, questions=questions, beside=NOTHING)
    assert found == pytest.approx(size, rel=3e-4)
    loss = family(Fraction(found)).times(questions)
    assert loss.delta_at(1).up <= 1e-6
    assert family(Fraction(found * (1 + 1e-5))).times(questions).delta_at(1).down > 1e-6


def test_pure_privacy_is_shared_evenly() -> None:
    assert largest_size(PrivacyLoss.pure, total=Guarantee(1), questions=4, beside=NOTHING) == 0.25


def test_what_stands_beside_the_questions_counts() -> None:
    beside = PrivacyLoss.gaussian(Fraction(1, 100))
    less = largest_size(PrivacyLoss.pure, total=TOTAL, questions=20, beside=beside)
    assert less < largest_size(PrivacyLoss.pure, total=TOTAL, questions=20, beside=NOTHING)
    assert PrivacyLoss.pure(Fraction(less)).times(20).with_(beside).delta_at(1).up <= 1e-6


def test_an_impossible_total_is_refused() -> None:
    with pytest.raises(BadValue, match="already over the total"):
        largest_size(PrivacyLoss.pure, total=TOTAL, questions=2, beside=PrivacyLoss.pure(Fraction(2)))
    with pytest.raises(BadValue, match="small enough"):
        largest_size(PrivacyLoss.gaussian, total=Guarantee(1), questions=2, beside=NOTHING)
    with pytest.raises(Uncertified, match="Every size"):
        largest_size(lambda _: NOTHING, total=TOTAL, questions=2, beside=NOTHING)
    with pytest.raises(BadValue, match="questions = 0"):
        largest_size(PrivacyLoss.pure, total=TOTAL, questions=0, beside=NOTHING)


def test_a_family_of_ones_own() -> None:
    def lazy(size: Fraction) -> PrivacyLoss:
        return PrivacyLoss.of_atoms(
            [(Fraction(0), arb(1) - arb(size.numerator) / size.denominator)],
            infinite=arb(size.numerator) / size.denominator,
        )

    found = largest_size(lazy, total=Guarantee(1, 1e-3), questions=3, beside=NOTHING)
    assert found == pytest.approx(1 - (1 - 1e-3) ** (1 / 3), rel=1e-9)
