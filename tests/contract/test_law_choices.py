"""The law of every charge, for choices by score: every move of a few scores, as the neighbours are allowed to move."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import arb

from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.mechanisms.choices import choice as choices
from banister.mechanisms.choices.choice import Choice, ExponentialChoice, Moves, PermuteAndFlip, StaircaseChoice
from tests.contract.law import Pair, assert_drawn, bits, examine, is_exact, reached

Scores = tuple[Fraction, ...]
Law = tuple[arb, ...]

SETTINGS: list[Choice] = [
    *choices.examples(),
    *(
        kind(epsilon=epsilon, sensitivity=sensitivity, moves=moves)
        for kind in (ExponentialChoice, PermuteAndFlip, StaircaseChoice)
        for moves in Moves
        for epsilon, sensitivity in ((Fraction(1, 2), Fraction(1)), (Fraction(3), Fraction(2, 3)))
    ),
    *(StaircaseChoice(epsilon=2, sensitivity=1, moves=moves, gamma=gamma) for moves in Moves for gamma in (0, 1)),
]

APART = (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(60))
STEPS = (Fraction(-1), Fraction(-1, 2), Fraction(0), Fraction(1, 2), Fraction(1))


def name(choice: Choice) -> str:
    return f"{type(choice).__name__}-{choice.moves.name}"


def rate(choice: Choice) -> Fraction:
    """What a sensitivity of score is worth: scores that all move one way count once, others twice."""
    return choice.epsilon / {Moves.ONE_WAY: 1, Moves.ANY_WAY: 2}[choice.moves]


def proportional(exponents: Sequence[Fraction]) -> Law:
    weights = [exp_ball(exponent - max(exponents)) for exponent in exponents]
    total = sum(weights, arb(0))
    return tuple(weight / total for weight in weights)


def first_heads(exponents: Sequence[Fraction]) -> Law:
    """In every order of the candidates, the first whose coin shows heads."""
    heads = [exp_ball(exponent - max(exponents)) for exponent in exponents]
    found = [arb(0)] * len(heads)
    orders = list(itertools.permutations(range(len(heads))))
    for order in orders:
        still = arb(1)
        for place in order:
            found[place] += still * heads[place]
            still *= 1 - heads[place]
    return tuple(each / len(orders) for each in found)


def second_road(choice: Choice) -> Callable[[Scores], Law]:
    """The chances written down from the definition of each mechanism; a new one's own, until it has a line here."""
    step, reach = rate(choice), choice.sensitivity
    if isinstance(choice, StaircaseChoice):
        gamma = choice.gamma
        return lambda scores: proportional([-step * math.floor(-score / reach - gamma) for score in scores])
    if isinstance(choice, ExponentialChoice):
        return lambda scores: proportional([step * score / reach for score in scores])
    if isinstance(choice, PermuteAndFlip):
        return lambda scores: first_heads([step * score / reach for score in scores])
    return lambda scores: tuple(ball(Fraction(p)) for p in choice.probabilities(list(scores)).tolist())


def neighbours(choice: Choice) -> Iterator[tuple[Scores, Scores]]:
    """Three scores, close together or far apart, and every half-sensitivity move of them that is allowed."""
    reach = choice.sensitivity
    for base in itertools.combinations_with_replacement(APART, 3):
        scores = tuple(-reach * each for each in base)
        for move in itertools.product(STEPS, repeat=3):
            if choice.moves is Moves.ANY_WAY or all(m >= 0 for m in move) or all(m <= 0 for m in move):
                yield scores, tuple(score + m * reach for score, m in zip(scores, move, strict=True))


@pytest.mark.parametrize("choice", SETTINGS, ids=name)
def test_the_claim_holds_for_every_move_and_its_ratio_is_reached(choice: Choice) -> None:
    law = cache(second_road(choice))
    with precision(BALL_BITS):
        pairs = [Pair.of(zip(law(one), law(other), strict=True)) for one, other in neighbours(choice)]
    # Most pairs tell little; the claim is held against the loudest and a spread of the others.
    loudest = sorted(pairs, key=Pair.ratio, reverse=True)
    chosen = loudest[:60] + loudest[60::15]
    assert loudest[0].ratio() <= float(choice.epsilon) * (1 + 1e-15)
    examine(choice.loss(), chosen, nominal=choice.epsilon, exact=is_exact(choice))
    # The worst candidate lies 60 sensitivities behind, so what it takes from the sum of weights is e^-15 at most.
    reached(choice.loss(), chosen, nominal=choice.epsilon, share=0.999)


@pytest.mark.parametrize("choice", SETTINGS, ids=name)
def test_what_is_chosen_follows_the_law_that_was_examined(choice: Choice) -> None:
    reach, law = choice.sensitivity, second_road(choice)
    for base in ((0, -1, -Fraction(5, 2)), (Fraction(1, 3), Fraction(1, 2), -3)):
        scores = tuple(reach * each for each in base)
        with precision(BALL_BITS):
            chances = [float(p) for p in law(scores)]
        assert choice.probabilities(list(scores)).tolist() == pytest.approx(chances, rel=1e-12)
    source = bits(6)
    sample = np.array([choice.choose(list(scores), source) for _ in range(600)])
    assert_drawn(sample, lambda place: chances[place])
