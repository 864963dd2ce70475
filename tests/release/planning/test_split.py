"""The split of epsilon is the best one, and no more or less than epsilon."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from banister.errors import BadValue
from banister.release.planning.split import cost, share_out

IMPORTANCE = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=6)


@given(IMPORTANCE, st.fractions(min_value=Fraction(1, 100), max_value=10))
@example([1.0, 1e-300, 1e-60], Fraction(1))  # Two that round down to nothing, and get the least share there is.
@example([1.0, 1.0, 1.0], Fraction(1))
def test_shares_add_up_to_exactly_epsilon(importance: list[float], epsilon: Fraction) -> None:
    shares = share_out(epsilon, importance)
    assert sum(shares) == epsilon
    assert all(share > 0 for share in shares)


@given(IMPORTANCE, st.lists(st.floats(0.05, 1), min_size=6, max_size=6))
def test_no_other_split_is_better(importance: list[float], other: list[float]) -> None:
    parts = other[: len(importance)]
    total = sum(parts)
    there = sum(a / (part / total) ** 2 for a, part in zip(importance, parts, strict=True))
    assert cost(Fraction(1), importance) <= there * (1 + 1e-9)


def test_shares_are_in_proportion_to_cube_roots() -> None:
    """Moving a little from any share to any other makes Σ aᵢ / eᵢ² larger."""
    assert share_out(Fraction(1), [8.0, 1.0, 1.0]) == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    importance = [27.0, 1.0, 5.0]
    shares = [float(share) for share in share_out(Fraction(1), importance)]
    least = sum(a / e**2 for a, e in zip(importance, shares, strict=True))
    for giver in range(3):
        for taker in range(3):
            moved = [e + 0.01 * ((place == taker) - (place == giver)) for place, e in enumerate(shares)]
            assert sum(a / e**2 for a, e in zip(importance, moved, strict=True)) >= least


def test_a_weight_of_nothing_is_refused() -> None:
    with pytest.raises(BadValue, match="weight above 0"):
        share_out(Fraction(1), [1.0, 0.0])
