"""What neighbouring tables may do to exact aggregates, checked against what a plan claims."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from banister.release.aggregates.quantile import RUNGS
from banister.release.payments.ladder import columns_of
from banister.release.planning.plan import Plan
from banister.release.run import _add_up
from banister.release.work import Source, Totals
from tests.release.sources.places import Rows, Tables
from tests.seeded import SeededBits

OWNED = ("data", "people", "orders")
"""The tables of which the first column is the person; of the others it is a key that a parent holds."""


def added_up(source: Source, plan: Plan) -> list[Totals]:
    """The exact aggregates, with the same keys for the choice of groups each time: measures, ladders, who is beyond."""
    part = plan.parts[0]
    found = _add_up(part, source, SeededBits(3))
    measured = [found.totals] if part.measured else []
    return [*measured, *found.ladders, *([] if found.beyond is None else [found.beyond])]


def moved(here: Sequence[Totals], there: Sequence[Totals], plan: Plan) -> list[float]:
    """The exact aggregates of two neighbours differ by no more than the plan says; gives the share that was used."""
    part = plan.parts[0]
    used: list[float] = []
    if part.measured:
        difference = _difference(here[0], there[0], len(part.measured))
        for measured, row in zip(part.measured, difference, strict=True):
            # A cell that moves by several sensitivities pays as often; together they pay at most `touches` times.
            paid = int(np.ceil(row / measured.share.sensitivity).sum())
            assert paid <= measured.share.touches, (part.question.text, measured.measure)
            assert np.ceil(row / measured.share.sensitivity).max(initial=0) <= measured.share.moves
            assert int((row.astype(object) ** 2).sum()) <= measured.share.squares
            used.append(float(row.sum()) / (measured.share.sensitivity * measured.share.touches))
    if part.beyond is not None:
        assert np.abs(here[-1].values - there[-1].values).max() <= part.beyond.share.sensitivity, part.question.text
        here, there = here[:-1], there[:-1]
    start = len(here) - len(part.ladders)
    for ladder, a, b in zip(part.ladders, here[start:], there[start:], strict=True):
        gone = _difference(_by_rung(a), _by_rung(b), RUNGS + 1).sum(axis=0)
        assert np.ceil(gone / part.reach.rows).sum() <= ladder.touches, part.question.text
        used.append(float(gone.sum()) / (part.reach.rows * ladder.touches))
    return used


def _by_rung(totals: Totals) -> Totals:
    """Rungs by cells, also where cells are unknown."""
    if totals.rungs is None or totals.labels is None:
        return totals
    labels = tuple(dict.fromkeys(totals.labels))
    return Totals(values=columns_of(totals, labels, RUNGS + 1), labels=labels)


def _difference(here: Totals, there: Totals, measures: int) -> NDArray[np.int64]:
    if here.labels is None or there.labels is None:
        return np.asarray(np.abs(here.values - there.values))
    cells = {label: here.values[:, i] for i, label in enumerate(here.labels)}
    rest = {label: there.values[:, i] for i, label in enumerate(there.labels)}
    zero = np.zeros(measures, dtype=np.int64)
    columns = [np.abs(cells.get(c, zero) - rest.get(c, zero)) for c in sorted(set(cells) | set(rest), key=str)]
    return np.array(columns, dtype=np.int64).reshape(-1, measures).T


def without(tables: Tables, who: object) -> Tables:
    """Everything but what belongs to one person."""
    rest = {name: [row for row in rows if name not in OWNED or row[0] != who] for name, rows in tables.items()}
    return swept(rest) if "items" in rest else rest


def exchanged(tables: Tables, who: object, stranger: Tables) -> Tables:
    """The same tables with what belongs to one person replaced; she keeps her key."""
    smaller = without(tables, who)
    added = {name: [(who, *row[1:]) for row in stranger[name]] for name in tables if name in OWNED}
    return {name: [*rows, *added.get(name, [])] for name, rows in smaller.items()}


def swept(tables: Tables) -> Tables:
    """Without the rows that nobody holds: those of a person who is gone, where she alone held their key."""
    held = {row[1] for row in tables["orders"]}
    items = [row for row in tables["items"] if row[0] in held]
    kept = {row[3] for row in items}
    return {**tables, "items": items, "parts": [row for row in tables["parts"] if row[0] in kept]}


def people(tables: Tables) -> list[object]:
    """Everyone who has a row somewhere."""
    return sorted({row[0] for name, rows in tables.items() if name in OWNED for row in rows}, key=str)


def less(rows: Rows, place: int) -> Rows:
    """All rows but one."""
    return [*rows[:place], *rows[place + 1 :]]
