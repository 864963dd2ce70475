"""Release: add up exactly, charge the ledger, draw, and give the answers with their intervals.

The order is fixed. The ledger is asked whether it has room, the engine works, the charge is on disk, and only then is
the first bit drawn. A crash in between loses budget, never privacy. A database that fails before it reads a row costs
nothing; one that fails afterwards is charged for, because its failure may depend on what it read.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from banister.accounting.charge import LONGEST_LABEL, covers, keeps
from banister.accounting.kept import UNKEPT, Begun
from banister.accounting.ledger import Ledger
from banister.accounting.receipt import Receipt
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BudgetExceeded, EngineBroke, Uncertified
from banister.questions import measures
from banister.questions.measures import Counting, among_declared
from banister.questions.question import Axis, Label, Unknown, cell_count
from banister.questions.terms import Unit
from banister.release.aggregates.aggregate import Answer, Noisy
from banister.release.answering.after import finished
from banister.release.answering.combine import half_width
from banister.release.answering.consistent import agree
from banister.release.answering.raising import all_raised
from banister.release.planning.plan import Part, Plan
from banister.release.work import HASH_KEY_LIMIT, HASH_KEYS, Source, Totals, Work
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.uniform import uniform_below
from banister.tables.calendar import date_of, moment_of
from banister.tables.protected import protected_by_schema
from banister.tables.reading import Day
from banister.tables.schema import Schema

Tell = Callable[[str], None]

BROKE = " (the engine broke off: more may have been told)"
"""What the ledger says of a release that was charged and not answered."""


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
    moments: frozenset[str] = frozenset()
    """The answers that are numbers of seconds since 1970."""
    consistent: frozenset[str] = frozenset()
    """The answers that were made to agree with other questions."""
    cut: Answer | None = None
    """How many people have more rows or groups than may count; nothing where that was not asked for."""
    raised: frozenset[int] | None = None
    """The cells in which an answer below 0 was raised to 0; nothing where that was not asked for."""
    decoded: frozenset[str] = frozenset()
    """The counts that are said as well as the noise allows, given how many people there are at most."""

    def __len__(self) -> int:
        return len(self.labels)

    def read(self, name: str, number: float) -> Day | float:
        """A value or an end of an answer: a date where it is one; half a day is in the day before it."""
        if name in self.moments:
            return moment_of(math.floor(number))
        return date_of(math.floor(number)) if name in self.dates else float(number)

    def adjusted(self, place: int) -> str:
        """What was done to a cell's answers after the noise was drawn, in words; nothing where nothing was."""
        flags = ["consistent"] * bool(self.consistent) + ["decoded"] * bool(self.decoded)
        return ", ".join([*flags, "raised to 0"] if place in (self.raised or ()) else flags)


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """What came out, and the proof that it was paid for."""

    plan: Plan
    tables: tuple[AnswerTable, ...]
    proof: str
    non_negative: bool


class Chargeable(Protocol):
    """What a ledger has to know of a plan, whatever is drawn by it."""

    @property
    def schema(self) -> Schema: ...
    @property
    def neighbours(self) -> Neighbours: ...
    @property
    def costs(self) -> tuple[PrivacyLoss, Guarantee]: ...
    @property
    def label(self) -> str: ...
    @property
    def digest(self) -> str: ...


class Safe(Protocol):
    """Who sees to it that a release is charged once, and that what was drawn is not lost; `keeping` does."""

    @property
    def key(self) -> str:
        """What the caller calls this request."""
        ...

    @property
    def begun(self) -> bool:
        """Whether it was asked for before, so that its charge is in the ledger already."""
        ...

    def once(
        self, plan: Plan, ledger: Ledger, *, charge: Callable[[Begun], Receipt], draw: Callable[[Receipt], Released]
    ) -> Released:
        """Charge with a claim and draw, or give what was drawn before."""
        ...


def release(
    plan: Plan,
    source: Source,
    ledger: Ledger | Callable[[], Ledger],
    *,
    bits: BitSource = SYSTEM,
    non_negative: bool = False,
    safe: Safe | None = None,
    tell: Tell = lambda stage: None,
) -> Released:
    """Run a plan: charge, and then draw.

    A ledger that is given as a function is opened when it is charged, after the engine's work; whoever gives one has
    seen that the plan fits. What is `safe` is charged once for its key, and kept on disk before it is given.
    """
    owed = _owed(plan)
    if isinstance(ledger, Ledger) and not (safe is not None and safe.begun):
        foresee_plan(plan, ledger)
    try:
        exact = add_up_all(plan, source, bits, tell)
    except EngineBroke as broke:
        raise paid_for_nothing(plan, ledger, broke) from None
    tell("charging the ledger")
    book = ledger if isinstance(ledger, Ledger) else ledger()

    def draw(receipt: Receipt) -> Released:
        proof = receipt.use(plan=plan.digest, owed=owed)
        tell("drawing")
        tables = _draw_all(plan, exact, bits)
        raised = all_raised(plan, tables) if non_negative else tables
        shown = tuple(finished(table, part.question) for table, part in zip(raised, plan.parts, strict=True))
        return Released(plan, shown, proof, non_negative)

    if safe is None:
        return draw(charge_plan(plan, book))
    return safe.once(plan, book, charge=lambda begun: charge_plan(plan, book, key=safe.key, begun=begun), draw=draw)


