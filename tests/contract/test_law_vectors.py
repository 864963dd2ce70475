"""The law of every charge, for noise on vectors: every move within the norm that the noise is made for."""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from flint import arb, fmpz

from banister.core.exact.numbers import BALL_BITS, precision
from banister.errors import BadValue
from banister.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Geometric,
    IntegerNoise,
    IntegerStaircase,
    Laplace,
    OnGrid,
    Staircase,
    TruncatedStaircase,
    Uniform,
)
from banister.mechanisms.line.grid import Grid
from banister.mechanisms.vectors import (
    independent,
    integer_vector_staircase,
    truncated_vector_staircase,
    uniform_cube,
    vector_staircase,
)
from banister.mechanisms.vectors.independent import Independent, MoveBound
from banister.mechanisms.vectors.integer_vector_staircase import IntegerVectorStaircase
from banister.mechanisms.vectors.truncated_vector_staircase import TruncatedVectorStaircase
from banister.mechanisms.vectors.uniform_cube import UniformCube
from banister.mechanisms.vectors.vector_staircase import VectorStaircase
from tests.contract.law import (
    PARTS,
    Pair,
    assert_drawn,
    bits,
    examine,
    half_line_pair,
    integer_pairs,
    is_exact,
    line_tail,
    reached,
    rounded_pair,
)
from tests.contract.vector_law import Move, largest_ratio, lattice_pairs, lattice_radius, moves_within, shells

LATTICE = [
    *integer_vector_staircase.examples(),
    *(
        IntegerVectorStaircase.with_step(epsilon=epsilon, sensitivity=reach, dimension=2, step_width=width)
        for epsilon, reach in ((Fraction(1, 2), 2), (Fraction(2), 3))
        for width in range(1, reach + 1)
    ),
    IntegerVectorStaircase(epsilon=2, sensitivity=1, dimension=3),
    IntegerVectorStaircase(epsilon=1, sensitivity=4, dimension=3, cost="squared"),
]
REAL = [
    *vector_staircase.examples(),
    VectorStaircase(epsilon=1, sensitivity=1, dimension=2, grid=1),
    VectorStaircase(epsilon=2, sensitivity=Fraction(5, 3), dimension=2, grid=Fraction(1, 2)),
    VectorStaircase(epsilon=1, sensitivity=1, dimension=3, cost="squared", grid=Fraction(1, 2)),
]
ALONE = [
    *independent.examples(),
    *(
        Independent(noise=noise, dimension=3, touches=touches, bound=bound)
        for noise in (
            Geometric(epsilon=1),
            IntegerStaircase(epsilon=Fraction(1, 2), sensitivity=3),
            DiscreteLaplace(epsilon=2, sensitivity=2),
            TruncatedStaircase(epsilon=1, delta=Fraction(1, 50), sensitivity=2),
            Uniform(delta=Fraction(1, 9), sensitivity=2),
        )
        for touches in (1, 2, 3)
        for bound in MoveBound
    ),
    Independent(
        noise=DiscreteGaussian.with_sigma(sigma=1, sensitivity=2), dimension=2, touches=2, bound=MoveBound.TOTAL
    ),
]


def name(noise: object) -> str:
    return type(noise).__name__


def alone_name(noise: Independent) -> str:
    return f"{type(noise.noise).__name__}-{noise.touches}-{noise.bound.value}"


@pytest.mark.parametrize("noise", LATTICE, ids=name)
def test_no_move_within_the_norm_tells_more_than_the_claim(noise: IntegerVectorStaircase) -> None:
    pairs = lattice_pairs(noise)
    examine(noise.loss(), pairs, nominal=noise.epsilon, exact=is_exact(noise))
    reached(noise.loss(), pairs, nominal=noise.epsilon, share=0.999)  # The ratio e^epsilon is attained.


