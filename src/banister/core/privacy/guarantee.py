"""What is promised, and about whom."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from banister import need
from banister.core.exact.numbers import Number, brief
from banister.errors import BadValue


class Neighbours(Enum):
    """Which two tables the guarantee makes hard to tell apart.

    >>> [relation.value for relation in Neighbours]
    ['add-remove', 'replace']
    >>> Neighbours("replace") is Neighbours.REPLACE
    True
    """

    ADD_REMOVE = "add-remove"
    """One has all records of one person more than the other."""
    REPLACE = "replace"
    """The records of one person are exchanged for those of another; the number of people stays."""


@dataclass(frozen=True, slots=True, init=False)
class Guarantee:
    """(epsilon, delta)-differential privacy: P(S) ≤ e^epsilon · Q(S) + delta for neighbours and every event S.

    >>> Guarantee(0.5)
    Guarantee(epsilon=0.5, delta=0)
    >>> print(Guarantee(1, 1e-6))
    (1, 1e-06)
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number = 0) -> None:
        object.__setattr__(self, "epsilon", need.non_negative("epsilon", epsilon))
        object.__setattr__(self, "delta", need.between("delta", delta, 0, 1))

    @classmethod
    def pure(cls, epsilon: Number) -> "Guarantee":
        """Pure differential privacy: delta is 0."""
        return cls(epsilon, 0)

    def __str__(self) -> str:
        return f"({brief(self.epsilon)}, {brief(self.delta)})"

    def __repr__(self) -> str:
        return f"Guarantee(epsilon={brief(self.epsilon)}, delta={brief(self.delta)})"

    def _repr_html_(self) -> str:
        """Numbers alone, so nothing is there to be escaped."""
        but = f", but for a chance of {brief(self.delta)}" if self.delta else ""
        return (
            f"<p>(ε, δ) = {self}: whatever is seen is at most e<sup>{brief(self.epsilon)}</sup> times as likely with "
            f"one person's data as with those of a neighbour{but}.</p>"
        )


def guarantee(name: str, value: Guarantee) -> Guarantee:
    """A guarantee that was given as one; two numbers alone do not say which is which, and are refused in words."""
    if isinstance(value, Guarantee):
        return value
    raise BadValue(f"{name} = {value!r} must be a guarantee: write {name}=bn.Guarantee(epsilon, delta).")
