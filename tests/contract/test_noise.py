"""Every noise for one number answers the same questions. A new mechanism is tested before its author writes a test."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from banister.core.exact.numbers import BALL_BITS, exp_ball, precision
from banister.errors import BadValue
from banister.mechanisms import ALL, IntegerNoise, LineNoise
from banister.sampling.bits import SYSTEM

EXAMPLES = [noise for module in ALL for noise in module.examples()]
INTEGERS = [noise for noise in EXAMPLES if isinstance(noise, IntegerNoise)]
LINES = [noise for noise in EXAMPLES if isinstance(noise, LineNoise)]
DRAWS = 200_000


def name(noise: object) -> str:
    return type(noise).__name__


def reach(noise: IntegerNoise) -> int:
    return noise.interval(1 - Fraction(1, 10**12)) + 2


def promised(noise: IntegerNoise) -> tuple[Fraction, arb]:
    """An epsilon, and the delta that the mechanism's own loss claims there, as an upper bound."""
    epsilon = getattr(noise, "epsilon", Fraction(1))
    return epsilon, arb(noise.loss().delta_at(epsilon).up)


@pytest.mark.parametrize("noise", INTEGERS, ids=name)
def test_masses_add_up_and_match_the_tail(noise: IntegerNoise) -> None:
    far = reach(noise)
    with precision(BALL_BITS):
        total = sum((noise.mass_ball(i) for i in range(-far, far + 1)), arb(0))
    assert abs(float(total) - 1) < 1e-11
    for i in (0, 1, 2, 5):
        above = float(noise.at_least(np.array([float(i)]))[0] - noise.at_least(np.array([float(i + 1)]))[0])
        assert above == pytest.approx(noise.mass(i) * (1 if i == 0 else 2), rel=1e-6, abs=1e-12)
        assert noise.mass(i) == noise.mass(-i)
        assert noise.distribution(i) - noise.distribution(i - 1) == pytest.approx(noise.mass(i), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("noise", INTEGERS, ids=name)
def test_no_event_tells_more_than_the_loss_claims(noise: IntegerNoise) -> None:
    """Certified: the hockey-stick sum over every shift up to the sensitivity stays below the claimed delta."""
    epsilon, delta = promised(noise)
    far = reach(noise)
    for shift in range(1, getattr(noise, "sensitivity", 1) + 1):
        with precision(BALL_BITS):
            level = exp_ball(epsilon)
            masses = {i: noise.mass_ball(i) for i in range(-far - shift, far + shift + 1)}
            excess = arb(0)
            for i in range(-far, far + 1):
                excess += arb.max(masses[i] - level * masses[i + shift], arb(0))
            assert excess.lower() <= delta + arb(2) ** -200


@pytest.mark.parametrize("noise", INTEGERS, ids=name)
def test_quantiles_and_intervals_are_the_least_that_hold(noise: IntegerNoise) -> None:
    for p in (0.01, 0.3, 0.5, 0.8, 0.99):
        q = noise.quantile(p)
        assert noise.distribution(q) >= p - 1e-12
        assert noise.distribution(q - 1) < p + 1e-12
    half = noise.interval(0.95)
    assert noise.distribution(half) - noise.distribution(-half - 1) >= 0.95 - 1e-12
    if half:
        assert noise.distribution(half - 1) - noise.distribution(-half) < 0.95 + 1e-12


@pytest.mark.parametrize("noise", INTEGERS, ids=name)
def test_draws_follow_the_law_and_cost_what_the_risk_says(noise: IntegerNoise) -> None:
    many = noise.release(np.full(DRAWS, 7, dtype=np.int64)) - 7
    few = np.array([noise.release(7) for _ in range(4000)]) - 7
    for i in (-2, -1, 0, 1, 3):
        p = noise.mass(i)
        for sample in (many, few):
            assert abs(np.mean(sample == i) - p) <= 5.5 * np.sqrt(p * (1 - p) / sample.size) + 1e-12
    for cost in ("absolute", "squared", 1.5):
        exponent = {"absolute": 1, "squared": 2}.get(cost, 1.5) if isinstance(cost, str) else cost
        costs = np.abs(many).astype(float) ** exponent
        assert abs(costs.mean() - noise.risk_for(cost)) <= 6 * costs.std() / np.sqrt(DRAWS) + 1e-9


@pytest.mark.parametrize("noise", INTEGERS, ids=name)
def test_expected_costs_are_the_sums_over_the_masses(noise: IntegerNoise) -> None:
    far = reach(noise)
    with precision(BALL_BITS):
        masses = np.array([float(noise.mass_ball(i)) for i in range(far + 1)])
    sizes = np.arange(far + 1.0)
    masses[1:] *= 2
    for cost, levels in (
        ("absolute", sizes),
        ("squared", sizes**2),
        (0.5, np.sqrt(sizes)),
        (lambda x: abs(x) > 2, sizes > 2),
    ):
        assert noise.risk_for(cost) == pytest.approx(float(np.dot(masses, levels)), rel=1e-6)


@pytest.mark.parametrize("noise", INTEGERS, ids=name)
def test_answers_of_the_wrong_kind_are_refused(noise: IntegerNoise) -> None:
    with pytest.raises(BadValue, match="of type float64, but this noise is for whole numbers"):
        noise.release(np.array([0.5]))
    with pytest.raises(BadValue, match=r"beyond ±2\^61 and cannot be released exactly"):
        noise.release(2**62)
    with pytest.raises(BadValue, match=r"beyond ±2\^61"):
        noise.release(np.array([-(2**62)]))


@pytest.mark.parametrize("noise", LINES, ids=name)
def test_the_density_integrates_to_the_distribution(noise: LineNoise) -> None:
    far = noise.quantile(1 - 1e-9) + float(noise.grid.step) / 2
    edges = np.linspace(-far, far, 400_001)
    middles = (edges[1:] + edges[:-1]) / 2
    density = noise.densities(middles)
    assert float(density.sum() * (edges[1] - edges[0])) == pytest.approx(1, abs=2e-3)
    assert np.array_equal(density, noise.densities(-middles))
    assert noise.density(0) == pytest.approx(float(noise.densities(np.zeros(1))[0]))


@pytest.mark.parametrize("noise", LINES, ids=name)
def test_quantiles_invert_the_distribution(noise: LineNoise) -> None:
    slack = noise.density(0) * float(noise.grid.step) + 1e-9
    for p in (0.001, 0.1, 0.4, 0.5, 0.6, 0.9, 0.999):
        assert noise.distribution(noise.quantile(p)) == pytest.approx(p, abs=slack)


@pytest.mark.parametrize("noise", LINES, ids=name)
def test_releases_are_on_the_grid_and_cost_what_the_risk_says(noise: LineNoise) -> None:
    answer = 10.3
    many = noise.release(np.full(DRAWS, answer))
    units = np.array([Fraction(float(x)) / noise.grid.step for x in many[:200]])
    if noise.grid.exponent is not None:
        assert all(unit.denominator == 1 for unit in units)
    few = np.array([noise.release(answer) for _ in range(4000)])
    step = float(noise.grid.step)
    for sample in (many, few):
        for p in (0.1, 0.5, 0.8):
            q = noise.quantile(p) + answer
            spread = 5.5 * np.sqrt(p * (1 - p) / sample.size) + 2 * step * noise.density(0)
            assert abs(np.mean(sample <= q) - p) < spread
    errors = np.abs(many - answer)
    for cost, exponent in (("absolute", 1), ("squared", 2)):
        costs = errors**exponent
        slack = step / 2 if exponent == 1 else step * step / 4 + step * noise.risk_for("absolute") / 10
        assert abs(costs.mean() - noise.risk_for(cost)) < 6 * costs.std() / np.sqrt(DRAWS) + slack
    assert np.mean(errors <= noise.interval(0.95)) > 0.95 - 5.5 * np.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.parametrize("noise", LINES, ids=name)
def test_answers_that_are_not_numbers_are_refused_without_showing_them(noise: LineNoise) -> None:
    with pytest.raises(BadValue, match="The answer at position 1 is not a finite number") as caught:
        noise.release(np.array([123456.0, np.nan]))
    assert "123456" not in str(caught.value)
    for bad in (float("nan"), float("inf")):
        with pytest.raises(BadValue, match="The answer at position 0 is not a finite number"):
            noise.release(bad)
    with pytest.raises(BadValue, match="the range that a grid of"):
        noise.release(1e300)
    with pytest.raises(BadValue, match="the range that a grid of"):
        noise.release(np.array([1e300]))
    with pytest.raises(BadValue, match="Give numbers"):
        noise.release(np.array(["a"]))


@pytest.mark.parametrize("noise", EXAMPLES, ids=name)
def test_the_loss_is_a_privacy_loss_that_shrinks_with_epsilon(noise: IntegerNoise | LineNoise) -> None:
    loss = noise.loss()
    deltas = [loss.delta_at(epsilon).up for epsilon in (0, 0.25, 0.5, 1, 2, 4)]
    assert deltas == sorted(deltas, reverse=True)
    assert 0 <= deltas[-1] <= deltas[0] <= 1


def test_the_system_source_is_the_default() -> None:
    assert INTEGERS[0].release.__defaults__ == (SYSTEM,)
