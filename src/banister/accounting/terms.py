"""What a ledger's lines say: the terms in the first one, a charge in every other. All numbers are exact fractions."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from banister.accounting.chain import FORMAT, ChainLine
from banister.accounting.charge import Charge
from banister.accounting.filters import Filter, Total
from banister.accounting.plan import FixedPlan
from banister.accounting.protects import Protects
from banister.accounting.share_lines import STATED, ShareTotals, stated_document, stated_of
from banister.accounting.shares import HeldShare, SharedOut, Whose
from banister.core.exact.numbers import brief
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import LedgerDamaged, LedgerForeign
from banister.foreign import parse_json

MOST_BYTES = 1 << 24
"""Of the line that opens a ledger."""
_FRACTION = re.compile(r"-?\d{1,20000}(?:/[1-9]\d{0,20000})?", re.ASCII)
_ENDLESS = re.compile(r"[-+\d._/]+[eE][-+]?[\d_]{4,}")
Totals = tuple[Total, ...]
"""What has been charged so far, in the accountant's own currencies."""


class Accountant(Protocol):
    """Who decides whether a charge fits: a plan fixed in advance, or a filter. Fixed when the ledger is made."""

    @property
    def mode(self) -> str:
        """'plan' or 'as you go'."""
        ...

    def in_words(self) -> str:
        """What kind of questions it takes, for people."""
        ...

    def start(self) -> Totals:
        """The totals of a ledger without charges."""
        ...

    def prepare(self, charge: Charge) -> Callable[[Totals], Totals | None]:
        """Price a charge once; what is returned gives the totals after it, or nothing if it does not fit."""
        ...

    def allows(self, totals: Totals) -> bool:
        """Whether the totals are within the limits."""
        ...

    def largest_epsilon(self, totals: Totals) -> Fraction:
        """The largest epsilon, rounded down, of a pure charge that still fits."""
        ...

    def used(self, totals: Totals) -> Fraction:
        """The share of the allowance that is used, from 0 to 1."""
        ...

    def measure(self, totals: Totals) -> str:
        """By which measure that share is counted; nothing where epsilons or places are added up."""
        ...

    def delta_left(self, totals: Totals) -> Fraction:
        """What is left for charges with a delta of their own."""
        ...

    def free(self, totals: Totals) -> tuple[str, ...]:
        """What is left, in words."""
        ...

    def why_not(self, totals: Totals, charge: Charge) -> str:
        """Why a charge does not fit, in words."""
        ...

    def document(self) -> dict[str, object]:
        """The accountant as it is written in the first line."""
        ...


