"""The law of every charge, for all that `least_noise` hands out: the best noise and every other contender.

The neighbours are those of the question, not those that a mechanism says it is made for.
"""

import itertools
from fractions import Fraction
from functools import cache, reduce

import pytest

from banister.core.exact.numbers import float_up
from banister.mechanisms import IntegerNoise, LineNoise
from banister.mechanisms.comparison.contenders import NoiseQuestion, Over, Touches
from banister.mechanisms.comparison.least_noise import Comparison, Contender, least_noise
from banister.mechanisms.line.gaussian import Gaussian
from banister.mechanisms.line.laplace import Laplace
from banister.mechanisms.vectors.independent import Independent, MoveBound
from banister.mechanisms.vectors.integer_vector_staircase import IntegerVectorStaircase
from banister.mechanisms.vectors.truncated_vector_staircase import TruncatedVectorStaircase
from banister.mechanisms.vectors.uniform_cube import UniformCube
from banister.mechanisms.vectors.vector_staircase import VectorStaircase
from tests import oracle
from tests.contract.law import (
    PARTS,
    Pair,
    examine,
    half_line_pair,
    integer_pairs,
    is_exact,
    lattice_of,
    line_tail,
    reached,
    some_shifts,
    worst_edge,
)
from tests.contract.vector_law import largest_ratio, lattice_pairs, moves_within

GUARANTEES = ((Fraction(2), Fraction(0)), (Fraction(1, 2), Fraction(0)), (Fraction(1), Fraction(1, 50)), (0, "1/9"))
QUESTIONS = [
    *(
        {"epsilon": epsilon, "delta": delta, "over": over, "sensitivity": reach, "dimension": 1, "touches": "all"}
        for (epsilon, delta), over in itertools.product(GUARANTEES, Over)
        for reach in (1, 3)
    ),
    *(
        {"epsilon": epsilon, "delta": delta, "over": over, "sensitivity": reach, "dimension": d, "touches": touches}
        for (epsilon, delta), over, touches in itertools.product(GUARANTEES, Over, Touches)
        for reach, d in ((1, 2), (2, 2), (2, 3))
    ),
]


def name(question: dict[str, object]) -> str:
    return "-".join(str(getattr(value, "value", value)) for value in question.values())


def number_pairs(noise: IntegerNoise | LineNoise, question: NoiseQuestion) -> list[Pair]:
    """Neighbours that move one number by at most the sensitivity of the question."""
    if isinstance(noise, IntegerNoise):
        return integer_pairs(noise, some_shifts(int(question.sensitivity)))
    tail = line_tail(noise)
    if tail is None:
        return integer_pairs(lattice_of(noise), some_shifts(noise.grid.units_of_sensitivity(question.sensitivity)))
    levels = [part * level_of(question) for part in PARTS]
    edges = [worst_edge(noise, question.sensitivity, level) for level in levels]
    return [half_line_pair(tail, edge, question.sensitivity) for edge in edges]


def level_of(question: NoiseQuestion) -> Fraction:
    return question.guarantee.epsilon or Fraction(1)


