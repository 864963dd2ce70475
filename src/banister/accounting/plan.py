"""A plan: questions fixed before the first answer, accounted exactly.

The slots of a plan may be used in any order and not all of them need be used. The transcript is then still a
post-processing of one independent draw a slot, all made in advance, so the exact composition of the slots holds
([KOV15] Thm 2.5 and Thm 3.3; docs/math/filters.md, "A plan").
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from banister.accounting.filters import Total
from banister.core.guarantee import Guarantee
from banister.core.loss import PrivacyLoss


@dataclass(frozen=True, slots=True)
class Slot:
    """Room for `count` questions of one kind: that very loss, or whatever the guarantee covers."""

    count: int
    loss: str
    """Fingerprint of the loss."""
    guarantee: Guarantee | None
    """Set where the slot is for any question of that guarantee; nothing where it is for one mechanism alone."""

    @classmethod
    def of(cls, loss: PrivacyLoss, count: int, guarantee: Guarantee | None) -> "Slot":
        return cls(count, fingerprint(loss), guarantee)

    def admits(self, loss: PrivacyLoss) -> bool:
        """Whether a question of that loss may take a place here: it gives away no more, certainly."""
        if fingerprint(loss) == self.loss:
            return True
        if self.guarantee is None:
            return False
        return Fraction(loss.delta_at(self.guarantee.epsilon).up) <= self.guarantee.delta

    def in_words(self) -> str:
        """The slot, for people."""
        return f"one mechanism ({self.loss[:8]})" if self.guarantee is None else str(self.guarantee)


def fingerprint(loss: PrivacyLoss) -> str:
    """A short name that is equal for equal losses, on every machine."""
    return hashlib.sha256(repr(loss.law.identity()).encode()).hexdigest()[:32]


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

    def prepare(self, loss: PrivacyLoss) -> Callable[[tuple[Total, ...]], tuple[Total, ...] | None]:
        """Find the slots for a loss once; what is returned gives the totals after it, or nothing if none is free."""
        places = self.places(loss)
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

    def delta_left(self, totals: tuple[Total, ...]) -> Fraction:
        """A plan keeps nothing back: the deltas of its slots are in the account already."""
        return Fraction(0)

    def free(self, totals: tuple[Total, ...]) -> tuple[str, ...]:
        """The free places, in words."""
        left = [slot.count - int(total or 0) for total, slot in zip(totals, self.slots, strict=True)]
        return tuple(f"{n} x {slot.in_words()}" for n, slot in zip(left, self.slots, strict=True) if n > 0)

    def why_not(self, totals: tuple[Total, ...], loss: PrivacyLoss) -> str:
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
