"""Rounded ideal noise has exactly the law of the rounded ideal mechanism."""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy.special import ndtr

from banister.core.exact.numbers import ball, fraction_of, precision
from banister.errors import Uncertified
from banister.sampling.bits import SYSTEM
from banister.sampling.rounded import ExponentialSize, NormalSize, SizeLaw, rounded_many, rounded_one, trusted
from tests.tape import Tape, exact_mass


def cell(law: SizeLaw, scale: float, part: float, k: int) -> float:
    """P(⌊part + 1/2 + scale X⌋ = k)."""

    def below(x: float) -> float:
        if isinstance(law, NormalSize):
            return float(ndtr(x))
        return float(1 - np.exp(-x) / 2 if x > 0 else np.exp(x) / 2)

    return below((k + 1 - part - 0.5) / scale) - below((k - part - 0.5) / scale)


@pytest.mark.parametrize("law", [NormalSize(), ExponentialSize()], ids=["normal", "laplace"])
def test_every_tape_gives_the_mass_of_the_rounded_law(law: SizeLaw) -> None:
    part = Fraction(1, 4)
    mass, undecided = exact_mass(lambda bits: rounded_one(part, Fraction(1), law, bits, word=2), depth=15)
    assert float(undecided) < 0.01
    for k in range(-3, 4):
        truth = cell(law, 1.0, 0.25, k)
        assert -1e-12 <= truth - float(mass[k]) <= float(undecided)


@pytest.mark.parametrize("law", [NormalSize(), ExponentialSize()], ids=["normal", "laplace"])
def test_one_and_many_agree_with_the_law(law: SizeLaw) -> None:
    n = 100_000
    many = rounded_many(np.full(n, 0.25), Fraction(3, 2), law, SYSTEM)
    few = np.array([rounded_one(Fraction(1, 4), Fraction(3, 2), law, SYSTEM) for _ in range(20_000)])
    for k in range(-3, 4):
        p = cell(law, 1.5, 0.25, k)
        for sample in (many, few):
            assert abs(np.mean(sample == k) - p) < 5.5 * np.sqrt(p * (1 - p) / sample.size)


@pytest.mark.parametrize("law", [NormalSize(), ExponentialSize()], ids=["normal", "laplace"])
def test_double_quantiles_are_far_better_than_the_margin_assumes(law: SizeLaw) -> None:
    tails = np.concatenate([2.0 ** -np.arange(1, 37), np.linspace(0.001, 0.999, 200)])
    nearly = law.nearly(tails)
    with precision(256):
        for tail, x in zip(tails, nearly, strict=True):
            truth = law.exactly(ball(Fraction(float(tail))))
            error = abs(float((arb(float(x)) - truth) / truth))
            assert error < 2.0**-46
            assert abs(law.nearly_one(float(tail)) / float(truth) - 1) < 2.0**-46


@pytest.mark.parametrize("law", [NormalSize(), ExponentialSize()], ids=["normal", "laplace"])
def test_a_close_call_is_settled_exactly(law: SizeLaw) -> None:
    """A word whose sum lies on a rounding boundary as far as doubles can see: the next bits decide."""
    scale = Fraction(2) ** 30
    word = (1 << 63) + 12345
    with precision(400):
        size = law.exactly(arb(word) / arb(2) ** 64)
        boundary = float((ball(scale) * size + ball(Fraction(1, 2))).floor())
        part = Fraction(boundary) + 1 - Fraction(1, 2) - Fraction(float(ball(scale) * size))
    bits = [0] + [int(digit) for digit in f"{word:064b}"]
    low = rounded_one(part % 1, scale, law, Tape(bits + [1] * 640))
    high = rounded_one(part % 1, scale, law, Tape(bits + [0] * 640))
    assert 0 <= high - low <= 1
    vector = [int(digit) for digit in f"{word:064b}"] + [0] * 8
    assert rounded_many(np.array([float(part % 1)]), scale, law, Tape(vector + [0] * 640))[0] in (low, high)


def _binary(word: int) -> list[int]:
    return [int(digit) for digit in f"{word:064b}"]


def _one(part: Fraction, scale: Fraction, law: SizeLaw, word: int, *, negative: bool, rest: int) -> int:
    """`rounded_one` for a planted word, sign and continuation."""
    return rounded_one(part, scale, law, Tape([int(negative), *_binary(word), *[rest] * 640]))


