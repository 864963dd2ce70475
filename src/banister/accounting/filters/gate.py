"""A gate: a currency in which prices of losses add up under full adaptivity, with a limit for a budget.

Every price is rounded up and every limit down, on a lattice of 2^-64, so totals stay short and exact.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

from flint import arb

from banister.accounting.charge import largest_finite_loss
from banister.core.composition.law import Law
from banister.core.exact.numbers import BALL_BITS, ball, precision, scaled_floor
from banister.core.exact.search import halved, largest_whole
from banister.core.privacy.loss import PrivacyLoss

LATTICE_BITS = 64
TURNS, CLOSE = 8, 2.0**-45
"""So often a double is improved, at most, until it changes by this part of itself."""


class Gate(ABC):
    """One currency and its limit."""

    __slots__ = ()

    adds_epsilons: ClassVar[bool] = False
    """Whether the currency is epsilon itself: then a finer rung may take a coarser one's place for the difference."""

    limit: Fraction

    @abstractmethod
    def price(self, loss: PrivacyLoss) -> Fraction | None:
        """What the loss costs, rounded up; nothing where this currency cannot express it."""

    @abstractmethod
    def in_words(self) -> str:
        """The currency, for people."""

    def pricer(self, loss: PrivacyLoss) -> Callable[[Fraction], Fraction | None]:
        """What the loss costs after so much has been charged; the same always, but for `Curve`."""
        price = self.price(loss)
        return lambda charged: price

    def epsilon_for(self, room: Fraction) -> Fraction:
        """The largest epsilon, rounded down, whose pure charge costs at most that much."""

        def price(epsilon: Fraction) -> Fraction | None:
            return self.price(PrivacyLoss.pure(epsilon))

        low, high = bracketed(price, room)
        found = largest(lambda epsilon: epsilon <= low or (epsilon < high and within(price(epsilon), room)))
        if found == 0 or within(price(found), room):
            return found
        return largest(lambda epsilon: within(price(epsilon), room))  # Prices that do not grow: every point is asked.


def bracketed(price: Callable[[Fraction], Fraction | None], room: Fraction) -> tuple[Fraction, Fraction]:
    """Two epsilons around the largest one whose price is within the room: one that was asked and is, one that is not.

    They are guessed in doubles, as if prices grew like a power, so that a search asks a dozen times and not sixty.
    Nothing rests on the guesses: a side that none of them settled is 0, or beyond all that is asked.
    """
    low, high = Fraction(0), Fraction(2**LATTICE_BITS)
    guess, power, before = math.sqrt(room) if 0 < room < high else 0.0, 2.0, (0.0, 0.0)

    def ask(epsilon: float) -> float:
        """The price there, in doubles; 0 where nothing is learnt from it."""
        nonlocal low, high
        point = down_to_lattice(Fraction(epsilon))
        if not low < point < high:
            return 0.0
        found = price(point)
        low, high = (point, high) if within(found, room) else (low, point)
        return 0.0 if found is None else float(found)

    for _ in range(TURNS):
        paid = ask(guess)
        if paid == 0:
            break
        if before[1] not in (0.0, paid):
            power = min(4.0, max(0.25, math.log(paid / before[1]) / math.log(guess / before[0])))
        before, guess = (guess, paid), guess * (float(room) / paid) ** (1 / power)
        if abs(guess - before[0]) <= CLOSE * guess:
            break
    ask(guess * (1 - CLOSE))
    ask(guess * (1 + CLOSE))
    return low, high


def largest(holds: Callable[[Fraction], bool]) -> Fraction:
    """The largest lattice point for which a condition holds that fails from some point on; 0 if it never does."""
    step = Fraction(1, 2**LATTICE_BITS)

    def at(steps: int) -> bool:
        return holds(steps * step)

    if at(2**LATTICE_BITS):
        return step * largest_whole(at, rounds=52)
    # Below 1 the power of two is found by halving, not by doubling up from the first step: the same answer after some
    # six questions, not sixty.
    failing, holding = halved(lambda power: at(2**power), LATTICE_BITS, -1)
    return step * halved(at, 2**failing, 2**holding, rounds=52)[1] if holding >= 0 else Fraction(0)


def term_by_term(loss: PrivacyLoss, *, pure: Callable[[arb], arb], gaussian: Callable[[arb], arb]) -> Fraction | None:
    """Add up the prices of the parts of a loss, each by itself Gaussian or bounded."""
    total = arb(0)
    with precision(BALL_BITS):
        for law, count in loss.terms:
            mu_squared, epsilon = law.gaussian(), bound_of(law)
            if mu_squared is not None:
                total += count * gaussian(ball(mu_squared))
            elif epsilon is not None:
                total += count * pure(ball(epsilon))
            else:
                return None
        return up(total)


def bound_of(law: Law) -> Fraction | None:
    return largest_finite_loss(PrivacyLoss(((law, 1),)))


def up(x: arb) -> Fraction | None:
    """The price at or above a ball, never below 0; nothing where it has no bound."""
    if not x.is_finite():
        return None
    return max(Fraction(0), Fraction(-scaled_floor(-x, LATTICE_BITS)[0], 2**LATTICE_BITS))


def down(x: arb) -> Fraction:
    return Fraction(scaled_floor(x, LATTICE_BITS)[0], 2**LATTICE_BITS)


def down_to_lattice(value: Fraction) -> Fraction:
    return Fraction(math.floor(value * 2**LATTICE_BITS), 2**LATTICE_BITS)


def up_to_lattice(value: Fraction) -> Fraction:
    return -down_to_lattice(-value)


def within(price: Fraction | None, room: Fraction) -> bool:
    return price is not None and price <= room