@pytest.mark.parametrize("noise", [each for each in REAL if each.grid.step > Fraction(1, 100)], ids=name)
def test_real_vectors_on_a_coarse_grid_tell_no_more_than_the_claim(noise: VectorStaircase) -> None:
    farthest = max(sum(map(abs, move)) for move in rounded_moves(noise))
    assert farthest == noise.lattice.sensitivity
    pairs = lattice_pairs(noise.lattice)
    examine(noise.loss(), pairs, nominal=noise.epsilon, exact=is_exact(noise))
    reached(noise.loss(), pairs, nominal=noise.epsilon, share=0.999)


def rounded_moves(noise: VectorStaircase) -> Iterator[Move]:
    """Moves of the rounded vectors, for real moves within the norm from every corner of a cell."""
    step, reach, d = noise.grid.step, noise.sensitivity, noise.dimension
    hair = step / (1 << 30)
    for parts in itertools.product(range(5), repeat=d):
        if sum(parts) == 0:
            continue
        moves = [reach * part / sum(parts) for part in parts]
        # Each coordinate starts just below an edge of its cell, and crosses as many as its move can.
        start = [step / 2 - hair] * d
        yield tuple(
            noise.grid.unit(first + move) - noise.grid.unit(first) for first, move in zip(start, moves, strict=True)
        )
        # A whole number of steps and a hair in all coordinates but one: the most that rounding can add.
        small = [hair * 2] * (d - 1)
        rest = reach - sum(small)
        yield tuple(noise.grid.unit(step / 2 - hair + move) for move in (rest, *small))


@pytest.mark.parametrize("noise", REAL, ids=name)
def test_the_lattice_behind_real_vectors_is_private_for_what_rounding_adds(noise: VectorStaircase) -> None:
    """On a fine grid the shells are too many to list; the mass is a function of the norm, so its ratios are enough."""
    drawn = noise.lattice
    assert all(sum(map(abs, move)) <= drawn.sensitivity for move in rounded_moves(noise))
    largest = largest_ratio(drawn, drawn.sensitivity)
    assert largest == pytest.approx(float(noise.epsilon), rel=1e-15)
    assert float(noise.loss().epsilon_at(0).up) == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize("noise", [*LATTICE, *(each for each in REAL if each.grid.step > Fraction(1, 100))], ids=name)
def test_vectors_are_drawn_by_the_law_that_was_examined(noise: IntegerVectorStaircase | VectorStaircase) -> None:
    drawn = noise.lattice if isinstance(noise, VectorStaircase) else noise
    step = float(noise.grid.step) if isinstance(noise, VectorStaircase) else 1
    answers = np.zeros((20_000, noise.dimension), dtype=np.int64)
    vectors = np.rint(np.asarray(noise.release(answers, bits(5))) / step).astype(np.int64)
    with precision(BALL_BITS):
        masses = [drawn.mass_ball(norm) for norm in range(lattice_radius(drawn) + 1)]
        around = [shells((0,) * d, len(masses)) for d in (drawn.dimension, drawn.dimension - 1)]
        whole, rest = ([counts.get((n, n), 0) for n in range(len(masses))] for counts in around)
        norms = [float(mass * arb(fmpz(many))) for mass, many in zip(masses, whole, strict=True)]
    assert_drawn(np.abs(vectors).sum(axis=1), lambda norm: norms[norm])

    def first(value: int) -> float:
        with precision(BALL_BITS):
            terms = (masses[n + abs(value)] * arb(fmpz(rest[n])) for n in range(len(masses) - abs(value)))
            return float(sum(terms, arb(0)))

    for place in (0, drawn.dimension - 1):
        assert_drawn(vectors[:, place], first)


def alone_moves(noise: Independent, sensitivity: int) -> Iterator[Move]:
    if noise.bound is MoveBound.TOTAL:
        yield from moves_within(noise.dimension, sensitivity, noise.touches)
        return
    for move in itertools.combinations_with_replacement(range(sensitivity, -1, -1), noise.touches):
        if sum(move):
            yield move


