"""The ledger: one line a charge, written before anything is drawn, and never over the budget.

What is here decides; where the lines lie is the business of a `Store`. Nothing here reads a clock: the time of a
charge is handed in.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from banister import keys
from banister.accounting.chain import ChainLine, check_link
from banister.accounting.charge import Charge
from banister.accounting.kept import Shelf
from banister.accounting.protects import bound
from banister.accounting.proving import read_proof, rewritten
from banister.accounting.receipt import Receipt
from banister.accounting.shares import SharedOut, Whose
from banister.accounting.sharing import (
    Moved,
    ShareLeft,
    check_statement,
    check_step,
    dealing,
    grows,
    left,
    shared_out,
    until_settled,
)
from banister.accounting.terms import Entry, Standing, Terms, Totals, entry_writer, standing_of, stated_shares
from banister.core.exact.numbers import brief, brief_down
from banister.errors import BadValue, BudgetExceeded, LedgerDamaged, ShareExceeded
from banister.work.progress import Progress

STRIDE = 1000  # A bar moves on after so many lines.


class Store(Shelf, Protocol):
    """Where the lines of one ledger lie. Every method raises a `LedgerFault` when it cannot do what it says."""

    def append(self, decide: Callable[[ChainLine], ChainLine], *, key: str = "", note: bytes = b"") -> ChainLine:
        """In one transaction that excludes all other writers: show the last line, take the one that follows it, and
        return when that is on disk. If `decide` raises, nothing is written. A `note` for whoever keeps the answer is
        written with the line (`kept.Shelf`).

        A line that was written under the same key before is returned, once it is on disk, and nothing is decided."""
        ...

    def line(self, sequence: int) -> ChainLine | None:
        """The line of that number, or nothing where there is none."""
        ...

    def first(self) -> ChainLine:
        """The line that opened the ledger."""
        ...

    def last(self) -> ChainLine:
        """The line at the end, which fits the one before it and the head."""
        ...

    def head(self) -> tuple[int, str]:
        """Number and hash of the last line, as kept apart from the lines."""
        ...

    def lines(self) -> Iterator[ChainLine]:
        """Every line, from the first on, as of one moment."""
        ...

    def close(self) -> None:
        """Let go of what is held open."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """What a ledger still has room for.

    >>> from banister import Guarantee, Ledger, Neighbours
    >>> half, relation = Guarantee("0.5"), Neighbours.REPLACE
    >>> book = Ledger.create("memory:", budget=Guarantee(1), neighbours=relation, questions=[(half, 2)])
    >>> paid = book.charge(half, label="a count", neighbours=relation)
    >>> left = book.remaining()
    >>> left.charges, left.largest_epsilon, left.used
    (1, Fraction(1, 2), Fraction(1, 2))
    """

    charges: int
    """How many charges have been made."""
    largest_epsilon: Fraction
    """The largest epsilon, rounded down, of a pure charge that still fits."""
    used: Fraction
    """The share of the allowance that is used: of the plan's places, or of the roomiest gate."""
    delta: Fraction
    """What is left for charges with a delta of their own (pay as you go); 0 in a plan."""
    free: tuple[str, ...]
    """The free places of a plan, or the state of each gate, in words."""
    measure: str = ""
    """By which measure `used` is counted, where it is another than epsilons added up or places."""

    def within(self, shares: "Sequence[ShareLeft]") -> "Remaining":
        """The same for who has shares: the least room, and the fullest of all."""
        fullest = max([self.used, *(min(Fraction(1), each.used) for each in shares)])
        return replace(
            self,
            largest_epsilon=min([self.largest_epsilon, *(each.largest_epsilon for each in shares)]),
            used=fullest,
            measure=self.measure if fullest == self.used else "",
            free=(*self.free, *(str(each) for each in shares)),
        )

    @property
    def used_in_words(self) -> str:
        """How much is used, and by which measure: by another one, a single number may have less room than it seems."""
        share = f"{float(self.used):.1%} used"
        return f"{share} by the measure with most room ({self.measure})" if self.measure else share

    def __str__(self) -> str:
        return (
            f"{_charges(self.charges)} made; the largest epsilon that still fits is {brief_down(self.largest_epsilon)}"
        )


class _Refused(Exception):
    """No room for a charge on top of these totals; carries them out of the transaction."""

    def __init__(self, totals: Totals, charges: int) -> None:
        super().__init__()
        self.totals = totals
        self.charges = charges


