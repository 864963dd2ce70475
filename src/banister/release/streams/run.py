"""Counts that go on: one charge at the start, then an answer when each period ends.

The order is fixed. The engine works, a line in the ledger says which period is about to be drawn, the noise is drawn,
and the period's file is on disk before anybody sees an answer. That line costs nothing, since the stream is paid for;
it is there once for each period, so that whoever puts the folder back to an older state cannot draw a period again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from banister.accounting.charge import LONGEST_LABEL
from banister.accounting.kept import UNKEPT
from banister.accounting.ledger import Ledger
from banister.accounting.receipt import Receipt
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, EngineBroke, ReceiptUsed
from banister.questions.question import cell_count
from banister.questions.terms import Unit
from banister.release.aggregates.aggregate import Noisy
from banister.release.answering.after import finished
from banister.release.answering.keeping import table_document, table_of
from banister.release.dataset import Dataset
from banister.release.run import BROKE, AnswerTable, Tell, cell_labels, charge_plan
from banister.release.streams.arrivals import arrived
from banister.release.streams.plan import StreamPlan, plan_stream
from banister.release.streams.store import Document, StreamState, StreamStore, period_name, state_document
from banister.release.work import Totals, Work
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.uniform import uniform_below
from banister.tables.protected import protected_by_schema
from banister.tables.reading import Day

KEY_LIMIT = 2**62
Cells = tuple[tuple[int, ...], ...]
"""Whole numbers by measure and cell."""


@dataclass(frozen=True, slots=True, eq=False)
class StreamAnswer:
    """The answer for one period, as it was drawn once and stays.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.streams.example import write_visits
    >>> with TemporaryDirectory() as folder:
    ...     dataset = write_visits(folder)
    ...     plan = plan_stream(dataset, "SELECT COUNT(*) AS visits FROM data", epsilon=1)
    ...     start_stream(dataset, plan, name="weekly").release(1).again
    False
    """

    period: int
    days: tuple[Day, Day]
    table: AnswerTable
    proof: str
    """Proof of the period's line in the ledger."""
    again: bool
    """Whether it had been released before: nothing was drawn for it now."""


