from fractions import Fraction

import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.bits import SYSTEM
from banister.sampling.gaussian import discrete_gaussian_draw


def law(variance: float) -> tuple[np.ndarray, np.ndarray]:
    values = np.arange(-200, 201)
    weights = np.exp(-(values**2) / (2 * variance))
    return values, weights / weights.sum()


@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(2), Fraction(50)])
def test_frequencies_follow_the_law_for_one_and_for_many(variance: Fraction) -> None:
    sampler = discrete_gaussian_draw(variance)
    many = sampler.draw_many(200_000, SYSTEM)
    few = np.array([sampler.draw(SYSTEM) for _ in range(20_000)])
    for value, p in zip(*law(float(variance)), strict=True):
        if p > 1e-3:
            for sample in (many, few):
                assert abs(np.mean(sample == value) - p) < 5.5 * np.sqrt(p * (1 - p) / sample.size)


def test_the_keeping_probability_is_the_one_of_the_proof() -> None:
    """Proposal times keeping probability is proportional to the target, exactly ([CKS20] Theorem 1 of its sampler)."""
    variance, scale = Fraction(7, 2), 2
    sampler = discrete_gaussian_draw(variance)
    assert sampler._scale == scale
    ratios = [float(sampler._keep(size)()) * np.exp(-size / scale) / np.exp(-(size**2) / 7.0) for size in range(12)]
    assert max(ratios) - min(ratios) < 1e-12 * max(ratios)


def test_too_wide_a_law_is_refused() -> None:
    with pytest.raises(BadValue, match=r"must be at most 2\^44"):
        discrete_gaussian_draw(Fraction(2) ** 100)
