import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.show.plain import no_formula, plain


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = plain(text)
    assert all(character.isprintable() or character.isspace() for character in shown)
    assert not {"\x1b", "\n", "\r", "\x9b", "\u202e", "\x07", "\x08"} & set(shown)


@pytest.mark.parametrize("text", ["north", "Käse", "日本", "[/b]", "a b", ""])
def test_what_is_seen_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


def test_what_is_not_seen_is_spelled() -> None:
    assert plain("\x1b[2J\u202eabc\U000e0001") == "\\x1b[2J\\u202eabc\\U000e0001"


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1"])
def test_formulas_become_texts(cell: str) -> None:
    assert no_formula(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", [-3, -0.5, None, "north", "", "a=b"])
def test_other_cells_stay(cell: object) -> None:
    assert no_formula(cell) is cell