def write_charge(
    store: Store,
    terms: Terms,
    charge: Charge,
    *,
    at: str,
    witness: str = "",
    claim: str = "",
    note: bytes = b"",
    whose: Whose | None = None,
) -> Receipt:
    """Charge the ledger, or raise `BudgetExceeded` and leave it as it was.

    The loss is priced before the ledger is locked; under the lock there are only exact additions. A key that was
    charged before is not charged again: its receipt says so, and other content under it is refused. Where the line
    carries the caller's own claim, the charge is the caller's, and the receipt is as good as at first. In a shared
    ledger the charge must fit the shares that cover it as well.
    """
    _check_neighbours(terms, charge)
    place, nonce = terms.accountant.prepare(charge), claim or keys.nonce()
    write = entry_writer(charge, at=at, nonce=nonce, whose=whose)
    decided: list[ChainLine] = []

    def attempt() -> ChainLine:
        dealt = dealing(store, terms, charge, whose, at=at)

        def decide(last: ChainLine) -> ChainLine:
            before = standing_of(last, terms)
            protects = bound(before.protects, charge.protects, charge.label)
            after = place(before.totals)
            if after is None:
                raise _Refused(before.totals, last.sequence)
            told, shares = witness or before.witness, dealt.after(before.shares)
            decided.append(last.follow(write(Standing(totals=after, protects=protects, witness=told, shares=shares))))
            return decided[-1]

        return store.append(decide, key=charge.key, note=note)

    try:
        line = until_settled(attempt)
    except _Refused as refused:
        raise BudgetExceeded(_refusal(terms, charge, refused)) from None
    again = f'"nonce":"{nonce}"' not in line.body
    if line not in decided:  # It was written before, under the same key.
        _check_same(Entry.of_line(line), charge, whose)
    return Receipt(
        sequence=line.sequence, hash=line.hash, label=charge.label, plan=charge.plan, paid=charge.loss, again=again
    )


def foresee(store: Store, terms: Terms, charge: Charge, *, at: str, whose: Whose | None = None) -> None:
    """Raise what `write_charge` would raise for the ledger as it is now, and write nothing."""
    _check_neighbours(terms, charge)

    def attempt() -> None:
        dealt, last = dealing(store, terms, charge, whose, at=at), store.last()
        now = standing_of(last, terms)
        bound(now.protects, charge.protects, charge.label)
        if terms.accountant.prepare(charge)(now.totals) is None:
            raise BudgetExceeded(_refusal(terms, charge, _Refused(now.totals, last.sequence)))
        dealt.after(now.shares)

    until_settled(attempt)


def _check_neighbours(terms: Terms, charge: Charge) -> None:
    if charge.neighbours is not terms.neighbours:
        raise BadValue(
            f"The ledger speaks about {terms.neighbours.value} neighbours, the charge '{charge.label}' about "
            f"{charge.neighbours.value}. Plan the release for the ledger's neighbours, or keep a ledger of its own."
        )


def _check_same(entry: Entry, charge: Charge, whose: Whose | None) -> None:
    """One key, one request of one analyst: a plan's hash says all of it; where there is none its price is the same."""
    same = (entry.key, entry.label, entry.plan) == (charge.key, charge.label, charge.plan)
    same = same and (entry.whose and entry.whose.analyst) == (whose and whose.analyst)
    if same and not charge.plan:
        price = ("inf" if charge.epsilon is None else str(charge.epsilon), str(charge.delta))
        same = (entry.epsilon, entry.delta) == price
    if not same:
        raise BadValue(
            f"The key '{charge.key}' belongs to charge {entry.sequence} ('{entry.label}'), which is another request "
            f"than '{charge.label}'. Nothing was charged. Give each request a key of its own."
        )


def remaining(store: Store, terms: Terms, *, at: str, whose: Whose | None = None) -> Remaining:
    """What is left, as of this moment; for an analyst of a shared ledger no more than her shares leave her."""
    last = store.last()
    standing = standing_of(last, terms)
    found = remaining_after(terms, standing.totals, last.sequence)
    return found if whose is None else found.within(shares_left(store, standing, at=at, whose=whose))


def shares_left(store: Store, standing: Standing, *, at: str, whose: Whose | None = None) -> tuple[ShareLeft, ...]:
    """What is left of every share, or of those that cover somebody's charges; nothing in a ledger without shares."""
    shared = shared_out(store, standing)
    if shared is None or standing.shares is None:
        return ()
    return left(shared, standing.shares, at=at, whose=whose)


def fitting(
    store: Store, terms: Terms, charges: Sequence[Charge], *, at: str, whose: Whose | None = None
) -> tuple[int, Remaining | None]:
    """The first of several true descriptions of one release that fits, and what it leaves; nothing if none does."""
    last = store.last()
    place, after = chosen(store, terms, last, charges, at=at, whose=whose)
    if after is None:
        return place, None
    found = remaining_after(terms, after.totals, last.sequence + 1)
    return place, found if whose is None else found.within(shares_left(store, after, at=at, whose=whose))


def chosen(
    store: Store, terms: Terms, last: ChainLine, charges: Sequence[Charge], *, at: str, whose: Whose | None
) -> tuple[int, Standing | None]:
    """The first of several charges that fits after a line, and what would stand then; nothing if none does."""
    now = standing_of(last, terms)
    for place, charge in enumerate(charges):
        after = terms.accountant.prepare(charge)(now.totals)
        if after is None:
            continue
        try:
            shares = None if whose is None else dealing(store, terms, charge, whose, at=at).after(now.shares)
        except (ShareExceeded, Moved):  # Whoever charges it is told, or looks again.
            continue
        return place, replace(now, totals=after, shares=shares)
    return len(charges) - 1, None


