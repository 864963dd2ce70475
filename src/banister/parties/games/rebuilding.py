"""Any protocol on one bit a party, rebuilt from randomized response: the simulator behind its optimality.

A protocol is a law of transcripts for each input. If it is made of messages, P(τ|x) is a product of one factor a party,
and the two values of a factor differ by at most e^epsilon; so each is a mixture of the rows of randomized response of
that level, and whoever hears randomized responses can draw a transcript with exactly the same law ([K16] Thm C.1.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log

from banister import need
from banister.core.exact.numbers import Number
from banister.errors import BadValue

_MOST_PARTIES = 10

Row = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Randomized responses, and what to draw after hearing them: together the protocol, exactly.

    >>> found = rebuild([["1/2", "1/2"], ["1/3", "2/3"]])  # One party, whose level is ln(3/2).
    >>> found.keep, found.matrix
    ((Fraction(3, 5),), ((Fraction(5, 6), Fraction(1, 6)), (Fraction(0, 1), Fraction(1, 1))))
    """

    keep: Row
    """With which chance each party's response is its bit."""
    matrix: tuple[Row, ...]
    """The law of the transcript after each row of responses; the first party's is the highest bit."""

    @property
    def levels(self) -> tuple[float, ...]:
        """The epsilon of each party in the protocol: ln(keep/(1 - keep))."""
        return tuple(log(keep / (1 - keep)) for keep in self.keep)

    def law(self) -> tuple[Row, ...]:
        """The law of the transcript for each input, by responding and then drawing."""
        rows = list(self.matrix)
        for party, keep in enumerate(self.keep):
            rows = _turned(rows, len(self.keep) - 1 - party, keep, 1 - keep)
        return tuple(rows)


def rebuild(protocol: Sequence[Sequence[Number]]) -> Rebuilt:
    """Rebuild a protocol from randomized response: one row for each input, one chance for each transcript.

    Rows are in the order of binary numbers, the first party's bit the highest. Exact:  all chances are fractions, and
    what is rebuilt has the same law. `BadValue` where no protocol of messages has that law, such as a curator's answer.

    >>> rebuild([[1, 0], ["1/2", "1/2"]])
    Traceback (most recent call last):
        ...
    banister.errors.BadValue: Transcript 1 is possible for one bit of party 1 and impossible for the other, so the \
protocol has no finite level. Give it a chance for both.
    """
    rows = _checked(protocol)
    parties = len(rows).bit_length() - 1
    made, keeps = list(rows), []
    for party in range(parties):
        ratio = _ratio(rows, party, parties - 1 - party)
        keeps.append(ratio / (1 + ratio))
        if ratio > 1:  # The inverse of the party's response; at 1 it says nothing, and both rows are alike already.
            made = _turned(made, parties - 1 - party, ratio / (ratio - 1), -1 / (ratio - 1))
    for responses, row in enumerate(made):
        for transcript, chance in enumerate(row):
            if chance < 0:
                raise BadValue(
                    f"Transcript {transcript} would need a chance of {float(chance):.3g} after the responses "
                    f"{responses:0{parties}b}: this law is no product of one factor a party, so no exchange of "
                    "messages between parties that see their own bits alone has it."
                )
    found = Rebuilt(tuple(keeps), tuple(made))
    assert found.law() == rows
    return found


def _turned(rows: list[Row], bit: int, same: Fraction, other: Fraction) -> list[Row]:
    """Each row as `same` times itself plus `other` times the row with that bit changed."""
    return [
        tuple(same * p + other * q for p, q in zip(row, rows[place ^ (1 << bit)], strict=True))
        for place, row in enumerate(rows)
    ]


def _ratio(rows: tuple[Row, ...], party: int, bit: int) -> Fraction:
    """The largest ratio of chances of a transcript when that party's bit alone changes."""
    worst = Fraction(1)
    for place, row in enumerate(rows):
        for transcript, (p, q) in enumerate(zip(row, rows[place ^ (1 << bit)], strict=True)):
            if p and not q:
                raise BadValue(
                    f"Transcript {transcript} is possible for one bit of party {party + 1} and impossible for the "
                    "other, so the protocol has no finite level. Give it a chance for both."
                )
            worst = max(worst, p / q) if q else worst
    return worst


def _checked(protocol: Sequence[Sequence[Number]]) -> tuple[Row, ...]:
    rows = tuple(tuple(need.non_negative("a chance", chance) for chance in row) for row in protocol)
    parties = len(rows).bit_length() - 1
    if not 1 <= parties <= _MOST_PARTIES or len(rows) != 1 << parties:
        raise BadValue(
            f"A protocol has 2^k rows, one for each input of k = 1 to {_MOST_PARTIES} parties, not {len(rows)}."
        )
    if len({len(row) for row in rows}) > 1 or any(sum(row) != 1 for row in rows):
        raise BadValue("Each row of a protocol needs the same transcripts, with chances that add up to exactly 1.")
    return rows