def _many(part: Fraction, scale: Fraction, law: SizeLaw, word: int, *, negative: bool, rest: int) -> int:
    """`rounded_many` for the same; the part must be a double."""
    tape = Tape([*_binary(word), *[int(negative)] * 8, *[rest] * 640])
    return int(rounded_many(np.array([float(part)]), scale, law, tape)[0])


def _reach(law: SizeLaw, scale: Fraction, tail: Fraction) -> Fraction:
    """scale · |X| at that tail, far beyond doubles."""
    with precision(600):
        return fraction_of((ball(scale) * law.exactly(ball(tail))).mid())


@pytest.mark.parametrize("draw", [_one, _many], ids=["one", "many"])
@pytest.mark.parametrize("law", [NormalSize(), ExponentialSize()], ids=["normal", "laplace"])
def test_the_bits_that_a_word_leaves_open_are_asked_for(law: SizeLaw, draw) -> None:
    """The boundary lies between what the word's first 64 bits say and what they could become: the next ones decide."""
    words = [1, 5, 1 << 20, *((1 << 28) + k for k in range(5)), (1 << 40) + 3, (1 << 63) + 5]
    for word, place, negative in itertools.product(words, (1, 4, 7), (False, True)):
        scale = Fraction(1) if word < 1 << 40 else Fraction(2) ** 40
        reach = _reach(law, scale, (word + Fraction(place, 8)) / 2**64) * (-1 if negative else 1)
        part = Fraction(float(-reach % 1 - Fraction(1, 2)))
        near = round(part + Fraction(1, 2) + reach)  # The boundary, within a double's rounding of the sum.
        small, large = (draw(part, scale, law, word, negative=negative, rest=rest) for rest in (1, 0))
        if negative:
            small, large = large, small
        assert (small, large) == (near - 1, near)


@pytest.mark.parametrize("draw", [_one, _many], ids=["one", "many"])
@pytest.mark.parametrize("law", [NormalSize(), ExponentialSize()], ids=["normal", "laplace"])
def test_no_rounding_of_a_wide_quantile_shows(law: SizeLaw, draw) -> None:
    """Noise of 2^30 steps is a double to 2^-22 of one; the sum is put 2^-28 from a boundary, on either side."""
    scale = Fraction(2) ** 30
    for word in [(1 << 63) + 1234567 * k for k in range(20)]:
        reach = _reach(law, scale, (word + Fraction(1, 2)) / 2**64)
        for side in (-1, 1):
            part = Fraction(float((Fraction(side, 1 << 28) - reach) % 1 - Fraction(1, 2)))
            truth = (part + Fraction(1, 2) + reach).__floor__()
            assert draw(part, scale, law, word, negative=False, rest=0) == truth


@pytest.mark.parametrize("law", [NormalSize(), ExponentialSize()], ids=["normal", "laplace"])
def test_no_rounding_of_the_sum_shows(law: SizeLaw) -> None:
    """Noise so small that part + 1/2 is rounded to a boundary, which the exact sum stays below."""
    scale, word = Fraction(1, 1 << 60), 1 << 63
    part = Fraction(1, 2) - Fraction(1, 1 << 54)  # In doubles, 1/2 more than this is 1.
    for draw in (_one, _many):
        assert draw(part, scale, law, word, negative=True, rest=0) == 0
        assert draw(part, scale, law, word, negative=False, rest=0) == 0
    finer = Fraction(1, 2) - Fraction(1, 1 << 58)  # As a double, 1/2.
    assert _one(finer, scale, law, word, negative=True, rest=0) == 0
    assert _one(finer, scale / 2**20, law, word, negative=False, rest=0) == 0


def test_a_word_of_zero_reads_on() -> None:
    value = rounded_one(Fraction(0), Fraction(1), ExponentialSize(), Tape([0] * 66 + [1] * 126))
    assert value == 45  # -log(2^-65) = 45.05
    vector = rounded_many(np.zeros(1), Fraction(1), ExponentialSize(), Tape([0] * 64 + [0] * 8 + [0] + [1] * 63))
    assert vector[0] == 45