def remaining_after(terms: Terms, totals: Totals, charges: int) -> Remaining:
    """What is left once the totals are these."""
    accountant = terms.accountant
    return Remaining(
        charges=charges,
        largest_epsilon=accountant.largest_epsilon(totals),
        used=accountant.used(totals),
        delta=accountant.delta_left(totals),
        free=accountant.free(totals),
        measure=accountant.measure(totals),
    )


def summary(terms: Terms, address: str, left: Remaining, now: Standing) -> tuple[tuple[str, str], ...]:
    """Terms and state of a ledger, in words, line by line."""
    rows = [
        ("ledger", address),
        ("budget", f"epsilon {brief(terms.budget.epsilon)}, delta {brief(terms.budget.delta)}"),
        ("neighbours", terms.neighbours.value),
        ("protects", "not stated" if now.protects is None else str(now.protects)),
        ("questions", terms.accountant.in_words()),
        ("created", terms.created[:19].replace("T", " ") + " UTC"),
        ("charges", f"{left.charges}"),
        ("used", left.used_in_words.replace(" used", " of the allowance", 1)),
        ("still fits", f"epsilon up to {brief_down(left.largest_epsilon)} in one pure charge"),
    ]
    if now.witness:
        rows.append(("witness", now.witness))
    if left.delta > 0:
        rows.append(("own deltas", f"{brief(left.delta)} left for charges with a delta of their own"))
    return (*rows, *(("", words) for words in left.free))


def history(store: Store) -> tuple[Entry, ...]:
    """Every charge, the oldest first."""
    return tuple(Entry.of_line(line) for line in store.lines() if line.sequence > 0)


def verify(
    store: Store, proofs: tuple[str, ...] = (), *, progress: Progress = lambda done, total: None
) -> tuple[int, str]:
    """Check every line, every hash and every total; give the number of charges and the last hash.

    A proof, taken from a receipt and kept elsewhere, shows that the ledger was not rewritten as a whole. The lines are
    walked as they come, and none is kept.
    """
    wanted = [read_proof(proof) for proof in proofs]
    found: dict[int, str] = {}
    numbers = {sequence for sequence, _ in wanted}
    end, _ = store.head()
    previous: ChainLine | None = None
    shared: SharedOut | None = None
    for line in store.lines():
        check_link(previous, line)
        if previous is None:
            terms = Terms.of_line(line)
            standing = standing_of(line, terms)
        else:
            shared, standing = _next_standing(terms, shared, standing, line)
        previous = line
        if line.sequence in numbers:
            found[line.sequence] = line.hash
        if line.sequence % STRIDE == 0:
            progress(line.sequence, max(end, 1))
    if previous is None:
        raise LedgerDamaged("The ledger has no lines at all. Restore it from a copy.")
    for sequence, value in wanted:
        if found.get(sequence) != value:
            raise rewritten(sequence)
    return previous.sequence, previous.hash


def _next_standing(
    terms: Terms, shared: SharedOut | None, before: Standing, line: ChainLine
) -> tuple[SharedOut | None, Standing]:
    """What stands after a line, if a charge, or an owner who states shares, can have brought it about."""
    entry, after = Entry.of_line(line), standing_of(line, terms)
    if not (grows(before.totals, after.totals) and terms.accountant.allows(after.totals)):
        raise _foreign(line, "brings a total down, or over its limit, which no charge can")
    try:
        bound(before.protects, after.protects, "")
    except BadValue:
        told = f"protects {after.protects or 'nobody'}, the lines before it {before.protects}"
        raise _foreign(line, f"{told}, which no charge can change") from None
    stated = stated_shares(line) if entry.states else shared
    if stated is not None and entry.states:
        holds = after.shares is not None and check_statement(stated, before, after)
    else:
        holds = check_step(shared, before, after, entry.whose, at=entry.at)
    if not holds:
        raise _foreign(line, "takes from a share what no charge can, or gives back what was used")
    return stated, after


def _foreign(line: ChainLine, what: str) -> LedgerDamaged:
    return LedgerDamaged(f"Line {line.sequence} of the ledger {what}. The ledger was not written by banister alone.")


def _refusal(terms: Terms, charge: Charge, refused: _Refused) -> str:
    epsilon, delta = charge.epsilon, charge.delta
    what = "a loss without a bound" if epsilon is None else f"epsilon = {brief(epsilon)}"
    what += f", delta = {brief(delta)}" if delta > 0 else ""
    why = terms.accountant.why_not(refused.totals, charge)
    largest = brief_down(terms.accountant.largest_epsilon(refused.totals))
    return (
        f"The charge '{charge.label}' ({what}) does not fit the budget {terms.budget} after "
        f"{_charges(refused.charges)}: {why} The largest epsilon that still fits is {largest}. Nothing was charged and "
        "nothing was drawn."
    )


def _charges(count: int) -> str:
    return "1 charge" if count == 1 else f"{count} charges"
