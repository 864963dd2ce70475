"""The law of every charge, for channels that each person uses alone: every two answers are neighbours."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

import banister.local
from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.laws.stochastic import ONE
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.local import channels as shelf
from banister.local.channels.base import Channel
from banister.local.channels.every_set import EverySet
from banister.local.channels.hadamard import HadamardResponse
from banister.local.channels.matrix import MatrixChannel, geometric, quaternary
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection, next_prime
from banister.local.channels.unary import UnaryEncoding
from tests.contract.law import Pair, assert_drawn, bits, examine, reached

LAWS = ([0.6, 0.2, 0.1, 0.1], [0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.4, 0.1])
LEVELS = (Fraction(1, 2), Fraction(2))

PLAIN: list[Channel] = [
    channel
    for level in LEVELS
    for channel in (
        RandomizedResponse(level, 2),
        RandomizedResponse(level, 5),
        RandomizedResponse(level, 5, cell_of=np.array([0, 1, 0, 2, 1])),
        UnaryEncoding(level, 3),
        SubsetSelection(level, 5, 2),
        SubsetSelection(level, 6, 3),
        SubsetSelection.least_variance(level, 4),
        EverySet(level, 5, 2),
        EverySet.least_error(level, 6),
        HadamardResponse(level, 5),
        HadamardResponse(level, 6, base=3),
        HadamardResponse(level, 6, base=4),
        HadamardResponse.least_variance(level, 3),
        geometric(level, 4),
        MatrixChannel.at_true_level([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3]]),
        quaternary(level, Fraction(1, 20)),
    )
]
DESIGNED: list[Channel] = [
    banister.local.design(epsilon=1, utility="kl", between=LAWS[:2]),
    banister.local.design(epsilon=2, utility="total-variation", between=LAWS[:2]),
    banister.local.design(epsilon=1, utility="mutual-information", prior=LAWS[0]),
    banister.local.design(epsilon=3, utility="estimation", prior=LAWS[1]),
    banister.local.design_average(epsilon=1, hypotheses=LAWS, utility="hellinger"),
    banister.local.design_worst(epsilon=1, hypotheses=LAWS, utility="kl"),
    banister.local.design_robust(epsilon=1, zero=LAWS[:1], one=LAWS[1:], utility="chi-square"),
    banister.local.design_distortion(epsilon=2, prior=LAWS[0], distortion=1 - np.eye(4)),
]
CHANNELS = PLAIN + DESIGNED


def name(channel: Channel) -> str:
    return f"{channel.kind}-{channel.categories}-{channel.outputs}-{float(channel.guarantee.epsilon):.3g}"


def favouring(favoured: np.ndarray, epsilon: Fraction) -> list[list[arb]]:
    """Rows in which a favoured report is e^epsilon times as likely as one that is not."""
    rows = []
    for row in favoured:
        weights = [exp_ball(epsilon) if each else arb(1) for each in row]
        total = sum(weights, arb(0))
        rows.append([weight / total for weight in weights])
    return rows


def second_road(channel: Channel) -> list[list[arb]]:
    """The chance of each report to each answer, from the definition; a new kind's own matrix until then."""
    epsilon, k = channel.guarantee.epsilon, channel.categories
    if isinstance(channel, RandomizedResponse):
        return favouring(channel.cell_of[:, None] == np.arange(channel.cells), epsilon)
    if isinstance(channel, MatrixChannel):
        rows = [[ball(Fraction(int(weight), ONE)) for weight in row] for row in channel.weights]
        return [rows[cell] for cell in channel.cell_of]
    if isinstance(channel, SubsetSelection):
        prime = next_prime(k)
        lines = [(a, b) for a in range(1, prime) for b in range(prime)]
        return favouring(np.array([[(a * v + b) % prime < channel.size for a, b in lines] for v in range(k)]), epsilon)
    if isinstance(channel, EverySet):
        sets = sorted(itertools.combinations(range(k), channel.size), key=lambda chosen: chosen[::-1])
        return favouring(np.array([[v in chosen for chosen in sets] for v in range(k)]), epsilon)
    if isinstance(channel, UnaryEncoding):
        rare = 1 / (1 + exp_ball(epsilon))
        chances = [[arb("0.5") if v == answer else rare for v in range(k)] for answer in range(k)]
        reports = list(itertools.product((False, True), repeat=k))
        return [[_product(row, report) for report in reports] for row in chances]
    return [[ball(Fraction(p) / sum(map(Fraction, row))) for p in row] for row in channel.matrix.tolist()]


