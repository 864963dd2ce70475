"""Draws from rows of whole weights switch exactly at their thresholds, and rows that give away more are refused."""

import numpy as np
import pytest

from banister.core.laws.stochastic import ONE
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.sampling.rows import PrivateRows
from tests.local.seeded import WordsFrom

QUARTERS = np.array([[3, 1], [1, 3]]) << 60


def test_each_row_switches_at_its_own_threshold() -> None:
    rows = PrivateRows(np.array([[1, 2, 5], [2, 2, 4]]) << 59, Guarantee(1))
    for row in (0, 1):
        ends = np.cumsum(rows.weights[row])[:-1]
        words = np.stack((ends - 1, ends), axis=1).ravel().astype(np.uint64) << np.uint64(2)
        assert rows.draw(np.full(4, row), WordsFrom(words)).tolist() == [0, 1, 1, 2]


def test_rows_are_held_to_their_claim() -> None:
    assert PrivateRows(QUARTERS, Guarantee("1.0986123")).level == pytest.approx(np.log(3), abs=1e-15)
    with pytest.raises(BadValue, match=r"level 1\.09861229, above the claimed epsilon = 1"):
        PrivateRows(QUARTERS, Guarantee(1))
    with pytest.raises(BadValue, match=r"needs delta = 0\.0704295 at epsilon = 1, above the claimed delta = 0\.05"):
        PrivateRows(QUARTERS, Guarantee(1, "1/20"))
    with pytest.raises(BadValue, match=r"rows? of a channel must sum to 2\^62"):
        PrivateRows(QUARTERS - 1, Guarantee(2))


def test_the_rows_cannot_be_changed_from_outside() -> None:
    given = QUARTERS.copy()
    rows = PrivateRows(given, Guarantee(2))
    given[0, 0] = 0
    assert int(rows.weights[0].sum()) == ONE
    with pytest.raises(ValueError, match="read-only"):
        rows.weights[0, 0] = 1
