"""Totals that equal the sums of their parts: questions about the same rows, made to agree after the noise is drawn.

Questions that read the same rows are a family. Their exact numbers are all sums of one finest table, with every axis
that any of them has, so they agree before noise is added; each is measured with noise of its own, and the least-squares
estimate that agrees with itself is released (`tables.agreement`). That costs no privacy and lowers every error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.questions.measures import Measure
from banister.questions.question import Axis, Question, cell_count
from banister.questions.terms import Quantity
from banister.release.aggregates.aggregate import Aggregate, Answer
from banister.release.answering.agreement import Floats, Margin, Margins
from banister.release.answering.combine import NoiseSpread, pooled
from banister.release.planning.layout import Formula, centrable, summed

if TYPE_CHECKING:
    from banister.release.payments.measured import Measured

FINEST = 1 << 22
"""Cells of the finest table that are added up at most."""


@dataclass(frozen=True, slots=True)
class Family:
    """Questions about the same rows, by their places in a plan, and the finest table behind them."""

    places: tuple[int, ...]
    axes: tuple[Axis, ...]
    along: tuple[tuple[int, ...], ...]
    """For each question, which of the finest table's axes are its own, in its order."""

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(cell_count([axis]) for axis in self.axes)

    def margins(self, variances: Mapping[int, float]) -> Margins:
        """The tables of one measure, by the places of the questions that have it."""
        tables = [Margin(self.along[self.places.index(place)], variance) for place, variance in variances.items()]
        return Margins(self.sizes, tuple(tables))

    def totals(self, place: int, finest: NDArray[np.int64]) -> NDArray[np.int64]:
        """The exact table of one question, from the finest one; held within ±2^60, like all totals."""
        mine = self.along[self.places.index(place)]
        others = tuple(1 + axis for axis in range(len(self.axes)) if axis not in mine)
        table = _added(finest.reshape(len(finest), *self.sizes), others)
        order = [sorted(mine).index(axis) for axis in mine]
        return table.transpose([0, *(1 + axis for axis in order)]).reshape(len(finest), -1)


def families(questions: Sequence[Question], groups: int | None) -> tuple[Family, ...]:
    """The questions that can be made to agree. Refuses where nothing can, or where agreeing would not be honest."""
    rest = [place for place, question in enumerate(questions) if not question.open]
    found = []
    while rest:
        first = questions[rest[0]]
        same = [p for p in rest if (questions[p].relation, questions[p].where) == (first.relation, first.where)]
        rest = [place for place in rest if place not in same]
        if len(same) > 1:
            found.append(_family(same, questions))
    if not found:
        raise BadValue(
            "consistent needs two questions or more about the same rows (one FROM and one WHERE) with declared groups, "
            "e.g. SELECT plan, ok, COUNT(*) FROM data GROUP BY plan, ok; SELECT plan, COUNT(*) FROM data GROUP BY plan."
        )
    for family in found:
        first = questions[family.places[0]]
        if first.personal and first.relation.rows != 1 and groups != 1 and family.axes:
            raise BadValue(
                "Totals equal the sums of their parts only where a person counts in one group: declare groups = 1 in "
                "[source], or group by person in a subquery first."
            )
    return tuple(found)


def _family(places: Sequence[int], questions: Sequence[Question]) -> Family:
    axes: dict[Axis, int] = {}
    for place in places:
        for axis in questions[place].axes:
            axes.setdefault(replace(axis, name=""), len(axes))
    if cell_count(tuple(axes)) > FINEST:
        raise BadValue(
            f"All groups of the questions together make {cell_count(tuple(axes))} cells; up to {FINEST} can be made to "
            "agree. Ask with fewer axes, or without consistent."
        )
    along = tuple(tuple(axes[replace(axis, name="")] for axis in questions[place].axes) for place in places)
    return Family(tuple(places), tuple(axes), along)


def centring(family: Family, questions: Sequence[Question]) -> dict[Quantity, bool]:
    """Sums that several questions ask for are taken around their middle in all of them, or in none."""
    asked = [questions[place] for place in family.places]
    both = {q for a, b in combinations(asked, 2) for q in summed(a).keys() & summed(b).keys()}
    return {q: all(q in centrable(question) for question in asked if q in summed(question)) for q in both}


def shared(family: Family, measured: Mapping[int, Sequence["Measured"]]) -> dict[Measure, dict[int, int]]:
    """The measures that several questions of a family have: for each, question → place among its measures."""
    found: dict[Measure, dict[int, int]] = {}
    for place in family.places:
        for index, one in enumerate(measured[place]):
            found.setdefault(one.measure, {})[place] = index
    return {measure: where for measure, where in found.items() if len(where) > 1}


def agreed_spreads(family: Family, measured: Mapping[int, Sequence["Measured"]]) -> dict[int, dict[int, NoiseSpread]]:
    """The law of each measure's error once the questions agree: question → place among its measures → law."""
    found: dict[int, dict[int, NoiseSpread]] = {place: {} for place in family.places}
    for where in shared(family, measured).values():
        spreads = [measured[place][index].spread for place, index in where.items()]
        margins = family.margins({place: spread.deviation**2 for place, spread in zip(where, spreads, strict=True)})
        for order, (place, index) in enumerate(where.items()):
            parts = [(weight, spreads[other], count) for other, weight, count in margins.shares(order)]
            found[place][index] = pooled(parts)
    return found


def agree(
    family: Family, measured: Mapping[int, Sequence["Measured"]], noisy: Mapping[int, NDArray[np.int64]]
) -> dict[int, Floats]:
    """The noisy measures of a family's questions, made to agree."""
    found = {place: noisy[place].astype(np.float64) for place in family.places}
    for where in shared(family, measured).values():
        variances = {place: measured[place][index].spread.deviation ** 2 for place, index in where.items()}
        tables = family.margins(variances).agreed([found[place][index] for place, index in where.items()])
        for (place, index), table in zip(where.items(), tables, strict=True):
            found[place][index] = table
    return found


def additive(family: Family, formulas: Mapping[int, Sequence[Formula]]) -> dict[Aggregate, dict[int, str]]:
    """Counts and sums of several questions that cannot be below 0: for each, question → its name there."""
    found: dict[Aggregate, dict[int, str]] = {}
    for place in family.places:
        for formula in formulas[place]:
            if formula.aggregate.additive and not formula.aggregate.can_be_below_zero():
                found.setdefault(formula.aggregate, {})[place] = formula.name
    return {aggregate: names for aggregate, names in found.items() if len(names) > 1}


def above_zero(family: Family, found: Mapping[int, Answer]) -> dict[int, Answer]:
    """Answers that agree, made to agree without going below 0; each interval is widened to hold its answer."""
    variances = {place: max(float((a.high - a.low).max()), 1e-9) ** 2 for place, a in found.items()}
    tables = family.margins(variances).above_zero([answer.values for answer in found.values()])
    return {
        place: Answer(table, np.minimum(answer.low, table), np.maximum(answer.high, table))
        for (place, answer), table in zip(found.items(), tables, strict=True)
    }


def _added(values: NDArray[np.int64], axes: tuple[int, ...]) -> NDArray[np.int64]:
    """The sum over axes, held within ±2^60 without overflow: high and low halves are added apart."""
    high, low = (values >> 30).sum(axis=axes), (values & (2**30 - 1)).sum(axis=axes)
    high = high + (low >> 30)
    inside = np.clip(high, -(2**30), 2**30 - 1)
    total = (inside << 30) + np.where(inside == high, low & (2**30 - 1), 0)
    return np.where(high >= 2**30, np.int64(2**60), total)
