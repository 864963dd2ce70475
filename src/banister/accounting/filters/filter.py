"""Filters: when to stop, if each question may depend on all answers so far, its price included.

Composing the parameters that came up as if they had been fixed is unsound: docs/math/filters.md has the example. A
filter is a gate with a currency in which prices add up on every path. It stays sound because its limit holds for the
sum on each path, however the path was chosen.

Several gates may guard one ledger, and a charge passes if at least one of them still has room: delta is split among
them, and adding up epsilons takes next to none of it (docs/math/filters.md, "Several gates"). So every filter here also
takes whatever basic composition takes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from banister import need
from banister.accounting.charge import Charge
from banister.accounting.filters.basic import Basic
from banister.accounting.filters.concentrated import Concentrated
from banister.accounting.filters.curve import Curve
from banister.accounting.filters.gate import Gate
from banister.accounting.filters.gaussian import GaussianGate
from banister.accounting.filters.renyi import Renyi
from banister.accounting.filters.shelf import as_document, of_document
from banister.accounting.filters.units import Units
from banister.core.exact.numbers import Number, brief
from banister.core.privacy.guarantee import Guarantee

Total = Fraction | None
"""What has been charged in one currency; nothing for a gate that is closed for good."""

DUST = Fraction(1, 10**9)
"""Less room than this is not spoken of: it is left by rounding, and no answer is worth so little."""

SPARE = Fraction(1, 100)
"""The share of what is not reserved that lets Gaussian noise pass where epsilons are added up. Prices hardly depend on
it, as Gaussian tails are thin, and the other gate hardly misses it."""


class Guard(Enum):
    """Which filter watches over questions that are not known in advance.

    >>> [guard.value for guard in Guard]
    ['renyi', 'basic', 'zcdp', 'gdp', 'units', 'curve']
    >>> AsYouGo(guard=Guard.BASIC).guard is Guard("basic")
    True
    """

    RENYI = "renyi"
    """Rényi divergence of one order, fixed at creation: the best for most mixtures."""
    BASIC = "basic"
    """Add up epsilons and deltas: the best for a handful of questions."""
    ZCDP = "zcdp"
    """Concentrated privacy with the tight conversion; never ahead of RENYI, but a currency others know."""
    GDP = "gdp"
    """Gaussian privacy: the best where all noise is Gaussian, poor elsewhere."""
    UNITS = "units"
    """Equal small questions: loses nothing against a plan, poor for questions larger than the unit."""
    CURVE = "curve"
    """The whole curve, in Gaussian time: the nearest to a plan for many small questions of any kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsYouGo:
    """Questions that are not known in advance, and the filter that guards them.

    `reserve` is the share of the budget's delta that is kept for charges with a delta of their own.

    >>> AsYouGo().guard.value
    'renyi'
    """

    guard: Guard = Guard.RENYI
    reserve: Number = Fraction(1, 10)
    unit: Number = 0
    """The epsilon of one unit, for Guard.UNITS alone."""

    def __post_init__(self) -> None:
        need.one_of("guard", self.guard, tuple(Guard))
        need.between("reserve", self.reserve, 0, 1)
        if self.guard is Guard.UNITS:
            need.positive("unit", self.unit, "Guard.UNITS counts in equal units: say how large one is, e.g. unit=0.01.")

    @classmethod
    def in_units(cls, epsilon: Number) -> "AsYouGo":
        """Count in units of that epsilon."""
        return cls(guard=Guard.UNITS, unit=epsilon)


