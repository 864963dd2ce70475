"""What several parties want to know together: a function of one bit of each.

A function is kept as the number of its answer for each number of ones (when only that matters), or for each of the
2^k inputs, party 1 in the highest bit. A table that only depends on the number of ones is recognised.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.programs.linear import Ints
from banister.errors import BadValue
from banister.parties.games import formula as formulas

MOST_SYMMETRIC = 100_000
MOST_GENERAL = 20


@dataclass(frozen=True, slots=True, eq=False)
class JointFunction:
    """A function of one bit of each party.

    >>> majority(3).answer((1, 0, 1)), xor(5).name
    (Fraction(1, 1), 'xor')
    """

    name: str
    parties: int
    answers: tuple[Fraction, ...]
    """The different answers, in ascending order."""
    symmetric: bool
    index: Ints
    """The number of the answer: for each number of ones if `symmetric`, else for each input."""

    def answer(self, bits: Sequence[int]) -> Fraction:
        """The true answer for those bits."""
        if len(bits) != self.parties or any(bit not in (0, 1) for bit in bits):
            raise BadValue(f"The function '{self.name}' takes {self.parties} bits, each 0 or 1.")
        place = sum(bits) if self.symmetric else int("".join(str(int(bit)) for bit in bits), 2)
        return self.answers[int(self.index[place])]

    def table(self) -> Ints:
        """The number of the answer for each of the 2^k inputs."""
        if not self.symmetric:
            return self.index
        _listable(self.name, self.parties)
        return self.index[ones_of(self.parties)]

    def given(self, party: int, bit: int) -> "JointFunction":
        """The function of the others when that party (from 0) holds that bit. The answers keep their numbers."""
        if self.symmetric:
            rest = self.index[bit : self.parties + bit]
        else:
            cube = self.index.reshape((2,) * self.parties)
            rest = np.take(cube, bit, axis=party).ravel()
        return JointFunction(self.name, self.parties - 1, self.answers, self.symmetric, rest)

    @property
    def values(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """The answers as doubles."""
        return np.array([float(answer) for answer in self.answers])


def ones_of(parties: int) -> Ints:
    """The number of ones of each of the 2^k inputs."""
    count = np.zeros(1, dtype=np.int64)
    for _ in range(parties):
        count = np.concatenate((count, count + 1))
    return count


def xor(parties: int) -> JointFunction:
    """Whether the number of ones is odd.

    >>> xor(3).answer((1, 1, 0))
    Fraction(0, 1)
    """
    k = _count("xor", parties)
    return _of_counts("xor", k, np.arange(k + 1) % 2)


def conjunction(parties: int) -> JointFunction:
    """AND: whether every bit is 1.

    >>> conjunction(3).answer((1, 1, 0))
    Fraction(0, 1)
    """
    k = _count("and", parties)
    return _of_counts("and", k, np.arange(k + 1) == k)


def disjunction(parties: int) -> JointFunction:
    """OR: whether some bit is 1.

    >>> disjunction(3).answer((1, 1, 0))
    Fraction(1, 1)
    """
    k = _count("or", parties)
    return _of_counts("or", k, np.arange(k + 1) > 0)


def majority(parties: int) -> JointFunction:
    """Whether more than half of the bits are 1; a tie is a 0.

    >>> majority(3).answer((1, 1, 0))
    Fraction(1, 1)
    """
    k = _count("majority", parties)
    return _of_counts("majority", k, 2 * np.arange(k + 1) > k)


def threshold(parties: int, least: int) -> JointFunction:
    """Whether at least so many bits are 1.

    >>> threshold(3, 2).answer((1, 1, 0))
    Fraction(1, 1)
    """
    k = _count("threshold", parties)
    at = need.whole("least", least, least=1, most=k)
    return _of_counts(f"threshold:{at}", k, np.arange(k + 1) >= at)


def total(parties: int) -> JointFunction:
    """The number of ones.

    >>> total(3).answer((1, 1, 0))
    Fraction(2, 1)
    """
    k = _count("sum", parties)
    return JointFunction("sum", k, tuple(Fraction(s) for s in range(k + 1)), True, np.arange(k + 1))


def mean(parties: int) -> JointFunction:
    """The share of ones.

    >>> mean(3).answer((1, 1, 0))
    Fraction(2, 3)
    """
    k = _count("mean", parties)
    return JointFunction("mean", k, tuple(Fraction(s, k) for s in range(k + 1)), True, np.arange(k + 1))


def argmax(parties: int) -> JointFunction:
    """The number of the first party that holds the largest bit: the first with a 1, or 1 if there is none.

    >>> argmax(3).answer((0, 1, 1))
    Fraction(2, 1)
    """
    k = _listable("argmax", _count("argmax", parties))
    inputs = np.arange(1 << k)
    first = np.ones_like(inputs)
    for party in range(k, 0, -1):
        first = np.where((inputs >> (k - party)) & 1, party, first)
    return of_table(first.tolist(), name="argmax")


def formula(text: str, parties: int | None = None) -> JointFunction:
    """Any formula, such as "x1 ^ (x2 & x3)" or "x1 + x2 + x3 >= 2"; the parties are those it names, unless told.

    >>> formula("x1 + x2 >= 2").symmetric
    True
    """
    k = formulas.parties_in(text) if parties is None else need.whole("parties", parties, least=1)
    values = formulas.evaluate(text, k)
    return of_table(values.tolist(), name=text.strip())


def of_table(values: Sequence[Number] | ArrayLike, *, name: str = "table") -> JointFunction:
    """Any function, from its answer for each of the 2^k inputs; party 1 is the highest bit of the input's number.

    >>> of_table([0, 1, 1, 0]).symmetric
    True
    """
    given: list[Number] = list(values)  # type: ignore[arg-type]
    k = len(given).bit_length() - 1
    if len(given) < 2 or len(given) != 1 << k:
        raise BadValue(f"The table has {len(given)} answers; k parties have 2^k inputs: 2, 4, 8, and so on.")
    _listable(name, k)
    exact = [need.exact("an answer of the table", value) for value in given]
    answers = tuple(sorted(set(exact)))
    place = {answer: number for number, answer in enumerate(answers)}
    index = np.array([place[value] for value in exact], dtype=np.int64)
    ones = ones_of(k)
    by_count = index[(1 << np.arange(k + 1)) - 1]
    if np.array_equal(by_count[ones], index):
        return JointFunction(name, k, answers, True, by_count)
    return JointFunction(name, k, answers, False, index)


_NAMED = {
    "xor": xor,
    "and": conjunction,
    "or": disjunction,
    "majority": majority,
    "sum": total,
    "mean": mean,
    "argmax": argmax,
}


def function_of(text: str, parties: int) -> JointFunction:
    """A function from its written form: a name, threshold:3, table:0,1,1,0 or a formula.

    >>> function_of("threshold:2", 3).answer((1, 1, 0))
    Fraction(1, 1)
    """
    word, _, rest = text.strip().partition(":")
    if word in _NAMED and not rest:
        return _NAMED[word](parties)
    if word == "threshold":
        return threshold(parties, need.whole("threshold", rest or "missing", least=1, most=parties))
    if word == "table":
        return _right_size(of_table([part.strip() for part in rest.split(",")], name=text.strip()), parties)
    if not any(character.isdigit() for character in text):
        names = ", ".join((*_NAMED, "threshold:M", "table:0,1,1,0"))
        raise BadValue(f"function = {text!r} is none of: {names}; nor a formula such as 'x1 ^ (x2 & x3)'.")
    return formula(text, parties)


def _right_size(function: JointFunction, parties: int) -> JointFunction:
    if function.parties != parties:
        raise BadValue(
            f"The table is one of {function.parties} parties; {parties} parties need {1 << parties} answers."
        )
    return function


def _of_counts(name: str, parties: int, truth: Ints | np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> JointFunction:
    return JointFunction(name, parties, (Fraction(0), Fraction(1)), True, truth.astype(np.int64))


def _count(name: str, parties: int) -> int:
    return need.whole("parties", parties, least=1, most=MOST_SYMMETRIC)


def _listable(name: str, parties: int) -> int:
    if parties > MOST_GENERAL:
        raise BadValue(
            f"'{name}' of {parties} parties has 2^{parties} inputs; up to {MOST_GENERAL} parties can be listed."
        )
    return parties
