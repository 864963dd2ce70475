"""The ledger that a schema names: where it is, whether it can be used, and how the first release makes it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue, LedgerExists, LedgerMissing
from banister.tables.schema import Kind, Schema

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger
    from banister.release.run import Chargeable

BESIDE = ("-wal", "-shm")
"""What lies beside a ledger and belongs to it."""


@dataclass(frozen=True, slots=True)
class DeclaredLedger:
    """The ledger of a schema that lies in a folder."""

    schema: Schema
    folder: Path

    @property
    def address(self) -> str:
        """Where it is; raises where the schema names none."""
        _, given = self._terms()
        return given if "://" in given or given == "memory:" else str(self.folder / given)

    @property
    def index_folder(self) -> Path | None:
        """Where indexes are kept: beside a ledger that is a file, for they are as private as the table."""
        given = self.schema.ledger
        if self.schema.budget is None or given is None or "://" in given or given == "memory:":
            return None
        return self.folder / (given + ".index")

    def files(self) -> dict[str, Path]:
        """Its files, with what they are."""
        given = self.schema.ledger
        if given is None or "://" in given:
            return {}
        beside = {f"the ledger's {ending[1:]} file": self.folder / (given + ending) for ending in BESIDE}
        return {"the ledger": self.folder / given, **beside}

    def taken(self) -> dict[str, Path]:
        """Its files, and the folders beside it that are its own."""
        given = self.schema.ledger
        if given is None or "://" in given:
            return {}
        paid = Path(os.path.realpath(self.folder / given) + ".paid")
        folders = {"the folder of paid answers": paid, "the folder of indexes": self.folder / (given + ".index")}
        return self.files() | folders

    def opened(self, *, witness: str = "") -> "Ledger":
        """The ledger, which has to be there and on the schema's terms."""
        from banister.accounting.ledger import Ledger
        from banister.accounting.protects import alike
        from banister.tables.protected import protected_by_schema

        address = self.address
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
        before, about = found.protected_at_opening, protected_by_schema(self.schema)
        if before is not None and not alike(before, about):
            found.close()
            raise BadValue(
                f"The ledger '{address}' protects {before}, the schema is about {about}. Their losses do not add up to "
                "anything: correct the schema, or name a ledger of its own in it."
            )
        return found

    def found(self) -> "Ledger | None":
        """The ledger, if it is there; one in memory would be forgotten, so it is not made here."""
        if self._plainly_missing():
            return None
        try:
            return self.opened()
        except LedgerMissing:
            if self.address == "memory:":
                raise
            return None

    def _plainly_missing(self) -> bool:
        """Whether it would be a file and nothing of it is there: a plan asks on every run, and loads no ledger then."""
        files = {} if self.address == "memory:" else self.files()
        return bool(files) and not any(os.path.lexists(path) for path in files.values())

    def created(self) -> "Ledger":
        """Make it, once; one that is there is never overwritten."""
        return self._new(self.address)

    def made(self) -> "tuple[Ledger, bool]":
        """Make it for its first charge, and say whether that was needed."""
        try:
            return self.created(), True
        except LedgerExists:  # Another release was quicker.
            return self.opened(), False

    def trial(self) -> "Ledger":
        """One in memory on the same terms."""
        return self._new("memory:")

    def check_first(self, plan: "Chargeable") -> None:
        """Refuse what a new ledger would refuse; none is made for it."""
        with self.trial() as trial:
            cost, _ = trial.choice(plan.costs, neighbours=plan.neighbours)
            trial.charge(cost, label=plan.label, neighbours=plan.neighbours, protects=trial.protects)

    def _terms(self) -> tuple[Guarantee, str]:
        """The budget and the place; raises where the schema names none."""
        if self.schema.budget is None or self.schema.ledger is None:
            raise BadValue('The schema needs a [budget] with epsilon, delta and ledger, e.g. ledger = "health.ledger".')
        return self.schema.budget, self.schema.ledger

    def _new(self, address: str) -> "Ledger":
        from banister.accounting.filters import AsYouGo
        from banister.accounting.ledger import Ledger
        from banister.tables.protected import protected_by_schema

        budget, _ = self._terms()
        # Values that are not declared cost a delta of their own; half of it is kept for them where there are any.
        unknown = any(
            c.kind is Kind.CATEGORY and c.values is None for table in self.schema.tables for c in table.columns
        )
        return Ledger.create(
            address,
            budget=budget,
            neighbours=self.schema.neighbours,
            questions=AsYouGo(reserve="1/2") if unknown else AsYouGo(),
            protects=protected_by_schema(self.schema),
        )
