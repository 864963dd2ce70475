"""The law of every charge, for noise on the integers: every member of `ALL`, at every distance of neighbours."""

from fractions import Fraction

import numpy as np
import pytest

from banister.accounting.charge import largest_finite_loss
from banister.core.exact.numbers import BALL_BITS, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss, own_delta
from banister.mechanisms import (
    ALL,
    DiscreteGaussian,
    DiscreteLaplace,
    Geometric,
    IntegerNoise,
    IntegerStaircase,
    RoundedGaussian,
    TabulatedNoise,
    TruncatedStaircase,
    Uniform,
)
from banister.mechanisms.integers.rungs import GeometricRungs, StayChance
from banister.mechanisms.integers.shaped import ShapedNoise
from tests.contract.law import Pair, assert_drawn, bits, examine, integer_pairs, is_exact, reached, some_shifts

SETTINGS: list[IntegerNoise] = [
    *(noise for module in ALL for noise in module.examples() if isinstance(noise, IntegerNoise)),
    Geometric(epsilon=Fraction(1, 2)),
    *(
        IntegerStaircase.with_step(epsilon=epsilon, sensitivity=reach, step_width=width)
        for epsilon in (Fraction(3, 10), Fraction(2))
        for reach in (2, 5)
        for width in range(1, reach + 1)
    ),
    DiscreteLaplace(epsilon=2, sensitivity=2),
    DiscreteLaplace(epsilon=Fraction(3, 2), sensitivity=6),
    DiscreteGaussian(epsilon=Fraction(1, 2), delta=Fraction(1, 100), sensitivity=2),
    DiscreteGaussian.with_sigma(sigma=Fraction(3, 4), sensitivity=5),
    RoundedGaussian(epsilon=Fraction(1, 2), delta=Fraction(1, 100), sensitivity=3),
    TruncatedStaircase(epsilon=2, delta=Fraction(1, 1000), sensitivity=4),
    TruncatedStaircase(epsilon=Fraction(1, 3), delta=Fraction(1, 7), sensitivity=5),
    Uniform(delta=Fraction(1, 9), sensitivity=1),
    Uniform(delta=Fraction(2, 7), sensitivity=4),
    ShapedNoise(heights=[0, 1, 2, 4, 6, 9], unit="1/2", reach=1),
    ShapedNoise(heights=[0, 0, 1, 3, 6, 10, 15], unit="1/3", reach=2, width=3),
    TabulatedNoise(masses=["1/4", "1/4", "1/16", "1/16"], epsilon=Fraction(1, 2), sensitivity=1),
]


def nominal(noise: IntegerNoise) -> Fraction:
    """The epsilon it was made for; 1 where it has none, which is then as good as any other."""
    return getattr(noise, "epsilon", Fraction(1)) or Fraction(1)


def name(noise: object) -> str:
    return type(noise).__name__


@pytest.mark.parametrize("noise", SETTINGS, ids=name)
def test_the_claim_is_the_true_curve(noise: IntegerNoise) -> None:
    pairs = integer_pairs(noise, some_shifts(noise.sensitivity))
    examine(noise.loss(), pairs, nominal=nominal(noise), exact=is_exact(noise))
    if not is_exact(noise):
        # What is calibrated to a delta spends it, up to the last value at the edge; rounding to whole numbers hides
        # some of what Gaussian noise tells where sigma is small.
        at = getattr(noise, "epsilon", Fraction(0))
        reached(noise.loss(), pairs, nominal=at, share=0.8)


@pytest.mark.parametrize("reach", [1, 2, 5])
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("1/3", "1/7"), ("2", "1/1000"), ("1/10", "3/10")])
def test_a_truncated_staircase_is_charged_its_own_loss(epsilon: str, delta: str, reach: int) -> None:
    """Up to epsilon the claim is the curve of the shift by the sensitivity, where the noise goes beyond it."""
    noise = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=reach)
    assert noise.edge > reach
    pairs = integer_pairs(noise, range(1, reach + 1))
    examine(noise.loss(), pairs, nominal=noise.epsilon, exact=False)
    with precision(BALL_BITS):
        for part in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1)):
            truth = max(float(pair.delta(part * noise.epsilon)[1]) for pair in pairs)
            assert noise.loss().delta_at(part * noise.epsilon).up == pytest.approx(truth, rel=1e-9, abs=2.0**-60)


