"""The mass at infinity of a composition as an exact fraction, for the questions that a ball cannot decide.

A composition keeps the delta 1 − Π(1 − deltaᵢ) at the sum of its epsilons, and at nothing less: the first corner of the
composition theorem. Whether a target is above, at or below that number decides between a finite epsilon and none.
"""

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, fmpz

from banister.core.composition.law import Law

MOST_BITS = 1 << 24
"""Numbers longer than this are not written out; a composition of so many releases is decided by balls alone."""


def survivals(terms: Sequence[tuple[Law, int]]) -> tuple[fmpz, fmpz] | None:
    """Π (1 − escape) as a numerator and a denominator, not reduced; nothing if one is no fraction or too long."""
    kept: list[tuple[Fraction, int]] = []
    for law, count in terms:
        escape = law.escape()
        if escape is None:
            return None
        if escape:
            kept.append((1 - escape, count))
    if sum(count * share.denominator.bit_length() for share, count in kept) > MOST_BITS:
        return None
    above, below = fmpz(1), fmpz(1)
    for share, count in kept:
        above *= fmpz(share.numerator) ** count
        below *= fmpz(share.denominator) ** count
    return above, below


def infinite(terms: Sequence[tuple[Law, int]]) -> arb:
    """1 − Π(1 − mass at infinity) as a ball of full relative precision, however small it is."""
    large, small = arb(1), arb(0)
    for law, count in terms:
        mass = law.infinite()
        if mass < 0.5:
            small += count * (-mass).log1p()
        else:
            large *= (1 - mass) ** count
    return (1 - large) - large * small.expm1()


def room(terms: Sequence[tuple[Law, int]], target: Fraction) -> arb | None:
    """target − (1 − Π(1 − escape)) to the full relative precision, and exactly 0 where it is; nothing if not known."""
    kept = survivals(terms)
    if kept is None:
        return None
    above, below = kept
    top = (target.numerator - target.denominator) * below + target.denominator * above
    return arb(top) / (arb(target.denominator) * arb(below))
