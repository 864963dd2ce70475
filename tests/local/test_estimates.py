import numpy as np
import pytest

from banister.errors import BadValue, Uncertified
from banister.local import likelihood
from banister.local.channels.base import Channel
from banister.local.channels.hadamard import HadamardResponse
from banister.local.channels.matrix import MatrixChannel, geometric
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection
from banister.local.channels.unary import UnaryEncoding
from banister.local.estimates import projected
from banister.local.likelihood import Operators, maximise
from tests.local.seeded import SeededBits

K = 6
LAW = np.array([0.4, 0.25, 0.15, 0.1, 0.07, 0.03])
WIDE = MatrixChannel.of_matrix(np.full((K, 2 * K), 1 / (2 * K) / 2) + np.tile(np.eye(K), 2) / 4, 3)
CHANNELS = [
    RandomizedResponse(2, K),
    SubsetSelection.least_variance(1, K),
    HadamardResponse(1, K),
    HadamardResponse.least_variance(1, K),
    UnaryEncoding(1, K),
    geometric(6, K),
    WIDE,
]


def answers(people: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).choice(K, size=people, p=LAW)


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda c: f"{c.kind}-{c.outputs}")
def test_estimates_are_near_the_truth_by_their_own_errors(channel: Channel) -> None:
    estimate = channel.estimate(channel.respond(answers(40_000, 1), SeededBits(2)))
    assert (abs(estimate.frequencies - LAW) / estimate.standard_errors).max() < 4
    assert estimate.on_simplex().sum() == pytest.approx(1)
    assert 0 < estimate.effective_people < 40_000 * np.tanh(float(channel.guarantee.epsilon) / 2) ** 2


@pytest.mark.slow
@pytest.mark.parametrize("channel", CHANNELS, ids=lambda c: f"{c.kind}-{c.outputs}")
def test_intervals_hold_the_truth_as_often_as_they_say(channel: Channel) -> None:
    held, together, bits = [], [], SeededBits(3)
    for repetition in range(1000):
        estimate = channel.estimate(channel.respond(answers(8000, repetition), bits))
        held.append(estimate.intervals(0.95).hold(LAW))
        together.append(estimate.simultaneous_intervals(0.95).hold(LAW).all())
    # Clopper-Pearson holds what it says; Chernoff's bound is wider than it has to be.
    assert 0.94 <= np.mean(held) <= (1 if isinstance(channel, MatrixChannel) else 0.96)
    assert np.mean(together) >= 0.94


@pytest.mark.slow
def test_standard_errors_are_those_of_repetition() -> None:
    for channel in (CHANNELS[1], WIDE):
        bits = SeededBits(4)
        all_of = [channel.estimate(channel.respond(answers(4000, i), bits)) for i in range(1000)]
        spread = np.std([estimate.frequencies for estimate in all_of], axis=0)
        claimed = np.mean([estimate.standard_errors for estimate in all_of], axis=0)
        assert np.allclose(spread, claimed, rtol=0.08)  # The spread of 1000 repetitions is known to 2.2 %.


def test_simultaneous_intervals_are_wider() -> None:
    channel = CHANNELS[0]
    estimate = channel.estimate(channel.respond(answers(5000, 5), SeededBits(5)))
    one, all_of = estimate.intervals(0.9), estimate.simultaneous_intervals(0.9)
    assert np.all(all_of.upper - all_of.lower >= one.upper - one.lower)


def test_exact_intervals_hold_for_one_report() -> None:
    channel = RandomizedResponse(1, K)
    interval = channel.estimate(channel.respond([2])).intervals()
    assert np.all(interval.lower == 0)
    assert interval.upper.max() == 1


def test_a_handful_of_reports_has_intervals_and_errors() -> None:
    for channel in CHANNELS:
        estimate = channel.estimate(channel.respond([0]))
        assert estimate.standard_errors.min() > 0
        assert np.ptp(np.stack((estimate.intervals().lower, estimate.intervals().upper)), axis=0).min() > 0


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda c: f"{c.kind}-{c.outputs}")
def test_reports_of_the_channel_fit_it(channel: Channel) -> None:
    for seed in range(20):
        estimate = channel.estimate(channel.respond(answers(500, seed), SeededBits(seed)))
        assert estimate.misfit > 1e-3
        assert estimate.doubt == ""


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda c: f"{c.kind}-{c.outputs}")
def test_stuffing_is_said(channel: Channel) -> None:
    """The same report again and again, more often than any answer gives it."""
    values = channel.respond(answers(5000, 1), SeededBits(1)).values.copy()
    values[:4600] = values[0]
    assert "do not fit the channel" in channel.estimate(values).doubt


def test_reports_that_no_answer_gives_are_said() -> None:
    channel = MatrixChannel.of_matrix([[0.75, 0.25, 0], [0.25, 0.75, 0]], 2)
    assert channel.estimate(np.array([0, 1, 0, 1])).misfit == 1
    assert channel.estimate(np.array([0, 1, 0, 2])).misfit == 0


def test_confidence_is_a_probability() -> None:
    channel = CHANNELS[0]
    with pytest.raises(BadValue, match="confidence = 95 must be"):
        channel.estimate(channel.respond([0])).intervals(95)


def test_projection_is_the_nearest_law() -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        values = rng.normal(size=5)
        nearest = projected(values)
        others = rng.dirichlet(np.ones(5), size=200)
        assert nearest.sum() == pytest.approx(1)
        assert ((others - values) ** 2).sum(axis=1).min() >= ((nearest - values) ** 2).sum() - 1e-12


@pytest.mark.parametrize(
    "channel", [c for c in CHANNELS if c.kind != "unary-encoding"], ids=lambda c: f"{c.kind}-{c.outputs}"
)
def test_no_law_is_likelier_than_the_certified_gap_allows(channel: Channel) -> None:
    reports = channel.respond(answers(3000, 7), SeededBits(8))
    best = channel.maximum_likelihood(reports, gap=1e-7)
    shares = np.bincount(reports.values, minlength=channel.outputs) / 3000

    def mean_log(law: np.ndarray) -> float:
        return float(shares @ np.log(channel.output_law(law)))

    rng = np.random.default_rng(9)
    rivals = [
        LAW,
        *rng.dirichlet(np.ones(K), size=200),
        *(0.9 * best.frequencies + 0.1 * rng.dirichlet(np.ones(K), size=200)),
    ]
    assert best.gap <= 1e-7
    assert max(mean_log(law) for law in rivals) <= mean_log(best.frequencies) + best.gap


def test_maximum_likelihood_equals_inversion_inside_the_simplex() -> None:
    channel = RandomizedResponse(3, K)
    reports = channel.respond(answers(50_000, 10), SeededBits(11))
    likely = channel.maximum_likelihood(reports, gap=1e-12).frequencies
    assert np.allclose(likely, channel.estimate(reports).frequencies, atol=1e-6)


def test_an_impossible_gap_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = CHANNELS[0]
    with pytest.raises(BadValue, match="gap = 0 must be"):
        channel.maximum_likelihood(channel.respond([0]), gap=0)
    monkeypatch.setattr(likelihood, "MOST_STEPS", 1)
    stuck = Operators(np.array([0.9, 0.1]), lambda p: p, lambda w: w, 2, 10)
    with pytest.raises(Uncertified, match="EM came within"):
        maximise(stuck, 1e-12)