def test_what_is_charged_for_a_truncated_staircase_keeps_its_guarantee_and_composes_better() -> None:
    noise, promise = TruncatedStaircase(epsilon=1, delta="1e-7", sensitivity=4), Guarantee(1, "1e-7")
    assert noise.loss().keeps(promise)
    assert largest_finite_loss(noise.loss()) == 1
    assert own_delta(noise.loss().law) == promise.delta
    own, worst = noise.loss().times(10), PrivacyLoss.of_guarantee(promise).times(10)
    uncut = IntegerStaircase.with_step(epsilon=1, sensitivity=4, step_width=noise.step_width).loss().times(10)
    assert uncut.delta_at(6).up < own.delta_at(6).up < 0.96 * worst.delta_at(6).down
    assert uncut.epsilon_at("1e-5").up < own.epsilon_at("1e-5").up < worst.epsilon_at("1e-5").up
    # A table is charged by its own distance as well, which is less than that of the worst of its guarantee.
    table = TabulatedNoise(masses=[Fraction(1, 5)] + [Fraction(1, 10)] * 4, epsilon=Fraction(1, 2), sensitivity=1)
    assert table.loss().delta_at(0).up < PrivacyLoss.of_guarantee(Guarantee("1/2", table.delta)).delta_at(0).up


def test_a_thinned_discrete_laplace_claims_a_little_more_than_the_truth() -> None:
    """Beyond 512 losses the claim joins some of them by chords; it stays above the truth, and near it.

    Neighbouring losses that are kept are at most 3 · 2 · 3/600 apart, and a chord is off by an eighth of the square.
    """
    noise = DiscreteLaplace(epsilon=3, sensitivity=600)
    pairs = integer_pairs(noise, [599, 600])
    examine(noise.loss(), pairs, nominal=noise.epsilon, exact=False)
    examine(noise.loss(), pairs, nominal=noise.epsilon, exact=True, slack=(18 / 600) ** 2 / 8)


def test_rungs_that_are_seen_together_tell_what_is_claimed() -> None:
    """The joint law of a coarse and a fine rung, for two neighbouring counts: not the sum of what each tells."""
    rungs = GeometricRungs(epsilons=["1/2", 2])
    coarse, fine = (Geometric(epsilon=epsilon) for epsilon in rungs.epsilons)
    with precision(BALL_BITS):
        stay = StayChance(*rungs.epsilons)()
        gap = {n: (1 - stay) * coarse.mass_ball(n) + (stay if n == 0 else 0) for n in range(-96, 97)}
        pair = Pair.of(
            (fine.mass_ball(n) * more, fine.mass_ball(n - 1) * more) for n in range(-25, 26) for more in gap.values()
        )
    examine(rungs.loss(), [pair.merged()], nominal=rungs.epsilons[-1], exact=True)


@pytest.mark.parametrize("noise", SETTINGS, ids=name)
def test_what_is_drawn_is_the_law_that_was_examined(noise: IntegerNoise) -> None:
    many = noise.release(np.full(60_000, 5, dtype=np.int64), bits(1)) - 5
    few = np.array([noise.release(5, source) - 5 for source in [bits(2)] for _ in range(3000)])
    for sample in (many, few):
        assert_drawn(sample, noise.mass)


@pytest.mark.parametrize("noise", SETTINGS, ids=name)
def test_noise_whose_moves_add_up_is_log_concave(noise: IntegerNoise) -> None:
    """p(i)² ≥ p(i-1) p(i+1): then one coordinate that moves alone is the worst (docs/math/vector-staircase.md)."""
    if not noise.moves_add_up:
        return
    reach = min(noise.interval(1 - Fraction(1, 10**9)) + 3, 3000)
    masses = [noise.mass_ball(i) for i in range(reach + 2)]
    both = [masses[1], *masses]
    assert not any(
        middle * middle < before * after for before, middle, after in zip(both, both[1:], both[2:], strict=False)
    )
