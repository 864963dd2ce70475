from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.special import ndtr

from banister.core.laws.utility import (
    CHI_SQUARE,
    DIVERGENCES,
    KL,
    TOTAL_VARIATION,
    Divergence,
    divergence_after,
    hockey_stick,
)
from banister.errors import Uncertified
from banister.local.designs import partition
from banister.local.designs.bounds import one_bit_threshold, total_variation_kept
from banister.local.designs.partition import best_cut, design_between, split_bins
from tests.local.brute import ascend, optimum

ONE = Fraction(1)


def gains_of(kind: Divergence, p0: np.ndarray, p1: np.ndarray, columns: np.ndarray) -> np.ndarray:
    return kind.gain(p1 @ columns, (p0 - p1) @ columns)


def random_pair(rng: np.random.Generator, k: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.dirichlet(np.full(k, rng.choice([0.5, 1, 3]))), rng.dirichlet(np.full(k, rng.choice([0.5, 1, 3])))


@pytest.mark.parametrize("kind", [*DIVERGENCES, hockey_stick(1.2)], ids=lambda kind: kind.name)
def test_partitions_reach_the_optimum_over_all_staircases(kind: Divergence) -> None:
    rng = np.random.default_rng(0)
    for k in range(2, 8):
        for epsilon in (0.1, 1.0, 3.0):
            p0, p1 = random_pair(rng, k)
            channel = design_between(Fraction(epsilon), p0, p1, kind)
            truth = optimum(k, epsilon, partial(gains_of, kind, p0, p1))
            assert channel.utility == pytest.approx(truth, rel=1e-7, abs=1e-13)
            assert channel.utility <= channel.upper_bound
            assert truth <= channel.upper_bound * (1 + 1e-7) + 1e-13


def test_no_channel_found_by_search_exceeds_the_bound() -> None:
    """Random channels of the level, staircases and others, with more outputs than categories."""
    rng = np.random.default_rng(1)
    p0, p1 = random_pair(rng, 4)
    bound = design_between(ONE, p0, p1, KL).upper_bound
    for _ in range(2000):
        steep = np.exp(rng.random((4, 6)) if rng.random() < 0.5 else rng.integers(0, 2, size=(4, 6)))
        weights = np.linalg.lstsq(steep, np.ones(4), rcond=None)[0]
        if weights.min() >= 0:
            assert divergence_after(KL, steep * weights, p0, p1) <= bound


def test_ascent_over_channels_of_any_shape_reaches_the_optimum_and_no_more() -> None:
    rng = np.random.default_rng(11)
    for epsilon in (0.5, 2.0):
        p0, p1 = random_pair(rng, 3)
        best = design_between(Fraction(epsilon), p0, p1, KL)

        def slope(q: np.ndarray, p0: np.ndarray = p0, p1: np.ndarray = p1) -> np.ndarray:
            ratio = (p0 @ q) / (p1 @ q)
            return np.asarray(p0[:, None] * (np.log(ratio) + 1) - p1[:, None] * ratio)

        climbs = [ascend(3, 4, epsilon, partial(kept, p0, p1), slope, seed) for seed in range(12)]
        assert max(climbs) == pytest.approx(best.utility, rel=1e-8)
        assert max(climbs) <= best.upper_bound + 1e-12


def kept(p0: np.ndarray, p1: np.ndarray, matrix: np.ndarray) -> float:
    return divergence_after(KL, matrix, p0, p1)


def test_the_utility_is_what_the_channel_keeps() -> None:
    rng = np.random.default_rng(2)
    p0, p1 = random_pair(rng, 30)
    channel = design_between(Fraction(3), p0, p1, KL)
    assert divergence_after(KL, channel.matrix, p0, p1) == pytest.approx(channel.utility, rel=1e-10)
    assert channel.certificate is not None
    assert channel.certificate.gap < 1e-10


def test_the_dual_certifies_every_interval() -> None:
    """With prices alpha in order of ratios, alpha·S is at least the gain of each interval; Σ alpha is the optimum."""
    rng = np.random.default_rng(3)
    p0, p1 = random_pair(rng, 12)
    channel = design_between(Fraction(2), p0, p1, KL)
    assert channel.certificate is not None
    alpha, a = channel.certificate.dual, np.expm1(2)
    order = np.argsort(p0 / p1)
    for i in range(12):
        for j in range(i + 1, 13):
            inside = np.zeros(12, dtype=bool)
            inside[i:j] = True
            column = 1 + a * inside
            m1, d = p1[order] @ column, (p0 - p1)[order] @ column
            assert alpha @ column >= float(KL.gain(np.array([m1]), np.array([d]))[0]) - 1e-12
    assert alpha.sum() == pytest.approx(channel.upper_bound, rel=1e-9)


def test_total_variation_is_its_closed_form() -> None:
    rng = np.random.default_rng(4)
    for epsilon in (0.2, 1.0, 4.0):
        p0, p1 = random_pair(rng, 40)
        channel = design_between(Fraction(epsilon), p0, p1, TOTAL_VARIATION)
        assert channel.utility == pytest.approx(total_variation_kept(epsilon, p0, p1), rel=1e-10)


def test_binary_with_a_tie_is_not_optimal_as_the_erratum_says() -> None:
    """[K16] Thm 3.4.1 claims one bit is optimal at small epsilon; with P0(x) = P1(x) it is not (docs/math)."""
    p0, p1 = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    tied = np.where(np.array([[True], [True], [False]]) == np.array([True, False]), np.e, 1) / (1 + np.e)
    assert one_bit_threshold(p0, p1) == 0
    kl = divergence_after(KL, tied, p0, p1) / design_between(ONE, p0, p1, KL).utility
    chi = divergence_after(CHI_SQUARE, tied, p0, p1) / design_between(ONE, p0, p1, CHI_SQUARE).utility
    assert 1 - kl == pytest.approx(0.026, abs=1e-3)
    assert 1 - chi == pytest.approx(0.077, abs=1e-3)


def test_randomized_response_with_equal_ratios_is_never_optimal_as_the_erratum_says() -> None:
    p0, p1 = np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.15, 0.75])
    for epsilon, share in ((3, 0.879), (6, 0.992), (10, 0.99986)):
        e = np.exp(epsilon)
        response = np.where(np.eye(3, dtype=bool), e, 1) / (e + 2)
        best = design_between(Fraction(epsilon), p0, p1, KL)
        assert divergence_after(KL, response, p0, p1) / best.utility == pytest.approx(share, rel=6e-4)
        assert best.cells == 2


