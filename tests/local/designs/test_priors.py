import numpy as np
import pytest

from banister.errors import BadValue
from banister.local.designs.priors import law, pair, positive_law


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.5, 0.4], r"prior sums to 0\.9, not 1"),
        ([1.5, -0.5], r"prior\[1\] = -0\.5 is negative"),
        ([1.0], "at least two probabilities"),
        ([[0.5, 0.5]], "at least two probabilities"),
        ([np.nan, 1.0], "not a finite number"),
        (["a", "b"], "must be a list of probabilities"),
    ],
)
def test_what_is_not_a_law_is_refused(values: object, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        law("prior", values)  # type: ignore[arg-type]


def test_zeros_are_refused_where_the_theorem_needs_none() -> None:
    with pytest.raises(BadValue, match=r"prior\[1\] = 0: the optimality theorem needs every category"):
        positive_law("prior", [0.5, 0.0, 0.5])
    with pytest.raises(BadValue, match="Category 1 has probability 0 under both hypotheses"):
        pair(([0.5, 0.0, 0.5], [0.4, 0.0, 0.6]))


def test_pairs_have_one_alphabet() -> None:
    with pytest.raises(BadValue, match=r"\[2, 3\] categories"):
        pair(([0.5, 0.5], [0.4, 0.1, 0.5]))
    with pytest.raises(BadValue, match="two laws, not 3"):
        pair(([0.5, 0.5],) * 3)  # type: ignore[arg-type]


def test_rounded_sums_are_brought_to_one() -> None:
    assert law("prior", [0.3333333, 0.3333333, 0.3333333]).sum() == pytest.approx(1, abs=1e-15)