class Stream:
    """Counts that go on, once they are paid for.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.streams.example import write_visits
    >>> with TemporaryDirectory() as folder:
    ...     dataset = write_visits(folder)
    ...     plan = plan_stream(dataset, "SELECT COUNT(*) AS visits FROM data", epsilon=1, delta="1e-6")
    ...     stream = start_stream(dataset, plan, name="weekly")
    ...     stream.release(1).table.columns, stream.released, len(dataset.ledger().history())
    (('visits',), 1, 2)
    """

    __slots__ = ("dataset", "name", "plan")

    def __init__(self, dataset: Dataset, plan: StreamPlan, name: str) -> None:
        self.dataset = dataset
        self.plan = plan
        self.name = name

    @property
    def released(self) -> int:
        """The last period that was released; 0 before the first."""
        with self.dataset.ledger() as ledger:
            return StreamStore.of(ledger, self.name).last()

    @property
    def proof(self) -> str:
        """The proof of the one charge that pays for all periods."""
        with self.dataset.ledger() as ledger:
            store = StreamStore.of(ledger, self.name)
            return store.text(store.fetch("start") or {}, "proof")

    def answer(self, period: int) -> StreamAnswer | None:
        """The answer for a period that was released; nothing where it was not, or was left out."""
        with self.dataset.ledger() as ledger:
            store = StreamStore.of(ledger, self.name)
            found = store.fetch(period_name(period))
            return None if found is None else self._answer(store, period, found, again=True)

    def answers(self) -> Iterator[StreamAnswer]:
        """Every answer so far, in order."""
        for period in range(1, self.released + 1):
            if (found := self.answer(period)) is not None:
                yield found

    def report(self, path: str | Path) -> Path:
        """Write a page that needs nothing else: the answers over time, the plan and its error."""
        from banister.release.streams.report import write_stream_report

        return write_stream_report(self, Path(path))

    def write(self, path: str | Path) -> Path:
        """Write all answers so far to a .csv, .parquet or .json file."""
        from banister.release.streams.report import write_answers

        return write_answers(self, Path(path))

    def release(self, period: int, *, bits: BitSource = SYSTEM, tell: Tell = lambda stage: None) -> StreamAnswer:
        """Release the next period; one that was released before is given as it was, and nothing is drawn."""
        return self._release(period, gap=False, bits=bits, tell=tell)

    def release_after_gap(
        self, period: int, *, bits: BitSource = SYSTEM, tell: Tell = lambda stage: None
    ) -> StreamAnswer:
        """The same for a later period: those in between are left out for good, and what came in them counts now."""
        return self._release(period, gap=True, bits=bits, tell=tell)

    def _release(self, period: int, *, gap: bool, bits: BitSource, tell: Tell) -> StreamAnswer:
        with self.dataset.ledger() as ledger:
            store = StreamStore.of(ledger, self.name)
            kept = store.fetch(period_name(period)) if period > 0 else None
            last = store.last()
            self._check_bound(store, ledger, last)
            if kept is not None:
                return self._answer(store, period, kept, again=True)
            self._check_turn(period, last, gap=gap)
            state = store.state(last, len(self.plan.payments))
            claim = store.claim(period_name(period))
            tell("adding up")
            try:
                now = self._seen(period)
            except EngineBroke as broke:
                raise self._broke(period, ledger, broke) from None
            tell("drawing")
            receipt = self._line(period, ledger, claim)
            proof = receipt.use(plan=self._mark(period), owed=PrivacyLoss.nothing())
            grown = self._grown(state, now, last, period, bits)
            table = self._table(grown, period)
            body: Document = {"proof": proof, "table": table_document(table), "state": state_document(grown)}
            found = store.keep(period_name(period), body)
            store.forget(last)
            return self._answer(store, period, found, again=False)

    def _check_bound(self, store: StreamStore, ledger: Ledger, last: int) -> None:
        """Refuse a ledger that does not hold what this stream was paid by, or its last period."""
        for what in ("start", *([period_name(last)] if last else [])):
            proof = store.text(store.fetch(what) or {}, "proof")
            if not ledger.holds(proof):
                raise BadValue(
                    f"The ledger '{ledger.address}' does not hold line {proof.partition(':')[0]}, by which stream "
                    f"'{self.name}' knows it: it is another one, or was put back to an older state. Nothing was drawn. "
                    "Restore the newest ledger."
                )

    def _check_turn(self, period: int, last: int, *, gap: bool) -> None:
        days = self.plan.periods
        if not 1 <= period <= days.periods:
            raise BadValue(
                f"Stream '{self.name}' has periods 1 to {days.periods}, and {period} is none of them. Nothing was "
                "drawn. To go on beyond the end, start another stream, which is charged anew."
            )
        if period <= last:
            raise BadValue(
                f"Period {period} of stream '{self.name}' was left out, and period {last} was released since: no past "
                f"period is released any more. What came in it was counted later. The next one is {last + 1}."
            )
        if period > last + 1 and not gap:
            raise BadValue(
                f"Period {period} of stream '{self.name}' is out of order: the next one is {last + 1}. Release that "
                "first; or leave out what is between for good, by release_after_gap or --leave-out."
            )

    def _mark(self, period: int) -> str:
        return f"{self.plan.digest}:{period}"

    def _line(self, period: int, ledger: Ledger, claim: str) -> Receipt:
        """The line that says which period is about to be drawn. It costs nothing, and is there once."""
        receipt = ledger.charge(
            PrivacyLoss.nothing(),
            label=f"period {period} of stream '{self.name}', which is paid for",
            neighbours=self.plan.neighbours,
            plan=self._mark(period),
            protects=protected_by_schema(self.plan.schema),
            key=f"stream {self.name} {self._mark(period)}",
            claim=claim,
        )
        if receipt.again:
            raise ReceiptUsed(
                f"Period {period} of stream '{self.name}' was drawn before (line {receipt.sequence} of the ledger), "
                "and what is kept here does not know of it: the folder was put back to an older state, or another one "
                "goes on. Nothing was drawn. Restore the newest state of the folder; a period is never drawn twice."
            )
        return receipt

    def _broke(self, period: int, ledger: Ledger, broke: EngineBroke) -> EngineBroke:
        label = f"period {period} of stream '{self.name}'"[: LONGEST_LABEL - len(BROKE)] + BROKE
        line = ledger.charge(
            PrivacyLoss.nothing(),
            label=label,
            neighbours=self.plan.neighbours,
            protects=protected_by_schema(self.plan.schema),
        )
        return EngineBroke(
            f"{broke} It had begun to read rows, and why it stopped may depend on them; line {line.sequence} of the "
            "ledger says so. Nothing was drawn. Find out why the engine stopped before you ask for the period again."
        )

    def _seen(self, period: int) -> Totals:
        """What each person has in each cell, of all days up to the end of a period."""
        question = self.plan.question
        work = Work(
            relation=question.relation,
            where=self.plan.in_periods(period),
            axes=question.axes,
            measures=self.plan.measures,
            personal=True,
            groups=None,
            rows=self.plan.reach.rows,
            hash_keys=(),
            each=True,
        )
        return self.dataset.source().totals(work)

    def _grown(self, state: StreamState, now: Totals, last: int, period: int, bits: BitSource) -> StreamState:
        """The state after a period: what came counts in it, and nothing in those that were left out."""
        plan, cells = self.plan, cell_count(self.plan.question.axes)
        arrivals, came = arrived(
            state.arrivals,
            now,
            plan.measures,
            cells=cells,
            groups=plan.reach.groups,
            many=plan.periods.person_periods,
            key=uniform_below(KEY_LIMIT, bits).to_bytes(8),
        )
        nothing = tuple((0,) * cells for _ in plan.payments)
        increments = (*state.increments, *(nothing for _ in range(last + 1, period)), tuple(map(tuple, came)))
        measured = self._added(state.measured, period - 1, increments[-1])
        for at in range(last, period):
            rows = range(len(plan.payments[0].factor.measured(at)))
            measured += [
                tuple(self._measured(m, at, place, increments, bits) for m in range(len(plan.payments)))
                for place in rows
            ]
        return StreamState(arrivals, increments, tuple(measured))

    def _added(self, measured: Sequence[Cells], at: int, came: Cells) -> list[Cells]:
        """The sums that were measured ahead, with what came in a period that they are of."""
        found = list(measured)
        for place, weight in self.plan.payments[0].factor.later(at):
            if place < len(found):
                pairs = zip(found[place], came, strict=True)
                found[place] = tuple(tuple(a + weight * b for a, b in zip(old, new, strict=True)) for old, new in pairs)
        return found

    def _measured(
        self, measure: int, at: int, place: int, increments: Sequence[Sequence[Sequence[int]]], bits: BitSource
    ) -> tuple[int, ...]:
        """One measured sum of one measure, exact and then with noise, for every cell."""
        paid = self.plan.payments[measure]
        row = paid.factor.measured(at)[place]
        parts = [(weight, increments[period][measure]) for period, weight in row if period < len(increments)]
        exact = [sum(weight * part[cell] for weight, part in parts) for cell in range(len(increments[0][measure]))]
        return tuple(paid.draw(exact, bits))

    def _table(self, state: StreamState, period: int) -> AnswerTable:
        """The answer, from measured sums alone."""
        plan, question = self.plan, self.plan.question
        values = np.array(
            [
                paid.factor.answer(period - 1, [sums[m] for sums in state.measured])
                for m, paid in enumerate(plan.payments)
            ]
        )
        known = Noisy(measures=plan.measures, values=values, spreads=plan.spreads(period), confidence=plan.confidence)
        answers = {}
        for formula in plan.formulas:
            sure = 1 - (1 - plan.confidence) / question.after.together(formula.name)
            answers[formula.name] = formula.aggregate.answer(formula.pieces, replace(known, confidence=sure))
        table = AnswerTable(
            names=tuple(axis.name for axis in question.axes),
            labels=cell_labels(question.axes),
            columns=question.columns,
            answers=answers,
            whole=frozenset(),
            dates=frozenset(f.name for f in plan.formulas if f.aggregate.unit() is Unit.DAY),
        )
        return finished(table, question)

    def _answer(self, store: StreamStore, period: int, found: Document, *, again: bool) -> StreamAnswer:
        try:
            table = table_of(cast(dict[str, object], found["table"]))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadValue(
                f"The answer for period {period} of stream '{self.name}' cannot be read. Nothing was drawn; restore "
                f"'{store.place}'."
            ) from None
        return StreamAnswer(period, self.plan.periods.days(period), table, store.text(found, "proof"), again)


