"""Amplification by sampling: the pair of the sample, composed, against enumeration."""

import math
from fractions import Fraction

import pytest

from banister.accounting.totals.subsample import poisson_sampled, sampled, sampled_without_replacement
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.integers.geometric import Geometric
from tests.lopsided import lopsided
from tests.oracle import enumerated_delta, gaussian_delta, quaternary, real

RATE = Fraction(1, 10)


def sampled_response(epsilon: Fraction, rate: Fraction):
    p, q = ([law[1], law[2]] for law in quaternary(epsilon, Fraction(0)))
    mixed = [(1 - real(rate)) * b + real(rate) * a for a, b in zip(p, q, strict=True)]
    return mixed, q


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("at", [Fraction(0), Fraction(1, 20), Fraction(1, 5)])
def test_sampled_responses_are_the_enumerated_pair_in_the_worse_order(count: int, at: Fraction) -> None:
    first, second = sampled_response(Fraction(1), RATE)
    truth = max(enumerated_delta([(first, second)] * count, at), enumerated_delta([(second, first)] * count, at))
    found = poisson_sampled(PrivacyLoss.pure(Fraction(1)), rate=RATE).times(count).delta_at(at, relative_width=1e-5)
    assert found.down <= truth <= found.up
    assert found.width <= (1e-15 if count == 1 else 0.05 * float(truth) + 2e-4)


def test_a_sampled_gaussian_is_its_mixture() -> None:
    """Removing direction: the mixture against N(0, 1) has delta = rate · delta_Gauss(log(1 + (e^epsilon − 1)/rate))."""
    at = Fraction(1, 2)
    inner = real(1) * math.log(1 + (math.exp(0.5) - 1) * 10)
    found = poisson_sampled(PrivacyLoss.gaussian(Fraction(1)), rate=RATE).delta_at(at)
    assert found.up == pytest.approx(float(RATE) * float(gaussian_delta(Fraction(1), inner)), rel=1e-12)


def test_the_ends_of_the_rate() -> None:
    loss = PrivacyLoss.laplace(Fraction(1))
    assert poisson_sampled(loss, rate=1) == loss
    assert poisson_sampled(loss, rate=0).delta_at(0).up == 0
    assert sampled_without_replacement(loss, size=5, people=5) == loss


def test_sampling_never_costs() -> None:
    loss = PrivacyLoss.gaussian(Fraction(1, 4))
    for part in (poisson_sampled(loss, rate=RATE), sampled_without_replacement(loss, size=1, people=10)):
        for at in (Fraction(0), Fraction(1, 10), Fraction(1)):
            assert part.delta_at(at).up <= loss.delta_at(at).up
        assert part.times(20).epsilon_at("1e-5", relative_width=1e-3).up < loss.times(20).epsilon_at("1e-5").down


def test_a_sample_of_fixed_size_has_its_known_epsilon() -> None:
    """log(1 + rate·(e − 1)) for one pure release of level 1."""
    found = sampled_without_replacement(PrivacyLoss.pure(Fraction(1)), size=10, people=1000).epsilon_at(0)
    assert found.up == pytest.approx(math.log(1 + 0.01 * (math.e - 1)), rel=1e-9)


def test_a_sample_of_fixed_size_counts_the_worse_order_whichever_comes_first() -> None:
    losses = [lopsided(turned=turned) for turned in (False, True)]
    samples = [sampled_without_replacement(loss, size=1, people=4) for loss in losses]
    for at in (0.05, 0.1, 0.2):
        inner = math.log(1 + (math.exp(at) - 1) * 4)
        worse = losses[0].delta_at(inner).up / 4
        for sample in samples:
            assert sample.delta_at(at).up == pytest.approx(worse, rel=1e-9)
    assert samples[0].epsilon_at(0) == samples[1].epsilon_at(0)


@pytest.mark.parametrize("loss", [PrivacyLoss.pure(Fraction(1)), PrivacyLoss.gaussian(Fraction(4))])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_the_bounds_on_the_loss_of_a_sample_are_its_ends_in_each_order(loss: PrivacyLoss, rate: Fraction) -> None:
    """Where the loss ends at e, that of the sample ends at log(1 + rate·(e^e − 1)), and −log(1 − rate + rate·e^−e)."""
    law, share = poisson_sampled(loss, rate=rate).law, float(rate)
    top = loss.law.top()
    left = 0 if top is None else math.exp(-top)
    back = law.reverse().top()
    assert back is not None
    assert float(back) == pytest.approx(-math.log(1 - share + share * left), rel=1e-12)
    assert float(law.reverse().hockey_stick(back * Fraction(1001, 1000))) <= 1e-12
    assert float(law.reverse().hockey_stick(back * Fraction(1, 2))) > 0
    if top is None:
        assert law.top() is None
    else:
        assert float(law.top() or 0) == pytest.approx(math.log(1 + share * (math.exp(top) - 1)), rel=1e-12)


def test_bad_rates_are_refused() -> None:
    loss = PrivacyLoss.pure(Fraction(1))
    with pytest.raises(BadValue, match=r"rate = 1.5 .* enters the sample"):
        poisson_sampled(loss, rate=1.5)
    with pytest.raises(BadValue, match="size = 11 must be a whole number from 1 to 10"):
        sampled_without_replacement(loss, size=11, people=10)


def test_one_door_for_both_ways_to_sample() -> None:
    """It takes whatever has a loss, and says what is missing."""
    whole = PrivacyLoss.pure(Fraction(1))
    by_rate, by_size = sampled(Guarantee(1), rate=RATE), sampled(Geometric(epsilon=Fraction(1)), size=1, people=10)
    assert by_rate.epsilon_at(0) == poisson_sampled(whole, rate=RATE).epsilon_at(0)
    assert by_size.epsilon_at(0) == sampled_without_replacement(whole, size=1, people=10).epsilon_at(0)
    assert poisson_sampled(Guarantee(1), rate=RATE).epsilon_at(0) == by_rate.epsilon_at(0)
    with pytest.raises(BadValue, match="A str cannot be charged"):
        poisson_sampled("1", rate=RATE)  # type: ignore[arg-type]
    for stated in ({}, {"rate": RATE, "size": 1, "people": 10}, {"size": 1}):
        with pytest.raises(BadValue, match="state one of the two"):
            sampled(whole, **stated)