def _owed(plan: Plan) -> PrivacyLoss:
    """What the draws give away, added up anew from the payments that are about to draw."""
    owed = PrivacyLoss.nothing().with_(*(paid.loss() for part in plan.parts for paid in part.payments))
    if not (covers(plan.loss, owed) and keeps(owed, plan.guarantee)):
        raise Uncertified(
            f"What is about to be drawn is not proven to keep {plan.guarantee} and the loss that the plan states. "
            "Nothing was charged and nothing was drawn. Plan again."
        )
    return owed


def foresee_plan(plan: Chargeable, ledger: Ledger) -> None:
    """Refuse what the ledger would refuse, before a row is read: a failure to read could not be paid for."""
    cost, _ = ledger.choice(plan.costs, neighbours=plan.neighbours)
    ledger.foresee(cost, label=plan.label, neighbours=plan.neighbours, protects=protected_by_schema(plan.schema))


def charge_plan(plan: Chargeable, ledger: Ledger, *, label: str = "", key: str = "", begun: Begun = UNKEPT) -> Receipt:
    """Charge the exact loss; or the guarantee that it keeps, where the ledger has room for that alone."""
    cost, _ = ledger.choice(plan.costs, neighbours=plan.neighbours)
    about, name = protected_by_schema(plan.schema), label or plan.label
    return ledger.charge(
        cost,
        label=name,
        neighbours=plan.neighbours,
        plan=plan.digest,
        protects=about,
        key=key,
        claim=begun.claim,
        note=begun.note,
        guarantee=plan.costs[1],
    )


def paid_for_nothing(plan: Chargeable, ledger: Ledger | Callable[[], Ledger], broke: EngineBroke) -> EngineBroke:
    """Charge a release of which nothing but its failure is seen."""
    label = plan.label[: LONGEST_LABEL - len(BROKE)] + BROKE
    try:
        receipt = charge_plan(plan, ledger if isinstance(ledger, Ledger) else ledger(), label=label)
        charged = f"Charge {receipt.sequence} of the ledger stands for it"
    except BudgetExceeded:  # Somebody else took the room in the meantime.
        charged = "The ledger has no room left to charge it"
    return EngineBroke(
        f"{broke} It had begun to read rows, and why it stopped may depend on them. Nothing was drawn. {charged}, and "
        "more than the charge may have been told: find out why the engine stopped before you ask again."
    )


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """What an engine added up for one question: its measures, its ladders, and whom the bounds cut."""

    totals: Totals
    ladders: tuple[Totals, ...]
    beyond: Totals | None = None


