"""Domination both ways: regions decide, an exact matrix or a test proves."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banister.core.privacy.domination import Domination, dominates, includes
from banister.errors import BadValue
from banister.mechanisms.integers.geometric import Geometric

RESPONSE = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))


def law(weights):
    return tuple(Fraction(w, sum(weights)) for w in weights)


def laws(size):
    return st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any).map(law)


def proven(first: Any, second: Any, found: Domination) -> None:
    """The witness is what it says, by the definitions alone."""
    if found.matrix is not None:
        assert all(sum(row) == 1 and min(row) >= 0 for row in found.matrix)
        for p, q in zip(first, second, strict=True):
            assert [sum(a * row[j] for a, row in zip(p, found.matrix, strict=True)) for j in range(len(q))] == list(q)
    else:
        assert found.weight is not None
        curves = [sum(max(0, p - found.weight * q) for p, q in zip(*pair, strict=True)) for pair in (first, second)]
        assert curves[1] > curves[0]


def test_the_post_processing_of_a_response_is_found() -> None:
    other = ((Fraction(5, 8), Fraction(1, 8), Fraction(1, 4)), (Fraction(3, 8), Fraction(1, 8), Fraction(1, 2)))
    found = dominates(RESPONSE, other)
    assert found
    proven(RESPONSE, other, found)


@settings(max_examples=150, deadline=None)
@given(laws(3), laws(3), laws(3), laws(3))
def test_either_answer_comes_with_its_proof(a, b, c, d) -> None:
    proven((a, b), (c, d), dominates((a, b), (c, d)))


@settings(max_examples=80, deadline=None)
@given(laws(4), laws(4), st.lists(laws(5), min_size=4, max_size=4))
def test_whatever_is_made_from_a_pair_is_dominated_by_it(a, b, matrix) -> None:
    second: Any = tuple(
        tuple(sum(p * row[j] for p, row in zip(one, matrix, strict=True)) for j in range(5)) for one in (a, b)
    )
    found = dominates((a, b), second)
    assert found
    proven((a, b), second, found)


def test_outputs_that_never_come_and_outputs_that_tell_all() -> None:
    open_pair = ((1, 0, 0), (0, 1, 0))
    found = dominates(open_pair, RESPONSE)
    assert found
    proven(open_pair, RESPONSE, found)
    assert found.matrix is not None
    assert found.matrix[2] == (Fraction(1), Fraction(0))
    proven(RESPONSE, open_pair, dominates(RESPONSE, open_pair))
    assert not includes(RESPONSE, open_pair)


def test_a_law_that_does_not_add_up_is_refused() -> None:
    with pytest.raises(BadValue, match=r"must add up to 1 exactly; .* are off by \+1 and \+0"):
        dominates(((1, 1), (1, 0)), RESPONSE)


@pytest.mark.parametrize("other", [Geometric(epsilon=Fraction(1)), "3/4", ((1, 0),), 3])
def test_what_is_no_pair_of_laws_is_refused(other: object) -> None:
    with pytest.raises(BadValue, match=r"second must be a pair of laws, .* compared by their curves"):
        dominates(RESPONSE, other)  # type: ignore[arg-type]