def _product(chances: list[arb], report: tuple[bool, ...]) -> arb:
    found = arb(1)
    for chance, one in zip(chances, report, strict=True):
        found *= chance if one else 1 - chance
    return found


def pairs_of(channel: Channel) -> list[Pair]:
    with precision(BALL_BITS):
        rows = second_road(channel)
        unique = {str(row): row for row in rows}.values()  # Answers of one cell have the same law.
        return [Pair.of(zip(*two, strict=True)) for two in itertools.combinations(unique, 2)]


def has_its_own_loss(channel: Channel) -> bool:
    """Whether the loss is called exact: not for matrices that are neither designed nor made of two numbers a column."""
    two_rows = channel.categories == 2 and (channel.outputs == 2 or channel.guarantee.delta > 0)
    return not isinstance(channel, MatrixChannel) or channel in DESIGNED or two_rows


@pytest.mark.parametrize("channel", CHANNELS, ids=name)
def test_the_distance_is_that_of_the_two_answers_that_are_farthest_apart(channel: Channel) -> None:
    told = channel.distance()
    with precision(BALL_BITS):
        truth = max(float(pair.delta(Fraction(0))[1]) for pair in pairs_of(channel))
        assert float(ball(told) if isinstance(told, Fraction) else told) == pytest.approx(truth, abs=2.0**-49)


def test_ten_categories_give_away_less_than_the_worst_of_their_level() -> None:
    level = PrivacyLoss.pure(Fraction(1)).times(20)
    for channel, most in (
        (RandomizedResponse(1, 10), 0.5),
        (SubsetSelection(1, 10, 3), 0.8),
        (UnaryEncoding(1, 10), 0.8),
    ):
        own = channel.loss().times(20)
        assert own.epsilon_at("1e-6").up < level.epsilon_at("1e-6").up
        assert own.delta_at(5).up < most * level.delta_at(5).down
        assert own.epsilon_at(0).up == pytest.approx(20, rel=1e-12)
        assert channel.loss().keeps(Guarantee(1))


@pytest.mark.parametrize("channel", CHANNELS, ids=name)
def test_no_two_answers_are_told_apart_better_than_the_claim(channel: Channel) -> None:
    pairs, promise = pairs_of(channel), channel.guarantee
    # Entries are whole multiples of 2^-62; matrices that are only known as doubles are off by 2^-50 at most, and
    # designed ones are repaired by a little more.
    slack = 2.0**-45 if channel in DESIGNED else 2.0**-50
    examine(channel.loss(), pairs, nominal=promise.epsilon, exact=has_its_own_loss(channel), slack=slack)
    if promise.delta == 0:
        reached(channel.loss(), pairs, nominal=promise.epsilon, share=0.999)
        truth = max(pair.ratio() for pair in pairs)
        assert channel.level == pytest.approx(truth, rel=1e-12)
        assert channel.level <= float(promise.epsilon) * (1 + 2.0**-52)
    else:
        assert channel.level == math.inf


def test_a_level_above_the_true_one_is_claimed_and_the_true_one_told() -> None:
    channel = MatrixChannel.of_matrix([[0.75, 0.25], [0.25, 0.75]], 2)
    pairs = pairs_of(channel)
    examine(channel.loss(), pairs, nominal=Fraction(2), exact=False)
    assert channel.level == pytest.approx(max(pair.ratio() for pair in pairs), rel=1e-12)


@pytest.mark.parametrize("channel", CHANNELS, ids=name)
def test_reports_are_drawn_by_the_law_that_was_examined(channel: Channel) -> None:
    rows = [[float(chance) for chance in row] for row in second_road(channel)]
    assert np.abs(channel.matrix - np.array(rows)).max() < 1e-14
    for answer in {0, 1, channel.categories - 1}:
        values = channel.respond(np.full(20_000, answer), bits(15 + answer)).values
        if isinstance(channel, UnaryEncoding):
            flags = np.unpackbits(np.ascontiguousarray(values).view(np.uint8), axis=1, count=channel.categories)
            values = flags @ (1 << np.arange(channel.categories - 1, -1, -1))
        assert_drawn(values, rows[answer].__getitem__)


def test_every_kind_of_channel_is_examined() -> None:
    assert {channel.kind for channel in CHANNELS} == {kind.kind for kind in shelf.ALL}
