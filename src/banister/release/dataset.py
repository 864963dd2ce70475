"""A protected table at the front door: `bn.open("health.toml")`, then plan, then release."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from banister.core.exact.numbers import Number
from banister.errors import BadValue, LedgerExists, LedgerMissing
from banister.tables.schema import Kind, Schema

if TYPE_CHECKING:
    from banister.accounting.book import Remaining
    from banister.accounting.ledger import Ledger
    from banister.questions.question import Question
    from banister.release.answers import Answers
    from banister.release.asking import Asking
    from banister.release.plan import Plan
    from banister.release.run import Tell
    from banister.release.work import Source
    from banister.sampling.bits import BitSource


def open(schema: str | Path, *, data: object = None, tables: Mapping[str, object] | None = None) -> "Dataset":  # noqa: A001
    """Open a schema file. `data` is a frame that takes the place of the file it names (pandas, Polars, Arrow, Spark).

    Nothing is read but the schema itself, until something is released.
    """
    found = Schema.of_file(schema).for_questions()
    frames = dict(tables or {}) | ({} if data is None else {"data": data})
    return Dataset(found, folder=Path(schema).parent, frames=frames)


class Dataset:
    """A table with its schema, its engine and its ledger."""

    __slots__ = ("_source", "folder", "frames", "schema")

    def __init__(self, schema: Schema, *, folder: Path, frames: Mapping[str, object]) -> None:
        self.schema = schema
        self.folder = folder
        self.frames = dict(frames)
        for name in self.frames:
            if name not in {table.name for table in schema.tables}:
                raise BadValue(f"Table '{name}' is given, but the schema does not declare it.")
        self._source: Source | None = None

    def questions(self, sql: str, *, dialect: str | None = None) -> "tuple[Question, ...]":
        """The checked questions in a text. An address of a file that ends in .sql is read first."""
        from banister.questions.parser import read_questions

        if sql.strip().lower().endswith(".sql") and "\n" not in sql:
            try:
                sql = Path(sql).read_text(encoding="utf-8")
            except OSError:
                raise BadValue(f"The questions '{sql}' cannot be read. Give SQL, or the path of a .sql file.") from None
        return read_questions(sql, self.schema, dialect=dialect)

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
    ) -> "Plan":
        """Plan a release: mechanism, loss and expected error of every answer. No record is seen.

        With `consistent`, questions about the same rows are made to agree: totals equal the sums of their parts.
        """
        from banister.release.planner import plan_release

        found = self.questions(str(sql), dialect=dialect)
        return plan_release(
            found,
            self.schema,
            epsilon=epsilon,
            delta=delta,
            confidence=confidence,
            weights=weights,
            consistent=consistent,
        )

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
    ) -> "Plan":
        """The other way round: the least epsilon at which every interval is within a share of the answer.

        `within` is a share such as 0.02. Counts are compared with `size`, the rows in a cell; sums with `size` times
        the largest value; means and their like with the width of their range.
        """
        from banister.release.accuracy import least_epsilon_within

        if self.schema.budget is None:
            raise BadValue("The schema needs a [budget] to say how much accuracy may cost.")
        found = self.questions(str(sql), dialect=dialect)
        return least_epsilon_within(
            found,
            self.schema,
            within=within,
            size=size,
            delta=delta,
            confidence=confidence,
            most=self.schema.budget.epsilon,
            fits=self._fits,
            consistent=consistent,
        )

    def ask(self) -> "Asking":
        """Build a question step by step: `health.ask().where("visits > 3").group_by("plan").count().mean("visits")`."""
        from banister.release.asking import Asking

        return Asking()

    def release(
        self,
        plan: "Plan",
        *,
        ledger: "Ledger | None" = None,
        bits: "BitSource | None" = None,
        non_negative: bool = False,
        tell: "Tell" = lambda stage: None,
    ) -> "Answers":
        """Charge the ledger, then draw. Raises before anything is charged, or gives the answers.

        The first release makes the ledger that the schema names, and `answers.new_ledger` says that it did.
        """
        from banister.release.answers import Answers
        from banister.release.run import release
        from banister.sampling.bits import SYSTEM

        if plan.schema != self.schema:
            raise BadValue("The plan was made for another schema. Plan again with this one.")
        source = self.source()
        book, made = self._found() if ledger is None else ledger, False

        def opened() -> "Ledger":
            nonlocal book, made
            if book is None:
                book, made = self._make(plan)
            return book

        try:
            done = release(plan, source, opened, bits=bits or SYSTEM, non_negative=non_negative, tell=tell)
            book = opened()
            return Answers(done, book.remaining(), book.terms.budget, new_ledger=book.address if made else None)
        finally:
            if ledger is None and book is not None:
                book.close()

    def source(self) -> "Source":
        """The engine that adds up, opened on first use; columns and types are checked then."""
        if self._source is None:
            from banister.release.sources.open import open_source

            self._source = open_source(self.schema, folder=self.folder, frames=self.frames)
        return self._source

    def ledger(self) -> "Ledger":
        """The ledger that the schema names; it has to be there."""
        from banister.accounting.ledger import Ledger

        address = self._address()
        try:
            found = Ledger.open(address)
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

    def _make(self, plan: "Plan") -> "tuple[Ledger, bool]":
        """Make the ledger for its first charge, and say whether that was needed. What does not fit makes none."""
        with self._new_ledger("memory:") as trial:
            cost, _ = trial.fitting(plan.costs, neighbours=plan.neighbours)
            trial.charge(cost, label=plan.label, neighbours=plan.neighbours)
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
