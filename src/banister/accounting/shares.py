"""Shares of one budget, by analyst, project and period: a charge must fit every share that covers it, and the whole.

What is here is the rule alone. A share is a filter of its own over the charges that it covers, so it caps what is
composed from them; the ledger's filter goes on to hold for all charges together (docs/math/shares.md). Totals only
grow: a share that opens by the month, or is stated anew, moves its limit and never what was charged.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from banister import need
from banister.accounting.charge import Charge
from banister.accounting.filters import AsYouGo, Filter, Total, filter_for
from banister.accounting.filters.basic import Basic
from banister.accounting.filters.filter import DUST
from banister.accounting.filters.renyi import Renyi, renyi_limit
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue, ShareExceeded

Totals = tuple[Total, ...]
NAME = re.compile(r"[\w.@-]{1,60}")
MOST_SHARES = 200
"""Every line of a shared ledger carries what each share has used."""
SHUT = Fraction(-1)
"""The limit of a gate that lets nothing pass, not even what is priced at 0."""
_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A total that opens in equal parts, one with each month; what a month leaves is there in the next.

    >>> year = Opening(start="2026-01", months=12)
    >>> year.part("2025-12-31T23:59:59Z"), year.part("2026-03-01T00:00:00Z"), year.part("2031-01-01")
    (Fraction(0, 1), Fraction(1, 4), Fraction(1, 1))
    """

    start: str
    """The first month, e.g. 2026-01, in universal time."""
    months: int

    def __post_init__(self) -> None:
        if not (isinstance(self.start, str) and _MONTH.fullmatch(self.start)):
            raise BadValue(f"start = {self.start!r} must be a month such as '2026-01', the first that opens a part.")
        need.whole("months", self.months, least=1)

    def part(self, at: str) -> Fraction:
        """The part that is open at a moment, e.g. 2026-03-01T09:30:00Z."""
        begun = _month(at) - _month(self.start) + 1
        return min(Fraction(1), max(Fraction(0), Fraction(begun, self.months)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """On whose behalf a charge is made, for which project, and who allowed it where it goes above a share.

    >>> Whose(analyst="ana", project="trial").allowed
    ''
    """

    analyst: str
    project: str = ""
    allowed: str = ""

    def __post_init__(self) -> None:
        _named("analyst", self.analyst)
        for name in ("project", "allowed"):
            if getattr(self, name):
                _named(name, getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetShare:
    """What the charges of an analyst, of a project, or of one in the other may compose to; of everybody, without names.

    >>> share = BudgetShare(guarantee=Guarantee("0.3", "1e-7"), analyst="ana", project="trial")
    >>> share.name, share.covers(Whose(analyst="ana", project="trial")), share.covers(Whose(analyst="ana"))
    ('ana in trial', True, False)
    """

    guarantee: Guarantee
    analyst: str = ""
    project: str = ""
    opens: Opening | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.guarantee, Guarantee) or self.guarantee.epsilon == 0:
            raise BadValue("A share needs a bn.Guarantee(epsilon, delta) with an epsilon above 0.")
        for name in ("analyst", "project"):
            if getattr(self, name):
                _named(name, getattr(self, name))

    @property
    def name(self) -> str:
        """Whose share it is, in words; no two shares of a ledger have the same."""
        who = self.analyst or "everybody"
        return f"{who} in {self.project}" if self.project else who

    def covers(self, whose: Whose) -> bool:
        """Whether a charge counts in this share."""
        return self.analyst in ("", whose.analyst) and self.project in ("", whose.project)

    def part(self, at: str) -> Fraction:
        """The part of it that is open at a moment."""
        return Fraction(1) if self.opens is None else self.opens.part(at)


@dataclass(frozen=True, slots=True)
class HeldShare:
    """A share with the filter that holds it."""

    share: BudgetShare
    filter: Filter

    def fits(self, totals: Totals, at: str) -> bool:
        """Whether totals are within the part that is open."""
        delta, *others = totals
        part = self.share.part(at)
        if part == 0 or delta is None or delta > part * self.filter.delta_limit:
            return False
        return any(
            total is not None and total <= (part * gate.limit if gate.limit > 0 else gate.limit)
            for total, gate in zip(others, self.filter.gates, strict=True)
        )

    def largest_epsilon(self, totals: Totals, at: str) -> Fraction:
        """The largest epsilon, rounded down, of a pure charge for which the open part has room."""
        part = self.share.part(at)
        rooms = [
            gate.epsilon_for(part * gate.limit - total)
            for total, gate in zip(totals[1:], self.filter.gates, strict=True)
            if total is not None and gate.limit > 0 and total <= part * gate.limit
        ]
        room = max(rooms, default=Fraction(0)) if part > 0 else Fraction(0)
        return room if room >= DUST else Fraction(0)

    def used(self, totals: Totals) -> Fraction:
        """The part of the whole share that is used; more than 1 where an owner allowed more."""
        each = zip(totals[1:], self.filter.gates, strict=True)
        return min([t / gate.limit for t, gate in each if t is not None and gate.limit > 0], default=Fraction(1))


@dataclass(frozen=True, slots=True)
class SharedOut:
    """All shares of a ledger, as a line of it states them."""

    line: int
    """The number of that line."""
    held: tuple[HeldShare, ...]

    def covering(self, whose: Whose) -> tuple[int, ...]:
        """The places of the shares in which a charge counts; one whose analyst has no share of her own is refused."""
        places = tuple(place for place, held in enumerate(self.held) if held.share.covers(whose))
        if not whose.allowed and not any(self.held[place].share.analyst for place in places):
            about = f" in '{whose.project}'" if whose.project else ""
            raise ShareExceeded(
                f"'{whose.analyst}' has no share of this ledger's budget{about}. Nothing was charged. An owner can "
                "state one, or allow this request by itself."
            )
        return places

    def adding(self, charge: Charge, whose: Whose, *, at: str) -> "Callable[[tuple[Totals, ...]], Added]":
        """Price a charge once for the shares that cover it; what is returned adds it to what they have used."""
        added = {place: self.held[place].filter.adding(charge) for place in self.covering(whose)}

        def after(totals: tuple[Totals, ...]) -> Added:
            new = tuple(added[place](used) if place in added else used for place, used in enumerate(totals))
            over = next((place for place in added if not self.held[place].fits(new[place], at)), None)
            return Added(new, None if whose.allowed else over)

        return after


@dataclass(frozen=True, slots=True)
class Added:
    """What every share has used after a charge, and the place of one that has no room for it, or nothing."""

    totals: tuple[Totals, ...]
    over: int | None


def hold(
    shares: Iterable[BudgetShare], *, budget: Guarantee, reserve: Fraction, before: SharedOut | None
) -> tuple[HeldShare, ...]:
    """Each share with its filter. One that was stated before keeps its place and its currencies, and is still there."""
    given = {share.name: share for share in shares}
    known = {} if before is None else {held.share.name: held for held in before.held}
    listed = list(given.values())
    if len(listed) > MOST_SHARES:
        raise BadValue(f"{len(listed)} shares are more than the {MOST_SHARES} that a ledger holds.")
    for name in known:
        if name not in given:
            raise BadValue(
                f"The share of {name} is stated in the ledger and is missing now. What it has used does not come back, "
                "so state it again, with the guarantee that it shall have from now on."
            )
    for share in listed:
        _check_within(share, budget)
    order = [given[name] for name in known] + [share for share in listed if share.name not in known]
    return tuple(HeldShare(share, _filter(share.guarantee, reserve, known.get(share.name))) for share in order)


def _filter(guarantee: Guarantee, reserve: Fraction, before: HeldShare | None) -> Filter:
    """The filter of a share. Prices depend on the order and on what is spared for each epsilon, so these stay."""
    if before is None:
        return filter_for(guarantee, AsYouGo(reserve=reserve))
    gates = before.filter.gates
    spared = next((gate.spare / gate.limit for gate in gates if isinstance(gate, Basic)), Fraction(0))
    spare, order = spared * guarantee.epsilon, next((gate.order for gate in gates if isinstance(gate, Renyi)), None)
    own = guarantee.delta * reserve if spared > 0 or order is not None else guarantee.delta
    inner = guarantee.delta - own - spare
    if inner < 0:
        raise BadValue(
            f"A share of {guarantee} has too little delta for one that began as {before.share.guarantee}: keep its "
            "delta over its epsilon at least as large as it was."
        )
    basic = Basic(guarantee.epsilon, spare)
    if order is None:
        return Filter(own, (basic,))
    limit = renyi_limit(Guarantee(guarantee.epsilon, inner), order) if inner > 0 else Fraction(0)
    return Filter(own, (basic, Renyi(limit if limit > 0 else SHUT, order)))


def _check_within(share: BudgetShare, budget: Guarantee) -> None:
    if share.guarantee.epsilon > budget.epsilon or share.guarantee.delta > budget.delta:
        raise BadValue(
            f"The share of {share.name}, {share.guarantee}, is above the budget {budget}, of which it is a part. "
            "Give it at most as much epsilon and delta."
        )


def _named(what: str, name: object) -> None:
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        raise BadValue(
            f"{what} = {str(name)[:80]!r} must be a name of 1 to 60 letters, digits, dots, dashes, underscores or @."
        )


def _month(text: str) -> int:
    return 12 * int(text[:4]) + int(text[5:7])
