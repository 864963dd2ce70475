import numpy as np
import pytest

from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.channels.matrix import MatrixChannel, geometric, quaternary
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.support import SupportChannel
from banister.local.channels.unary import UnaryEncoding
from banister.local.designing import design
from banister.local.estimates import intervals_of_all
from banister.local.evidence import Counted, tilted_bounds
from tests.local.coverage import coverage, laws, shelf

STEEP: list[Channel] = [
    RandomizedResponse(8, 5),
    geometric(8, 3),
    quaternary(3, 0.3),
    design(epsilon=3, prior=[0.6, 0.3, 0.1], utility="estimation"),
]
NAMES = lambda channel: f"{channel.kind}-{channel.guarantee}-{channel.outputs}"  # noqa: E731


@pytest.mark.parametrize("channel", [*shelf(), *STEEP], ids=NAMES)
def test_intervals_hold_at_every_law_and_number_of_people(channel: Channel) -> None:
    """Exactly, by summing over all that can be reported; rare categories were covered 0 % of the time once."""
    many = (5, 40, 3000) if isinstance(channel, SupportChannel) else (5, 9, 30 if channel.outputs <= 3 else 12)
    for people in many:
        for law in laws(channel.categories):
            assert coverage(channel, law, people).min() >= 0.9499


DESIGNED = design(epsilon=1, prior=[0.6, 0.2, 0.15, 0.05], utility="estimation")


@pytest.mark.parametrize(
    ("channel", "most"), [(DESIGNED, 1.45), (geometric(1, 5), 1.7), (quaternary(1, 0.05), 1.45)], ids=str
)
def test_intervals_are_not_much_wider_than_the_normal_law_has_them(channel: MatrixChannel, most: float) -> None:
    """At 10 000 people and the uniform law: 1.39 where other answers spread alike, more where one spreads most."""
    matrix, k = channel.matrix, channel.categories
    law = np.full(k, 1 / k)
    weighted = matrix / matrix.mean(axis=0)
    decoder = np.linalg.solve(weighted @ matrix.T, weighted)
    low, high = tilted_bounds(matrix, decoder, law, people=10_000, tail=0.025)
    half = 1.96 * np.sqrt((decoder**2 @ (law @ matrix) - law**2) / 10_000)
    normal = np.minimum(law + half, 1) - np.maximum(law - half, 0)
    assert ((high - low) / normal).max() < most


@pytest.mark.parametrize("channel", [*shelf(), *STEEP], ids=NAMES)
def test_estimates_are_bounded_together_as_each_is_for_itself(
    channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Days of one question, with ten reports and with ten thousand; also where they are too many at once."""
    answers = [np.arange(people) % channel.categories for people in (10, 300, 10_000)]
    found = [channel.estimate(channel.respond(each)) for each in answers]
    apart = [each.intervals(0.9) for each in found]
    for most in (10**9, 0):
        monkeypatch.setattr("banister.local.evidence._MOST_AT_ONCE", most)
        for together, held in zip(intervals_of_all(found, 0.9), apart, strict=True):
            assert together.lower == pytest.approx(held.lower, rel=1e-9, abs=1e-12)
            assert together.upper == pytest.approx(held.upper, rel=1e-9, abs=1e-12)
            assert together.confidence == 0.9


def test_estimates_of_different_channels_are_bounded_each_for_itself() -> None:
    found = [channel.estimate(channel.respond([0] * 50)) for channel in (geometric(1, 3), geometric(4, 3), DESIGNED)]
    for together, each in zip(intervals_of_all(found, 0.95), found, strict=True):
        assert np.array_equal(together.lower, each.intervals(0.95).lower)
    assert intervals_of_all([], 0.95) == []
    with pytest.raises(BadValue, match="confidence = 1 must be a number above 0 and below 1"):
        intervals_of_all(found, 1)


def test_one_category_leaves_nothing_to_estimate() -> None:
    low, high = tilted_bounds(np.ones((1, 1)), np.ones((1, 1)), np.ones(1), people=3, tail=0.025)
    assert (low[0], high[0]) == (1, 1)


def test_a_count_below_all_that_is_possible_has_an_interval() -> None:
    """The bounds of frequency 0: [0, 0] would claim to know."""
    counted = Counted(counts=np.array([0, 10_000]), keep=0.6, spill=0.2, people=10_000, commonest=1, likeliest=1.0)
    low, high = counted.bounds(0.025)
    assert high[0] == pytest.approx(0.02, abs=0.002)
    assert low[1] == pytest.approx(0.975, abs=0.003)


def test_repeated_reports_are_noticed_where_all_are_rare() -> None:
    channel = UnaryEncoding(1, 3000)  # The likeliest report has a chance below the least double.
    values = channel.respond(np.arange(50))
    assert channel.estimate(values).doubt == ""
    twice = values.values.copy()
    twice[1] = twice[0]
    assert "do not fit" in channel.estimate(twice).doubt
