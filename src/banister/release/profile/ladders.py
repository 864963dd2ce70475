"""Ladders of doubling rungs, over ranges that are not known yet or have been declared.

A rung holds the whole steps from one edge up to the next. The edges are 0, the powers of two, and on the other side of
0 the same mirrored; with a declared range the rungs end there, and what lies outside has one of its own at either end.
Dates have a rung for each year.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from banister.core.exact.numbers import brief
from banister.questions.question import Stretches
from banister.questions.terms import Case, Compare, Leaf, Term, Whole
from banister.tables.calendar import date_of, first_days, numbers_of
from banister.tables.columns import Column, Kind
from banister.tables.zones import DAY

FIRST_OF_MANY = (2, 3, 5, 9, 17, 33, 65, 129, 257, 513, 1025)
"""Where the rungs of a number of rows or groups begin: 1, 2, 3 to 4, 5 to 8, and so on."""

MOST_YEARS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLadder:
    """Rungs over whole steps: the first lies below the first edge, each edge begins one.

    >>> ladder = LogLadder(edges=(0, 1, 2, 4), step=Fraction(1), outside=False)
    >>> ladder.rungs, ladder.name(3)
    (5, '2 to 3')
    """

    edges: tuple[int, ...]
    step: Fraction
    outside: bool
    """Whether the first and the last rung hold what lies outside a declared range."""
    first: int | None = None
    """The lowest step that there can be, where there is one."""
    date: bool = False
    moment: bool = False
    """Whether its steps are seconds; the rungs begin with days all the same."""

    @property
    def rungs(self) -> int:
        return len(self.edges) + 1

    def ends(self, rung: int) -> tuple[Fraction | None, Fraction | None]:
        """The lowest and the highest value of a rung; nothing where it has no end."""
        low = None if rung == 0 else self.edges[rung - 1] * self.step
        high = None if rung == len(self.edges) else (self.edges[rung] - 1) * self.step
        return low, high

    @property
    def dated(self) -> bool:
        """Whether its values are days."""
        return self.date or self.moment

    def name(self, rung: int) -> str:
        """The rung in words."""
        if rung == 0 and self.first is not None:
            only = self.edges[0] - self.first == 1
            return self.said(Fraction(self.first)) if only else f"{self.first} to {self.edges[0] - 1}"
        low, high = (None if end is None else self.said(end) for end in self.ends(rung))
        if low is None or high is None:
            return f"below {self.said(self.edges[0] * self.step)}" if low is None else f"{low} and above"
        return low if low == high else f"{low} to {high}"

    def said(self, value: Fraction) -> str:
        """A value in words."""
        if self.moment:
            return date_of(int(value) // DAY).isoformat()
        return date_of(int(value)).isoformat() if self.date else brief(value)

    def place(self, x: Term, *, first: int) -> Term:
        """The number of the rung of a term, counted from `first`: about log₂ of their number comparisons a row."""

        def below(low: int, high: int) -> Term:
            if low == high:
                return Whole(first + low)
            middle = (low + high) // 2
            return Case(((Compare("<", x, Whole(self.edges[middle])), below(low, middle)),), below(middle + 1, high))

        return below(0, len(self.edges))


def ladder_of(column: Column) -> LogLadder:
    """The ladder of a column of numbers or dates."""
    low, high = column.units
    declared = "range" not in column.blank
    long = DAY if column.kind is Kind.TIMESTAMP else 1
    years = tuple(day * long for day in _years(low // long, high // long)) if column.kind.dated else ()
    inner = years if column.kind.dated else _doubling(low, high, column.step)
    edges = (low, *inner, high + 1) if declared else inner
    return LogLadder(
        edges=edges,
        step=column.step,
        outside=declared,
        date=column.kind is Kind.DATE,
        moment=column.kind is Kind.TIMESTAMP,
    )


def per_person() -> LogLadder:
    """The ladder of how many of something one person has, from 1 on."""
    return LogLadder(edges=FIRST_OF_MANY, step=Fraction(1), outside=False, first=1)


def stretches(ladder: LogLadder, leaf: Leaf) -> Stretches:
    """The rungs of a stored column: a value is on the rung of the step that it is rounded to, halves upwards."""
    half = Fraction(0) if ladder.date or ladder.moment else ladder.step / 2
    return Stretches(leaf, tuple(edge * ladder.step - half for edge in ladder.edges), leaf.column.name)


def _doubling(low: int, high: int, step: Fraction) -> tuple[int, ...]:
    """The edges strictly inside a range in steps: 0, powers of two of the value itself, and the same mirrored."""
    powers, power = {1}, Fraction(1)
    while power > step:
        power /= 2
    while power <= max(high, -low) * step:
        powers.add(max(1, -(-power // step)))
        power *= 2
    found = {edge for p in powers for edge in (int(p), 1 - int(p))}
    return tuple(sorted(edge for edge in found if low < edge <= high))


def _years(low: int, high: int) -> tuple[int, ...]:
    """The first days of years strictly inside a range of days; of every tenth year where there are very many."""
    first, last = numbers_of(np.array([low, high]), "year").tolist()
    every = 1 if last - first <= MOST_YEARS else 10
    starts = first_days(np.arange(first - first % every, last + 1, every), "year").tolist()
    return tuple(day for day in starts if low < day <= high)