@pytest.mark.parametrize("noise", ALONE, ids=alone_name)
def test_noise_on_each_coordinate_counts_every_one_that_may_move(noise: Independent) -> None:
    one = noise.noise
    assert isinstance(one, IntegerNoise)
    single = dict(enumerate(integer_pairs(one, range(1, one.sensitivity + 1)), start=1))
    moves = alone_moves(noise, one.sensitivity)
    pairs = [reduce(Pair.beside, (single[step] for step in move if step)) for move in moves]
    exact = is_exact(one) and (noise.bound is MoveBound.EACH or one.moves_add_up or noise.touches == 1)
    epsilon = getattr(one, "epsilon", Fraction(1))
    level = noise.loss().epsilon_at(0).up if is_exact(one) else float(epsilon)
    nominal = Fraction(level) if level < 100 else epsilon
    examine(noise.loss(), pairs, nominal=nominal, exact=exact)
    # Staircases jump in every coordinate that moves. The share of (epsilon, delta) is that of the noise on one number.
    reached(
        noise.loss(), pairs, nominal=nominal if is_exact(one) else Fraction(0), share=0.999 if is_exact(one) else 0.6
    )


def test_moves_of_real_coordinates_that_add_up_tell_no_more_than_the_claim() -> None:
    one = Laplace(epsilon=2, sensitivity=1, grid=Fraction(1, 4))
    noise = Independent(noise=one, dimension=2, touches=2, bound=MoveBound.TOTAL)
    tail = line_tail(one)
    assert tail is not None
    pairs = []
    for part in (Fraction(0), Fraction(1, 4), Fraction(1, 2)):
        for offset in (Fraction(0), Fraction(1, 8), Fraction(1, 10)):
            sides = [
                rounded_pair(tail, Fraction(1, 4), (offset, offset + move)).merged()
                for move in (part, 1 - part)
                if move
            ]
            pairs.append(sides[0] if len(sides) == 1 else sides[0].beside(sides[1]))
    alone = [half_line_pair(tail, (1 + share) / 2, Fraction(1)) for share in PARTS]
    examine(noise.loss(), pairs + alone, nominal=Fraction(2), exact=True)


@pytest.mark.parametrize("kind", ["staircase", "on a grid"])
def test_real_staircases_count_once_for_each_coordinate_that_moves(kind: str) -> None:
    one: Staircase | OnGrid = Staircase(epsilon=1, sensitivity=1, grid=Fraction(1, 3))
    if kind == "on a grid":
        one = OnGrid(DiscreteLaplace(epsilon=1, sensitivity=3), Grid(Fraction(1, 3)))
    drawn = one.lattice if isinstance(one, Staircase) else one.noise
    noise = Independent(noise=one, dimension=2, touches=2, bound=MoveBound.TOTAL)
    assert drawn.sensitivity == 3
    # Two moves that add up to 3 steps can each cross one edge more than they are long.
    single = dict(enumerate(integer_pairs(drawn, range(1, 4)), start=1))
    pairs = [single[3], *(single[a].beside(single[b]) for a, b in ((1, 1), (1, 2), (2, 2), (1, 3)))]
    examine(noise.loss(), pairs, nominal=Fraction(2), exact=False)
    share = (
        0.999 if isinstance(one, Staircase) else 0.66
    )  # A Laplace law gives away what the moves add up to, 4/3 of 2.
    reached(noise.loss(), pairs, nominal=Fraction(2), share=share)


def test_who_may_move_what_is_said_by_the_caller() -> None:
    noise = IntegerStaircase(epsilon=1, sensitivity=1)
    with pytest.raises(BadValue, match=r"touches = 3 must be a whole number from 1 to 2"):
        Independent(noise=noise, dimension=2, touches=3)
    with pytest.raises(BadValue, match=r"bound = 'total' must be MoveBound.EACH or MoveBound.TOTAL"):
        Independent(noise=noise, dimension=2, touches=2, bound="total")  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"touches is missing: .* Write touches=1"):
        Independent(noise=noise, dimension=2)


