from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from banister.core.laws.utility import KL
from banister.errors import BadValue
from banister.local import testing
from banister.local.channels.matrix import quaternary
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.partition import design_between
from banister.local.testing import _at_least, errors_with, people_needed, verdict_of
from tests.local.seeded import SeededBits

P0, P1 = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.1, 0.2, 0.3, 0.4])
BIT = design_between(Fraction(1), P0, P1, KL)
FULL = RandomizedResponse(1, 4)


def test_two_outputs_are_a_binomial_test() -> None:
    errors = errors_with(BIT, P0, P1, people=100, size=0.05)
    m0, m1 = BIT.output_law(P0)[0], BIT.output_law(P1)[0]  # Cell 0 has the lowest P0/P1.
    least = next(c for c in range(101) if binom.sf(c - 1, 100, m0) <= 0.05)
    assert errors.method == "exact"
    assert errors.false_alarm == pytest.approx(binom.sf(least - 1, 100, m0), rel=1e-9)
    assert errors.power == pytest.approx(binom.sf(least - 1, 100, m1), rel=1e-9)


def test_the_saddle_point_agrees_with_the_exact_law(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = errors_with(FULL, P0, P1, people=60, size=0.05)
    monkeypatch.setattr(testing, "MOST_EXACT", 0)
    near = errors_with(FULL, P0, P1, people=60, size=exact.false_alarm)
    assert (exact.method, near.method) == ("exact", "saddle point")
    assert near.missed_detection == pytest.approx(exact.missed_detection, rel=0.05)


@pytest.mark.parametrize("channel", [BIT, FULL], ids=["bit", "response"])
def test_errors_happen_as_often_as_claimed(channel: RandomizedResponse) -> None:
    rng, bits, people, rounds = np.random.default_rng(1), SeededBits(1), 40, 600
    rejected = {}
    for name, law in (("zero", P0), ("one", P1)):
        verdicts = [
            testing.test(channel.respond(rng.choice(4, people, p=law), bits), channel, P0, P1)
            for _ in range(rounds if channel is BIT else 60)
        ]
        rejected[name] = np.mean([v.rejects_zero for v in verdicts])
    errors = verdicts[0].errors
    deviation = 4 * 0.5 / np.sqrt(len(verdicts))
    assert abs(rejected["zero"] - errors.false_alarm) < deviation
    assert abs(rejected["one"] - errors.power) < deviation
    assert all((v.p_value <= errors.false_alarm + 1e-9) == v.rejects_zero for v in verdicts)


def test_the_designed_channel_needs_fewer_people() -> None:
    designed = people_needed(BIT, P0, P1, power=0.9)
    assert designed < people_needed(FULL, P0, P1, power=0.9)
    assert errors_with(BIT, P0, P1, people=designed, size=0.05).power >= 0.9


@pytest.mark.parametrize(
    "channel",
    [BIT, RandomizedResponse(3, 2), RandomizedResponse(4, 2), RandomizedResponse(2, 3), RandomizedResponse(4, 3)],
    ids=["bit", "two", "two at 4", "three", "three at 4"],
)
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_all_larger_numbers_of_people_suffice_and_no_smaller_number_does(channel, power: float) -> None:
    """The power of a test on counts goes up and down: the first number that reaches it is often not enough."""
    p0, p1 = (
        (P0, P1) if channel is BIT else ([0.6, 0.2, 0.2][: channel.categories], [0.3, 0.3, 0.4][: channel.categories])
    )
    p0, p1 = np.array(p0) / np.sum(p0), np.array(p1) / np.sum(p1)
    least = people_needed(channel, p0, p1, power=power)
    powers = [errors_with(channel, p0, p1, people=n).power for n in range(1, 2 * least + 30)]
    assert min(powers[least - 1 :]) >= power
    assert least == 1 or powers[least - 2] < power


def test_extreme_sizes_are_handled() -> None:
    assert errors_with(BIT, P0, P1, people=1, size=0.001).missed_detection == 1
    silent = RandomizedResponse(0, 4)
    assert errors_with(silent, P0, P1, people=10, size=0.05).power == 0
    assert testing.test(silent.respond([0, 1]), silent, P0, P1).p_value == 1


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadValue, match="size = 5 must be"):
        errors_with(BIT, P0, P1, people=10, size=5)
    with pytest.raises(BadValue, match=r"power = 0\.01 must be above the size"):
        people_needed(BIT, P0, P1, power=0.01)
    with pytest.raises(BadValue, match="have 2 and 2 categories; this channel has 4"):
        errors_with(BIT, [0.5, 0.5], [0.4, 0.6], people=10)
    with pytest.raises(BadValue, match="no number of them is enough"):
        people_needed(RandomizedResponse(0, 4), P0, P1, power=0.9)
    with pytest.raises(BadValue, match=r"More than 10\^12 reports"):
        people_needed(RandomizedResponse(Fraction(1, 10**6), 4), P0, P1, power=0.9)
    with pytest.raises(BadValue, match="impossible under one hypothesis only"):
        errors_with(quaternary(1, 0.1), np.array([1.0, 0.0]), np.array([0.5, 0.5]), people=10, size=0.05)


def test_the_law_of_a_count_is_that_of_scipy() -> None:
    """The peak and the atoms of the tossed test are differences of two tails."""
    for people, chance, count in (
        (1, 0.3, 1),
        (40, 0.3, 12),
        (10_000, 0.51, 5100),
        (10**7, 0.2, 2_000_000),
        (9, 0.5, 0),
    ):
        law = np.array([1 - chance, chance])
        atom = _at_least(law, people, count) - _at_least(law, people, count + 1)
        assert atom == pytest.approx(binom.pmf(count, people, chance), rel=1e-7)
        assert _at_least(law, people, count) == pytest.approx(binom.sf(count - 1, people, chance), rel=1e-9)


def test_running_totals_give_the_verdict_of_all_reports() -> None:
    reports = FULL.respond([0, 1, 2, 3] * 25)
    counts = np.bincount(reports.values, minlength=FULL.outputs)
    assert testing.test(reports, FULL, P0, P1, size=0.1) == verdict_of(counts, FULL, P0, P1, size=0.1)
