"""Release: add up exactly, charge the ledger, draw, and give the answers with their intervals.

The order is fixed. The engine works first, so that a database which goes away costs nothing; then the charge is on
disk; only then is the first bit drawn. A crash in between loses budget, never privacy.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banister.accounting.charge import covers, keeps
from banister.accounting.ledger import Ledger
from banister.accounting.receipt import Receipt
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import Uncertified
from banister.questions import measures
from banister.questions.question import Aggregate, Axis, Label, Output, Unknown, cell_count
from banister.release.consistent import above_zero, additive, agree
from banister.release.estimates import Answer, Noisy, answer, never_below_zero
from banister.release.ladder import choose, columns_of
from banister.release.plan import Part, Plan
from banister.release.work import HASH_KEY_LIMIT, HASH_KEYS, Source, Totals, Work
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.uniform import uniform_below
from banister.tables.calendar import date_of
from banister.tables.protected import protected_by_schema
from banister.tables.reading import Day

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTable:
    """The answers to one question: for each cell its labels, and for each output a value and an interval."""

    names: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]
    columns: tuple[str, ...]
    answers: dict[str, Answer]
    whole: frozenset[str]
    dates: frozenset[str] = frozenset()
    """The answers that are numbers of days since 1970."""
    consistent: frozenset[str] = frozenset()
    """The answers that were made to agree with other questions."""
    raised: frozenset[int] | None = None
    """The cells in which an answer below 0 was raised to 0; nothing where that was not asked for."""

    def __len__(self) -> int:
        return len(self.labels)

    def read(self, name: str, number: float) -> Day | float:
        """A value or an end of an answer: a date where it is one; half a day is in the day before it."""
        return date_of(math.floor(number)) if name in self.dates else float(number)

    def adjusted(self, place: int) -> str:
        """What was done to a cell's answers after the noise was drawn, in words; nothing where nothing was."""
        flags = ["consistent"] if self.consistent else []
        return ", ".join([*flags, "raised to 0"] if place in (self.raised or ()) else flags)


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
    ledger: Ledger | Callable[[], Ledger],
    *,
    bits: BitSource = SYSTEM,
    non_negative: bool = False,
    tell: Tell = lambda stage: None,
) -> Released:
    """Run a plan. Raises before anything is charged, or charges and then draws.

    A ledger that is given as a function is opened when it is charged, after the engine's work.
    """
    exact = _add_up_all(plan, source, bits, tell)
    tell("charging the ledger")
    owed = _owed(plan)
    receipt = _charge(plan, ledger if isinstance(ledger, Ledger) else ledger())
    proof = receipt.use(plan=plan.digest, owed=owed)
    tell("drawing")
    tables = _draw_all(plan, exact, bits)
    if non_negative:
        tables = _all_raised(plan, tables)
    return Released(plan, tables, proof, non_negative)


def _owed(plan: Plan) -> PrivacyLoss:
    """What the draws give away, added up anew from the noises, bars and ladders that are about to draw."""
    noises = [one.loss() for part in plan.parts for one in part.measured]
    bars = [part.appearance() for part in plan.parts]
    ladders = [ladder.loss() for part in plan.parts for ladder in part.ladders]
    owed = PrivacyLoss.nothing().with_(*noises, *bars, *ladders)
    if not (covers(plan.loss, owed) and keeps(owed, plan.guarantee)):
        raise Uncertified(
            f"What is about to be drawn is not proven to keep {plan.guarantee} and the loss that the plan states. "
            "Nothing was charged and nothing was drawn. Plan again."
        )
    return owed


def _charge(plan: Plan, ledger: Ledger) -> Receipt:
    """Charge the exact loss; or the guarantee that it keeps, where the ledger has room for that alone."""
    cost, _ = ledger.fitting(plan.costs, neighbours=plan.neighbours)
    about = protected_by_schema(plan.schema)
    return ledger.charge(cost, label=plan.label, neighbours=plan.neighbours, plan=plan.digest, protects=about)


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


def _add_up_all(plan: Plan, source: Source, bits: BitSource, tell: Tell) -> list[_Exact]:
    """The exact work of every question; the questions of a family are sums of one finest table."""
    exact = []
    for place, part in enumerate(plan.parts):
        tell(f"adding up question {place + 1} of {len(plan.parts)}")
        exact.append(_add_up(part, source, bits) if place not in _joined(plan) else _ladders(part, source, bits))
    for family in plan.families:
        tell("adding up the finest table")
        found = dict.fromkeys(m.measure for place in family.places for m in plan.parts[place].measured)
        if found:
            first = works(plan.parts[family.places[0]], bits)[0]
            groups = 1 if first.personal and plan.schema.groups == 1 and first.relation.rows != 1 else None
            work = replace(first, axes=family.axes, measures=tuple(found), groups=groups, ladder=None)
            finest = source.totals(work).values
            rows = {measure: row for row, measure in enumerate(found)}
            for place in family.places:
                mine = [rows[m.measure] for m in plan.parts[place].measured]
                totals = Totals(values=family.totals(place, finest[mine]), labels=None)
                exact[place] = _Exact(totals, exact[place].ladders)
    return exact