ACCOUNTANTS: dict[str, Callable[[dict[str, object]], Accountant]] = {
    "plan": FixedPlan.of_document,
    "as you go": Filter.of_document,
}
"""How to read an accountant back; a ledger has one of these modes for life."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Budget, neighbours and accountant of a ledger: fixed when it is made, and held by the chain like every line."""

    budget: Guarantee
    neighbours: Neighbours
    accountant: Accountant
    created: str
    protects: Protects | None = None
    """Whom it protects, where that was said when it was made; else the first charge that says so decides."""
    witness: str = ""
    """Where the head of the chain is kept a second time, or nothing."""

    def line(self) -> ChainLine:
        """The first line of a ledger under these terms."""
        return ChainLine.first(
            _text(
                {
                    "format": FORMAT,
                    "kind": "terms",
                    "epsilon": str(self.budget.epsilon),
                    "delta": str(self.budget.delta),
                    "neighbours": self.neighbours.value,
                    "mode": self.accountant.mode,
                    "accountant": self.accountant.document(),
                    "created": self.created,
                }
                | _standing(self.protects, self.witness)
            )
        )

    @classmethod
    def of_line(cls, line: ChainLine) -> "Terms":
        """Read the first line of a ledger."""
        try:
            document = _bounded(parse_json(line.body, "", most_bytes=MOST_BYTES))
            if document["kind"] != "terms" or document["format"] != FORMAT:
                raise LedgerForeign(
                    f"The ledger's first line is not of format {FORMAT}. Use the banister that made it."
                )
            return cls(
                budget=Guarantee(document["epsilon"], document["delta"]),
                neighbours=Neighbours(document["neighbours"]),
                accountant=ACCOUNTANTS[document["mode"]](document["accountant"]),
                created=document["created"],
                protects=Protects.of_document(document.get("protects")),
                witness=document.get("witness", ""),
            )
        except (KeyError, ValueError, TypeError, AttributeError, AssertionError, ArithmeticError) as error:
            raise _unreadable(0) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One charge, as the ledger tells it."""

    sequence: int
    at: str
    label: str
    plan: str
    epsilon: str
    """The largest epsilon of the charge as an exact fraction, or 'inf' where its loss has no bound."""
    delta: str
    totals: Totals
    hash: str
    protects: Protects | None = None
    """What the ledger protects from this line on, and under which schema; nothing where nobody has said so yet."""
    witness: str = ""
    key: str = ""
    keeps: Guarantee | None = None
    """What was asked for, where the loss has no bound and it was said; lines of older ledgers do not say it."""
    whose: Whose | None = None
    """On whose behalf it was charged; nothing where that was not said."""
    shares: ShareTotals | None = None
    """What each share has used from this line on; nothing where the ledger is not shared out."""
    states: bool = False
    """Whether the line states shares, and charges nothing."""

    @classmethod
    def of_line(cls, line: ChainLine) -> "Entry":
        """Read a line after the first."""
        try:
            document = json.loads(line.body)
            return cls(
                sequence=line.sequence,
                at=document["at"],
                label=document["label"],
                plan=document["plan"],
                epsilon=_stated(document["epsilon"]),
                delta=str(_number(document["delta"])),
                totals=tuple(None if text == "inf" else _number(text) for text in document["totals"]),
                hash=line.hash,
                protects=Protects.of_document(document.get("protects")),
                witness=document.get("witness", ""),
                key=document.get("key", ""),
                keeps=_kept_of(document.get("keeps")),
                whose=None if "whose" not in document else Whose(**document["whose"]),
                shares=ShareTotals.of_document(document.get("shares"), _number),
                states=document["kind"] == STATED,
            )
        except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise _unreadable(line.sequence) from error

    def in_words(self) -> str:
        """Epsilon, and delta where there is one."""
        level = self.level
        epsilon = "no bound" if level is None else _short(level.epsilon)
        delta = Fraction(self.delta) if level is None else level.delta
        return f"{epsilon}, {brief(delta)}" if delta else epsilon

    @property
    def level(self) -> Guarantee | None:
        """A guarantee that the charge keeps: its own numbers, or what was asked for where its loss has no bound."""
        return self.keeps if self.epsilon == "inf" else Guarantee(Fraction(self.epsilon), Fraction(self.delta))


def _short(value: Fraction) -> str:
    """A charge as it was asked for: sums of its parts may be a billionth off, which is nothing to read.

    >>> _short(Fraction(0.009999999999990905)), _short(Fraction(1, 3))
    ('0.01', '1/3')
    """
    text = brief(value)
    return text if len(text) <= 10 else f"{float(value):.6g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """All that the next charge must know of a ledger; each line carries it, so that the last one is enough."""

    totals: Totals
    protects: Protects | None
    witness: str
    shares: ShareTotals | None


def standing_of(line: ChainLine, terms: Terms) -> Standing:
    """What had been charged, and for whom, once a line was written."""
    if line.sequence == 0:
        start = terms.accountant.start()
        return Standing(totals=start, protects=terms.protects, witness=terms.witness, shares=None)
    return _standing_after(line)


@lru_cache(maxsize=4)
def _standing_after(line: ChainLine) -> Standing:
    """A line is read several times in one charge, and with many shares that takes longer than all the rest."""
    entry = Entry.of_line(line)
    return Standing(totals=entry.totals, protects=entry.protects, witness=entry.witness, shares=entry.shares)


def entry_writer(charge: Charge, *, at: str, nonce: str, whose: Whose | None = None) -> Callable[[Standing], str]:
    """The text of a line for a charge, once its totals are known; what can be worked out before is.

    The nonce makes the line like no other, so that whoever lost the connection can tell whether it was written.
    """
    epsilon = charge.epsilon
    fixed: dict[str, object] = {
        "kind": "charge",
        "at": at,
        "label": charge.label,
        "plan": charge.plan,
        "epsilon": "inf" if epsilon is None else str(epsilon),
        "delta": str(charge.delta),
        "nonce": nonce,
    }
    if charge.key:
        fixed["key"] = charge.key
    if charge.keeps is not None:
        fixed["keeps"] = {"epsilon": str(charge.keeps.epsilon), "delta": str(charge.keeps.delta)}
    if whose is not None:
        fixed["whose"] = {name: getattr(whose, name) for name in ("analyst", "project", "allowed")}
    return lambda after: _text(fixed | _carried(after))


def statement_writer(held: tuple[HeldShare, ...], *, by: str, at: str, nonce: str) -> Callable[[Standing], str]:
    """The text of a line that states shares; it charges nothing."""
    fixed: dict[str, object] = {
        "kind": STATED,
        "at": at,
        "label": f"shares stated by {by}",
        "plan": "",
        "epsilon": "0",
        "delta": "0",
        "nonce": nonce,
        "stated": stated_document(held),
    }
    return lambda after: _text(fixed | _carried(after))


@lru_cache(maxsize=4)
def stated_shares(line: ChainLine) -> SharedOut:
    """The shares that a line states; every charge asks for those of the same line."""
    try:
        return stated_of(line.sequence, _bounded(parse_json(line.body, "", most_bytes=MOST_BYTES))["stated"])
    except (KeyError, ValueError, TypeError, AttributeError, AssertionError, ArithmeticError) as error:
        raise _unreadable(line.sequence) from error


def _carried(after: Standing) -> dict[str, object]:
    """What every line carries on, so that the last one is enough."""
    totals = {"totals": ["inf" if total is None else str(total) for total in after.totals]}
    shares = {} if after.shares is None else {"shares": after.shares.document()}
    return totals | shares | _standing(after.protects, after.witness)


def _standing(protects: Protects | None, witness: str) -> dict[str, object]:
    """The fields that a line has only where there is something to say; lines of older ledgers have none of them."""
    stated: dict[str, object] = {} if protects is None else {"protects": protects.document()}
    return stated | ({"witness": witness} if witness else {})


def _text(document: dict[str, object]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _number(text: object) -> Fraction:
    """A fraction as the ledger writes it; any other spelling of a number may ask for more digits than a memory has."""
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise ValueError("not a fraction")
    return Fraction(text)


def _kept_of(found: object) -> Guarantee | None:
    """What a charge without a bound was asked to keep, where the line says it."""
    if found is None:
        return None
    if not isinstance(found, dict):
        raise TypeError("not an object")
    return Guarantee(_number(found["epsilon"]), _number(found["delta"]))


def _stated(text: object) -> str:
    return "inf" if text == "inf" else str(_number(text))


def _bounded(found: object) -> dict[str, Any]:
    """The terms, in which no text stands for a number of more digits than a memory has."""
    if not isinstance(found, dict):
        raise TypeError("not an object")
    waiting: list[object] = [found]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and _ENDLESS.fullmatch(value):
            raise ValueError("a number beyond what can be read")
        waiting.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    return found


def _unreadable(sequence: int) -> LedgerDamaged:
    return LedgerDamaged(
        f"Line {sequence} of the ledger does not read as what it should be. Restore the ledger from a copy."
    )