def start_stream(dataset: Dataset, plan: StreamPlan, *, name: str) -> Stream:
    """Charge the ledger once for all periods; the same call again finds the stream that was started.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.streams.example import write_visits
    >>> with TemporaryDirectory() as folder:
    ...     dataset = write_visits(folder)
    ...     plan = plan_stream(dataset, "SELECT COUNT(*) AS visits FROM data", epsilon="0.5")
    ...     stream = start_stream(dataset, plan, name="pure")
    ...     str(dataset.remaining())
    '1 charge made; the largest epsilon that still fits is 0.5'
    """
    if plan.schema != dataset.schema:
        raise BadValue("The plan was made for another schema. Plan again with this one.")
    dataset.source()
    with dataset.ledger_for(plan) as ledger:
        store = StreamStore.of(ledger, name)
        if store.begun:
            found = store.fetch("start") or {}
            if found.get("digest") != plan.digest:
                raise BadValue(
                    f"There is a stream '{name}' under this ledger already, which is another one. Nothing was charged. "
                    "Choose another name."
                )
            return Stream(dataset, plan, name)
        claim = store.claim("start")
        receipt = charge_plan(plan, ledger, key=f"stream {name}", begun=replace(UNKEPT, claim=claim))
        if receipt.again:
            raise ReceiptUsed(
                f"A stream '{name}' was charged before (line {receipt.sequence} of the ledger), and what it keeps is "
                f"gone: '{store.place}' does not hold it. Nothing was charged or drawn. Restore the folder; or start a "
                "stream under another name, which is charged anew."
            )
        proof = receipt.use(plan=plan.digest, owed=plan.loss)
        store.keep("start", {"proof": proof, "digest": plan.digest, **_asked(plan)})
    return Stream(dataset, plan, name)


