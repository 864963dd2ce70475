"""Calibration is the inverse of composition, and always on the safe side."""

from fractions import Fraction

import pytest
from flint import arb

from banister.accounting.totals.calibration import calibrate
from banister.accounting.totals.scaling import Family, largest_size
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


@pytest.mark.parametrize("family", [PrivacyLoss.pure, PrivacyLoss.laplace, PrivacyLoss.gaussian])
@pytest.mark.parametrize("questions", [1, 2, 10, 40])
@pytest.mark.parametrize("total", [TOTAL, Guarantee("0.1", "1e-12"), Guarantee(5, "0.01"), Guarantee(20, "1e-6")])
def test_a_size_is_found_in_a_few_compositions(family: Family, questions: int, total: Guarantee) -> None:
    """Next to the even share the curve of delta is steep; halving would take forty steps and more."""
    asked = []

    def counted(size: Fraction) -> PrivacyLoss:
        asked.append(size)
        return family(size)

    found = largest_size(counted, total=total, questions=questions, beside=NOTHING)
    assert len(asked) <= 20
    assert family(Fraction(found)).times(questions).keeps(total)
    assert not family(Fraction(found * (1 + 1e-9))).times(questions).keeps(total)


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


@pytest.mark.parametrize("questions", [1, 2, 20, 200])
@pytest.mark.parametrize("total", [Guarantee(5, "1e-12"), Guarantee("0.1", "1e-9"), Guarantee(10, "1e-3")])
@pytest.mark.parametrize("share", ["1", "0.9", "1e-3"])
def test_questions_with_a_delta_of_their_own_are_calibrated_up_to_all_of_it(questions, total, share) -> None:
    """At `calibrate(total=(5, 1e-12), questions=200, delta_each="4.5e-15")` and 60 other points this overflowed."""
    each = total.delta * Fraction(share) / questions
    found = calibrate(total=total, questions=questions, delta_each=each)
    assert found.delta == each
    assert found.epsilon >= total.epsilon / questions * Fraction(999_999, 10**6)
    assert PrivacyLoss.of_guarantee(found).times(questions).keeps(total)
    assert calibrate(total=Guarantee(5, "1e-12"), questions=200, delta_each="4.5e-15").epsilon > Fraction(49, 1000)
