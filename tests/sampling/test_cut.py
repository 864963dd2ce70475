"""A staircase that is cut off: on both roads every coin has the probability of the law, to the last of 64 bits."""

from fractions import Fraction

import numpy as np
import pytest

from banister.core.exact.numbers import ball, precision, scaled_floor
from banister.sampling import cut
from banister.sampling.bits import BitSource
from banister.sampling.cut import CutDraw
from tests.tape import Tape

KEEP = Fraction(1, 3)
EPSILON, PERIOD, STEP, EDGE = Fraction(1, 2), 2, 1, 3


def sampler(*, level: bool) -> CutDraw:
    return CutDraw(EPSILON, PERIOD, STEP, edge=EDGE, keep_edge=lambda: ball(KEEP), level=level)


def threshold(size: int) -> int:
    """⌊2^64 · (mass at that size over the mass at 0)⌋, from the law as it is written down."""
    falls = size // PERIOD + (size % PERIOD >= STEP)
    with precision(256):
        low, high = scaled_floor(ball(-EPSILON * falls).exp() * (ball(KEEP) if size == EDGE else 1), 64)
    assert low == high
    return low


def bits_of(number: int, width: int) -> list[int]:
    return [int(digit) for digit in f"{number:0{width}b}"]


@pytest.mark.parametrize("value", [v for v in range(-EDGE, EDGE + 1) if v])
def test_uniform_proposals_are_kept_exactly_as_often_as_their_height(value: int) -> None:
    """A word below the threshold keeps the proposal; one above asks for another, which is 0 and always kept."""
    noise, place = sampler(level=True), value + EDGE
    for word, found in ((threshold(abs(value)) - 1, value), (threshold(abs(value)) + 1, 0)):
        one = [*bits_of(place, 3), *bits_of(word, 64), *bits_of(EDGE, 3), *[0] * 64]
        assert noise.draw(Tape(one)) == found
        many = [*bits_of(place, 16), *bits_of(word, 64), *bits_of(EDGE, 16), *[0] * 64]
        assert noise.draw_many(1, Tape(many)).tolist() == [found]


class Planted:
    """A staircase that gives what it was told to."""

    def __init__(self, values: list[int]) -> None:
        self._values = iter(values)

    def draw(self, bits: BitSource) -> int:
        return next(self._values)

    def draw_many(self, count: int, bits: BitSource) -> np.ndarray:
        return np.array([next(self._values) for _ in range(count)], dtype=np.int64)


@pytest.mark.parametrize("value", range(-EDGE - 2, EDGE + 3))
def test_staircase_proposals_are_kept_inside_never_beyond_and_at_the_edge_by_its_coin(
    value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    third = (1 << 64) // 3
    for word in (third - 1, third + 1):
        kept = abs(value) < EDGE or (abs(value) == EDGE and word < third)
        for how in ("one", "many"):
            planted, tape = Planted([value, 0]), Tape([*bits_of(word, 64), *[0] * 64])
            monkeypatch.setattr(cut, "staircase_draw", lambda *law, planted=planted: planted)
            noise = sampler(level=False)
            drawn = noise.draw(tape) if how == "one" else noise.draw_many(1, tape)[0]
            assert drawn == (value if kept else 0)
