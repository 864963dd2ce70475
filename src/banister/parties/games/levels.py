"""What each party promises itself, and the one symbol that it says.

A party with the level (epsilon, delta) says one of four symbols. With l = e^epsilon:

    holds 0:   sure 0: delta   0: (1 - delta) l/(1 + l)   1: (1 - delta)/(1 + l)     sure 1: 0
    holds 1:   sure 0: 0       0: (1 - delta)/(1 + l)     1: (1 - delta) l/(1 + l)   sure 1: delta
"""

import math
from collections.abc import Sequence
from enum import IntEnum
from fractions import Fraction

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import Number, exp_ball
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource

LevelLike = Number | tuple[Number, Number] | Guarantee


class Symbol(IntEnum):
    """What a party says: a randomized 0 or 1, or (with chance delta) its bit for sure."""

    ZERO = 0
    ONE = 1
    SURE_ZERO = 2
    SURE_ONE = 3


ABSENT = Guarantee(0, 0)
"""The level of a party that says nothing: what is missing tells nothing."""


def level_of(value: LevelLike) -> Guarantee:
    """A level from what people write: epsilon alone, a pair (epsilon, delta), or a Guarantee.

    >>> level_of((1, 0.5))
    Guarantee(epsilon=1, delta=0.5)
    """
    if isinstance(value, Guarantee):
        return value
    if isinstance(value, tuple):
        if len(value) != 2:
            raise BadValue(f"A level has {len(value)} numbers; it is epsilon, or a pair (epsilon, delta).")
        return Guarantee(*value)
    return Guarantee(value)


def levels_of(values: Sequence[LevelLike], parties: int) -> tuple[Guarantee, ...]:
    """One level for each party."""
    if len(values) != parties:
        raise BadValue(f"{len(values)} levels were given for {parties} parties. Give one level for each party.")
    return tuple(level_of(value) for value in values)


def symbols_of(level: Guarantee) -> tuple[Symbol, ...]:
    """The symbols that a party of that level can say; none for one that says nothing."""
    if level == ABSENT:
        return ()
    return tuple(Symbol) if level.delta > 0 else (Symbol.ZERO, Symbol.ONE)


def keep_chance(epsilon: Fraction) -> float:
    """e^epsilon/(1 + e^epsilon), as a double."""
    return 1 / (1 + math.exp(-min(epsilon, Fraction(10**6))))


def response_matrix(level: Guarantee) -> Floats:
    """The law of the symbol: one row for each bit, one column for each of `symbols_of` (one for silence).

    >>> response_matrix(Guarantee(0, 0.5)).tolist()
    [[0.25, 0.25, 0.5, 0.0], [0.25, 0.25, 0.0, 0.5]]
    """
    if level == ABSENT:
        return np.ones((2, 1))
    keep, delta = keep_chance(level.epsilon), float(level.delta)
    rest = float(1 - level.delta)
    likely, unlikely = rest * keep, rest * (1 - keep)
    if level.delta == 0:
        return np.array([[likely, unlikely], [unlikely, likely]])
    return np.array([[likely, unlikely, delta, 0.0], [unlikely, likely, 0.0, delta]])


def respond(level: Guarantee, bit: int, bits: BitSource) -> Symbol:
    """Draw what a party says, once, with exactly the chances of the level.

    Private:  (epsilon, delta) about the bit, and no smaller pair ([KOV15] Eqs. (17)-(18)).
    Optimal:  for delta = 0 as good as any protocol, however interactive; for delta > 0 among independent reports
              (docs/math/parties-optimality.md).

    >>> from banister.sampling.bits import SYSTEM
    >>> respond(Guarantee(3, 1), 0, SYSTEM).name
    'SURE_ZERO'
    """
    if bit not in (0, 1) or isinstance(bit, float):
        raise BadValue("The bit must be 0 or 1. Nothing was drawn.")  # The value is private, so it is not shown.
    # Both coins are always tossed, so that neither time nor bits used depend on the outcome of the first.
    sure = Coin(level.delta).draw(bits)
    kept = Coin(_keep(level.epsilon)).draw(bits)
    if sure:
        return Symbol.SURE_ONE if bit else Symbol.SURE_ZERO
    return Symbol(bit if kept else 1 - bit)


class _keep:  # noqa: N801  (a function with its parameter)
    """l/(1 + l), written with e^-epsilon so that a large epsilon does not overflow."""

    def __init__(self, epsilon: Fraction) -> None:
        self.epsilon = epsilon

    def __call__(self) -> arb:
        return 1 / (1 + exp_ball(-self.epsilon))


def possible(level: Guarantee, symbol: int) -> bool:
    """Whether a party of that level can say the symbol; a sure one takes a delta above 0."""
    return symbol in (Symbol.ZERO, Symbol.ONE) or (level.delta > 0 and symbol in tuple(Symbol))


def chance_of_one(prior: Fraction, level: Guarantee, symbol: int | None) -> float:
    """P(bit = 1 | symbol), for a party whose bit is 1 with the prior chance; None stands for silence."""
    start = float(prior)
    if symbol is None or level == ABSENT:
        return start
    if symbol >= Symbol.SURE_ZERO:
        return float(symbol == Symbol.SURE_ONE)
    keep = keep_chance(level.epsilon)
    one, zero = (keep, 1 - keep) if symbol == Symbol.ONE else (1 - keep, keep)
    total = start * one + (1 - start) * zero
    return start * one / total if total > 0 else start


def prior_of(value: Number, name: str = "prior") -> Fraction:
    """The chance that a party's bit is 1."""
    return need.between(name, value, 0, 1)
