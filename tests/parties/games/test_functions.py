"""Functions of the parties' bits."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from banister.errors import BadValue
from banister.parties.games import functions as fn


@pytest.mark.parametrize("parties", [1, 2, 3, 4, 5])
def test_named_functions_are_what_they_are_called(parties: int) -> None:
    truth = {
        "xor": lambda x: sum(x) % 2,
        "and": lambda x: all(x),
        "or": lambda x: any(x),
        "majority": lambda x: 2 * sum(x) > len(x),
        "threshold:1": lambda x: sum(x) >= 1,
        "sum": lambda x: sum(x),
        "mean": lambda x: Fraction(sum(x), len(x)),
        "argmax": lambda x: x.index(max(x)) + 1,
    }
    for text, expected in truth.items():
        function = fn.function_of(text, parties)
        table = function.table()
        for number, x in enumerate(itertools.product((0, 1), repeat=parties)):
            assert function.answer(x) == expected(x)
            assert function.answers[table[number]] == function.answer(x)


def test_a_table_of_counts_is_recognised_and_any_other_kept() -> None:
    assert fn.formula("x1 & x2 & x3").symmetric
    assert not fn.formula("x1 & x2 | x3").symmetric
    assert fn.function_of("table:0,1,1,5", 2).values.tolist() == [0, 1, 5]


@pytest.mark.parametrize("text", ["majority", "x1 ^ (x2 & x3)", "argmax"])
@pytest.mark.parametrize("party", [0, 1, 2])
def test_knowing_one_bit_leaves_the_function_of_the_others(text: str, party: int) -> None:
    function = fn.function_of(text, 3)
    for bit in (0, 1):
        rest = function.given(party, bit)
        for x in itertools.product((0, 1), repeat=2):
            assert rest.answer(x) == function.answer((*x[:party], bit, *x[party:]))


def test_bad_functions_are_refused() -> None:
    for call, words in (
        (lambda: fn.of_table([0, 1, 1]), "3 answers"),
        (lambda: fn.function_of("nonsense", 3), "is none of: xor"),
        (lambda: fn.function_of("threshold:9", 3), "threshold = 9 must be"),
        (lambda: fn.function_of("threshold", 3), "threshold = 'missing'"),
        (lambda: fn.function_of("table:0,1", 3), "one of 1 parties; 3 parties need 8"),
        (lambda: fn.argmax(30), "'argmax' of 30 parties"),
        (lambda: fn.majority(30).table(), "up to 20"),
        (lambda: fn.majority(0), "parties = 0 must be"),
        (lambda: fn.majority(3).answer((0, 1)), "takes 3 bits"),
    ):
        with pytest.raises(BadValue, match=words):
            call()


def test_ones_are_counted() -> None:
    assert np.array_equal(fn.ones_of(3), [0, 1, 1, 2, 1, 2, 2, 3])