def works(part: Part, bits: BitSource) -> tuple[Work, ...]:
    """The exact work of one question: its measures, those of distinct values each, then one ladder a quantile."""
    question, reach = part.question, part.reach
    keys = tuple(1 + uniform_below(HASH_KEY_LIMIT - 1, bits) for _ in range(HASH_KEYS))
    groups = reach.groups if reach.bounded else None
    main = Work(
        relation=question.relation,
        where=question.where,
        axes=question.axes,
        measures=tuple(m.measure for m in part.measured if m.measure.counting is not Counting.DISTINCT),
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
    values = tuple(
        replace(main, measures=(m.measure,), where=among_declared(main.where, m.measure), distinct=True)
        for m in part.measured
        if m.measure.counting is Counting.DISTINCT
    )
    over = () if part.beyond is None else (replace(main, measures=(part.beyond.measure,), beyond=True),)
    return (*((main,) if main.measures else ()), *values, *ladders, *over)


def add_up_all(plan: Plan, source: Source, bits: BitSource, tell: Tell) -> list[Exact]:
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
            asked = plan.parts[family.places[0]].question
            most = plan.schema.groups if asked.groups is None else asked.groups
            groups = 1 if first.personal and most == 1 and first.relation.rows != 1 else None
            work = replace(first, axes=family.axes, measures=tuple(found), groups=groups, ladder=None, beyond=False)
            finest = source.totals(work).values
            rows = {measure: row for row, measure in enumerate(found)}
            for place in family.places:
                mine = [rows[m.measure] for m in plan.parts[place].measured]
                totals = Totals(values=family.totals(place, finest[mine]), labels=None)
                exact[place] = replace(exact[place], totals=totals)
    return exact


def _joined(plan: Plan) -> set[int]:
    return {place for family in plan.families for place in family.places}


def _ladders(part: Part, source: Source, bits: BitSource) -> Exact:
    """The quantiles of a question whose other numbers come from the finest table of its family."""
    return _add_up(replace(part, measured=()), source, bits)


def _add_up(part: Part, source: Source, bits: BitSource) -> Exact:
    found = [source.totals(work) for work in works(part, bits)]
    beyond = found.pop() if part.beyond is not None else None
    if part.measured:
        values = sum(m.measure.counting is Counting.DISTINCT for m in part.measured)
        first = 0 if values == len(part.measured) else 1
        totals = _with_values(part, found[:first], found[first : first + values])
        return Exact(totals, tuple(found[first + values :]), beyond)
    empty = Totals(values=np.zeros((0, cell_count(part.question.axes)), dtype=np.int64), labels=None)
    return Exact(empty, tuple(found), beyond)


def _with_values(part: Part, added: Sequence[Totals], values: Sequence[Totals]) -> Totals:
    """The totals of all measures in their order; distinct values are counted apart, over cells that are all known."""
    if not values:
        return added[0]
    sums, counts = iter(added[0].values if added else ()), iter(values)
    rows = [next(counts).values[0] if m.measure.counting is Counting.DISTINCT else next(sums) for m in part.measured]
    return Totals(values=np.stack(rows), labels=None)


def _draw_all(plan: Plan, exact: Sequence[Exact], bits: BitSource) -> tuple[AnswerTable, ...]:
    """Draw the noise of every question, then let families agree, then answer."""
    noisy: dict[int, NDArray[np.int64] | NDArray[np.float64]] = {}
    drawn = {place: _noisy(part, exact[place], bits) for place, part in enumerate(plan.parts)}
    noisy.update(drawn)
    for family in plan.families:
        measured = {place: plan.parts[place].measured for place in family.places}
        noisy.update(agree(family, measured, {place: drawn[place] for place in family.places}))
    return tuple(
        answered(part, noisy[place], exact[place], plan.confidence, bits) for place, part in enumerate(plan.parts)
    )


def _draw(part: Part, exact: Exact, confidence: float, bits: BitSource) -> AnswerTable:
    """One question by itself."""
    return finished(answered(part, _noisy(part, exact, bits), exact, confidence, bits), part.question)


def _noisy(part: Part, exact: Exact, bits: BitSource) -> NDArray[np.int64]:
    return np.stack(
        [m.draw(row, bits) for m, row in zip(part.measured, exact.totals.values, strict=True)]
        or [np.zeros(exact.totals.values.shape[1], dtype=np.int64)]
    )


def answered(
    part: Part,
    noisy: NDArray[np.int64] | NDArray[np.float64],
    exact: Exact,
    confidence: float,
    bits: BitSource,
) -> AnswerTable:
    """The answers of one question from its noisy measures."""
    labels = cell_labels(part.question.axes) if exact.totals.labels is None else exact.totals.labels
    if part.question.open:
        kept = part.measured[0].appearing(noisy[0])
        noisy, labels = noisy[:, kept], tuple(labels[place] for place in kept.tolist())
    known = Noisy(
        measures=tuple(m.measure for m in part.measured), values=noisy, spreads=part.spreads, confidence=confidence
    )
    sure = {f.name: part.sure(f.name, confidence) for f in part.formulas}
    pairs = zip(part.ladders, exact.ladders, strict=True)
    chosen = [ladder.draw(totals, labels, sure[ladder.name], bits=bits) for ladder, totals in pairs]
    answers = {
        f.name: f.aggregate.answer(f.pieces, replace(known, confidence=sure[f.name]))
        if f.choice is None
        else chosen[f.choice]
        for f in part.formulas
    }
    moved = {f.name for f in part.formulas if any(piece.place in part.agreed for piece in f.pieces)}
    return AnswerTable(
        names=tuple(axis.name for axis in part.question.axes),
        labels=labels,
        columns=part.question.columns,
        answers=answers,
        whole=frozenset(f.name for f in part.formulas if f.aggregate.whole) - moved,
        dates=frozenset(f.name for f in part.formulas if f.aggregate.unit() is Unit.DAY),
        moments=frozenset(f.name for f in part.formulas if f.aggregate.unit() is Unit.MOMENT),
        consistent=frozenset(moved),
        cut=_cut(part, exact, confidence, bits),
    )


def _cut(part: Part, exact: Exact, confidence: float, bits: BitSource) -> Answer | None:
    """How many people the bounds cut, with its interval; it is never below 0."""
    if part.beyond is None or exact.beyond is None:
        return None
    noisy = part.beyond.draw(exact.beyond.values[0], bits).astype(np.float64)
    wide = half_width([(1.0, part.beyond.spread)], confidence)
    return Answer(np.maximum(noisy, 0), np.maximum(noisy - wide, 0), np.maximum(noisy + wide, 0))


def cell_labels(axes: Sequence[Axis]) -> tuple[tuple[Label, ...], ...]:
    """The labels of every cell, in order."""
    rows: list[tuple[Label, ...]] = [()]
    for axis in axes:
        assert not isinstance(axis, Unknown)
        names = [axis.label(place) for place in range(axis.size)]
        rows = [(*row, name) for row in rows for name in names]
    return tuple(rows)
