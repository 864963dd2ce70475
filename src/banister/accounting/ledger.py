"""The ledger at the front door: made once, opened by many, charged before anything is drawn."""

import hashlib
import os
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from banister import clock, keys, need
from banister.accounting import book as book
from banister.accounting.book import Remaining, Store
from banister.accounting.chain import ChainLine
from banister.accounting.charge import Charge, Cost
from banister.accounting.filters import AsYouGo, Guard, filter_for
from banister.accounting.kept import Kept
from banister.accounting.plan import Questions, plan_for
from banister.accounting.protects import Protects
from banister.accounting.proving import proof_for, proven_line
from banister.accounting.receipt import Receipt
from banister.accounting.refining import write_refinement
from banister.accounting.shares import BudgetShare, Whose
from banister.accounting.sharing import ShareLeft, state
from banister.accounting.stores.addresses import (
    MEMORY,
    POSTGRES,
    create_store,
    open_store,
    recorded,
    shown,
    witness_at,
)
from banister.accounting.stores.witness import Witnessed
from banister.accounting.terms import Accountant, Entry, Standing, Terms, standing_of
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.files import home
from banister.work.progress import Progress

if TYPE_CHECKING:
    from banister.show.budget import BudgetMoment

__all__ = ["AsYouGo", "Guard", "Ledger"]

_LARGEST_BUDGET = 10_000
"""No promise is left long before; beyond this the filters' numbers leave every floating-point range."""


