"""Domination both ways: regions decide, a stochastic matrix proves."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banister.core.privacy.domination import dominates, witness
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue, Unsolved

RESPONSE = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))


def law(weights):
    return tuple(Fraction(w, sum(weights)) for w in weights)


weights = st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any)


def test_the_post_processing_of_a_response_is_found() -> None:
    other = ((Fraction(5, 8), Fraction(1, 8), Fraction(1, 4)), (Fraction(3, 8), Fraction(1, 8), Fraction(1, 2)))
    found = witness(RESPONSE, other, solver=HighsSolver())
    assert found.residual < 1e-9
    np.testing.assert_allclose(found.matrix.sum(axis=1), 1)
    assert (found.matrix >= 0).all()


@settings(max_examples=40, deadline=None)
@given(weights, weights, weights, weights)
def test_the_region_and_the_linear_program_agree(a, b, c, d) -> None:
    """Where regions say no, the program without slack is infeasible; where they say yes, its matrix fits."""
    first, second = (law(a), law(b)), (law(c), law(d))
    if dominates(first, second):
        assert witness(first, second, solver=HighsSolver()).residual < 1e-8
    else:
        with pytest.raises(BadValue, match="does not dominate"):
            witness(first, second, solver=HighsSolver())
        assert _least_slack(first, second) > 1e-9


def _least_slack(first, second) -> float:
    from banister.core.privacy.domination import _floats, _program

    try:
        return HighsSolver().solve(_program(_floats(first), _floats(second))).objective
    except Unsolved:
        return 1.0