@pytest.mark.parametrize(
    "noise", [*uniform_cube.examples(), UniformCube(delta="3/8", sensitivity=1, dimension=2)], ids=name
)
def test_no_move_uncovers_more_of_a_cube_than_delta(noise: UniformCube) -> None:
    """Every whole vector by its own mass, against every move within the norm; several coordinates move at once."""
    edge, d, reach = noise.edge, noise.dimension, noise.sensitivity
    places = list(itertools.product(range(-edge - reach, edge + reach + 1), repeat=d))
    masses = {place: noise.exact_mass(place) for place in places}
    assert sum(masses.values()) == 1
    uncovered = {}
    for move in moves_within(d, reach, d):
        moved = [tuple(x + v for x, v in zip(place, move, strict=True)) for place in places]
        gaps = (masses[place] - masses.get(there, Fraction(0)) for place, there in zip(places, moved, strict=True))
        uncovered[move] = sum(gap for gap in gaps if gap > 0)
    assert max(uncovered.values()) == noise.delta
    assert noise.loss().delta_at(0).up >= noise.delta


@pytest.mark.parametrize("noise", uniform_cube.examples(), ids=name)
def test_a_cube_is_drawn_by_its_law(noise: UniformCube) -> None:
    drawn = noise.release(np.zeros((30_000, noise.dimension), dtype=np.int64), bits(9))
    for column in range(noise.dimension):
        assert_drawn(drawn[:, column], noise.side.mass)
    inside = (np.abs(drawn).max(axis=1) <= noise.interval("0.9")).mean()
    assert inside >= 0.89
    together = float((drawn[:, 0] * drawn[:, 1]).mean() / (drawn[:, 0].std() * drawn[:, 1].std()))
    assert together == pytest.approx(0, abs=0.03)


CUT = [
    *truncated_vector_staircase.examples(),
    TruncatedVectorStaircase(epsilon=2, delta="1/1000", sensitivity=4, dimension=2),
    TruncatedVectorStaircase(epsilon="3/10", delta="1/4", sensitivity=1, dimension=3),
]


@pytest.mark.parametrize("noise", CUT, ids=name)
def test_a_truncated_staircase_gives_away_its_delta_and_no_move_more(noise: TruncatedVectorStaircase) -> None:
    """Every move within the norm, shell by shell; the worst is that of one coordinate, and it has the delta itself."""
    radius, d, reach = noise.edge, noise.dimension, noise.sensitivity
    with precision(BALL_BITS):
        masses = [noise.mass_ball(norm) for norm in range(radius + reach + 1)]
        grown, found = arb(noise.epsilon.numerator) / noise.epsilon.denominator, {}
        for move in moves_within(d, reach, d):
            gaps = ((masses[n] - grown.exp() * masses[m]) * many for (n, m), many in shells(move, radius).items())
            found[move] = sum((gap for gap in gaps if gap > 0), arb(0))
        worst = found[(reach,) + (0,) * (d - 1)]
        assert all(not each > worst for each in found.values())
        assert worst <= float(noise.delta) * (1 + 1e-15)
        assert worst >= float(noise.delta) * (1 - 1e-12)
        total = sum((masses[n] * many for (n, _), many in shells((0,) * d, radius).items()), arb(0))
        assert abs(float(total) - 1) < 1e-15
    assert noise.loss().delta_at(noise.epsilon).up >= noise.delta


@pytest.mark.parametrize("noise", truncated_vector_staircase.examples(), ids=name)
def test_a_truncated_staircase_is_drawn_by_its_law(noise: TruncatedVectorStaircase) -> None:
    drawn = noise.release(np.zeros((20_000, noise.dimension), dtype=np.int64), bits(9))
    norms = np.abs(drawn).sum(axis=1)
    assert norms.max() <= noise.edge
    counts = shells((0,) * noise.dimension, noise.edge)

    def chance(norm: int) -> float:
        return float(noise.mass_ball(norm)) * counts.get((norm, norm), 0)

    assert_drawn(norms, chance)
    assert abs(float(np.sign(drawn).mean())) < 0.02
    alone = np.array([np.abs(noise.release([0] * noise.dimension, bits(k))).sum() for k in range(300)])
    assert alone.mean() == pytest.approx(noise.risk_for("absolute"), rel=0.15)
    assert (norms <= noise.interval("0.9")).mean() >= 0.89