def test_a_word_of_zeros_says_nothing_however_small_the_scale() -> None:
    """Its tail has no end: 5888 zeros are |X| = 4081, which is half a step even where the scale is a part in 8000."""
    tape = Tape([0] * 64 + [0] * 8 + [0] * (64 * 91) + [1] * 640)
    assert rounded_many(np.zeros(1), Fraction(1, 8000), ExponentialSize(), tape).tolist() == [1]
    one = Tape([0] * 65 + [0] * (64 * 91) + [1] * 640)
    assert rounded_one(0.0, Fraction(1, 8000), ExponentialSize(), one) == 1


@pytest.mark.parametrize("draw", [_one, _many], ids=["one", "many"])
@pytest.mark.parametrize("law", [NormalSize(), ExponentialSize()], ids=["normal", "laplace"])
def test_no_rounding_of_the_tail_shows(law: SizeLaw, draw) -> None:
    """Next to 1 a double forgets eleven bits of the word. For a tiny |X| in many steps, that can cross a boundary."""
    for scale, gap in itertools.product((Fraction(2) ** 20, Fraction(2) ** 30), (1 << 44, 1 << 40, 1 << 36)):
        for low in (300, 700, 1023, 1025, 1500):
            word = (1 << 64) - gap + low
            true = _reach(law, scale, (word + Fraction(1, 2)) / 2**64)
            near = _reach(law, scale, Fraction(float(word) + 0.5) / 2**64)
            part = Fraction(float(-(true + near) / 2 % 1 - Fraction(1, 2)))
            truth = (part + Fraction(1, 2) + true).__floor__()
            assert draw(part, scale, law, word, negative=False, rest=0) == truth


@pytest.mark.parametrize("law", [NormalSize(), ExponentialSize()], ids=["normal", "laplace"])
def test_libraries_are_looked_at_before_they_are_trusted(law: SizeLaw) -> None:
    assert trusted(law) == law

    @dataclass(frozen=True)
    class Off:
        """A library that is off by 2^-45 somewhere in the middle, for many values or for one."""

        many: float = 1.0
        one: float = 1.0

        def nearly(self, tail: np.ndarray) -> np.ndarray:
            return law.nearly(tail) * np.where((tail > 0.1) & (tail < 0.3), self.many, 1.0)

        def nearly_one(self, tail: float) -> float:
            return law.nearly_one(tail) * (self.one if tail < 1e-9 else 1.0)

        def exactly(self, tail: arb) -> arb:
            return law.exactly(tail)

    assert trusted(Off()) == Off()
    for wrong in (Off(many=1 + 2.0**-45), Off(one=1 - 2.0**-45)):
        with pytest.raises(Uncertified, match="in the libraries in use is off by more than 2"):
            rounded_many(np.zeros(1), Fraction(1), wrong, SYSTEM)


@dataclass(frozen=True)
class Sloppy:
    """Quantiles that are off by 2^-47 of themselves everywhere: it passes the check, and is far less than 2^-40."""

    law: SizeLaw

    def nearly(self, tail: np.ndarray) -> np.ndarray:
        return self.law.nearly(tail) * (1 + 2.0**-47)

    def nearly_one(self, tail: float) -> float:
        return self.law.nearly_one(tail) * (1 + 2.0**-47)

    def exactly(self, tail: arb) -> arb:
        return self.law.exactly(tail)


@pytest.mark.parametrize("draw", [_one, _many], ids=["one", "many"])
@pytest.mark.parametrize("law", [Sloppy(NormalSize()), Sloppy(ExponentialSize())], ids=["normal", "laplace"])
def test_what_is_granted_to_a_library_never_shows(law: Sloppy, draw) -> None:
    assert trusted(law) == law
    scale = Fraction(2) ** 30
    for word in [(1 << 63) + 1234567 * k for k in range(20)]:
        reach = _reach(law, scale, (word + Fraction(1, 2)) / 2**64)
        wrong = reach * (1 + Fraction(1, 1 << 47))
        part = Fraction(float(-(reach + wrong) / 2 % 1 - Fraction(1, 2)))
        truth = (part + Fraction(1, 2) + reach).__floor__()
        assert (part + Fraction(1, 2) + wrong).__floor__() > truth
        assert draw(part, scale, law, word, negative=False, rest=0) == truth
