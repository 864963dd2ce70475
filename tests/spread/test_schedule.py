import math
from fractions import Fraction

import pytest

from banister.errors import BadValue
from banister.spread.schedule import hops_law, keep_chance, keep_probability


@pytest.mark.parametrize("degree", range(2, 8))
def test_keeping_and_passing_make_the_law_of_hops(degree: int) -> None:
    for time in range(2, 40, 2):
        law = (*hops_law(degree=degree, time=time), Fraction(0))
        for hops, chance in enumerate(hops_law(degree=degree, time=time + 2), start=1):
            stay = keep_probability(degree=degree, time=time, hops=hops) if hops <= time // 2 else Fraction(0)
            come = 1 - keep_probability(degree=degree, time=time, hops=hops - 1) if hops > 1 else Fraction(0)
            assert chance == stay * law[hops - 1] + come * law[hops - 2]
        assert sum(law) == 1


def test_the_double_agrees_with_the_fraction() -> None:
    for degree in (2, 3, 5, 40):
        for time in (2, 4, 10, 60):
            for hops in range(1, time // 2 + 1):
                exact = keep_probability(degree=degree, time=time, hops=hops)
                assert keep_chance(degree=degree, time=time, hops=hops) == pytest.approx(float(exact), rel=1e-12)


def test_chances_fall_with_hops_and_never_overflow() -> None:
    chances = [keep_chance(degree=4, time=10**6, hops=hops) for hops in range(1, 40)]
    assert chances == sorted(chances, reverse=True)
    assert chances[1] == pytest.approx(3**-2)
    assert keep_chance(degree=math.inf, time=2, hops=1) == 0


def test_odd_times_and_impossible_hops_are_refused() -> None:
    with pytest.raises(BadValue, match="time = 3 must be even: the virtual source decides at even times only"):
        keep_probability(degree=3, time=3, hops=1)
    with pytest.raises(BadValue, match="time = 0 must be a whole number, 2 or above"):
        hops_law(degree=3, time=0)
    with pytest.raises(BadValue, match="hops = 3 must be a whole number from 1 to 2"):
        keep_probability(degree=3, time=4, hops=3)
