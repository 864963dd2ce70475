"""What a mechanism states about itself: for which questions it is made, and by which theorem nothing is better.

Every file listed in `ALL` has two names that the rest of the house reads: `OFFERS`, a tuple of the values below, and
`examples()`. Whoever compares, draws or plans noise asks these; no list of mechanisms is kept beside them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.cost import Cost, CostLike
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue

HINT = "To publish nothing, leave the question out."


class Over(Enum):
    """What kind of number the answer is.

    >>> from banister import least_noise
    >>> least_noise(epsilon=1, sensitivity=1, over=Over.INTEGERS).best.name
    'geometric'
    """

    REALS = "reals"
    INTEGERS = "integers"


class Touches(Enum):
    """Which coordinates of a vector a neighbour can move.

    >>> from banister import least_noise
    >>> found = least_noise(epsilon=1, sensitivity=1, dimension=2, touches=Touches.ONE)
    >>> round(found.best.risk, 6)
    1.919035
    """

    ONE = "one"
    """One of them, by the sensitivity: a histogram in which a person is in one cell."""
    ALL = "all"
    """All of them, by the sensitivity in total (the l1 norm)."""


class Serves(Enum):
    """What kind of answer a mechanism adds its noise to."""

    INTEGERS = "a whole number"
    LINE = "a real number"
    INTEGER_VECTORS = "whole numbers that a neighbour moves together"
    VECTORS = "real numbers that a neighbour moves together"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseQuestion:
    """What is asked: a guarantee, how far a neighbour moves the answer, and what an error costs."""

    guarantee: Guarantee
    sensitivity: Fraction
    over: Over
    cost: Cost
    dimension: int
    touches: Touches

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number,
        delta: Number,
        sensitivity: Number,
        over: Over | str,
        cost: CostLike,
        dimension: Number,
        touches: Touches | str,
    ) -> "NoiseQuestion":
        """The question in the words of a user, checked."""
        guarantee = Guarantee(need.between("epsilon", epsilon, 0, need.LARGEST_EPSILON, HINT), delta)
        if guarantee.epsilon == 0 and guarantee.delta == 0:
            raise BadValue(f"epsilon = 0 and delta = 0 allow no answer at all. {HINT}")
        kind = Over(need.one_of("over", getattr(over, "value", over), tuple(each.value for each in Over)))
        reach = need.size("sensitivity", sensitivity)
        if kind is Over.INTEGERS:
            need.whole(
                "sensitivity", sensitivity, least=1, hint="Answers that are whole numbers move by whole numbers."
            )
        return cls(
            guarantee=guarantee,
            sensitivity=reach,
            over=kind,
            cost=Cost.of(cost),
            dimension=need.whole("dimension", dimension, least=1),
            touches=Touches(
                need.one_of("touches", getattr(touches, "value", touches), tuple(each.value for each in Touches))
            ),
        )

    @property
    def epsilon(self) -> Fraction:
        return self.guarantee.epsilon

    @property
    def delta(self) -> Fraction:
        return self.guarantee.delta

    @property
    def steps(self) -> int:
        """The sensitivity of an answer in whole numbers."""
        return int(self.sensitivity)

    def at(self, guarantee: Guarantee) -> "NoiseQuestion":
        """The same question for another guarantee."""
        return replace(self, guarantee=guarantee)


class AnyNoise(Protocol):
    """What a comparison asks of every noise, for one number or for many."""

    def loss(self) -> PrivacyLoss: ...

    def risk_for(self, cost: CostLike) -> float: ...


NoiseMade = TypeVar("NoiseMade", bound=AnyNoise, covariant=True)


def always(question: NoiseQuestion) -> bool:
    """The mechanism answers whatever is asked of its kind."""
    return True


def unproven(question: NoiseQuestion) -> str:
    """No theorem says that nothing is better."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(Generic[NoiseMade]):
    """One way in which a mechanism answers a question about noise."""

    name: str
    """As people read it in a table."""
    serves: Serves
    kind: type[NoiseMade]
    make: Callable[[NoiseQuestion], NoiseMade]
    """The mechanism that gives the guarantee; only asked where the offer fits."""
    fits: Callable[[NoiseQuestion], bool] = always
    """Whether the guarantee, the sensitivity and the cost are such as it is made for."""
    optimal: Callable[[NoiseQuestion], str] = unproven
    """The theorem by which nothing is better for this question, among noises that are added to an answer of any size
    and do not depend on it; empty where there is none."""
    bound: Callable[[NoiseQuestion], float] | None = None
    """A lower bound on the expected cost of any noise, where making the noise also gives one: certified for a cost
    that is written exactly, numerical for a function."""
    quick: bool = True
    """Made in milliseconds. What is not is left out where many guarantees are tried, as in a figure."""
    on_grid: bool = False
    """For noise on the whole numbers that has no twin on the real line: there it is put to work on a grid."""
    instead_of: type[AnyNoise] | None = None
    """For noise on vectors that is this noise on every coordinate: that one is not offered once more by itself."""


class Mechanism(Protocol):
    """A file of the shelf: what `ALL` lists."""

    @property
    def __name__(self) -> str: ...

    @property
    def OFFERS(self) -> tuple[Offer[AnyNoise], ...]: ...  # noqa: N802  (a name of the file)

    def examples(self) -> tuple[AnyNoise, ...]: ...
