"""Formulas mean what Python would say, and nothing else gets through."""

import itertools

import pytest

from banister.errors import BadValue
from banister.parties.games.formula import evaluate, parties_in


@pytest.mark.parametrize(
    "text",
    [
        "x1 ^ (x2 & x3)",
        "x1 and not x2 or x3",
        "~x1 | x2",
        "x1 + x2 + x3 >= 2",
        "2*x1 + x2 - x3",
        "x1 < x2 <= x3",
        "x1 * x2 == x3",
        "(x1 != x2) ^ 1",
    ],
)
def test_a_formula_has_the_values_that_python_gives(text: str) -> None:
    python = text.replace("~x1", "(1 - x1)")
    for number, bits in enumerate(itertools.product((0, 1), repeat=3)):
        expected = int(eval(python, {"__builtins__": {}}, {f"x{i + 1}": bit for i, bit in enumerate(bits)}))
        assert evaluate(text, 3)[number] == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__import__('os').system('true')", "names '__import__'"),
        ("x1.real", "uses Attribute"),
        ("f(x1)", "names 'f'"),
        ("x1 if x2 else x3", "uses IfExp"),
        ("x1 ** 99", "uses Pow"),
        ("x1 / x2", "uses Div"),
        ("x1 in x2", "uses In"),
        ("[x1]", "uses List"),
        ("x1 & 'a'", "uses Constant"),
        ("x1 ^", "cannot be read"),
        ("x0 ^ x1", "names 'x0'"),
        ("1 + 1", "names no party"),
        ("x1 + 2000000", "up to 1000000"),
        ("(x1 + x2) & x1", "take bits and comparisons"),
        ("not (x1 + x2)", "take bits and comparisons"),
        ("x1*1000000*1000000*1000000", "above 2^53"),
        ("x1" + " ^ x1" * 2000, "more than 4000"),
        ("~" * 150 + "x1", "nested deeper"),
    ],
)
def test_anything_else_is_refused_with_a_word(text: str, words: str) -> None:
    with pytest.raises(BadValue, match=words.replace("^", r"\^")):
        evaluate(text, 3)


def test_the_number_of_parties_is_bounded() -> None:
    assert parties_in("x12 ^ x3") == 12
    with pytest.raises(BadValue, match="names x4, and there are 3"):
        evaluate("x4", 3)
    with pytest.raises(BadValue, match="2\\^21 inputs"):
        evaluate("x1", 21)
