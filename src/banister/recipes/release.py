"""Release: add up exactly, charge the ledger, draw, and give the answers with their intervals.

The order is fixed. The engine works first, so that a database which goes away costs nothing; then the charge is on
disk; only then is the first bit drawn. A crash in between loses budget, never privacy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from banister.accounting.receipt import Receipt
from banister.recipes.foresight import spread_of
from banister.recipes.ladder import choose, columns_of
from banister.recipes.ledger import Ledger
from banister.recipes.plan_release import Part, Plan
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.uniform import uniform_below
from banister.tables import measures
from banister.tables.answers import Answer, Noisy, answer, never_below_zero
from banister.tables.question import Aggregate, Axis, Label, Unknown, cell_count
from banister.tables.work import HASH_KEY_LIMIT, HASH_KEYS, Source, Totals, Work

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTable:
    """The answers to one question: for each cell its labels, and for each output a value and an interval."""

    names: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]
    columns: tuple[str, ...]
    answers: dict[str, Answer]
    whole: frozenset[str]

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """What came out, and the proof that it was paid for."""

    plan: Plan
    tables: tuple[AnswerTable, ...]
    proof: str
    non_negative: bool


def release(
    plan: Plan,
    source: Source,
    ledger: Ledger,
    *,
    bits: BitSource = SYSTEM,
    non_negative: bool = False,
    tell: Tell = lambda stage: None,
) -> Released:
    """Run a plan. Raises before anything is charged, or charges and then draws."""
    tell("adding up")
    exact = [_add_up(part, source, bits) for part in plan.parts]
    tell("charging the ledger")
    receipt = _charge(plan, ledger)
    receipt.use(plan=plan.digest)
    tell("drawing")
    tables = tuple(_draw(part, totals, plan.confidence, bits) for part, totals in zip(plan.parts, exact, strict=True))
    if non_negative:
        tables = tuple(_raised(table, part) for table, part in zip(tables, plan.parts, strict=True))
    return Released(plan, tables, receipt.proof, non_negative)


def _charge(plan: Plan, ledger: Ledger) -> Receipt:
    """Charge the exact loss; or the guarantee that it keeps, where the ledger has room for that alone."""
    cost, _ = ledger.fitting(plan.costs, neighbours=plan.neighbours)
    return ledger.charge(cost, label=plan.label, neighbours=plan.neighbours, plan=plan.digest)


@dataclass(frozen=True, slots=True, eq=False)
class _Exact:
    totals: Totals
    ladders: tuple[Totals, ...]


def works(part: Part, bits: BitSource) -> tuple[Work, ...]:
    """The exact work of one question: its measures, then one ladder a quantile."""
    question, reach = part.question, part.reach
    keys = tuple(1 + uniform_below(HASH_KEY_LIMIT - 1, bits) for _ in range(HASH_KEYS))
    groups = reach.groups if reach.bounded else None
    main = Work(
        relation=question.relation,
        where=question.where,
        axes=question.axes,
        measures=tuple(measured.measure for measured in part.measured),
        personal=question.personal,
        groups=groups,
        rows=reach.rows,
        hash_keys=keys,
    )
    ladders = tuple(
        Work(
            relation=question.relation,
            where=question.where,
            axes=question.axes,
            measures=(measures.rows(most=reach.rows),),
            personal=question.personal,
            groups=groups,
            rows=reach.rows,
            hash_keys=keys,
            ladder=ladder.axis,
        )
        for ladder in part.ladders
    )
    return (main, *ladders) if main.measures else ladders


def _add_up(part: Part, source: Source, bits: BitSource) -> _Exact:
    found = [source.totals(work) for work in works(part, bits)]
    if part.measured:
        return _Exact(found[0], tuple(found[1:]))
    empty = Totals(values=np.zeros((0, cell_count(part.question.axes)), dtype=np.int64), labels=None)
    return _Exact(empty, tuple(found))


def _draw(part: Part, exact: _Exact, confidence: float, bits: BitSource) -> AnswerTable:
    noisy = np.stack(
        [m.noise.release(row, bits) for m, row in zip(part.measured, exact.totals.values, strict=True)]
        or [np.zeros(exact.totals.values.shape[1], dtype=np.int64)]
    )
    labels = _labels(part.question.axes) if exact.totals.labels is None else exact.totals.labels
    if part.question.open:
        kept = np.flatnonzero(noisy[0] > part.bar)
        noisy, labels = noisy[:, kept], tuple(labels[place] for place in kept.tolist())
    known = Noisy(
        measures=tuple(m.measure for m in part.measured),
        values=noisy,
        spreads=tuple(spread_of(m.noise) for m in part.measured),
        confidence=confidence,
    )
    ladders = iter(zip(part.ladders, exact.ladders, strict=True))
    answers: dict[str, Answer] = {}
    for formula in part.formulas:
        if formula.output.aggregate is Aggregate.QUANTILE:
            ladder, totals = next(ladders)
            counts = totals.values if totals.rungs is None else columns_of(totals, labels, ladder.axis.size)
            answers[formula.output.name] = Answer(*choose(ladder, counts, confidence, bits))
        else:
            answers[formula.output.name] = answer(formula, known)
    return AnswerTable(
        names=tuple(axis.name for axis in part.question.axes),
        labels=labels,
        columns=part.question.columns,
        answers=answers,
        whole=frozenset(
            f.output.name for f in part.formulas if f.output.aggregate in (Aggregate.COUNT, Aggregate.PEOPLE)
        ),
    )


def _labels(axes: Sequence[Axis]) -> tuple[tuple[Label, ...], ...]:
    rows: list[tuple[Label, ...]] = [()]
    for axis in axes:
        assert not isinstance(axis, Unknown)
        names = [axis.label(place) for place in range(axis.size)]
        rows = [(*row, name) for row in rows for name in names]
    return tuple(rows)


def _raised(table: AnswerTable, part: Part) -> AnswerTable:
    answers = {f.output.name: never_below_zero(f, table.answers[f.output.name]) for f in part.formulas}
    return AnswerTable(table.names, table.labels, table.columns, answers, table.whole)