def moved_pairs(noise: Independent, question: NoiseQuestion) -> list[Pair]:
    """Neighbours that move every coordinate, by the sensitivity in total, each with its own noise."""
    one, d = noise.noise, question.dimension
    alone = number_pairs(one, question)
    if isinstance(one, LineNoise) and line_tail(one) is not None:
        return alone
    if isinstance(one, IntegerNoise):
        drawn, moves = one, list(moves_within(d, int(question.sensitivity), d))
    else:
        drawn, steps = lattice_of(one), one.grid.units_of_sensitivity(question.sensitivity)
        # Each of the moves may be rounded up, so that together they are up to d - 1 steps longer.
        ends = {1, steps // 3, steps // 2 + 1, steps - 1, steps}
        moves = [m for m in itertools.combinations_with_replacement(ends, d) if sum(m) <= steps + d - 1]
    pair = cache(lambda shift: integer_pairs(drawn, [shift])[0])
    return alone + [reduce(Pair.beside, (pair(step) for step in move if step)) for move in moves]


def as_independent(noise: UniformCube) -> Independent:
    """What a cube is: its side on every coordinate."""
    size = noise.dimension
    return Independent(noise=noise.side, dimension=size, touches=size, bound=MoveBound.TOTAL)


def pairs_of(noise: object, question: NoiseQuestion) -> list[Pair]:
    if isinstance(noise, Independent):
        if question.touches is Touches.ALL and question.dimension > 1:
            return moved_pairs(noise, question)
        return number_pairs(noise.noise, question)
    if isinstance(noise, UniformCube):
        return moved_pairs(as_independent(noise), question)
    if isinstance(noise, IntegerVectorStaircase | TruncatedVectorStaircase):
        assert noise.sensitivity == question.sensitivity
        return lattice_pairs(noise)
    assert isinstance(noise, IntegerNoise | LineNoise)
    return number_pairs(noise, question)


def called_exact(noise: object, question: NoiseQuestion) -> bool:
    if isinstance(noise, Independent):
        single = question.over is Over.INTEGERS and question.sensitivity == 1  # Only one can move by a whole step.
        once = question.touches is Touches.ONE or noise.noise.moves_add_up or single
        return once and called_exact(noise.noise, question)
    if isinstance(noise, LineNoise) and line_tail(noise) is None:
        return is_exact(noise) and is_exact(lattice_of(noise))
    return is_exact(noise)


def examined(contender: Contender, question: NoiseQuestion) -> None:
    noise, promise = contender.noise, question.guarantee
    loss = noise.loss()
    assert loss.delta_at(promise.epsilon).up <= float_up(promise.delta), contender.name
    if isinstance(noise, VectorStaircase):
        steps = noise.grid.units_of_sensitivity(question.sensitivity) + question.dimension - 1
        assert largest_ratio(noise.lattice, steps) == pytest.approx(float(promise.epsilon), rel=1e-15)
        assert loss.epsilon_at(0).up == pytest.approx(float(promise.epsilon), rel=1e-12)
        return
    pairs = pairs_of(noise, question)
    exact = called_exact(noise, question)
    examine(loss, pairs, nominal=level_of(question), exact=exact)
    if not exact:
        # Uniform noise has no epsilon of its own: all of its delta is given away at epsilon 0.
        one = noise.noise if isinstance(noise, Independent) else noise
        one = one.side if isinstance(one, UniformCube) else one
        drawn = (
            one
            if isinstance(one, IntegerNoise | IntegerVectorStaircase | TruncatedVectorStaircase)
            else lattice_of(one)
        )
        made_for = promise.epsilon if hasattr(drawn, "epsilon") else Fraction(0)
        # Noise that counts in every coordinate is charged as if all of them moved by all of the sensitivity; a delta is
        # then claimed once for each, though only one can move that far, and the parts of the others tell little.
        counted = noise._counted() if isinstance(noise, Independent) and promise.delta > 0 else 1
        reached(loss, pairs, nominal=made_for, share=0.9 if counted == 1 else 0.7 / counted)


@pytest.mark.parametrize("asked", QUESTIONS, ids=name)
def test_every_contender_gives_away_what_it_claims(asked: dict[str, object]) -> None:
    found: Comparison = least_noise(**asked)  # type: ignore[arg-type]
    assert found.contenders
    for contender in found.contenders:
        examined(contender, found.question)


@pytest.mark.parametrize("reach", [1, 2])
def test_laplace_and_gaussian_noise_on_two_coordinates_tell_less_when_both_move(reach: int) -> None:
    """The closed forms of two half moves, which the whole move of one coordinate dominates."""
    found = least_noise(epsilon=2, delta="1e-3", sensitivity=reach, dimension=2)
    seen = set()
    for contender in found.contenders:
        noise = contender.noise
        one = noise.noise if isinstance(noise, Independent) else None
        for epsilon in (part * 2 for part in PARTS):
            claimed = noise.loss().delta_at(epsilon).up
            if isinstance(one, Laplace):
                halves = oracle.laplace_delta(one.epsilon / 2, 2, epsilon)
            elif isinstance(one, Gaussian):
                halves = oracle.gaussian_delta(2 * (Fraction(reach, 2) / Fraction(one.sigma)) ** 2, epsilon)
            else:
                continue
            seen.add(type(one))
            assert halves <= claimed
    assert seen == {Laplace, Gaussian}


def test_the_staircase_that_claimed_half_of_what_it_gave_away() -> None:
    """epsilon/2 on each of two coordinates, both of which may move by one step: the losses add up to epsilon."""
    found = least_noise(epsilon=2, sensitivity=2, dimension=2, touches="all", over="integers")
    noise = found.contenders[2].noise
    assert isinstance(noise, Independent)
    (one,) = integer_pairs(noise.noise, [1])  # type: ignore[arg-type]
    assert one.beside(one).ratio() == pytest.approx(2, rel=1e-12)
    assert noise.loss().epsilon_at(0).up == pytest.approx(2, rel=1e-12)
