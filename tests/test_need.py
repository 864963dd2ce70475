"""Checks of arguments at the door: what a text means exactly, and what nobody can mean."""

from decimal import Decimal
from fractions import Fraction

import pytest

from banister import need
from banister.errors import BadValue


@pytest.mark.parametrize(
    ("text", "meant"),
    [("0.1", Fraction(1, 10)), ("1/3", Fraction(1, 3)), (" 1_0e-0_2 ", Fraction(1, 10)), ("1E+03", Fraction(1000))],
)
def test_a_text_is_the_number_that_it_writes(text: str, meant: Fraction) -> None:
    assert need.exact("x", text) == meant


def test_the_largest_power_is_taken() -> None:
    assert need.exact("x", "1e1000") == Fraction(10) ** 1000
    assert need.exact("x", Decimal("1e-1000")) == Fraction(1, Fraction(10) ** 1000)


@pytest.mark.parametrize("text", ["1e1001", "1e-999999999", "1E+999999999999999999", "1e9_9_9_9_9_9_9", " 1e0099999 "])
def test_a_short_text_that_means_an_endless_number_is_refused_at_once(text: str) -> None:
    """Else one field of a page would stop the whole server."""
    with pytest.raises(BadValue, match="must be a finite number of at most 1000 digits"):
        need.exact("epsilon", text)
    with pytest.raises(BadValue, match="epsilon = "):
        need.positive("epsilon", Decimal(text.strip()))


@pytest.mark.parametrize("text", ["", "e", "1e", "ee5", "one", "1e5e5", "9" * 5000, "nan", "inf"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(BadValue):
        need.exact("x", text)
