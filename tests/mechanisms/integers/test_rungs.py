"""Rungs: the law of each, the law of both together, and what both give away."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from banister.core.exact.numbers import precision
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.integers.rungs import GeometricRungs, StayChance
from tests.seeded import SeededBits

REACH = 60


def geometric(epsilon: float) -> np.ndarray:
    b = np.exp(-epsilon)
    return np.asarray((1 - b) / (1 + b) * b ** np.abs(np.arange(-REACH, REACH + 1)))


def extra(coarse: Fraction, fine: Fraction) -> np.ndarray:
    """The law of R."""
    with precision(200):
        stay = float(StayChance(coarse, fine)())
    law = (1 - stay) * geometric(float(coarse))
    law[REACH] += stay
    return law


@pytest.mark.parametrize(("coarse", "fine"), [("1/2", "1"), ("1", "3"), ("1/2", "5")])
def test_the_coarse_law_is_the_fine_one_plus_noise(coarse: str, fine: str) -> None:
    made = np.convolve(geometric(float(Fraction(fine))), extra(Fraction(coarse), Fraction(fine)))
    np.testing.assert_allclose(made[REACH:-REACH], geometric(float(Fraction(coarse))), atol=1e-12)


def test_both_together_give_away_what_the_fine_one_does() -> None:
    """The joint law of (coarse, fine) for a count of 0 and of 1: its curve is that of the fine epsilon."""
    fine, more = geometric(1.0), extra(Fraction(1, 2), Fraction(1))
    joint = fine[:, None] * more[None, :]  # By fine and by the difference: shifting the count moves fine alone.
    shifted = np.vstack((np.zeros((1, joint.shape[1])), joint[:-1]))
    for epsilon in (0.0, 0.3, 0.5, 0.9):
        found = np.maximum(shifted - np.exp(epsilon) * joint, 0).sum()
        assert found == pytest.approx(PrivacyLoss.pure(Fraction(1)).delta_at(epsilon).up, abs=1e-9)


def test_composing_a_difference_would_undercount() -> None:
    apart = PrivacyLoss.pure(Fraction(1, 10)).with_(PrivacyLoss.pure(Fraction(9, 10))).delta_at("0.5").up
    assert apart == pytest.approx(0.234, abs=5e-4)
    assert GeometricRungs(epsilons=["0.1", 1]).loss().delta_at("0.5").up == pytest.approx(0.288, abs=5e-4)


@pytest.mark.slow
def test_draws_follow_the_laws() -> None:
    rungs, bits = GeometricRungs(epsilons=["1/2", 1, 3]), SeededBits(5)
    drawn = [rungs.draw(bits) for _ in range(20_000)]
    for place, epsilon in enumerate((0.5, 1.0, 3.0)):
        counts, law = Counter(row[place] for row in drawn), geometric(epsilon)
        for value in range(-4, 5):
            assert abs(counts[value] / 20_000 - law[REACH + value]) < 5 * (law[REACH + value] / 20_000) ** 0.5
    gaps, law = Counter(row[0] - row[1] for row in drawn), extra(Fraction(1, 2), Fraction(1))
    for value in range(-3, 4):
        assert abs(gaps[value] / 20_000 - law[REACH + value]) < 5 * (law[REACH + value] / 20_000) ** 0.5


def test_one_rung_is_geometric_noise() -> None:
    assert len(GeometricRungs(epsilons=[1]).draw(SeededBits(1))) == 1


@pytest.mark.parametrize("epsilons", [[], [1, 1], [1, "0.1"], [0, 1], [-1]])
def test_epsilons_that_do_not_rise_are_refused(epsilons) -> None:
    with pytest.raises(BadValue, match="epsilon"):
        GeometricRungs(epsilons=epsilons)


def test_many_draws_follow_the_laws_of_one() -> None:
    noise = GeometricRungs(epsilons=["1/2", 1, 3]).draw_many(40_000, SeededBits(9))
    for values, epsilon in zip(noise, (0.5, 1.0, 3.0), strict=True):
        law = geometric(epsilon)
        for value in range(-3, 4):
            part, chance = float(np.mean(values == value)), law[REACH + value]
            assert abs(part - chance) < 5 * np.sqrt(chance * (1 - chance) / 40_000)
    difference = noise[0] - noise[1]
    with precision(200):
        stay = float(StayChance(Fraction(1, 2), Fraction(1))())
    same = stay + (1 - stay) * geometric(0.5)[REACH]
    assert abs(float(np.mean(difference == 0)) - same) < 5 * np.sqrt(same * (1 - same) / 40_000)
