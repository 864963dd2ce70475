"""What is done with answers once the noise is drawn: arithmetic, HAVING, ORDER BY and LIMIT, as values.

All of it acts on released numbers, so it gives nothing further away and costs nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Named:
    """An answer, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A number written in the question."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Combined:
    """Two numbers with one of + - * / between them; a division by 0 is missing."""

    sign: str
    left: "Made"
    right: "Made"


@dataclass(frozen=True, slots=True)
class Size:
    """The absolute value."""

    value: "Made"


@dataclass(frozen=True, slots=True)
class Rounded:
    """A number rounded to so many decimal digits, halves away from 0."""

    value: "Made"
    digits: int


@dataclass(frozen=True, slots=True)
class HeldWithin:
    """A number that is known to lie between two others, and held there."""

    value: "Made"
    low: int
    high: int


Made = Named | Constant | Combined | Size | Rounded | HeldWithin
"""A number made of answers."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two numbers compared: = <> < <= > >=; neither true nor false where one is missing."""

    sign: str
    left: Made
    right: Made


@dataclass(frozen=True, slots=True)
class Both:
    left: "Test"
    right: "Test"


@dataclass(frozen=True, slots=True)
class Either:
    left: "Test"
    right: "Test"


@dataclass(frozen=True, slots=True)
class Opposite:
    test: "Test"


Test = Compared | Both | Either | Opposite
"""What HAVING asks of the drawn answers of a cell."""


@dataclass(frozen=True, slots=True)
class ByAnswer:
    """Sorted by a number made of answers; missing ones come last."""

    value: Made
    descending: bool


@dataclass(frozen=True, slots=True)
class ByGroup:
    """Sorted by the group, named by its axis."""

    name: str
    descending: bool


Sorting = ByAnswer | ByGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """Everything that is done after the draw; nothing, where nothing is asked for.

    >>> rate = Combined("/", Named("total"), Named("n"))
    >>> After(made=(("rate", rate),)).together("n")
    2
    """

    made: tuple[tuple[str, Made], ...] = ()
    """Columns of the answer that are computed from others, by their names."""
    having: Test | None = None
    order: tuple[Sorting, ...] = ()
    limit: int | None = None

    def together(self, name: str) -> int:
        """How many answers must be inside their intervals at once for what is made of this one; 1 for it alone.

        So many share the chance of a miss: each interval gets a part of it, and all hold at the stated rate.
        """
        behind = [set(names_in(made)) for _, made in self.made]
        return max((len(names) for names in behind if name in names), default=1)


NOTHING = After()
"""Answers as they are drawn, in the order of their cells."""


def names_in(made: Made) -> Iterator[str]:
    """The answers that a number is made of."""
    match made:
        case Named(name):
            yield name
        case Combined(_, left, right):
            yield from names_in(left)
            yield from names_in(right)
        case Size(value) | Rounded(value, _) | HeldWithin(value, _, _):
            yield from names_in(value)
