"""A plan: questions fixed before the first answer, accounted exactly.

The slots of a plan may be used in any order and not all of them need be used. The transcript is then still a
post-processing of one independent draw a slot, all made in advance, so the exact composition of the slots holds
([KOV15] Thm 2.5 and Thm 3.3; docs/math/filters.md, "A plan").
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from banister import need
from banister.accounting.charge import Charge, Cost, each_counted, keeps, largest_finite_loss, loss_of
from banister.accounting.filters import Total
from banister.accounting.totals.scaling import largest_size
from banister.core.exact.numbers import brief, brief_down
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss, own_delta
from banister.errors import BadValue, BudgetExceeded

Questions = int | Sequence[Cost | tuple[Cost, int]]
"""A number of equal questions, or a list of guarantees, mechanisms or losses, each by itself or with a count."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Room for `count` questions of one kind: that very loss, or whatever the guarantee covers."""

    count: int
    loss: str
    """Fingerprint of the loss."""
    guarantee: Guarantee | None
    """Set where the slot is for any question of that guarantee; nothing where it is for one mechanism alone."""

    @classmethod
    def of(cls, cost: Cost, count: int) -> "Slot":
        """A slot for a guarantee takes whatever keeps it; one for a mechanism or a loss takes that alone."""
        return cls(count, fingerprint(loss_of(cost)), cost if isinstance(cost, Guarantee) else None)

    def admits(self, loss: PrivacyLoss) -> bool:
        """Whether a question of that loss may take a place here: it gives away no more, certainly."""
        if fingerprint(loss) == self.loss:
            return True
        if self.guarantee is None:
            return _worst_of(loss) == self.loss
        return keeps(loss, self.guarantee)

    def in_words(self) -> str:
        """The slot, for people."""
        if self.guarantee is None:
            return f"the mechanism {self.loss[:8]}"
        return f"({brief_down(self.guarantee.epsilon)}, {brief(self.guarantee.delta)})"


def fingerprint(loss: PrivacyLoss) -> str:
    """A short name that is equal for equal losses, on every machine."""
    return hashlib.sha256(repr(loss.law.identity()).encode()).hexdigest()[:32]


def _worst_of(loss: PrivacyLoss) -> str:
    """The name of the worst pair with the epsilon and the delta of a loss, which dominates it; empty where it has none.

    Earlier versions charged truncated staircases and channels as that pair, and planned slots for it.
    """
    epsilon = largest_finite_loss(loss)
    if epsilon is None:
        return ""
    delta = min(Fraction(1), sum((count * own_delta(law) for law, count in loss.terms), Fraction(0)))
    promise = Guarantee(epsilon, delta)
    return fingerprint(PrivacyLoss.of_guarantee(promise)) if keeps(loss, promise) else ""


