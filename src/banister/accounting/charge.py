"""A charge: what a release gives away, and what it was for. It is written to the ledger before anything is drawn."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb

from banister import need
from banister.accounting.protects import Protects
from banister.core.composition.law import GaussianLaw
from banister.core.exact.numbers import BALL_BITS, ball, fraction_up, precision
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss, own_delta
from banister.errors import BadValue

LONGEST_LABEL = 200
"""A label is one line for people; what was computed is named by the plan's hash."""

GRID_WIDTH = 1e-3
"""How finely a loss that is known by its curve alone is put on a grid, for filters: relative, in epsilon."""


class HasLoss(Protocol):
    """A mechanism, or whatever else knows what it gives away."""

    def loss(self) -> PrivacyLoss: ...


Cost = PrivacyLoss | Guarantee | HasLoss
"""What may be charged: a loss, a guarantee, or a mechanism."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What one release costs, for whom the guarantee speaks, and what it was for.

    >>> charge = Charge.of(Guarantee(0.1), label="median age", neighbours=Neighbours.REPLACE)
    >>> charge.label, charge.epsilon == Fraction(0.1), charge.delta
    ('median age', True, Fraction(0, 1))
    """

    loss: PrivacyLoss
    priced: PrivacyLoss
    """What filters price: the loss, with a law on a grid above each part that is known by its curve alone."""
    delta: Fraction
    """The probability that an answer tells the neighbours apart for certain: exact, or rounded up."""
    neighbours: Neighbours
    label: str
    plan: str
    """Hash of the plan that the release follows, or nothing."""
    protects: Protects | None = None
    """Whom it hides, and in which tables; nothing where the charge does not say."""
    key: str = ""
    """The caller's name for this one request: under the same key nothing is charged twice."""
    keeps: Guarantee | None = None
    """What was asked for, where the loss has no bound: it is proven to keep this. For people; no filter asks."""

    def __post_init__(self) -> None:
        if not (isinstance(self.label, str) and self.label.strip() and len(self.label) <= LONGEST_LABEL):
            raise BadValue(
                f"A charge needs a label of 1 to {LONGEST_LABEL} characters that says what it is for, "
                f"e.g. label='median age by ward'."
            )
        if not (self.label.isprintable() and self.plan.isprintable()):
            raise BadValue("The label and the plan of a charge must be one line without control characters.")
        if not (self.key.isprintable() and len(self.key) <= LONGEST_LABEL):
            raise BadValue(f"The key of a charge must be one line of at most {LONGEST_LABEL} characters.")

    @classmethod
    def of(
        cls,
        cost: Cost,
        *,
        label: str,
        neighbours: Neighbours,
        plan: str = "",
        protects: Protects | None = None,
        key: str = "",
        guarantee: Guarantee | None = None,
    ) -> "Charge":
        """The charge for a loss, a guarantee or a mechanism. One that states another relation itself is refused.

        A `guarantee` is what was asked for: it stands in the ledger where the loss has no bound, as of Gaussian noise.
        """
        loss = loss_of(cost)
        for said in (loss.neighbours, getattr(cost, "neighbours", None)):
            if isinstance(said, Neighbours) and said is not neighbours:
                raise BadValue(
                    f"What '{label}' is to be charged for speaks about {said.value} neighbours, the charge about "
                    f"{neighbours.value}: its loss says nothing about them. Plan it for {neighbours.value} neighbours."
                )
        priced = priceable(loss)
        delta = cost.delta if isinstance(cost, Guarantee) else escape(priced)
        bounded = guarantee is None or largest_finite_loss(priced) is not None
        if guarantee is not None and not bounded and not keeps(loss, guarantee):
            raise BadValue(f"What '{label}' is to be charged for is not proven to keep {guarantee}. Leave that out.")
        return cls(
            loss=loss,
            priced=priced,
            delta=delta,
            neighbours=neighbours,
            label=label,
            plan=plan,
            protects=protects,
            key=key,
            keeps=None if bounded else guarantee,
        )

    @property
    def epsilon(self) -> Fraction | None:
        """The epsilon that holds except with the probability delta; nothing where the loss has no bound."""
        return largest_finite_loss(self.priced)


def loss_of(cost: Cost) -> PrivacyLoss:
    """The privacy loss that something stands for."""
    if isinstance(cost, Guarantee):
        return PrivacyLoss.of_guarantee(cost)
    if isinstance(cost, PrivacyLoss):
        return cost
    ask = getattr(cost, "loss", None)
    if not callable(ask):
        raise BadValue(
            f"A {type(cost).__name__} cannot be charged. Give a Guarantee, such as bn.Guarantee(0.1), or a mechanism."
        )
    loss = ask()
    if not isinstance(loss, PrivacyLoss):
        raise BadValue(f"The loss of {type(cost).__name__} is a {type(loss).__name__}, not a PrivacyLoss.")
    return loss