class Ledger:
    """A budget on disk. It holds the neighbours, the accountant fixed at creation, and every charge.

    >>> ledger = Ledger.create("memory:", budget=Guarantee(1, 1e-6), neighbours=Neighbours.REPLACE, questions=AsYouGo())
    >>> receipt = ledger.charge(Guarantee("0.1"), label="median age", neighbours=Neighbours.REPLACE)
    >>> receipt.sequence, ledger.remaining().charges
    (1, 1)
    """

    __slots__ = ("_kept", "_store", "_whose", "_witness", "address", "protected_at_opening", "terms")

    protected_at_opening: Protects | None
    """Whom the ledger protected when it was opened; a charge looks again, under the lock. `protects` says it of now."""

    def __init__(self, store: Store, address: str, *, witness: str = "") -> None:
        """A ledger that lies in a store. Its witness is the one named here, or the one that its lines name."""
        self._store = store
        self._whose: Whose | None = None
        self._kept: Kept | None = None
        self.address = shown(address)
        self.terms = Terms.of_line(store.first())
        standing = standing_of(store.last(), self.terms)
        named, self.protected_at_opening = standing.witness, standing.protects
        self._witness = recorded(witness)
        if witness and not named:
            witness_at(witness).begin(store.first().hash, store.head())
        if witness or named:
            self._store = Witnessed(store, witness_at(witness or named), name=shown(witness or named))

    @classmethod
    def create(
        cls,
        address: str | Path,
        *,
        budget: Guarantee,
        neighbours: Neighbours,
        questions: AsYouGo | Questions,
        protects: Protects | None = None,
        witness: str | Path = "",
    ) -> "Ledger":
        """Make a ledger: a file's path, postgresql://host/database#name for a team, or memory: to try things out.

        `questions` fixes the accountant for good. A number of equal questions, or a list of guarantees or mechanisms
        (each with a count, if you like), is a plan and is accounted exactly; an AsYouGo() guards questions that may
        depend on earlier answers by a filter.

        `protects` says whom the ledger is about; without it the first charge that says so decides. A `witness` is a
        second place, a file elsewhere or postgresql://host/database#name, that holds the head of the chain: a ledger
        that is behind it, or beside it, is refused.
        """
        need.one_of("neighbours", neighbours, tuple(Neighbours))
        if not isinstance(budget, Guarantee) or budget.epsilon == 0:
            raise BadValue("The budget must be a bn.Guarantee(epsilon, delta) with an epsilon above 0.")
        need.between("budget epsilon", budget.epsilon, 0, _LARGEST_BUDGET, "A larger one promises nothing.")
        terms = Terms(
            budget=budget,
            neighbours=neighbours,
            accountant=_accountant(budget, questions),
            created=clock.now(),
            protects=protects,
            witness=recorded(witness),
        )
        first = terms.line()
        if not witness:
            return cls(create_store(address, first), str(address))
        second = witness_at(witness)
        second.make(first.hash, (0, first.hash))  # First, so that no ledger is there without the witness it names.
        try:
            store = create_store(address, first)
        except BaseException:  # Nothing is swallowed: a witness of nothing is taken away again.
            second.unmake()
            raise
        return cls(store, str(address), witness=str(witness))

    @classmethod
    def open(cls, address: str | Path, *, wait_seconds: float = 30, witness: str | Path = "") -> "Ledger":
        """Open the ledger that is there; none is ever made. Wait so long for other processes that charge it.

        A `witness` is named to attach one to a ledger that has none, from its next charge on, or where the one that
        it names is reached by another address. Else the ledger's own lines say where it is.
        """
        need.non_negative("wait_seconds", wait_seconds)
        store = open_store(address, wait_seconds=wait_seconds)
        try:
            return cls(store, str(address), witness=str(witness))
        except BaseException:  # Nothing is swallowed: what was opened is closed, whatever ended it.
            store.close()
            raise

    def charge(
        self,
        cost: Cost,
        *,
        label: str,
        neighbours: Neighbours,
        plan: str = "",
        protects: Protects | None = None,
        key: str = "",
        claim: str = "",
        note: bytes = b"",
        guarantee: Guarantee | None = None,
    ) -> Receipt:
        """Write a charge and give its receipt once it is on disk; draw afterwards. Or raise `BudgetExceeded`.

        Under the same `key` the same request is charged once, however often it is asked for; see `Receipt.again`. A
        `claim` and a `note` are for whoever keeps answers (`Kept.begin` gives them): a charge that carries the claim
        already is one's own, and the note says what was asked.
        The `guarantee` that was asked for is shown where the loss has no bound of its own, as with Gaussian noise.
        """
        charge = Charge.of(
            cost, label=label, neighbours=neighbours, plan=plan, protects=protects, key=key, guarantee=guarantee
        )
        if claim and not (key and keys.is_nonce(claim)):
            raise BadValue("A claim goes with a key, and is a text that `Kept.begin` gave. Leave it out.")
        return book.write_charge(
            self._store,
            self.terms,
            charge,
            at=clock.now(),
            witness=self._witness,
            claim=claim,
            note=note,
            whose=self._whose,
        )

    def on_behalf(self, whose: Whose) -> "Ledger":
        """The same ledger for one analyst: what is charged, foreseen and left is hers, within her shares and the whole.

        >>> terms = {"neighbours": Neighbours.REPLACE, "questions": AsYouGo()}
        >>> ledger = Ledger.create("memory:", budget=Guarantee(1), **terms)
        >>> ledger.state_shares([BudgetShare(guarantee=Guarantee("0.3"), analyst="ana")], by="olga")
        >>> str(ledger.on_behalf(Whose(analyst="ana")).remaining().largest_epsilon)
        '3/10'
        """
        hers = copy(self)
        hers._whose = whose
        return hers

    def state_shares(self, shares: Sequence[BudgetShare], *, by: str) -> None:
        """Share the budget out, or anew: each charge must then say whose it is, and fit its shares and the whole.

        A share that was stated before keeps what it has used, and must be stated again; its guarantee may be another.
        One that is new counts the charges from now on.
        """
        now, witness = clock.now(), self._witness
        state(self._store, self.terms, tuple(shares), by=by, at=now, nonce=keys.nonce(), witness=witness)

    def shares(self) -> tuple[ShareLeft, ...]:
        """What is left of every share, or of those that cover the analyst on whose behalf this is."""
        return book.shares_left(self._store, self._standing(), at=clock.now(), whose=self._whose)

    @property
    def kept(self) -> Kept | None:
        """Where answers that were paid for are kept: in the ledger, sealed with what lies in a folder of the owner's
        beside its file, for a server's in the user's own folder.

        A ledger in memory ends with the program, and keeps nothing.
        """
        if self.address == MEMORY:
            return None
        if self._kept is None:
            if self.address.startswith(POSTGRES):
                place = home() / "paid" / hashlib.sha256(self.address.encode()).hexdigest()[:16]
            else:
                place = Path(os.path.realpath(self.address) + ".paid")
            self._kept = Kept(place, self._store)
        return self._kept

    def foresee(self, cost: Cost, *, label: str, neighbours: Neighbours, protects: Protects | None = None) -> None:
        """Raise what `charge` would raise for the ledger as it is now, such as `BudgetExceeded`; write nothing.

        Whoever reads private rows before the charge asks this first, so that nothing is read that cannot be paid for.
        """
        charge = Charge.of(cost, label=label, neighbours=neighbours, protects=protects)
        book.foresee(self._store, self.terms, charge, at=clock.now(), whose=self._whose)

    def refine(
        self, earlier: int, cost: Cost, *, label: str, neighbours: Neighbours, plan: str, key: str = ""
    ) -> Receipt:
        """Let a finer rung take the place of an earlier charge, by its number: only the difference is taken.

        Both must be rungs that were drawn together, and say so in the same `plan`: `bn.release.refine_rungs` sees to
        that. Where epsilons are not added up this is not sound, so a refinement closes every other gate of the filter.
        """
        charge = Charge.of(cost, label=label, neighbours=neighbours, plan=plan, key=key)
        if charge.neighbours is not self.terms.neighbours:
            raise BadValue(f"The ledger speaks about {self.terms.neighbours.value} neighbours, not {neighbours.value}.")
        return write_refinement(self._store, self.terms, charge, refines=earlier, at=clock.now(), witness=self._witness)

    @property
    def head(self) -> str:
        """Number and hash of the last line, such as 12:3f…; printed or kept elsewhere, it is a proof for `verify`."""
        sequence, value = self._store.head()
        return f"{sequence}:{value}"

    def line(self, proof: str) -> tuple[ChainLine, ChainLine]:
        """The line that a receipt's proof names, after the one before it: what a certificate shows of the ledger.

        >>> from banister import Guarantee, Ledger, Neighbours
        >>> one, relation = Guarantee(1), Neighbours.REPLACE
        >>> book = Ledger.create("memory:", budget=one, neighbours=relation, questions=[(one, 1)])
        >>> receipt = book.charge(one, label="a count", neighbours=relation)
        >>> [line.sequence for line in book.line(receipt.proof)]
        [0, 1]
        """
        return proven_line(self._store, proof)

    def proof_for(self, plan: str) -> str:
        """The proof of the last charge for a plan, by its digest; empty where the ledger holds none."""
        return proof_for(self._store, plan)

    @property
    def protects(self) -> Protects | None:
        """Whom the ledger protects, and in which tables; nothing where nobody has said so yet."""
        return self._standing().protects

    def holds(self, proof: str) -> bool:
        """Whether the line of a receipt's proof is in the ledger, by its number and hash; no other line is checked.

        >>> terms = {"neighbours": Neighbours.REPLACE, "questions": AsYouGo()}
        >>> ledger = Ledger.create("memory:", budget=Guarantee(1), **terms)
        >>> paid = ledger.charge(Guarantee("0.1"), label="ages", neighbours=Neighbours.REPLACE)
        >>> ledger.holds(paid.proof), ledger.holds("2:" + paid.hash)
        (True, False)
        """
        number, _, value = proof.partition(":")
        line = self._store.line(int(number)) if number.isdecimal() else None
        return line is not None and line.hash == value

    def _standing(self) -> Standing:
        return standing_of(self._store.last(), self.terms)

    def fitting(self, costs: Sequence[Cost], *, neighbours: Neighbours) -> tuple[Cost, Remaining | None]:
        """Of several costs that are all true of one release, the first that fits, and what it would leave.

        >>> terms = {"neighbours": Neighbours.REPLACE, "questions": AsYouGo()}
        >>> ledger = Ledger.create("memory:", budget=Guarantee(1, 1e-6), **terms)
        >>> cost, left = ledger.fitting([Guarantee(2), Guarantee("0.3")], neighbours=Neighbours.REPLACE)
        >>> str(cost), str(left)
        ('(0.3, 0)', '1 charge made; the largest epsilon that still fits is 0.7')
        """
        charges = [Charge.of(cost, label="foreseen", neighbours=neighbours) for cost in costs]
        place, left = book.fitting(self._store, self.terms, charges, at=clock.now(), whose=self._whose)
        return costs[place], left

    def choice(self, costs: Sequence[Cost], *, neighbours: Neighbours) -> tuple[Cost, bool]:
        """The same cost as `fitting`, and whether it fits; what it would leave is not worked out, which takes longer.

        >>> terms = {"neighbours": Neighbours.REPLACE, "questions": AsYouGo()}
        >>> ledger = Ledger.create("memory:", budget=Guarantee(1, 1e-6), **terms)
        >>> ledger.choice([Guarantee(2)], neighbours=Neighbours.REPLACE)[1]
        False
        """
        charges = [Charge.of(cost, label="foreseen", neighbours=neighbours) for cost in costs]
        last, now = self._store.last(), clock.now()
        place, after = book.chosen(self._store, self.terms, last, charges, at=now, whose=self._whose)
        return costs[place], after is not None

    def remaining(self) -> Remaining:
        """What is left, as of this moment."""
        return book.remaining(self._store, self.terms, at=clock.now(), whose=self._whose)

    def history(self) -> tuple[Entry, ...]:
        """Every charge, the oldest first."""
        return book.history(self._store)

    def verify(self, *, proofs: Sequence[str] = (), progress: Progress = lambda done, total: None) -> tuple[int, str]:
        """Check every line, hash, total and proof; give the number of charges and the last hash."""
        return book.verify(self._store, tuple(proofs), progress=progress)

    def summary(self) -> tuple[tuple[str, str], ...]:
        """Terms and state of the ledger, in words, line by line."""
        rows = book.summary(self.terms, self.address, self.remaining(), self._standing())
        shares = tuple(("share", str(each)) for each in self.shares())
        return (*rows, *shares, ("head", self.head))

    def timeline(self, *, most: int = 200) -> "tuple[BudgetMoment, ...]":
        """How the allowance was used up over time; with more charges than `most`, an even choice of them."""
        from banister.show.budget import BudgetMoment

        entries = self.history()
        stride = -(-len(entries) // max(1, most)) or 1
        chosen = [*entries[: len(entries) - 1 : stride], *entries[-1:]]
        states = [(self.terms.created, self.terms.accountant.start(), 0)]
        states += [(entry.at, entry.totals, entry.sequence) for entry in chosen]
        left = [(at, book.remaining_after(self.terms, totals, number)) for at, totals, number in states]
        return tuple(BudgetMoment(at, float(rest.used), float(rest.largest_epsilon)) for at, rest in left)

    def plot(self, path: str | Path, *, width_inches: float = 7.2) -> None:
        """Draw the budget over time into a file: .svg, .png or .pdf."""
        from banister.show.budget import draw_budget

        title = f"Budget {self.terms.budget} of {Path(self.address).name}"
        draw_budget(self.timeline(), Path(path), title=title, width_inches=width_inches)

    def close(self) -> None:
        """Let go of the file or the connection."""
        self._store.close()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        from banister.show.facts import grid_html

        return grid_html(f"Ledger {self.address}", [], [list(row) for row in self.summary()])

    def __repr__(self) -> str:
        mode, budget = self.terms.accountant.mode, self.terms.budget
        return f"Ledger({self.address!r}, budget={budget}, neighbours={self.terms.neighbours.value}, mode={mode!r})"


def _accountant(budget: Guarantee, questions: AsYouGo | Questions) -> Accountant:
    return filter_for(budget, questions) if isinstance(questions, AsYouGo) else plan_for(budget, questions)