def test_one_bit_is_optimal_up_to_its_threshold_and_not_beyond() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        p0, p1 = random_pair(rng, 4)
        threshold = one_bit_threshold(p0, p1)
        if not 0.05 < threshold < 5:
            continue
        below = Fraction(threshold * 0.999)
        for kind in DIVERGENCES:
            top = (p0 >= p1).astype(int)
            e = np.exp(float(below))
            bit = np.where(top[:, None] == np.arange(2), e, 1) / (1 + e)
            assert divergence_after(kind, bit, p0, p1) == pytest.approx(
                design_between(below, p0, p1, kind).utility, rel=1e-9
            )


def test_bins_bracket_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    p0, p1 = random_pair(rng, 400)
    exact = design_between(Fraction(2), p0, p1, KL)
    monkeypatch.setattr(partition, "MOST_EXACT", 100)
    monkeypatch.setattr(partition, "BINS", 60)
    rough = design_between(Fraction(2), p0, p1, KL)
    assert rough.utility <= exact.upper_bound
    assert exact.utility <= rough.upper_bound
    assert rough.upper_bound / rough.utility < 1.01
    assert divergence_after(KL, rough.matrix, p0, p1) == pytest.approx(rough.utility, rel=1e-9)


def test_two_normal_laws_keep_what_the_notes_measured() -> None:
    edges = np.concatenate(([-np.inf], np.linspace(-5, 6, 300), [np.inf]))
    b0, b1 = np.diff(ndtr(edges - 1)), np.diff(ndtr(edges))
    low, high = np.exp(edges[:-1] - 0.5), np.exp(edges[1:] - 0.5)
    for epsilon, least, most in ((1, 0.06329, 0.06355), (2, 0.1755, 0.1772), (4, 0.3634, 0.3658)):
        lower = best_cut(epsilon, b0, b1, KL).value
        upper = best_cut(epsilon, *split_bins(b0, b1, low, high), KL).bound
        assert least <= lower <= upper <= most
        assert upper / lower < 1.001


def test_limits_in_epsilon() -> None:
    rng = np.random.default_rng(7)
    p0, p1 = random_pair(rng, 6)
    far = abs(p0 - p1).sum() / 2
    assert design_between(Fraction(0), p0, p1, KL).utility == 0
    assert design_between(Fraction(1, 1000), p0, p1, KL).utility * 10**6 == pytest.approx(far**2 / 2, rel=2e-3)
    assert design_between(Fraction(1000), p0, p1, KL).utility == pytest.approx(float(KL.between(p0, p1)), rel=1e-9)


def test_the_utility_grows_with_epsilon_and_ignores_the_order_of_categories() -> None:
    rng = np.random.default_rng(8)
    p0, p1 = random_pair(rng, 10)
    values = [design_between(Fraction(epsilon), p0, p1, KL).utility for epsilon in (0.5, 1, 2, 4)]
    assert values == sorted(values)
    shuffle = rng.permutation(10)
    assert design_between(ONE, p0[shuffle], p1[shuffle], KL).utility == pytest.approx(values[1], rel=1e-12)


def test_zeros_ties_and_kinks_still_reach_the_optimum() -> None:
    rng = np.random.default_rng(9)
    for trial in range(40):
        k = int(rng.integers(3, 8))
        p0, p1 = rng.integers(0, 5, k) + 0.0, rng.integers(0, 5, k) + 0.0
        p0[p0 + p1 == 0] = 1
        p0, p1 = p0 / max(p0.sum(), 1), p1 / max(p1.sum(), 1)
        if min(p0.sum(), p1.sum()) < 0.5:
            continue
        kind = (KL, CHI_SQUARE, hockey_stick(float(rng.uniform(0.5, 2))))[trial % 3]
        epsilon = float(rng.choice([0.1, 1, 3]))
        channel = design_between(Fraction(epsilon), p0, p1, kind)
        truth = optimum(k, epsilon, partial(gains_of, kind, p0, p1))
        assert channel.utility == pytest.approx(truth, rel=1e-7, abs=1e-13)
        assert truth <= channel.upper_bound + 1e-13


def test_a_gain_that_is_no_number_is_uncertified() -> None:
    broken = Divergence("broken", lambda m1, d: np.full(m1.shape, np.nan))
    with pytest.raises(Uncertified, match="did not settle"):
        best_cut(1.0, np.array([0.5, 0.5]), np.array([0.4, 0.6]), broken)
