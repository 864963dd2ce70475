"""How a level is shared out over several questions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from banister.errors import BadValue
from banister.local.collect.sharing import LevelShare, error_at, share_out, split

LAWS = [np.array([0.5, 0.5]), np.array([0.7, 0.2, 0.1]), np.full(6, 1 / 6)]


def test_the_parts_add_up_to_the_level_exactly() -> None:
    parts, _ = split(Fraction(7, 3), LAWS)
    assert sum(parts) == Fraction(7, 3)
    assert parts[2] > parts[0] > 0


def test_no_other_cut_into_the_same_parts_has_less_error() -> None:
    parts, found = split(Fraction(2), LAWS)
    assert found == pytest.approx(sum(error_at(law, float(part)) for law, part in zip(LAWS, parts, strict=True)))
    step = 2 / 240
    for a, b in product(range(8, 233, 8), repeat=2):
        if a + b < 240:
            cut = a * step, b * step, (240 - a - b) * step
            assert found <= sum(error_at(law, part) for law, part in zip(LAWS, cut, strict=True)) * (1 + 1e-9)


def test_one_question_at_random_beats_all_of_them_at_low_levels_and_not_at_high_ones() -> None:
    low, high = share_out(1, LAWS), share_out(12, LAWS)
    assert low.share is LevelShare.ONE
    assert list(low.levels) == [Fraction(1)] * 3
    assert high.share is LevelShare.ALL
    assert sum(high.levels) == 12
    assert low.error_one < low.error_all
    assert high.error_all < high.error_one


def test_a_single_question_has_the_whole_level() -> None:
    assert share_out("1/2", LAWS[:1]).levels == (Fraction(1, 2),)


def test_bad_shares_are_refused() -> None:
    with pytest.raises(BadValue, match="1 to 64 questions"):
        share_out(1, [])
    with pytest.raises(BadValue, match="prior of question 2"):
        share_out(1, [[0.5, 0.5], [0.5, 0.2]])
