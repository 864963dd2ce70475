"""Which of two pairs gives away more, and the post-processing that proves it.

If the region of one pair includes that of another, some stochastic matrix turns its outputs into the other's under both
hypotheses ([KOV15] Thm 2.5). Regions are compared exactly, and the matrix is made in fractions (docs/math/regions.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from banister.core.exact.numbers import Number
from banister.core.privacy.region import PrivacyRegion
from banister.errors import BadValue

Pair = tuple[Sequence[Number], Sequence[Number]]
"""The probabilities of each output under one neighbour, and under the other."""

_Atom = tuple[Fraction, Fraction]
"""An output by its place p₀/(p₀ + p₁) and its mass p₀ + p₁."""


@dataclass(frozen=True, slots=True)
class Domination:
    """Whether one pair dominates another, with a witness for either answer; true where it does.

    >>> found = dominates((("3/4", "1/4"), ("1/4", "3/4")), (("1/2", "1/2"), ("1/3", "2/3")))
    >>> bool(found), found.matrix[0]
    (True, (Fraction(7, 12), Fraction(5, 12)))
    """

    matrix: tuple[tuple[Fraction, ...], ...] | None
    """Where it does: each row a law, and the matrix turns both laws of the first pair into those of the second."""
    weight: Fraction | None
    """Where it does not: Σ max(0, q₀ - weight · q₁) of the second pair is above that of the first."""

    def __bool__(self) -> bool:
        return self.matrix is not None


def dominates(first: Pair, second: Pair) -> Domination:
    """Whether every test on the second pair can be matched on the first; exact, with the matrix that proves it.

    >>> bool(dominates(((1, 0), (1, 0)), (("3/4", "1/4"), ("1/4", "3/4"))))
    False
    """
    for name, pair in (("first", first), ("second", second)):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise BadValue(
                f"{name} must be a pair of laws, the chances of the same outputs under each of two neighbours, such as "
                f"(('3/4', '1/4'), ('1/4', '3/4')); it is a {type(pair).__name__}. Losses of mechanisms are compared "
                "by their curves: a.loss().delta_at(epsilon) and b.loss().delta_at(epsilon)."
            )
    if includes(first, second):
        return Domination(_coupling(first, second), None)
    return Domination(None, _beaten_at(first, second))


def includes(first: Pair, second: Pair) -> bool:
    """Whether the region of the first pair includes that of the second."""
    return PrivacyRegion.of_pair(*first).includes(PrivacyRegion.of_pair(*second))


def _beaten_at(first: Pair, second: Pair) -> Fraction:
    """A weight at which the second pair's curve is above the first's: both are linear between likelihood ratios."""
    pairs = [[(Fraction(p), Fraction(q)) for p, q in zip(*pair, strict=True)] for pair in (first, second)]
    ratios = sorted({p / q for pair in pairs for p, q in pair if q})

    def curve(pair: list[tuple[Fraction, Fraction]], weight: Fraction) -> Fraction:
        return sum((p - weight * q for p, q in pair if p > weight * q), Fraction(0))

    return max(ratios, key=lambda weight: curve(pairs[1], weight) - curve(pairs[0], weight))


def _coupling(first: Pair, second: Pair) -> tuple[tuple[Fraction, ...], ...]:
    """The matrix, by giving each output of the second pair, from the least place on, its shadow in the first.

    Exact:  a shadow is a stretch of what is left of the first pair, in the order of places, of the right mass and mean.
            Its mean rises piecewise linearly with where it starts, so the start is a fraction ([BJ16] Sec. 4).
    """
    given, wanted = _atoms(first), _atoms(second)
    left = {i: mass for i, (_, mass) in enumerate(given) if mass}
    order = sorted(left, key=lambda i: given[i][0])
    moved = [[Fraction(0)] * len(wanted) for _ in given]
    for j in sorted((j for j, (_, mass) in enumerate(wanted) if mass), key=lambda j: wanted[j][0]):
        for i, mass in _shadow([(i, given[i][0], left[i]) for i in order if left[i]], *wanted[j]):
            moved[i][j] += mass
            left[i] -= mass
    rows = []
    for row, (_, mass) in zip(moved, given, strict=True):
        # An output that never comes may become anything.
        rows.append(tuple(each / mass for each in row) if mass else (Fraction(1), *([Fraction(0)] * (len(row) - 1))))
    return tuple(rows)


def _atoms(pair: Pair) -> list[_Atom]:
    both = [(Fraction(p), Fraction(q)) for p, q in zip(*pair, strict=True)]
    return [(p / (p + q) if p + q else Fraction(0), p + q) for p, q in both]


def _shadow(left: list[tuple[int, Fraction, Fraction]], place: Fraction, mass: Fraction) -> list[tuple[int, Fraction]]:
    """How much of each atom (number, place, mass), in rising order, makes up a stretch of that mass and mean place."""
    start, moment = Fraction(0), _moment(left, Fraction(0), mass)
    breaks, total = [], Fraction(0)
    for _, _, each in left:
        breaks += [total, total - mass]
        total += each
    for point in [*sorted({point for point in breaks if 0 < point < total - mass}), total - mass]:
        reached = _moment(left, point, mass)
        if reached >= place * mass:
            if reached > moment:
                start += (point - start) * (place * mass - moment) / (reached - moment)
            break
        start, moment = point, reached
    return _stretch(left, start, mass)


def _stretch(left: list[tuple[int, Fraction, Fraction]], start: Fraction, mass: Fraction) -> list[tuple[int, Fraction]]:
    found, below = [], Fraction(0)
    for number, _, each in left:
        inside = min(below + each, start + mass) - max(below, start)
        if inside > 0:
            found.append((number, inside))
        below += each
    return found


def _moment(left: list[tuple[int, Fraction, Fraction]], start: Fraction, mass: Fraction) -> Fraction:
    places = {number: place for number, place, _ in left}
    return sum((places[number] * part for number, part in _stretch(left, start, mass)), Fraction(0))