def open_stream(dataset: Dataset, *, name: str) -> Stream:
    """A stream that was started under the ledger of a dataset.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.streams.example import write_visits
    >>> with TemporaryDirectory() as folder:
    ...     dataset = write_visits(folder)
    ...     plan = plan_stream(dataset, "SELECT COUNT(*) AS visits FROM data", epsilon="0.5")
    ...     _ = start_stream(dataset, plan, name="weekly")
    ...     open_stream(dataset, name="weekly").released
    0
    """
    with dataset.ledger() as ledger:
        store = StreamStore.of(ledger, name)
        found = store.fetch("start")
    if found is None:
        raise BadValue(
            f"There is no stream '{name}' under this ledger. Start it: banister stream start. If it was before, "
            f"what it keeps is gone: restore '{store.place}', without which nothing is drawn."
        )
    said = {key: store.text(found, key) for key in ("sql", "epsilon", "delta", "confidence")}
    plan = plan_stream(
        dataset, said["sql"], epsilon=said["epsilon"], delta=said["delta"], confidence=said["confidence"]
    )
    if plan.digest != found.get("digest"):
        raise BadValue(
            f"Stream '{name}' was started by another plan than the schema now gives: [stream], the bounds of a person "
            "or the columns that it asks for have changed, or banister plans otherwise. Nothing was drawn. Put the "
            "schema back, or start another stream, which is charged anew."
        )
    return Stream(dataset, plan, name)


def _asked(plan: StreamPlan) -> Document:
    level = plan.asked
    return {
        "sql": plan.question.text,
        "epsilon": str(level.epsilon),
        "delta": str(level.delta),
        "confidence": repr(plan.confidence),
    }