def counted(item: Cost | tuple[Cost, int]) -> tuple[Cost, int]:
    """What is charged, and how often: an entry of a list of releases, alone or with a count.

    >>> counted((Guarantee(0.1), 30))[1], counted(Guarantee(0.1))[1]
    (30, 1)
    """
    if not isinstance(item, tuple):
        return item, 1
    if len(item) != 2 or not (isinstance(item[0], PrivacyLoss | Guarantee) or hasattr(item[0], "loss")):
        raise BadValue(
            f"{item!r} is not a release with a count. Write (bn.Guarantee(0.1, 1e-6), 30) for thirty releases of one "
            "guarantee, or bn.Guarantee(0.1, 1e-6) for one."
        )
    return item[0], need.whole("count", item[1], least=1)


def each_counted(releases: Iterable[Cost | tuple[Cost, int]]) -> list[tuple[Cost, int]]:
    """All entries of a list of releases, each with its count."""
    if not isinstance(releases, Iterable) or isinstance(releases, str | bytes):
        raise BadValue(
            f"{releases!r} is not a list of releases. Write [bn.Guarantee(0.1)] for one, or "
            "[(bn.Guarantee(0.1), 30)] for thirty."
        )
    return [counted(item) for item in releases]


def priceable(loss: PrivacyLoss) -> PrivacyLoss:
    """The loss itself where all its parts have known moments; a loss above it, on a grid, where one has none.

    The grid's law gives away more than the curve at every epsilon, in both directions; beyond its last point the mass
    is at infinity, and is charged as delta.
    """
    two = Fraction(2)
    return PrivacyLoss.of_terms(
        (law if law.moment(two).is_finite() else law.bounds(GRID_WIDTH)[0], count) for law, count in loss.terms
    )


def keeps(loss: PrivacyLoss, guarantee: Guarantee) -> bool:
    """Whether it is proven that a loss keeps a guarantee; False where it does not, or where that cannot be told.

    Certified:  the largest finite losses and the masses at infinity are added up in exact fractions; Gaussian terms, as
                one, must keep what that leaves of epsilon and delta ([KOV15] Thm 3.1). Where adding up is not enough,
                the upper end of the composed curve decides.

    >>> thirds = PrivacyLoss.pure(Fraction(1, 3)).times(3)
    >>> keeps(thirds, Guarantee(1)), keeps(thirds, Guarantee(Fraction(999, 1000)))
    (True, False)
    """
    bells = sum((mu * count for law, count in loss.terms if (mu := law.gaussian()) is not None), Fraction(0))
    rest = PrivacyLoss.of_terms((law, count) for law, count in loss.terms if law.gaussian() is None)
    bounded = largest_finite_loss(rest)
    if bounded is not None:
        left = guarantee.epsilon - bounded
        spare = guarantee.delta - sum((count * own_delta(law) for law, count in rest.terms), Fraction(0))
        if left >= 0 and spare >= 0:
            with precision(BALL_BITS):
                if bells == 0 or bool(GaussianLaw(bells).hockey_stick(left) <= ball(spare)):
                    return True
    return loss.keeps(guarantee)


def covers(paid: PrivacyLoss, owed: PrivacyLoss) -> bool:
    """Whether it is proven that what was paid is at least what is owed: the same loss, or a guarantee that it keeps."""
    if dict(paid.terms) == dict(owed.terms):
        return True
    epsilon = largest_finite_loss(paid)
    if epsilon is None:
        return False
    promise = Guarantee(epsilon, min(Fraction(1), sum((n * own_delta(law) for law, n in paid.terms), Fraction(0))))
    return dict(PrivacyLoss.of_guarantee(promise).terms) == dict(paid.terms) and keeps(owed, promise)


def largest_finite_loss(loss: PrivacyLoss) -> Fraction | None:
    """The largest finite loss, whichever neighbour is the true one; nothing where there is none."""
    total = Fraction(0)
    for law, count in loss.terms:
        tops = (law.top(), law.reverse().top())
        finite = [top for top in tops if top is not None]
        if len(finite) < len(tops):
            return None
        total += count * max(Fraction(0), *finite)
    return total


def escape(loss: PrivacyLoss) -> Fraction:
    """Upper bound of the probability that an output tells the neighbours apart for certain.

    The worse order of the neighbours is taken part by part, not for the whole: a gate that puts the worst pair of its
    (epsilon, delta) in the place of each part needs the delta of each (docs/math/filters.md, "One charge for several
    releases").
    """
    with precision(BALL_BITS):
        kept = arb(1)
        for law, count in loss.terms:
            kept *= (1 - arb.max(law.infinite(), law.reverse().infinite())) ** count
        return max(Fraction(0), fraction_up(1 - kept))
