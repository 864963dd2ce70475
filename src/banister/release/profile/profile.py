"""What a look has found, as a user holds it: everything in here is drawn, and may be published."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banister.questions.question import Label
from banister.release.answering.combine import half_width
from banister.release.payments.measured import Measured
from banister.release.profile.ladders import LogLadder
from banister.release.profile.pieces import What
from banister.release.profile.plan import LookPlan
from banister.release.profile.ranks import QuantileFound, quantile_found, rung_of

if TYPE_CHECKING:
    from banister.accounting.kept import KeptRequest

EMPTY_STANDS = Fraction(1, 100)
"""The chance that some rung stands out of the noise though nobody is on it."""

ORDERS = (Fraction(1, 20), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(19, 20))
"""The quantiles that are read off every ladder; more of them cost nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """The noisy counts of one histogram; labels where its cells are values that appeared."""

    counts: NDArray[np.int64]
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class NumberFound:
    """A number with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderFound:
    """A ladder: the noisy counts of its rungs, from which every quantile can be read."""

    ladder: LogLadder
    counts: tuple[int, ...]
    paid: Measured
    confidence: float

    @property
    def standing(self) -> list[int]:
        """The rungs that stand out of the noise: that an empty one is among them has a chance of 1 in 100 in all."""
        risk = EMPTY_STANDS / len(self.counts)
        bar = half_width([(1.0, self.paid.spread)], float(1 - 2 * risk))  # Noise is as often below 0 as above.
        return [place for place, count in enumerate(self.counts) if count > bar]

    def quantile(self, order: Fraction) -> QuantileFound:
        """The rung of a quantile, and the rungs between which it lies.

        The rung is read off what lies between rungs that stand out: the noise of all others would add up. The interval
        counts them all, because nobody knows that they are empty.
        """
        places, counts = self.standing, np.array(self.counts)
        found = quantile_found(counts, order, self.paid.reach, self.confidence)
        if not places:
            return found
        among = counts[places[0] : places[-1] + 1]
        rung = places[0] + rung_of(among, order)
        return QuantileFound(rung, min(rung, found.low), max(rung, found.high))

    def between(self, order: Fraction) -> str:
        """A quantile in words: its rung, and the values between which it lies."""
        found = self.quantile(order)
        return f"{self.ladder.name(found.rung)} [{self.span(found)}]"

    def span(self, found: QuantileFound) -> str:
        """The values between which a quantile lies."""
        if found.low == found.high:
            return self.ladder.name(found.low)
        low, high = self.ladder.ends(found.low)[0], self.ladder.ends(found.high)[1]
        words = ["" if end is None else self.ladder.said(end) for end in (low, high)]
        return f"{words[0] or 'anything'} to {words[1] or 'anything'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFound:
    """One column: what is missing or undeclared, where its values lie, which are frequent, groups a person."""

    name: str
    kind: str
    missing: NumberFound
    outside: NumberFound | None = None
    """The share of values that are not declared; nothing where nothing is declared."""
    ladder: LadderFound | None = None
    values: tuple[tuple[Label, NumberFound], ...] = ()
    """Shares of people by value: all that are declared, or those that appeared."""
    groups: LadderFound | None = None


class Profile:
    """A private look at a table: people, rows, and every column, by one charge.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.dataset import open
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as folder:
    ...     health = open(write_demo(folder)[1])
    ...     found = health.look(health.plan_look(epsilon="0.2"))
    >>> 5000 < found.people.value < 7000, len(found.columns) > 3
    (True, True)
    """

    def __init__(self, plan: LookPlan, drawn: Sequence[Drawn], *, proof: str, head: str, remaining: Fraction) -> None:
        self.plan = plan
        self.drawn = tuple(drawn)
        self.proof = proof
        self.head = head
        self.remaining = remaining
        """The largest epsilon of one number that still fits the budget."""

    def __repr__(self) -> str:
        return f"Profile({len(self.columns)} columns, {self.plan.guarantee})"

    def _repr_html_(self) -> str:
        from banister.release.notebook import profile_html

        return profile_html(self)

    def kept_under(self, key: str) -> "KeptRequest":
        """What was asked, as it is kept under a key."""
        from banister.release.profile.keeping import kept_look

        return kept_look(self.plan, key)

    def report(self, path: str | Path) -> Path:
        """Write a page that needs nothing else, with a small picture for each column."""
        from banister.release.profile.page import write_look

        return write_look(self, Path(path))

    @property
    def people(self) -> NumberFound:
        """How many people there are; rows, where each row is a person."""
        return self._count(What.PEOPLE)

    @property
    def rows(self) -> NumberFound:
        """How many rows there are, of each person at most so many as the plan says."""
        return self._count(What.ROWS if self._of(What.ROWS) else What.PEOPLE)

    @property
    def most_rows(self) -> int:
        """How many rows of one person count in the number of rows."""
        return max((piece.rows for piece in self.plan.pieces), default=1)

    @property
    def rows_each(self) -> LadderFound | None:
        """How many rows people have; nothing where each row is a person."""
        found = self._of(What.ROWS_EACH)
        return self._ladder(found[0], 0) if found else None

    @cached_property
    def columns(self) -> tuple[ColumnFound, ...]:
        """Every column, in the order of the schema."""
        return tuple(self._column(column.name) for column in self.plan.schema.main.columns)

    def _of(self, what: What, name: str | None = None) -> list[int]:
        return [
            place
            for place, piece in enumerate(self.plan.pieces)
            if piece.what is what and name == (piece.column.name if piece.column else None)
        ]

    def _count(self, what: What) -> NumberFound:
        place = self._of(what)[0]
        value = float(self.drawn[place].counts[0])
        wide = self._wide(place, 1, self.plan.confidence)
        return NumberFound(max(value, 0), max(value - wide, 0), max(value + wide, 0))

    def _wide(self, place: int, cells: int, confidence: float) -> float:
        """How far a sum of some cells of a histogram is off at most, at a confidence."""
        paid = self.plan.paid[place]
        return half_width([(1.0, paid.spread)], confidence) if cells == 1 else paid.reach([(1.0, cells)], confidence)

    def _share(self, place: int, cells: Sequence[int]) -> NumberFound:
        """The share of people in some cells; both numbers hold at half the risk each."""
        sure = 1 - (1 - self.plan.confidence) / 2
        part = float(self.drawn[place].counts[list(cells)].sum())
        people, at = float(self.drawn[0].counts[0]), self._of(What.PEOPLE)[0]
        wide, spread = self._wide(place, len(cells), sure), self._wide(at, 1, sure)
        least, most = max(people - spread, 1.0), max(people + spread, 1.0)
        low, high = max(part - wide, 0) / most, min(max(part + wide, 0) / least, 1.0)
        return NumberFound(min(max(part / max(people, 1.0), 0.0), 1.0), min(low, 1.0), high)

    def _ladder(self, place: int, skip: int) -> LadderFound:
        ladder = self.plan.pieces[place].ladder
        assert ladder is not None
        counts = tuple(int(count) for count in self.drawn[place].counts[skip:])
        return LadderFound(ladder=ladder, counts=counts, paid=self.plan.paid[place], confidence=self.plan.confidence)

    def _column(self, name: str) -> ColumnFound:
        column = self.plan.schema.main.column(name)
        assert column is not None
        each = self._of(What.GROUPS_EACH, name)
        groups = self._ladder(each[0], 0) if each else None
        if found := self._of(What.LADDER, name):
            place = found[0]
            ladder = self._ladder(place, 1)
            ends = (1, ladder.ladder.rungs) if ladder.ladder.outside else ()
            return ColumnFound(
                name=name,
                kind=column.kind.value,
                missing=self._share(place, (0,)),
                outside=self._share(place, ends) if ends else None,
                ladder=ladder,
            )
        if found := self._of(What.LISTED, name):
            place, values = found[0], column.values or ()
            return ColumnFound(
                name=name,
                kind=column.kind.value,
                missing=self._share(place, (0,)),
                outside=self._share(place, (len(values) + 1,)),
                values=tuple((value, self._share(place, (at + 1,))) for at, value in enumerate(values)),
                groups=groups,
            )
        place = self._of(What.PRESENT, name)[0]
        return ColumnFound(
            name=name,
            kind=column.kind.value,
            missing=self._share(place, (0,)),
            outside=self._share(place, (2,)) if column.values else None,
            values=self._frequent(name),
            groups=groups,
        )

    def _frequent(self, name: str) -> tuple[tuple[Label, NumberFound], ...]:
        """The values that appeared, the most frequent first."""
        found = self._of(What.UNKNOWN, name)
        if not found:
            return ()
        drawn = self.drawn[found[0]]
        order: NDArray[np.intp] = np.argsort(-drawn.counts, kind="stable")
        return tuple((drawn.labels[at], self._share(found[0], (at,))) for at in order.tolist())
