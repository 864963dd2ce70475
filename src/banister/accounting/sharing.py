"""A shared ledger: state shares, and see to it that each charge fits those that cover it, in the same transaction.

The shares are read before the ledger is locked, and prices are worked out then; under the lock it is looked whether
they are still the same. Where an owner stated others in between, everything is done once more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from banister.accounting.chain import ChainLine
from banister.accounting.charge import Charge
from banister.accounting.filters import Filter
from banister.accounting.share_lines import ShareTotals
from banister.accounting.shares import Added, BudgetShare, HeldShare, SharedOut, Totals, Whose, hold
from banister.accounting.terms import Standing, Terms, standing_of, stated_shares, statement_writer
from banister.core.exact.numbers import brief, brief_down
from banister.errors import BadValue, LedgerDamaged, ShareExceeded

if TYPE_CHECKING:
    from banister.accounting.book import Store

T = TypeVar("T")


class Moved(Exception):
    """The shares were stated anew since they were read; nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLeft:
    """A share with what it has used and what is left of the part that is open.

    >>> from banister import Guarantee, Neighbours
    >>> from banister.accounting import AsYouGo, Ledger, BudgetShare, Whose
    >>> terms = {"budget": Guarantee(1), "neighbours": Neighbours.REPLACE, "questions": AsYouGo()}
    >>> ledger = Ledger.create("memory:", **terms)
    >>> ledger.state_shares([BudgetShare(guarantee=Guarantee("0.3"), analyst="ana")], by="olga")
    >>> [(left.share.name, str(left.largest_epsilon)) for left in ledger.shares()]
    [('ana', '3/10')]
    """

    share: BudgetShare
    part: Fraction
    """The part that is open now."""
    used: Fraction
    """The part of the whole share that is used; more than 1 where an owner allowed more."""
    largest_epsilon: Fraction
    """The largest epsilon, rounded down, of a pure charge that still fits it."""

    def __str__(self) -> str:
        opened = "" if self.part == 1 else f", {float(self.part):.0%} of it open"
        return (
            f"{self.share.name}: {self.share.guarantee}{opened}, {float(self.used):.0%} used; the largest epsilon that "
            f"still fits is {brief_down(self.largest_epsilon)}"
        )


@dataclass(frozen=True, slots=True)
class Dealing:
    """What one charge does to the shares that cover it."""

    shared: SharedOut | None
    whose: Whose | None
    add: Callable[[tuple[Totals, ...]], Added]
    charge: Charge
    at: str

    def after(self, before: ShareTotals | None) -> ShareTotals | None:
        """What the shares have used after the charge, or `ShareExceeded`; `Moved` where they are others by now."""
        if before is not None and self.whose is None:
            raise BadValue(
                f"The ledger's budget is shared out, so the charge '{self.charge.label}' must say whose it is: charge "
                "ledger.on_behalf(Whose(analyst=...)). Nothing was charged."
            )
        if (None if before is None else before.line) != (None if self.shared is None else self.shared.line):
            raise Moved
        if before is None or self.shared is None:
            return None
        added = self.add(before.totals)
        if added.over is not None:
            raise ShareExceeded(_refusal(self.shared.held[added.over], before.totals[added.over], self.charge, self.at))
        return ShareTotals(before.line, added.totals)


def dealing(store: "Store", terms: Terms, charge: Charge, whose: Whose | None, *, at: str) -> Dealing:
    """Read the shares that a charge counts in and price it in each. Without a name nothing is read."""
    shared = None if whose is None else shared_out(store, standing_of(store.last(), terms))
    if shared is None or whose is None:
        return Dealing(None, whose, lambda totals: Added(totals, None), charge, at)
    return Dealing(shared, whose, shared.adding(charge, whose, at=at), charge, at)


def shared_out(store: "Store", standing: Standing) -> SharedOut | None:
    """The shares that stand, or nothing where nobody has stated any."""
    if standing.shares is None:
        return None
    line = store.line(standing.shares.line)
    if line is None:
        raise LedgerDamaged(f"The ledger has lost line {standing.shares.line}, which states its shares. Restore it.")
    return stated_shares(line)