@dataclass(frozen=True, slots=True)
class FixedPlan:
    """The slots of a plan. Totals count how many places of each are taken."""

    slots: tuple[Slot, ...]

    @property
    def mode(self) -> str:
        return "plan"

    def in_words(self) -> str:
        """What kind of questions it takes, for people."""
        return f"a plan of {sum(slot.count for slot in self.slots)}, fixed in advance"

    def start(self) -> tuple[Total, ...]:
        """The totals of a ledger without charges."""
        return (Fraction(0),) * len(self.slots)

    def prepare(self, charge: Charge) -> Callable[[tuple[Total, ...]], tuple[Total, ...] | None]:
        """Find the slots for a charge once; what is returned gives the totals after it, or nothing if none is free."""
        places = self.places(charge.loss)
        return lambda totals: self.place(totals, places)

    def places(self, loss: PrivacyLoss) -> tuple[int, ...]:
        """The slots that admit a loss, the tightest first."""
        name = fingerprint(loss)
        found = [index for index, slot in enumerate(self.slots) if slot.admits(loss)]
        return tuple(sorted(found, key=lambda index: (self.slots[index].loss != name, _size(self.slots[index]))))

    def place(self, totals: tuple[Total, ...], places: tuple[int, ...]) -> tuple[Total, ...] | None:
        """The totals after a charge, or nothing if no fitting place is free."""
        for index in places:
            taken = totals[index]
            if taken is not None and taken < self.slots[index].count:
                return (*totals[:index], taken + 1, *totals[index + 1 :])
        return None

    def allows(self, totals: tuple[Total, ...]) -> bool:
        """Whether no slot is filled beyond its places."""
        return all(t is not None and t <= slot.count for t, slot in zip(totals, self.slots, strict=True))

    def largest_epsilon(self, totals: tuple[Total, ...]) -> Fraction:
        """The largest epsilon for which a place is free."""
        free = [
            slot.guarantee.epsilon
            for total, slot in zip(totals, self.slots, strict=True)
            if slot.guarantee is not None and total is not None and total < slot.count
        ]
        return max(free, default=Fraction(0))

    def used(self, totals: tuple[Total, ...]) -> Fraction:
        """The share of all places that is taken."""
        return sum((total or Fraction(0) for total in totals), Fraction(0)) / sum(slot.count for slot in self.slots)

    def measure(self, totals: tuple[Total, ...]) -> str:
        """A plan counts places."""
        return ""

    def delta_left(self, totals: tuple[Total, ...]) -> Fraction:
        """A plan keeps nothing back: the deltas of its slots are in the account already."""
        return Fraction(0)

    def free(self, totals: tuple[Total, ...]) -> tuple[str, ...]:
        """The free places, in words."""
        left = [slot.count - int(total or 0) for total, slot in zip(totals, self.slots, strict=True)]
        return tuple(f"{n} x {slot.in_words()}" for n, slot in zip(left, self.slots, strict=True) if n > 0)

    def why_not(self, totals: tuple[Total, ...], charge: Charge) -> str:
        """Why a charge does not fit, in words."""
        free = self.free(totals)
        more = "; and more" if len(free) > 3 else ""
        return f"the ledger's plan has no free place for it. Free places: {'; '.join(free[:3]) or 'none'}{more}."

    def document(self) -> dict[str, object]:
        """The plan as it is written in the ledger's first line."""
        return {"slots": [_slot_document(slot) for slot in self.slots]}

    @classmethod
    def of_document(cls, document: dict[str, object]) -> "FixedPlan":
        """The plan that a ledger's first line holds."""
        slots = document["slots"]
        assert isinstance(slots, list)
        return cls(tuple(_slot(slot) for slot in slots))


def plan_for(budget: Guarantee, questions: Questions) -> FixedPlan:
    """The plan for so many equal questions, or for a list of them, if their exact composition is within the budget.

    >>> plan_for(Guarantee(1, "1e-6"), 100).in_words()
    'a plan of 100, fixed in advance'
    """
    if isinstance(questions, int | float):
        count = need.whole("questions", questions, least=1)
        return FixedPlan((Slot.of(Guarantee(_share(budget, count)), count),))
    items = each_counted(questions)
    if not items:
        raise BadValue("A plan needs at least one question, e.g. questions=[bn.Guarantee(0.1)] * 5 or questions=5.")
    if not _fits(items, budget):
        total = _total(items).epsilon_at(budget.delta).up
        raise BudgetExceeded(
            f"The plan gives away epsilon {total:.6g} at delta {brief(budget.delta)}; the budget is {budget}. Plan "
            f"fewer or smaller questions; questions=<a number> finds the largest equal ones. No ledger was made."
        )
    slots: dict[str, Slot] = {}
    for cost, count in items:
        slot = Slot.of(cost, count)
        before = slots.get(slot.loss)
        slots[slot.loss] = slot if before is None else replace(before, count=before.count + count)
    return FixedPlan(tuple(slots.values()))


def _share(budget: Guarantee, count: int) -> Fraction:
    """The largest epsilon of so many equal questions: the even share, or more where there is a delta."""
    even = budget.epsilon / count
    if budget.delta == 0:
        return even
    size = largest_size(PrivacyLoss.pure, total=budget, questions=count, beside=PrivacyLoss.nothing())
    return max(even, Fraction(size))


def _total(items: list[tuple[Cost, int]]) -> PrivacyLoss:
    return PrivacyLoss.nothing().with_(*(loss_of(cost).times(count) for cost, count in items))


def _fits(items: list[tuple[Cost, int]], budget: Guarantee) -> bool:
    """Whether the composition is within the budget, by adding up exactly or by its certified delta."""
    return keeps(_total(items), budget)


def _size(slot: Slot) -> tuple[Fraction, Fraction]:
    return (slot.guarantee.epsilon, slot.guarantee.delta) if slot.guarantee else (Fraction(0), Fraction(0))


def _slot_document(slot: Slot) -> dict[str, object]:
    document: dict[str, object] = {"count": slot.count, "loss": slot.loss}
    if slot.guarantee is not None:
        document |= {"epsilon": str(slot.guarantee.epsilon), "delta": str(slot.guarantee.delta)}
    return document


def _slot(document: dict[str, str]) -> Slot:
    level = Guarantee(document["epsilon"], document["delta"]) if "epsilon" in document else None
    return Slot(int(document["count"]), document["loss"], level)
