"""Laws on whole vectors that depend on the l1 norm alone, counted shell by shell."""

import itertools
from collections.abc import Iterator

from banister.core.exact.numbers import BALL_BITS, precision
from banister.mechanisms.vectors.integer_vector_staircase import IntegerVectorStaircase
from banister.mechanisms.vectors.truncated_vector_staircase import TruncatedVectorStaircase
from tests.contract.law import TAIL, Pair

Move = tuple[int, ...]
OnLattice = IntegerVectorStaircase | TruncatedVectorStaircase


def moves_within(dimension: int, total: int, touches: int) -> Iterator[Move]:
    """Every whole move whose sizes add up to at most `total`, up to order and sign, which the noise does not see."""
    for move in itertools.combinations_with_replacement(range(total, -1, -1), dimension):
        if 0 < sum(move) <= total and sum(step > 0 for step in move) <= touches:
            yield move


def shells(move: Move, radius: int) -> dict[tuple[int, int], int]:
    """How many whole vectors within `radius` have each (norm, norm after the move), coordinate by coordinate."""
    total = sum(move)
    counts = {(0, 0): 1}
    for step in move:
        one: dict[tuple[int, int], int] = {}
        for x in range(-radius - total, radius + total + 1):
            key = (abs(x), abs(x - step) - abs(x))
            one[key] = one.get(key, 0) + 1
        grown: dict[tuple[int, int], int] = {}
        for (n, change), many in counts.items():
            for (m, further), few in one.items():
                if n + m <= radius:
                    key = (n + m, change + further)
                    grown[key] = grown.get(key, 0) + many * few
        counts = grown
    return {(n, n + change): many for (n, change), many in counts.items()}


def lattice_radius(noise: OnLattice) -> int:
    if isinstance(noise, TruncatedVectorStaircase):
        return noise.edge + noise.sensitivity  # Also what only a neighbour reaches.
    radius = noise.sensitivity
    while noise.norm_beyond(radius) > TAIL:
        radius += noise.sensitivity
    return radius


def lattice_pair(noise: OnLattice, move: Move, radius: int) -> Pair:
    with precision(BALL_BITS):
        masses = [noise.mass_ball(norm) for norm in range(radius + sum(move) + 1)]
        outcomes = ((masses[n] * many, masses[m] * many) for (n, m), many in shells(move, radius).items())
        return Pair.of(outcomes).merged()


def lattice_pairs(noise: OnLattice) -> list[Pair]:
    radius = lattice_radius(noise)
    moves = list(moves_within(noise.dimension, noise.sensitivity, noise.dimension))
    return [lattice_pair(noise, move, radius) for move in moves]


def largest_ratio(noise: IntegerVectorStaircase, most: int) -> float:
    """The largest log of the ratio of two masses whose norms differ by at most `most`, for lattices too fine to list.

    The mass is a function of the norm that changes at its steps alone, so the norms around them are enough.
    """
    period = noise.sensitivity
    steps = (k * period + base + side for k in range(4) for base in (0, noise.step_width) for side in (-1, 0))
    with precision(BALL_BITS):
        ratios = [
            noise.mass_ball(norm) / noise.mass_ball(norm + move)
            for norm in steps
            if norm >= 0
            for move in {1, most // 2, most - 1, most} - {0}
        ]
        return max(float(ratio.log()) for ratio in ratios)
