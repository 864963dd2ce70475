"""A protected table at the front door: `bn.open("health.toml")`, then plan, then release."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue, LedgerMissing
from banister.files import check_apart
from banister.tables.schema import Schema

if TYPE_CHECKING:
    from banister.accounting.book import Remaining
    from banister.accounting.kept import KeptRequest
    from banister.accounting.ledger import Ledger
    from banister.questions.question import Question
    from banister.release.answering.answers import Answers
    from banister.release.check import TableCheck
    from banister.release.declared_ledger import DeclaredLedger
    from banister.release.finer import RungPlan, RungTables
    from banister.release.planning.asking import Asking
    from banister.release.planning.plan import Plan
    from banister.release.planning.request import PlanRequest
    from banister.release.practice import Practice
    from banister.release.profile.plan import LookPlan
    from banister.release.profile.profile import Profile
    from banister.release.run import Chargeable, Tell
    from banister.release.work import Source
    from banister.sampling.bits import BitSource


def open(schema: str | Path, *, data: object = None, tables: Mapping[str, object] | None = None) -> "Dataset":  # noqa: A001
    """Open a schema file: nothing else is read until something is released. `data` stands for the file that it names.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as folder:
    ...     dataset = open(write_demo(folder)[1])
    >>> str(dataset.schema.budget), dataset.schema.neighbours.value
    ('(1, 1e-06)', 'add-remove')
    """
    found = Schema.of_file(schema).for_looks()
    frames = dict(tables or {}) | ({} if data is None else {"data": data})
    return Dataset(found, folder=Path(schema).parent, frames=frames, path=Path(schema))


class Dataset:
    """A table with its schema, its engine and its ledger.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as folder:
    ...     dataset = open(write_demo(folder)[1])
    ...     answers = dataset.release(dataset.plan("SELECT COUNT(*) AS years FROM data", epsilon=1))
    >>> 19_000 < answers.table[0]["years"] < 21_500
    True
    """

    __slots__ = ("_known", "_source", "folder", "frames", "path", "schema")

    def __init__(self, schema: Schema, *, folder: Path, frames: Mapping[str, object], path: Path | None = None) -> None:
        self.schema = schema
        self.path = path
        self.folder = folder
        self.frames = dict(frames)
        for name in self.frames:
            if name not in {*(t.name for t in schema.tables), *(t.name for t in schema.public)}:
                raise BadValue(f"Table '{name}' is given, but the schema does not declare it.")
        self._source: Source | None = None
        self._known: Schema | None = None

    def __repr__(self) -> str:
        return f"Dataset({self.schema.main.location or 'a frame'!r}, {len(self.schema.main.columns)} columns)"

    def _repr_html_(self) -> str:
        from banister.release.notebook import dataset_html

        return dataset_html(self)

    def questions(
        self,
        sql: str,
        *,
        dialect: str | None = None,
        rows: int | None = None,
        groups: int | None = None,
        extremes: Number = 0,
    ) -> "tuple[Question, ...]":
        """The checked questions in a text. An address of a file that ends in .sql is read first."""
        from banister.questions.reading.parser import read_questions
        from banister.release.aggregates import ALL
        from banister.release.own_files import text_of
        from banister.release.planning.asking import bounded

        self.schema.for_questions()
        share = need.between("extremes", extremes, 0, Fraction(1, 4), "It is the order of the quantile for MIN: 0.01.")
        found = read_questions(text_of(sql), self._with_public(), aggregates=ALL, dialect=dialect, extremes=share)
        return tuple(bounded(question, rows=rows, groups=groups) for question in found)

    def _with_public(self) -> Schema:
        """The schema with the rows of its public tables, read on first use: anybody may know them, so a plan does."""
        if not self.schema.public:
            return self.schema
        if self._known is None:
            from banister.release.sources.public import read_public_tables

            found = read_public_tables(self.schema.public, folder=self.folder, frames=self.frames)
            self._known = self.schema.with_public(found)
        return self._known

    def plan(
        self,
        sql: "str | Asking",
        *,
        epsilon: Number,
        delta: Number = 0,
        confidence: Number = 0.95,
        weights: Mapping[str, Number] | None = None,
        dialect: str | None = None,
        consistent: bool = False,
        check_bounds: Number = 0,
        rows: int | None = None,
        groups: int | None = None,
        extremes: Number = 0,
    ) -> "Plan":
        """Plan a release: mechanism, loss and expected error of every answer. No record is seen.

        With `consistent`, questions about the same rows are made to agree: totals equal the sums of their parts. With
        `check_bounds`, a share of epsilon such as 0.05, the answers tell of how many people something is left out.
        `rows` and `groups` bound a person's part in these questions alone, in place of what the schema says. With
        `extremes`, such as 0.01, MIN and MAX are answered by the quantiles of the orders 0.01 and 0.99.
        """
        from banister.release.planning.request import PlanRequest

        found = self.questions(str(sql), dialect=dialect, rows=rows, groups=groups, extremes=extremes)
        return self.planned(
            PlanRequest.of(
                found,
                epsilon=epsilon,
                delta=delta,
                confidence=confidence,
                weights=weights,
                consistent=consistent,
                check_bounds=check_bounds,
            )
        )

    def planned(self, request: "PlanRequest") -> "Plan":
        """The plan for a request: at its level, or at the least epsilon that is as accurate as it asks."""
        from banister.release.planning.accuracy import least_epsilon_within
        from banister.release.planning.planner import plan_release

        if request.accuracy is None:
            return plan_release(request, self.schema)
        return least_epsilon_within(request, self.schema, self._fits)

    def plan_within(
        self,
        sql: "str | Asking",
        *,
        within: Number,
        size: int | None = None,
        delta: Number = 0,
        confidence: Number = 0.95,
        dialect: str | None = None,
        consistent: bool = False,
        check_bounds: Number = 0,
        rows: int | None = None,
        groups: int | None = None,
        extremes: Number = 0,
    ) -> "Plan":
        """The other way round: the least epsilon at which every interval is within a share of the answer.

        `within` is a share such as 0.02. Counts are compared with `size`, the rows in a cell; sums with `size` times
        the largest value; means and their like with the width of their range.
        """
        from banister.release.planning.request import PlanRequest

        if self.schema.budget is None:
            raise BadValue("The schema needs a [budget] to say how much accuracy may cost.")
        found = self.questions(str(sql), dialect=dialect, rows=rows, groups=groups, extremes=extremes)
        most = PlanRequest.of(
            found,
            epsilon=self.schema.budget.epsilon,
            delta=delta,
            confidence=confidence,
            consistent=consistent,
            check_bounds=check_bounds,
        )
        return self.planned(most.within(within, size))

    def practice(self, *, people: int = 1000) -> "Practice":
        """A table made from the schema alone, to try plans on: no record is read for it, and nothing is charged."""
        from banister.release.practice import Practice

        return Practice(self, people=people)

    def ask(self) -> "Asking":
        """Build a question step by step: `health.ask().where("visits > 3").group_by("plan").count().mean("visits")`."""
        from banister.release.planning.asking import Asking

        return Asking()

    def release(
        self,
        plan: "Plan",
        *,
        ledger: "Ledger | None" = None,
        bits: "BitSource | None" = None,
        non_negative: bool = False,
        key: str = "",
        tell: "Tell" = lambda stage: None,
    ) -> "Answers":
        """Charge the ledger, then draw.

        What cannot be answered raises before anything is read or charged; an engine that stops after it has begun to
        read raises `EngineBroke`, and is charged for. The first release makes the ledger that the schema names, and
        `answers.new_ledger` says that it did.

        With a `key` of your own, such as "june-report", the same request is charged once, however often you call: what
        was drawn is kept on disk, beside the ledger and for its owner alone, before you have it, and a second call
        fetches it, also after a crash or a lost connection.
        """
        from banister.release.answering.answers import Answers
        from banister.release.answering.keeping import KeptUnder
        from banister.release.run import release
        from banister.sampling.bits import SYSTEM

        if plan.schema != self.schema:
            raise BadValue("The plan was made for another schema. Plan again with this one.")
        safe = KeptUnder(key, non_negative) if key else None
        book, made = self._declared().found() if ledger is None else ledger, False

        def opened() -> "Ledger":
            nonlocal book, made
            if book is None:
                book, made = self._declared().made()
            return book

        try:
            safe, done = (safe, None) if safe is None or book is None else safe.looked(plan, book)
            if done is None:
                if book is None:
                    self._declared().check_first(plan)
                chance, paying, source = bits or SYSTEM, book or opened, self.source()
                done = release(plan, source, paying, bits=chance, non_negative=non_negative, safe=safe, tell=tell)
            book = opened()
            return Answers(
                done, book.remaining(), book.terms.budget, head=book.head, new_ledger=book.address if made else None
            )
        finally:
            if ledger is None and book is not None:
                book.close()

    def plan_look(self, *, epsilon: Number, delta: Number = 0, confidence: Number = 0.95) -> "LookPlan":
        """Plan a private look at all columns: its noise and its loss. No record is seen; ranges may be blank."""
        from banister.release.profile.plan import plan_look

        return plan_look(self.schema, Guarantee(epsilon, delta), confidence=confidence)

    def look(
        self, plan: "LookPlan", *, bits: "BitSource | None" = None, key: str = "", tell: "Tell" = lambda _: None
    ) -> "Profile":
        """Look privately at all columns at once: charge the ledger once, then draw.

        With a `key` of your own the same look is charged once, and every further call fetches it, as with `release`.
        """
        from banister.release.profile.run import look

        if not key:  # What is kept under a key needs no engine.
            self.source()
        with self.ledger_for(plan) as paying:
            return look(plan, self, paying, bits=bits, key=key, tell=tell)

    def plan_rungs(
        self, sql: str, *, epsilons: Sequence[Number], confidence: Number = 0.95, dialect: str | None = None
    ) -> "RungPlan":
        """Plan the same question at several rising epsilons, of which the finest alone is paid. No record is seen."""
        from banister.release.finer import plan_rungs

        return plan_rungs(self, sql, epsilons=epsilons, confidence=confidence, dialect=dialect)

    def release_rungs(
        self, plan: "RungPlan", *, sealed: str | Path | None = None, tell: "Tell" = lambda _: None
    ) -> "RungTables":
        """Draw all rungs, give the coarsest and seal the others: beside the ledger, where no file is named."""
        from banister.release.finer import release_rungs_of_table

        return release_rungs_of_table(self, plan, sealed=sealed, tell=tell)

    def refine(self, sealed: str | Path) -> "RungTables":
        """Open the next rung of a sealed file, and charge what it takes beyond the last one. No table is read."""
        from banister.release.finer import refine_rungs_of_table

        with self.ledger() as book:
            return refine_rungs_of_table(sealed, ledger=book)

    def check_output(self, path: str | Path) -> None:
        """Refuse to write over the schema, a table, the ledger or what lies in its folders."""
        from banister.release.own_files import tables_of

        check_apart(Path(path), tables_of(self.schema, self.path, self.folder, self.frames) | self._declared().taken())

    def kept(self) -> "tuple[KeptRequest, ...]":
        """The requests under a key that were paid for, or were cut off, and that nobody has said to be done with."""
        found = self._declared().found()
        if found is None:
            return ()
        with found:
            return () if found.kept is None else found.kept.waiting()

    def asked(self, key: str) -> "KeptRequest | None":
        """What was asked under a key before, whether it was answered or cut off; nothing where nobody did."""
        found = self._declared().found()
        if found is None:
            return None
        with found:
            return None if found.kept is None else found.kept.asked(key)

    def given(self, answers: "Answers | Profile", key: str) -> None:
        """Say that the answers under a key are where they should be. They are not kept any more, nor drawn again."""
        with self.ledger() as book:
            if book.kept is not None:
                book.kept.given(answers.kept_under(key))

    def source(self) -> "Source":
        """The engine that adds up, opened on first use; columns and types are checked then."""
        if self._source is None:
            from banister.release.sources.open import open_source

            self._source = open_source(
                self.schema,
                folder=self.folder,
                frames=self.frames,
                index=self.index_folder,
                indexing=self.schema.indexing,
            )
        return self._source

    @property
    def index_folder(self) -> Path | None:
        """Where indexes are kept: beside a ledger that is a file, for they are as private as the table."""
        return self._declared().index_folder

    def check(self) -> "tuple[TableCheck, ...]":
        """How many rows and values are understood: exact counts, uncharged, so for the owner alone and nobody else."""
        from banister.release.check import check_table, duckdb_only

        source = duckdb_only(self.source())
        return tuple(check_table(source, table) for table in self.schema.tables)

    def ledger(self, *, witness: str = "") -> "Ledger":
        """The ledger that the schema names; it has to be there. A witness is named as in `Ledger.open`."""
        return self._declared().opened(witness=witness)

    def create_ledger(self) -> "Ledger":
        """Make the ledger that the schema names, once; one that is there is never overwritten."""
        return self._declared().created()

    def trial_ledger(self) -> "Ledger":
        """A ledger in memory on the schema's terms, as the first release would make it: to foresee with."""
        return self._declared().trial()

    def ledger_for(self, plan: "Chargeable") -> "Ledger":
        """The ledger; made where it is not there yet, unless the plan would not fit."""
        if (book := self._declared().found()) is None:
            self._declared().check_first(plan)
        return book or self._declared().made()[0]

    def awaits_ledger(self) -> bool:
        """Whether the first release would make the ledger; raises where the one that is there cannot be used."""
        found = self._declared().found()
        if found is not None:
            found.close()
        return found is None

    def remaining(self) -> "Remaining":
        """What is left of the budget."""
        with self.ledger() as book:
            return book.remaining()

    def remaining_after(self, plan: "Plan") -> "Remaining | None":
        """What would be left after a release; nothing where it does not fit."""
        with self.ledger() as book:
            return book.fitting(plan.costs, neighbours=plan.neighbours)[1]

    def _declared(self) -> "DeclaredLedger":
        from banister.release.declared_ledger import DeclaredLedger

        return DeclaredLedger(self.schema, self.folder)

    def _fits(self, plan: "Plan") -> bool:
        """Whether what is left has room for a plan; a ledger that is not made yet has all of the budget."""
        try:
            return self.remaining_after(plan) is not None
        except LedgerMissing:
            return True