def until_settled(attempt: Callable[[], T]) -> T:
    """What an attempt gives, once nobody states other shares in its middle."""
    while True:
        try:
            return attempt()
        except Moved:
            continue


def state(
    store: "Store", terms: Terms, shares: Sequence[BudgetShare], *, by: str, at: str, nonce: str, witness: str
) -> None:
    """Write a line that states shares, from which on they hold. Those that were stated keep what they have used."""
    accountant = terms.accountant
    if not isinstance(accountant, Filter):
        raise BadValue(
            "A ledger with a plan cannot be shared out: its places are fixed. Make one for questions as you go."
        )
    reserve = accountant.delta_limit / terms.budget.delta if terms.budget.delta > 0 else Fraction(0)
    Whose(analyst=by)

    def attempt() -> ChainLine:
        before = shared_out(store, standing_of(store.last(), terms))
        held = hold(shares, budget=terms.budget, reserve=reserve, before=before)
        write = statement_writer(held, by=by, at=at, nonce=nonce)

        def decide(last: ChainLine) -> ChainLine:
            now = standing_of(last, terms)
            if (None if now.shares is None else now.shares.line) != (None if before is None else before.line):
                raise Moved
            used = () if now.shares is None else now.shares.totals
            fresh = tuple(each.filter.start() for each in held[len(used) :])
            totals = ShareTotals(last.sequence + 1, (*used, *fresh))
            return last.follow(
                write(Standing(totals=now.totals, protects=now.protects, witness=witness or now.witness, shares=totals))
            )

        return store.append(decide)

    until_settled(attempt)


def left(shared: SharedOut, used: ShareTotals, *, at: str, whose: Whose | None = None) -> tuple[ShareLeft, ...]:
    """What is left of the shares, or of those that cover somebody's charges."""
    return tuple(
        ShareLeft(
            share=held.share,
            part=held.share.part(at),
            used=held.used(totals),
            largest_epsilon=held.largest_epsilon(totals, at),
        )
        for held, totals in zip(shared.held, used.totals, strict=True)
        if whose is None or held.share.covers(whose)
    )


def check_step(shared: SharedOut | None, before: Standing, after: Standing, whose: Whose | None, *, at: str) -> bool:
    """Whether a charge can have led from one state of the shares to the next."""
    one, two = before.shares, after.shares
    if one is None or two is None or shared is None:
        return one is two
    if whose is None or one.line != two.line or len(one.totals) != len(two.totals):
        return False
    for held, old, new in zip(shared.held, one.totals, two.totals, strict=True):
        if not held.share.covers(whose):
            if old != new:
                return False
        elif not (grows(old, new) and (whose.allowed or held.fits(new, at))):
            return False
    return True


def check_statement(shared: SharedOut, before: Standing, after: Standing) -> bool:
    """Whether a line that states shares left what was used as it was, and began the new ones with nothing."""
    assert after.shares is not None
    used = () if before.shares is None else before.shares.totals
    fresh = tuple(each.filter.start() for each in shared.held[len(used) :])
    same = (before.totals, before.protects) == (after.totals, after.protects)
    return same and after.shares.line == shared.line and after.shares.totals == (*used, *fresh)


def grows(before: Totals, after: Totals) -> bool:
    """Whether no total fell, and none that was closed is open again."""
    if len(before) != len(after):
        return False
    return all(a is None or (b is not None and a >= b) for b, a in zip(before, after, strict=True))


def _refusal(held: HeldShare, used: Totals, charge: Charge, at: str) -> str:
    what = "a loss without a bound" if charge.epsilon is None else f"epsilon = {brief(charge.epsilon)}"
    part = held.share.part(at)
    opened = "" if part == 1 else f", of which {float(part):.0%} is open"
    largest = brief_down(held.largest_epsilon(used, at))
    return (
        f"The charge '{charge.label}' ({what}) does not fit the share of {held.share.name}, {held.share.guarantee}"
        f"{opened}. The largest epsilon that still fits it is {largest}. Nothing was charged and nothing was "
        "drawn; an owner can allow it."
    )
