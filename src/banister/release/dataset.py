"""A protected table at the front door: `bn.open("health.toml")`, then plan, then release."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue, LedgerExists, LedgerMissing
from banister.files import check_apart
from banister.foreign import read_text
from banister.tables.schema import Kind, Schema

if TYPE_CHECKING:
    from banister.accounting.book import Remaining
    from banister.accounting.kept import KeptRequest
    from banister.accounting.ledger import Ledger
    from banister.questions.question import Question
    from banister.release.answering.answers import Answers
    from banister.release.check import TableCheck
    from banister.release.planning.asking import Asking
    from banister.release.planning.plan import Plan
    from banister.release.planning.request import PlanRequest
    from banister.release.practice import Practice
    from banister.release.profile.plan import LookPlan
    from banister.release.profile.profile import Profile
    from banister.release.run import Tell
    from banister.release.work import Source
    from banister.sampling.bits import BitSource

LEDGER_FILES = ("-wal", "-shm")
"""What lies beside a ledger and belongs to it."""


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

    def questions(self, sql: str, *, dialect: str | None = None) -> "tuple[Question, ...]":
        """The checked questions in a text. An address of a file that ends in .sql is read first."""
        from banister.questions.reading.parser import read_questions
        from banister.release.aggregates import ALL

        self.schema.for_questions()
        if sql.strip().lower().endswith(".sql") and "\n" not in sql:
            if not Path(sql.strip()).is_file():
                raise BadValue(f"The questions '{sql}' cannot be read. Give SQL, or the path of a .sql file.")
            sql = read_text(Path(sql.strip()), "a file of questions", most_bytes=1 << 22)
        return read_questions(sql, self._with_public(), aggregates=ALL, dialect=dialect)

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
    ) -> "Plan":
        """Plan a release: mechanism, loss and expected error of every answer. No record is seen.

        With `consistent`, questions about the same rows are made to agree: totals equal the sums of their parts. With
        `check_bounds`, a share of epsilon such as 0.05, the answers tell of how many people something is left out.
        """
        from banister.release.planning.request import PlanRequest

        found = self.questions(str(sql), dialect=dialect)
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
    ) -> "Plan":
        """The other way round: the least epsilon at which every interval is within a share of the answer.

        `within` is a share such as 0.02. Counts are compared with `size`, the rows in a cell; sums with `size` times
        the largest value; means and their like with the width of their range.
        """
        from banister.release.planning.request import PlanRequest

        if self.schema.budget is None:
            raise BadValue("The schema needs a [budget] to say how much accuracy may cost.")
        found = self.questions(str(sql), dialect=dialect)
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
        book, made = self._found() if ledger is None else ledger, False

        def opened() -> "Ledger":
            nonlocal book, made
            if book is None:
                book, made = self._make()
            return book

        try:
            done = None if safe is None or book is None else safe.fetched(plan, book)
            if done is None:
                if book is None:
                    self._try(plan)
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

    def look(self, plan: "LookPlan", *, bits: "BitSource | None" = None, tell: "Tell" = lambda _: None) -> "Profile":
        """Look privately at all columns at once: charge the ledger once, then draw."""
        from banister.release.profile.run import look

        self.source()
        if (book := self._found()) is None:
            self._try(plan)
        with book or self._make()[0] as paying:
            return look(plan, self, paying, bits=bits, tell=tell)

    def check_output(self, path: str | Path) -> None:
        """Refuse to write over the schema, a table or the ledger."""
        check_apart(Path(path), self._needed())

    def _needed(self) -> dict[str, Path]:
        """The files of this dataset, with what they are."""
        needed = {} if self.path is None else {"the schema": self.path}
        places = {table.name: table.location for table in self.schema.tables}
        places |= {table.name: table.location for table in self.schema.public}
        for name, location in places.items():
            if name not in self.frames and "://" not in location:
                needed[f"the table '{name}'"] = self.folder / location
        if self.schema.ledger is not None and "://" not in self.schema.ledger:
            needed["the ledger"] = self.folder / self.schema.ledger
            for ending in LEDGER_FILES:
                needed[f"the ledger's {ending[1:]} file"] = self.folder / (self.schema.ledger + ending)
        return needed

    def kept(self) -> "tuple[KeptRequest, ...]":
        """The requests under a key that were paid for, or were cut off, and that nobody has said to be done with."""
        found = self._found()
        if found is None:
            return ()
        with found:
            return () if found.kept is None else found.kept.waiting()

    def asked(self, key: str) -> "KeptRequest | None":
        """What was asked under a key before, whether it was answered or cut off; nothing where nobody did."""
        found = self._found()
        if found is None:
            return None
        with found:
            return None if found.kept is None else found.kept.asked(key)

    def given(self, answers: "Answers", key: str) -> None:
        """Say that the answers under a key are where they should be. They are not kept any more, nor drawn again."""
        from banister.release.answering.keeping import kept_request

        with self.ledger() as book:
            if book.kept is not None:
                book.kept.given(kept_request(answers.plan, key, non_negative=answers.non_negative))

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
        given = self.schema.ledger
        if self.schema.budget is None or given is None or "://" in given or given == "memory:":
            return None
        return self.folder / (given + ".index")

    def check(self) -> "tuple[TableCheck, ...]":
        """How many rows and values are understood, column by column: exact counts for the owner alone.

        Nothing is charged, so show them to nobody else.
        """
        from banister.release.check import check_table, duckdb_only

        source = duckdb_only(self.source())
        return tuple(check_table(source, table) for table in self.schema.tables)

    def ledger(self, *, witness: str = "") -> "Ledger":
        """The ledger that the schema names; it has to be there. A witness is named as in `Ledger.open`."""
        from banister.accounting.ledger import Ledger

        address = self._address()
        try:
            found = Ledger.open(address, witness=witness)
        except LedgerMissing:
            raise LedgerMissing(
                f"The ledger '{address}' is not there. The first release makes it, or: banister budget <schema> "
                "--create. If there was one, find it: a new ledger forgets what was given away."
            ) from None
        if found.terms.budget != self.schema.budget or found.terms.neighbours is not self.schema.neighbours:
            found.close()
            raise BadValue(
                f"The ledger '{address}' was made for the budget {found.terms.budget} and "
                f"{found.terms.neighbours.value} neighbours, which is not what the schema says. Correct the schema: a "
                "ledger's terms are fixed."
            )
        return found

    def create_ledger(self) -> "Ledger":
        """Make the ledger that the schema names, once; one that is there is never overwritten."""
        return self._new_ledger(self._address())

    def trial_ledger(self) -> "Ledger":
        """A ledger in memory on the schema's terms, as the first release would make it: to foresee with."""
        self._address()
        return self._new_ledger("memory:")

    def _new_ledger(self, address: str) -> "Ledger":
        from banister.accounting.filters import AsYouGo
        from banister.accounting.ledger import Ledger

        budget = self.schema.budget
        assert budget is not None
        # Values that are not declared cost a delta of their own; half of it is kept for them where there are any.
        unknown = any(
            c.kind is Kind.CATEGORY and c.values is None for table in self.schema.tables for c in table.columns
        )
        return Ledger.create(
            address,
            budget=budget,
            neighbours=self.schema.neighbours,
            questions=AsYouGo(reserve="1/2") if unknown else AsYouGo(),
        )

    def _found(self) -> "Ledger | None":
        """The ledger, if it is there; one in memory would be forgotten, so it is not made here."""
        try:
            return self.ledger()
        except LedgerMissing:
            if self._address() == "memory:":
                raise
            return None

    def awaits_ledger(self) -> bool:
        """Whether the first release would make the ledger; raises where the one that is there cannot be used."""
        found = self._found()
        if found is not None:
            found.close()
        return found is None

    def _try(self, plan: "Plan | LookPlan") -> None:
        """Refuse what a new ledger would refuse; none is made for it."""
        with self.trial_ledger() as trial:
            cost, _ = trial.choice(plan.costs, neighbours=plan.neighbours)
            trial.charge(cost, label=plan.label, neighbours=plan.neighbours)

    def _make(self) -> "tuple[Ledger, bool]":
        """Make the ledger for its first charge, and say whether that was needed."""
        try:
            return self.create_ledger(), True
        except LedgerExists:  # Another release was quicker.
            return self.ledger(), False

    def remaining(self) -> "Remaining":
        """What is left of the budget."""
        with self.ledger() as book:
            return book.remaining()

    def remaining_after(self, plan: "Plan") -> "Remaining | None":
        """What would be left after a release; nothing where it does not fit."""
        with self.ledger() as book:
            return book.fitting(plan.costs, neighbours=plan.neighbours)[1]

    def _address(self) -> str:
        if self.schema.budget is None or self.schema.ledger is None:
            raise BadValue('The schema needs a [budget] with epsilon, delta and ledger, e.g. ledger = "health.ledger".')
        given = self.schema.ledger
        return given if "://" in given or given == "memory:" else str(self.folder / given)

    def _fits(self, plan: "Plan") -> bool:
        """Whether what is left has room for a plan; a ledger that is not made yet has all of the budget."""
        try:
            return self.remaining_after(plan) is not None
        except LedgerMissing:
            return True
