"""The law of every charge, for noise on the line: the release on its grid, wherever the answers lie in it."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from banister.core.exact.numbers import BALL_BITS, precision
from banister.mechanisms import (
    ALL,
    DiscreteLaplace,
    Gaussian,
    Geometric,
    Grid,
    IntegerStaircase,
    Laplace,
    LineNoise,
    OnGrid,
    Staircase,
    TruncatedStaircase,
)
from tests.contract.law import (
    PARTS,
    Pair,
    Tail,
    assert_below,
    bits,
    examine,
    half_line_pair,
    integer_pairs,
    is_exact,
    lattice_of,
    line_tail,
    reached,
    rounded_pair,
    some_shifts,
    worst_edge,
)

EXAMPLES: list[LineNoise] = [noise for module in ALL for noise in module.examples() if isinstance(noise, LineNoise)]
COARSE: list[LineNoise] = [
    Laplace(epsilon=1, sensitivity=1, grid=Fraction(1, 4)),
    Laplace(epsilon=2, sensitivity=Fraction(5, 3), grid=1),
    Laplace(epsilon=Fraction(1, 2), sensitivity=3, grid=2),
    Gaussian.with_sigma(sigma=2, sensitivity=3, grid=Fraction(1, 2)),
    Gaussian(epsilon=1, delta=Fraction(1, 50), sensitivity=Fraction(1, 3), grid=Fraction(1, 4)),
    Staircase(epsilon=1, sensitivity=1, grid=Fraction(1, 8)),
    Staircase.with_gamma(epsilon=2, sensitivity=Fraction(5, 3), gamma=Fraction(1, 5), grid=Fraction(1, 4)),
    Staircase(epsilon=Fraction(1, 2), sensitivity=Fraction(7, 10), cost="squared", grid=Fraction(3, 10)),
    OnGrid(Geometric(epsilon=1), Grid(Fraction(1, 3))),
    OnGrid(DiscreteLaplace(epsilon=2, sensitivity=3), Grid(Fraction(1, 4))),
    OnGrid(IntegerStaircase(epsilon=1, sensitivity=4), Grid(1)),
    OnGrid(TruncatedStaircase(epsilon=1, delta=Fraction(1, 100), sensitivity=3), Grid(Fraction(1, 2))),
]
OFFSETS = (Fraction(0), Fraction(1, 5), Fraction(1, 2), Fraction(99, 100))
"""Where in its cell an answer lies."""
MOVES = (Fraction(1, 7), Fraction(1, 2), Fraction(1))
"""How far a neighbour moves it, in parts of the sensitivity."""


def name(noise: object) -> str:
    return type(noise).__name__


def nominal(noise: LineNoise) -> Fraction:
    found = getattr(noise, "epsilon", None) or getattr(getattr(noise, "noise", None), "epsilon", None)
    return found or Fraction(1)


def sensitivity(noise: LineNoise) -> Fraction:
    """That of the line; noise on a grid is made for so many steps of it."""
    return getattr(noise, "sensitivity", None) or lattice_of(noise).sensitivity * noise.grid.step


def unit_moves(noise: LineNoise) -> list[int]:
    """By how many steps the rounded answers of neighbours differ, for answers everywhere in a cell."""
    step, reach = noise.grid.step, sensitivity(noise)
    near_half = Fraction(1, 2) - Fraction(1, 1 << 40)
    found = set()
    for offset in (*OFFSETS, near_half):
        for move in MOVES:
            first = offset * step
            found.add(abs(noise.grid.unit(first + move * reach) - noise.grid.unit(first)))
    return sorted(found - {0})


def aligned_pairs(noise: LineNoise, tail: Tail, parts: tuple[Fraction, ...]) -> list[Pair]:
    """Answers that lie so in their cells that an edge of a cell is the best test at each epsilon.

    The release says on which side of that edge the ideal one fell, so the truth is at least what this tells.
    """
    edges = [worst_edge(noise, sensitivity(noise), part * nominal(noise)) for part in parts]
    return [half_line_pair(tail, edge, sensitivity(noise)) for edge in edges]


@pytest.mark.parametrize("noise", EXAMPLES + COARSE, ids=name)
def test_the_claim_is_the_true_curve(noise: LineNoise) -> None:
    tail = line_tail(noise)
    if tail is None:
        drawn = lattice_of(noise)
        most = max(unit_moves(noise))
        assert most == noise.grid.units_of_sensitivity(sensitivity(noise))
        pairs = integer_pairs(drawn, sorted({*unit_moves(noise), *some_shifts(most)}))
    else:
        pairs = aligned_pairs(noise, tail, PARTS)
    exact = is_exact(noise) and (tail is not None or is_exact(lattice_of(noise)))
    examine(noise.loss(), pairs, nominal=nominal(noise), exact=exact)
    if not exact:
        reached(noise.loss(), pairs, nominal=getattr(lattice_of(noise), "epsilon", Fraction(0)), share=0.8)


@pytest.mark.parametrize("noise", [each for each in COARSE if line_tail(each)], ids=name)
def test_rounding_tells_no_more_wherever_the_answers_lie(noise: LineNoise) -> None:
    """Every unit of a coarse grid is enumerated; this also holds the half-lines of the other test to be the worst."""
    tail = line_tail(noise)
    assert tail is not None
    step, reach = noise.grid.step, sensitivity(noise)
    pairs = [
        rounded_pair(tail, step, (offset * step, offset * step + move * reach)) for offset in OFFSETS for move in MOVES
    ]
    examine(noise.loss(), pairs, nominal=nominal(noise), exact=False)
    # Rounding to a grid of at most twice the scale hides part of what the ideal law tells, not most of it.
    with precision(BALL_BITS):
        truth = max(float(pair.delta(Fraction(0))[0]) for pair in pairs)
    assert truth >= 0.6 * noise.loss().delta_at(0).down


@pytest.mark.parametrize("noise", EXAMPLES + COARSE, ids=name)
@pytest.mark.parametrize("answer", [0.0, 10.3])
def test_what_is_drawn_is_the_law_that_was_examined(noise: LineNoise, answer: float) -> None:
    grid, tail = noise.grid, line_tail(noise)
    many = noise.draw_units(np.full(40_000, answer), bits(3))
    source = bits(4)
    few = np.array([noise.draw_unit(answer, source) for _ in range(1500)])
    middle = grid.unit(answer)

    def below(unit: int) -> float:
        if tail is None:
            return lattice_of(noise).distribution(unit - middle)
        return float(arb(1) - tail((unit + Fraction(1, 2)) * grid.step - Fraction(answer)))

    for sample in (many, few):
        assert_below(sample, below)
