"""Categories have exactly the law of their thresholds: every tape is walked."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from banister.core.exact.numbers import ball, exp_ball
from banister.sampling.bits import SYSTEM
from banister.sampling.table import ExactTable
from tests.tape import Tape, exact_mass

LAW = [Fraction(1, 10), Fraction(3, 10), Fraction(2, 5), Fraction(1, 5)]


def cumulative() -> list[arb]:
    return [ball(sum(LAW[: k + 1], Fraction(0))) for k in range(len(LAW) - 1)]


@pytest.mark.parametrize("how", ["one", "many"])
def test_masses_are_exact(how: str) -> None:
    table = ExactTable(cumulative, glance=2, word=4)
    draw = table.draw if how == "one" else lambda bits: int(table.draw_many(1, bits)[0])
    mass, undecided = exact_mass(draw, depth=14)
    assert undecided <= Fraction(1, 2**10)
    for category, probability in enumerate(LAW):
        assert 0 <= probability - mass[category] <= undecided


def test_two_values_of_a_vector_are_independent() -> None:
    table = ExactTable(cumulative, glance=4, word=5)
    mass, undecided = exact_mass(lambda bits: tuple(table.draw_many(2, bits).tolist()), depth=15)
    assert 0 <= LAW[1] * LAW[2] - mass[1, 2] <= undecided <= Fraction(1, 5)


def test_a_threshold_that_equals_the_word_is_refined() -> None:
    table = ExactTable(lambda: [ball(Fraction(1, 3))])
    third = (1 << 64) // 3
    bits = [int(digit) for digit in f"{third:064b}"]
    assert table.draw(Tape(bits + [0] * 64)) == 0
    assert table.draw(Tape(bits + [1] * 64)) == 1
    glance = bits[:16]
    assert table.draw_many(1, Tape(glance + bits[16:] + [0] * 16 + [0] * 64))[0] == 0
    assert table.draw_many(1, Tape(glance + bits[16:] + [0] * 16 + [1] * 64))[0] == 1


def test_overlapping_balls_cost_bits_but_never_exactness() -> None:
    wide = arb(0, Fraction(1, 64).__float__())
    calls = 0

    def vague_at_first() -> list[arb]:
        nonlocal calls
        calls += 1
        exact = [ball(Fraction(1, 4)), ball(Fraction(17, 64))]
        return [x + wide for x in exact] if calls == 1 else exact

    table = ExactTable(vague_at_first, glance=3, word=6)
    mass, undecided = exact_mass(table.draw, depth=18)
    assert abs(mass[0] - Fraction(1, 4)) <= undecided < Fraction(1, 1000)
    assert abs(mass[1] - Fraction(1, 64)) <= undecided


def test_a_single_category_needs_no_thresholds() -> None:
    table = ExactTable(list)
    assert table.draw(SYSTEM) == 0
    assert not table.draw_many(100, SYSTEM).any()


def test_many_thresholds_agree_one_by_one_and_as_a_vector() -> None:
    table = ExactTable(lambda: [1 - exp_ball(Fraction(-k - 1, 200)) for k in range(1000)])
    words = SYSTEM.words(2000, 64)
    as_vector = table._decide(words.astype(np.uint64), SYSTEM)
    one_by_one = [table.draw(Tape([int(digit) for digit in f"{int(word):064b}"])) for word in words]
    assert as_vector.tolist() == one_by_one
