"""Choices have the law of their weights; close calls are decided by the exact gap, not by the double."""

from fractions import Fraction

import numpy as np
import pytest

from banister.core.exact.numbers import exp_ball, precision, scaled_floor
from banister.sampling.bits import SYSTEM
from banister.sampling.choice import choose_first_heads, choose_in_proportion
from tests.tape import Tape

GAPS = [Fraction(0), Fraction(1), Fraction(5, 2)]


def digits(value: int, length: int) -> list[int]:
    return [int(digit) for digit in f"{value:0{length}b}"]


def test_choices_are_in_proportion() -> None:
    nearly, n = np.exp(-0.5 * np.array(GAPS, dtype=np.float64)), 8_000
    drawn = [choose_in_proportion(nearly, GAPS.__getitem__, Fraction(1, 2), SYSTEM) for _ in range(n)]
    shares = nearly / nearly.sum()
    for place, share in enumerate(shares):
        assert abs(drawn.count(place) / n - share) < 5.5 * np.sqrt(share * (1 - share) / n)


def test_first_heads_has_the_law_of_a_random_order() -> None:
    p, n = np.exp(-np.array([0.0, 1.0])), 8_000
    drawn = [choose_first_heads(p, [Fraction(0), Fraction(1)].__getitem__, Fraction(1), SYSTEM) for _ in range(n)]
    share = p[1] / 2  # It must come first, and show heads.
    assert abs(drawn.count(1) / n - share) < 5.5 * np.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize(("next_bits", "heads"), [([0] * 64, True), ([1] * 64, False)])
def test_a_close_toss_is_decided_by_the_exact_gap(next_bits: list[int], heads: bool) -> None:
    with precision(200):
        word, same = scaled_floor(exp_ball(-1), 64)
    assert word == same
    # The double is a little too high or too low on purpose; it is within the margin, so it must not matter.
    for wrong in (-(2.0**-38), 2.0**-38):
        nearly = np.array([np.exp(-1.0) + wrong, 1.0])
        tape = Tape(digits(word, 64) + [0] * 64 + next_bits + [0] * 8)
        chosen = choose_first_heads(nearly, [Fraction(1), Fraction(0)].__getitem__, Fraction(1), tape)
        assert chosen == (0 if heads else 1)


def test_one_far_ahead_of_a_million_is_found() -> None:
    nearly = np.zeros(10**6)
    nearly[123_456] = 1.0
    gap = lambda place: Fraction(0) if place == 123_456 else Fraction(10**4)  # noqa: E731
    assert choose_in_proportion(nearly, gap, Fraction(1), SYSTEM) == 123_456
    assert choose_first_heads(nearly, gap, Fraction(1), SYSTEM) == 123_456


@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(3)])
def test_a_coin_on_its_threshold_is_settled_by_the_exact_weight(rate: Fraction) -> None:
    """The second of two candidates is proposed, with a word just below and just above 2^64 · e^-rate."""
    nearly = np.array([1.0, np.exp(-float(rate))])
    with precision(256):
        threshold, _ = scaled_floor(exp_ball(-rate), 64)
    proposals = digits(1, 16) * 63 + digits(0, 16)  # The last of 64 is the best candidate, which is always kept.
    tails = [1] * 64 * 62
    for word, chosen in ((threshold - 1, 1), (threshold + 1, 0)):
        bits = Tape([*proposals, *digits(word, 64), *tails, *digits(0, 64)])
        assert choose_in_proportion(nearly, [Fraction(0), Fraction(1)].__getitem__, rate, bits) == chosen
