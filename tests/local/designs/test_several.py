from fractions import Fraction

import numpy as np
import pytest

from banister.core.laws.utility import JEFFREYS, KL, divergence_after
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.local.designs.partition import design_between
from banister.local.designs.several import design_average, design_robust, design_worst
from tests.local.brute import optimum

SOLVER, ONE = HighsSolver(), Fraction(1)
RNG = np.random.default_rng(0)
LAWS = [RNG.dirichlet(np.ones(5)) for _ in range(3)]
PAIRS = [(p, q) for i, p in enumerate(LAWS) for j, q in enumerate(LAWS) if i != j]


def test_two_hypotheses_on_average_are_the_symmetrised_design() -> None:
    average = design_average(ONE, LAWS[:2], utility=KL)
    both = design_between(ONE, LAWS[0], LAWS[1], JEFFREYS)
    assert average.utility == pytest.approx(both.utility / 2, rel=1e-9)


def test_the_average_is_the_linear_program() -> None:
    truth = optimum(5, 1.0, lambda s: np.mean([KL.gain(q @ s, (p - q) @ s) for p, q in PAIRS], axis=0))
    channel = design_average(ONE, LAWS, utility=KL)
    assert channel.utility == pytest.approx(truth, rel=1e-8)
    assert channel.utility <= channel.upper_bound <= channel.utility * (1 + 1e-9)


def test_the_worst_pair_is_certified_and_beats_random_channels() -> None:
    channel = design_worst(ONE, LAWS, utility=KL)
    kept = [divergence_after(KL, channel.matrix, p, q) for p, q in PAIRS]
    assert min(kept) == pytest.approx(channel.utility, rel=1e-9)
    assert channel.utility <= channel.upper_bound <= channel.utility * (1 + 1e-9)
    rng = np.random.default_rng(1)
    for _ in range(1000):
        steep = np.exp(rng.integers(0, 2, size=(5, 7)))
        weights = np.linalg.lstsq(steep, np.ones(5), rcond=None)[0]
        if weights.min() >= 0:
            assert min(divergence_after(KL, steep * weights, p, q) for p, q in PAIRS) <= channel.upper_bound


def test_the_worst_case_is_below_the_average() -> None:
    worst, average = design_worst(ONE, LAWS, utility=KL), design_average(ONE, LAWS, utility=KL)
    assert worst.utility < average.upper_bound


def test_classes_of_one_law_are_the_plain_design() -> None:
    robust = design_robust(ONE, LAWS[:1], LAWS[1:2], utility=KL)
    assert robust.utility == pytest.approx(design_between(ONE, LAWS[0], LAWS[1], KL).utility, rel=1e-9)


def test_a_larger_class_promises_less() -> None:
    small = design_robust(ONE, LAWS[:1], LAWS[1:2], utility=KL)
    large = design_robust(ONE, LAWS[:1], LAWS[1:], utility=KL)
    assert large.utility <= small.upper_bound


def test_column_generation_agrees_with_all_columns() -> None:
    rng = np.random.default_rng(2)
    laws = [rng.dirichlet(np.ones(11)) for _ in range(3)]
    channel = design_worst(Fraction(2), laws, utility=KL)
    assert channel.upper_bound <= channel.utility * (1 + 1e-8)


def test_bad_hypotheses_are_refused() -> None:
    with pytest.raises(BadValue, match="holds 1 law; a test needs at least two"):
        design_average(ONE, LAWS[:1], utility=KL)
    with pytest.raises(BadValue, match=r"\[2, 5\] categories"):
        design_robust(ONE, LAWS[:1], [[0.5, 0.5]], utility=KL)
    with pytest.raises(BadValue, match="21 categories have 2\\^21 sets"):
        design_worst(ONE, [np.full(21, 1 / 21)] * 2, utility=KL)