def _joined(plan: Plan) -> set[int]:
    return {place for family in plan.families for place in family.places}


def _ladders(part: Part, source: Source, bits: BitSource) -> _Exact:
    """The quantiles of a question whose other numbers come from the finest table of its family."""
    return _add_up(replace(part, measured=()), source, bits)


def _add_up(part: Part, source: Source, bits: BitSource) -> _Exact:
    found = [source.totals(work) for work in works(part, bits)]
    if part.measured:
        return _Exact(found[0], tuple(found[1:]))
    empty = Totals(values=np.zeros((0, cell_count(part.question.axes)), dtype=np.int64), labels=None)
    return _Exact(empty, tuple(found))


def _draw_all(plan: Plan, exact: Sequence[_Exact], bits: BitSource) -> tuple[AnswerTable, ...]:
    """Draw the noise of every question, then let families agree, then answer."""
    noisy: dict[int, NDArray[np.int64] | NDArray[np.float64]] = {}
    drawn = {place: _noisy(part, exact[place], bits) for place, part in enumerate(plan.parts)}
    noisy.update(drawn)
    for family in plan.families:
        measured = {place: plan.parts[place].measured for place in family.places}
        noisy.update(agree(family, measured, {place: drawn[place] for place in family.places}))
    return tuple(
        _answered(part, noisy[place], exact[place], plan.confidence, bits) for place, part in enumerate(plan.parts)
    )


def _draw(part: Part, exact: _Exact, confidence: float, bits: BitSource) -> AnswerTable:
    """One question by itself."""
    return _answered(part, _noisy(part, exact, bits), exact, confidence, bits)


def _noisy(part: Part, exact: _Exact, bits: BitSource) -> NDArray[np.int64]:
    return np.stack(
        [m.noise.release(row, bits) for m, row in zip(part.measured, exact.totals.values, strict=True)]
        or [np.zeros(exact.totals.values.shape[1], dtype=np.int64)]
    )


def _answered(
    part: Part,
    noisy: NDArray[np.int64] | NDArray[np.float64],
    exact: _Exact,
    confidence: float,
    bits: BitSource,
) -> AnswerTable:
    labels = _labels(part.question.axes) if exact.totals.labels is None else exact.totals.labels
    if part.question.open:
        kept = np.flatnonzero(noisy[0] > part.bar)
        noisy, labels = noisy[:, kept], tuple(labels[place] for place in kept.tolist())
    known = Noisy(
        measures=tuple(m.measure for m in part.measured), values=noisy, spreads=part.spreads, confidence=confidence
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
    moved = {f.output.name for f in part.formulas if {f.count, f.total, f.square} & set(part.agreed)}
    counted = (f.output.name for f in part.formulas if f.output.aggregate in (Aggregate.COUNT, Aggregate.PEOPLE))
    return AnswerTable(
        names=tuple(axis.name for axis in part.question.axes),
        labels=labels,
        columns=part.question.columns,
        answers=answers,
        whole=frozenset(counted) - moved,
        dates=frozenset(f.output.name for f in part.formulas if _is_date(f.output)),
        consistent=frozenset(moved),
    )


def _is_date(output: Output) -> bool:
    """Whether an answer is a date: dates have quantiles, and are counted, but nothing else."""
    return output.aggregate is Aggregate.QUANTILE and output.quantity is not None and output.quantity.date


def _labels(axes: Sequence[Axis]) -> tuple[tuple[Label, ...], ...]:
    rows: list[tuple[Label, ...]] = [()]
    for axis in axes:
        assert not isinstance(axis, Unknown)
        names = [axis.label(place) for place in range(axis.size)]
        rows = [(*row, name) for row in rows for name in names]
    return tuple(rows)


def _all_raised(plan: Plan, tables: Sequence[AnswerTable]) -> tuple[AnswerTable, ...]:
    """No answer below 0 that cannot be; those that agree go on to agree."""
    together: dict[int, dict[str, Answer]] = {place: {} for place in range(len(tables))}
    for family in plan.families:
        formulas = {place: plan.parts[place].formulas for place in family.places}
        for names in additive(family, formulas).values():
            found = {place: tables[place].answers[name] for place, name in names.items()}
            for place, raised in above_zero(family, found).items():
                together[place][names[place]] = raised
    pairs = zip(tables, plan.parts, strict=True)
    return tuple(_raised(table, part, together[place]) for place, (table, part) in enumerate(pairs))


def _raised(table: AnswerTable, part: Part, together: Mapping[str, Answer]) -> AnswerTable:
    before = table.answers
    moved = {**before, **together}
    answers = {f.output.name: never_below_zero(f, moved[f.output.name]) for f in part.formulas}
    lifted = [np.flatnonzero((before[name].values < 0) & (answers[name].values >= 0)) for name in answers]
    return replace(table, answers=answers, raised=frozenset(place for places in lifted for place in places.tolist()))
