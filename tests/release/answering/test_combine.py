"""Half widths of sums of noises: never short, hardly wider than needed."""

import pytest

from banister.mechanisms import IntegerStaircase
from banister.release.answering.combine import half_width, spread_of


def exact_inside(weights: list[int], noises: list[IntegerStaircase], size: float) -> float:
    """P(|Σ weight · Z| ≤ size) by adding up masses on the integers."""
    law = {0: 1.0}
    for weight, noise in zip(weights, noises, strict=True):
        masses = [(k * weight, noise.mass(k)) for k in range(-200, 201)]
        found: dict[int, float] = {}
        for at, p in law.items():
            for shift, q in masses:
                found[at + shift] = found.get(at + shift, 0.0) + p * q
        law = found
    return sum(p for at, p in law.items() if abs(at) <= size)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
def test_the_interval_of_a_weighted_sum_holds_and_is_tight(confidence: float) -> None:
    noises = [IntegerStaircase(epsilon=1, sensitivity=2), IntegerStaircase(epsilon="0.7", sensitivity=3)]
    wide = half_width([(1.0, spread_of(noises[0])), (-2.0, spread_of(noises[1]))], confidence)
    assert exact_inside([1, 2], noises, wide) >= confidence
    assert exact_inside([1, 2], noises, 0.9 * wide - 1) < confidence


def test_one_noise_has_its_own_interval() -> None:
    noise = IntegerStaircase(epsilon="0.1", sensitivity=7)
    assert half_width([(3.0, spread_of(noise))], 0.95) == 3 * noise.interval(0.95)
    assert half_width([(0.0, spread_of(noise))], 0.95) == 0


@pytest.mark.parametrize("confidence", [0.9, 0.99, 0.9999])
@pytest.mark.parametrize("weight", [1, 40])
@pytest.mark.parametrize("epsilon", [3, 5, 9, 40])
def test_noise_that_is_nearly_always_zero_is_not_cut_finer_than_it_is(
    epsilon: int, weight: int, confidence: float
) -> None:
    """Its deviation is far below 1 and far below its reach, so a lattice that follows the deviation has no end."""
    noises = [IntegerStaircase(epsilon=epsilon, sensitivity=20), IntegerStaircase(epsilon=epsilon, sensitivity=1)]
    wide = half_width([(1.0, spread_of(noises[0])), (float(weight), spread_of(noises[1]))], confidence)
    inside = exact_inside([1, weight], noises, wide)
    assert inside >= confidence * (1 - 1e-12)
    assert wide == 0 or exact_inside([1, weight], noises, 0.97 * wide - 1) < confidence
