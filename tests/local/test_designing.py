import numpy as np
import pytest
from scipy.special import ndtr

import banister as bn
from banister.errors import BadValue

P0, P1 = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]


def test_the_front_door_designs_for_two_hypotheses() -> None:
    channel = bn.local.design(epsilon=1, between=(P0, P1), utility="kl")
    assert channel.utility <= channel.upper_bound
    assert channel.matrix.shape == (3, channel.outputs)
    assert channel.level <= 1


def test_the_front_door_designs_for_a_prior() -> None:
    told = bn.local.design(epsilon="1/2", prior=P0, utility="mutual-information")
    assert 0 < told.utility <= told.upper_bound <= bn.local.information_cap(0.5)
    assert bn.local.design(epsilon=1, prior=P0, utility="estimation").kind == "matrix"
    assert bn.local.design(epsilon=1, prior=np.full(30, 1 / 30), utility="estimation").kind == "every-set"
    assert bn.local.design(epsilon=1, prior=np.full(31, 1 / 31), utility="estimation").kind == "subset-selection"


def test_a_divergence_of_ones_own_is_taken() -> None:
    mine = bn.local.Divergence.of_convex("mine", lambda t: (t - 1) ** 2)
    own = bn.local.design(epsilon=1, between=(P0, P1), utility=mine)
    assert own.utility == pytest.approx(
        bn.local.design(epsilon=1, between=(P0, P1), utility="chi-square").utility, rel=1e-12
    )


def test_other_designs_are_at_the_door() -> None:
    third = [0.3, 0.4, 0.3]
    assert bn.local.design_average(epsilon=1, hypotheses=[P0, P1, third], utility="kl").utility > 0
    assert bn.local.design_worst(epsilon=1, hypotheses=[P0, P1, third], utility="kl").utility > 0
    assert bn.local.design_robust(epsilon=1, zero=[P0, third], one=[P1], utility="kl").utility > 0
    assert bn.local.design_convex(epsilon=1, zero=[P0, third], one=[P1], utility="kl").utility > 0
    assert bn.local.design_distortion(epsilon=1, prior=P0, distortion=1 - np.eye(3)).utility < 0


def test_continuous_data_is_bracketed() -> None:
    edges = np.concatenate(([-np.inf], np.linspace(-5, 6, 300), [np.inf]))
    masses = np.diff(ndtr(edges - 1)), np.diff(ndtr(edges))
    ratios = np.exp(edges[:-1] - 0.5), np.exp(edges[1:] - 0.5)
    channel = bn.local.design_bins(epsilon=4, masses=masses, ratios=ratios, utility="kl")
    assert 0.3634 <= channel.utility <= channel.upper_bound <= 0.3658
    with pytest.raises(BadValue, match="for each of the 301 bins"):
        bn.local.design_bins(epsilon=4, masses=masses, ratios=([1], [2]), utility="kl")
    with pytest.raises(BadValue, match="must lie between the least and the greatest"):
        bn.local.design_bins(epsilon=4, masses=masses, ratios=(ratios[1], ratios[1]), utility="kl")


def test_a_test_knows_its_channel() -> None:
    channel = bn.local.design(epsilon=2, between=(P0, P1), utility="kl")
    verdict = bn.local.test(channel.respond([2] * 200), channel, P0, P1)
    assert verdict.rejects_zero
    needed = bn.local.people_needed(channel, P0, P1, power=0.9)
    assert bn.local.errors_with(channel, P0, P1, people=needed).power >= 0.9
    with pytest.raises(BadValue, match="come from another channel"):
        bn.local.test(bn.local.RandomizedResponse(1, 3).respond([0]), channel, P0, P1)


def test_bad_calls_are_refused() -> None:
    with pytest.raises(BadValue, match="Give either between"):
        bn.local.design(epsilon=1, utility="kl")
    with pytest.raises(BadValue, match="Give either between"):
        bn.local.design(epsilon=1, utility="kl", prior=P0, between=(P0, P1))
    with pytest.raises(BadValue, match="utility = 'kl' needs two hypotheses"):
        bn.local.design(epsilon=1, utility="kl", prior=P0)
    with pytest.raises(BadValue, match="must be one of: kl"):
        bn.local.design(epsilon=1, utility="entropy", between=(P0, P1))
    with pytest.raises(BadValue, match="epsilon = -1 must be"):
        bn.local.design(epsilon=-1, utility="kl", between=(P0, P1))
