"""Protocols rebuilt from randomized response have exactly the law that they had."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banister.errors import BadValue
from banister.parties import rebuild

chance = st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=20)


def two_rounds(first, second, third) -> list[list[Fraction]]:
    """Party 1 speaks, party 2 answers with a chance that depends on it, party 1 speaks again: 8 transcripts."""
    rows = []
    for x, y in product((0, 1), repeat=2):
        row = []
        for a, b, c in product((0, 1), repeat=3):
            p = first[x] if a else 1 - first[x]
            q = second[y, a] if b else 1 - second[y, a]
            r = third[x, a, b] if c else 1 - third[x, a, b]
            row.append(p * q * r)
        rows.append(row)
    return rows


@settings(max_examples=40, deadline=None)
@given(st.lists(chance, min_size=14, max_size=14))
def test_an_interactive_protocol_is_rebuilt_exactly(chances) -> None:
    given_to = iter(chances)
    first = {x: next(given_to) for x in (0, 1)}
    second = {key: next(given_to) for key in product((0, 1), repeat=2)}
    third = {key: next(given_to) for key in product((0, 1), repeat=3)}
    protocol = two_rounds(first, second, third)
    found = rebuild(protocol)
    assert [list(row) for row in found.law()] == protocol
    assert all(sum(row) == 1 and min(row) >= 0 for row in found.matrix)


def test_randomized_response_itself_needs_nothing_more() -> None:
    keep = (Fraction(3, 4), Fraction(2, 3))
    rows = [
        [
            (keep[0] if a == x else 1 - keep[0]) * (keep[1] if b == y else 1 - keep[1])
            for a, b in product((0, 1), repeat=2)
        ]
        for x, y in product((0, 1), repeat=2)
    ]
    found = rebuild(rows)
    assert found.keep == keep
    assert found.matrix == tuple(tuple(Fraction(i == j) for j in range(4)) for i in range(4))
    assert found.levels == pytest.approx([1.0986122886681098, 0.6931471805599453])


def test_a_party_that_says_nothing_is_a_fair_coin() -> None:
    found = rebuild([["1/4", "3/4"], ["1/4", "3/4"]])
    assert found.keep == (Fraction(1, 2),)
    assert found.law() == ((Fraction(1, 4), Fraction(3, 4)),) * 2


def test_what_a_curator_says_is_no_protocol() -> None:
    """The XOR of two bits through one response: each party has the level ln 3, but only a curator could say it."""
    rows = [["3/4", "1/4"], ["1/4", "3/4"], ["1/4", "3/4"], ["3/4", "1/4"]]
    with pytest.raises(BadValue, match="no product of one factor a party"):
        rebuild(rows)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[1]], "2\\^k rows"),
        ([[1], [1], [1]], "2\\^k rows"),
        ([["1/2", "1/3"], ["1/2", "1/2"]], "add up to exactly 1"),
        ([[1], ["1/2", "1/2"]], "same transcripts"),
    ],
)
def test_what_is_no_law_is_refused(rows, words) -> None:
    with pytest.raises(BadValue, match=words):
        rebuild(rows)