@dataclass(frozen=True, slots=True)
class Filter:
    """Gates in front of a budget. Totals are (delta, one currency a gate); prices are rounded up, limits down."""

    delta_limit: Fraction
    gates: tuple[Gate, ...]

    @property
    def mode(self) -> str:
        return "as you go"

    def in_words(self) -> str:
        """What kind of questions it takes, for people."""
        return f"as you go, guarded by: {'; or '.join(gate.in_words() for gate in self.gates)}"

    def start(self) -> tuple[Total, ...]:
        """The totals of a ledger without charges."""
        return (Fraction(0),) * (1 + len(self.gates))

    def prepare(self, charge: Charge) -> Callable[[tuple[Total, ...]], tuple[Total, ...] | None]:
        """Price a charge once; what is returned gives the totals after it, or nothing if it does not fit."""
        added = self.adding(charge)

        def after(totals: tuple[Total, ...]) -> tuple[Total, ...] | None:
            found = added(totals)
            return found if self.allows(found) else None

        return after

    def adding(self, charge: Charge) -> Callable[[tuple[Total, ...]], tuple[Total, ...]]:
        """Price a charge once; what is returned gives the totals after it, whether they fit or not."""
        pricers = [gate.pricer(charge.priced) for gate in self.gates]

        def added(totals: tuple[Total, ...]) -> tuple[Total, ...]:
            each = zip(pricers, totals[1:], strict=True)
            return _sums(totals, (charge.delta, *(None if t is None else price(t) for price, t in each)))

        return added

    def prices(self, charge: Charge) -> tuple[Total, ...]:
        """What a charge costs in each currency, on an empty ledger."""
        return (charge.delta, *(gate.price(charge.priced) for gate in self.gates))

    def place(self, totals: tuple[Total, ...], prices: tuple[Total, ...]) -> tuple[Total, ...] | None:
        """The totals after a charge, or nothing if no gate has room for it."""
        after = _sums(totals, prices)
        return after if self.allows(after) else None

    def allows(self, totals: tuple[Total, ...]) -> bool:
        """Whether the totals are within the delta and within the limit of at least one gate."""
        delta, *others = totals
        if delta is None or delta > self.delta_limit:
            return False
        return any(t is not None and t <= gate.limit for t, gate in zip(others, self.gates, strict=True))

    def largest_epsilon(self, totals: tuple[Total, ...]) -> Fraction:
        """The largest epsilon, rounded down, of a pure charge for which there is room; less than DUST is none."""
        rooms = [
            gate.epsilon_for(gate.limit - total)
            for total, gate in zip(totals[1:], self.gates, strict=True)
            if total is not None and total <= gate.limit
        ]
        room = max(rooms, default=Fraction(0))
        return room if room >= DUST else Fraction(0)

    def used(self, totals: tuple[Total, ...]) -> Fraction:
        """The share of the roomiest gate that is used."""
        return min([Fraction(1), *(share for share, _ in self._shares(totals))])

    def measure(self, totals: tuple[Total, ...]) -> str:
        """What the roomiest gate counts in; nothing where it adds up epsilons, or where nothing is used."""
        share, gate = min(self._shares(totals), key=lambda each: each[0], default=(Fraction(0), None))
        return "" if gate is None or gate.adds_epsilons or share == 0 else gate.in_words()

    def _shares(self, totals: tuple[Total, ...]) -> list[tuple[Fraction, Gate]]:
        """The used share of each gate that is open."""
        return [
            (total / gate.limit, gate)
            for total, gate in zip(totals[1:], self.gates, strict=True)
            if total is not None and gate.limit > 0
        ]

    def delta_left(self, totals: tuple[Total, ...]) -> Fraction:
        """What is left for charges with a delta of their own."""
        return self.delta_limit - (totals[0] or Fraction(0))

    def free(self, totals: tuple[Total, ...]) -> tuple[str, ...]:
        """Each gate with what is left in it, in words."""
        return tuple(
            f"{gate.in_words()}: {'closed' if total is None else f'{float(total):.6g} of {float(gate.limit):.6g}'}"
            for total, gate in zip(totals[1:], self.gates, strict=True)
        )

    def why_not(self, totals: tuple[Total, ...], charge: Charge) -> str:
        """Why a charge does not fit, in words."""
        prices = self.prices(charge)
        if all(price is None for price in prices[1:]):
            return (
                "the ledger's filter cannot price a loss without a bound. Charge it as a bn.Guarantee(epsilon, delta) "
                "that it keeps, or keep a ledger with another guard."
            )
        if (prices[0] or 0) > self.delta_left(totals):
            left = brief(self.delta_left(totals))
            return f"{left} is left for charges with a delta of their own; `reserve` sets that when a ledger is made."
        return "the total would go over the budget."

    def document(self) -> dict[str, object]:
        """The filter as it is written in the ledger's first line."""
        return {"delta": str(self.delta_limit), "gates": [as_document(gate) for gate in self.gates]}

    @classmethod
    def of_document(cls, document: dict[str, object]) -> "Filter":
        """The filter that a ledger's first line names."""
        gates = document["gates"]
        assert isinstance(gates, list)
        return cls(Fraction(str(document["delta"])), tuple(of_document(gate) for gate in gates))


def _sums(totals: tuple[Total, ...], prices: tuple[Total, ...]) -> tuple[Total, ...]:
    return tuple(
        None if total is None or price is None else total + price for total, price in zip(totals, prices, strict=True)
    )


def filter_for(budget: Guarantee, questions: AsYouGo) -> Filter:
    """The filter whose totals, on every path, stay within the budget.

    >>> filter_for(Guarantee(1, 1e-6), AsYouGo()).gates[1].limit > 0
    True
    """
    if questions.guard is Guard.BASIC or budget.delta == 0:  # Without a delta nothing is better than adding up.
        return Filter(budget.delta, (Basic(budget.epsilon),))
    reserve = budget.delta * need.exact("reserve", questions.reserve)
    spare = (budget.delta - reserve) * SPARE
    inner = Guarantee(budget.epsilon, budget.delta - reserve - spare)
    return Filter(reserve, (Basic(budget.epsilon, spare), *_gate(inner, questions)))


def _gate(inner: Guarantee, questions: AsYouGo) -> tuple[Gate, ...]:
    if inner.delta == 0 or inner.epsilon == 0:
        return ()
    makers: dict[Guard, Callable[[], Gate]] = {
        Guard.RENYI: lambda: Renyi.for_budget(inner),
        Guard.ZCDP: lambda: Concentrated.for_budget(inner),
        Guard.GDP: lambda: GaussianGate.for_budget(inner),
        Guard.CURVE: lambda: Curve.for_budget(inner),
        Guard.UNITS: lambda: Units.for_budget(inner, need.exact("unit", questions.unit)),
    }
    gate = makers[questions.guard]()
    # Where even a divergence of 0 does not give the budget, a charge at the price 0 would not keep it.
    return (gate,) if gate.limit > 0 else ()
