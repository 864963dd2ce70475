"""Scores are exact numbers, whatever they come as, and are never shown."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.errors import BadValue
from banister.mechanisms.choices.scores import Scores

ROWS = [
    [3, -5, 7],
    np.array([2**63 - 1, -(2**63), 0]),
    np.array([2**64 - 1, 0, 5], dtype=np.uint64),
    [0.1, -3.75, 1e300],
    np.array([1.5, 2.5], dtype=np.float32),
    [Fraction(1, 3), Fraction(-2, 7), Fraction(5)],
    [10**30, -(10**30), 7],
    [Decimal("0.1"), Decimal("0.2")],
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_gaps_are_exact_and_their_doubles_close(row: list[float]) -> None:
    scores = Scores.of(row)
    exact = [Fraction(x.item() if isinstance(x, np.generic) else x) for x in row]
    for place, x in enumerate(exact):
        gap = max(exact) - x
        assert scores.gap(place) == gap
        assert scores.behind()[place] == pytest.approx(float(gap), rel=1e-15)


@pytest.mark.parametrize("row", ROWS, ids=str)
@pytest.mark.parametrize("width", [Fraction(1), Fraction(3, 7), Fraction(1, 2**40)])
@pytest.mark.parametrize("offset", [Fraction(0), Fraction(1, 3), Fraction(1)])
def test_levels_are_exact(row: list[float], width: Fraction, offset: Fraction) -> None:
    levels = Scores.of(row).levels(width, offset)
    exact = [Fraction(x.item() if isinstance(x, np.generic) else x) for x in row]
    assert [levels.exact(i) for i in range(len(row))] == [math.ceil(x / width + offset) for x in exact]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.fractions(Fraction(1, 100), 100), st.fractions(0, 1))
def test_levels_of_doubles_are_exact(row: list[float], width: Fraction, offset: Fraction) -> None:
    levels = Scores.of(row).levels(width, offset)
    assert [levels.exact(i) for i in range(len(row))] == [math.ceil(Fraction(x) / width + offset) for x in row]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([], r"have the shape \(0,\)\. Give one score for each candidate"),
        ([[1, 2]], r"have the shape \(1, 2\)"),
        ([[1, 2], [4321]], r"The scores are rows of different lengths\."),
        ([1.0, math.nan], r"The score at position 1 is not a finite number"),
        ([math.inf, 4321.0], r"The score at position 0 is not a finite number"),
        ([Fraction(1), math.inf], r"The score at position 1 is not a finite number"),
        ([Fraction(1), None], r"The score at position 1 is not a finite number"),
        ([10**30, 10**400], r"The score at position 1 is not a finite number of at most 2\^1000"),
        (["4321"], r"The scores are of type <U4\. Give whole numbers, doubles or fractions\."),
        (np.array([True, False]), r"The scores are of type bool"),
    ],
)
def test_bad_scores_are_refused_without_being_shown(bad: Any, message: str) -> None:
    with pytest.raises(BadValue, match=message) as caught:
        Scores.of(bad)
    assert "4321" not in str(caught.value)
