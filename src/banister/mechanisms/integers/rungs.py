"""Geometric noise of several levels at once, each coarser one a post-processing of the finer one."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb

from banister import need
from banister.core.exact.numbers import Number, exp_ball
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.offers import HINT
from banister.sampling.bernoulli import Coin
from banister.sampling.bits import BitSource
from banister.sampling.staircase import staircase_draw


@dataclass(frozen=True, slots=True, init=False)
class GeometricRungs:
    """Noise for each of several rising epsilons, drawn together: rung i is rung i + 1 plus independent noise.

    Private:  whoever sees the rungs up to epsilon, all of them, has seen a post-processing of the last: they cost that
              epsilon together, not the sum. Each rung alone has exactly the law of `Geometric` at its epsilon.
    Exact:    with a = e^-coarse > b = e^-fine, the coarse law is the fine one plus R, where R is 0 with chance
              (1 - a)² b/((1 - b)² a) and geometric at the coarse epsilon otherwise (docs/math/rungs.md).

    >>> rungs = GeometricRungs(epsilons=["1/10", 1])
    >>> rungs.loss() == PrivacyLoss.pure(Fraction(1))
    True
    """

    epsilons: tuple[Fraction, ...]

    def __init__(self, *, epsilons: Sequence[Number]) -> None:
        levels = tuple(need.level("epsilon", each, HINT) for each in epsilons)
        if not levels or any(coarse >= fine for coarse, fine in pairwise(levels)):
            raise BadValue("Rungs need one epsilon or more, each larger than the one before, such as 0.1, 1.")
        object.__setattr__(self, "epsilons", levels)

    def loss(self) -> PrivacyLoss:
        """That of all rungs together, which is that of the finest."""
        return PrivacyLoss.pure(self.epsilons[-1])

    def draw(self, bits: BitSource) -> tuple[int, ...]:
        """The noise of each rung, the coarsest first."""
        noise = [staircase_draw(self.epsilons[-1], 1, 1).draw(bits)]
        for coarse, fine in zip(self.epsilons[-2::-1], self.epsilons[:0:-1], strict=True):
            noise.append(noise[-1] + _between(coarse, fine, bits))
        return tuple(reversed(noise))

    def draw_many(self, count: int, bits: BitSource) -> tuple[Integers, ...]:
        """The noise of each rung for many numbers, the coarsest first."""
        noise = [staircase_draw(self.epsilons[-1], 1, 1).draw_many(count, bits)]
        for coarse, fine in zip(self.epsilons[-2::-1], self.epsilons[:0:-1], strict=True):
            same = Coin(StayChance(coarse, fine)).draw_many(count, bits)
            more = staircase_draw(coarse, 1, 1).draw_many(count, bits)
            noise.append(noise[-1] + np.where(same, 0, more))
        return tuple(reversed(noise))


def _between(coarse: Fraction, fine: Fraction, bits: BitSource) -> int:
    """R: nothing, or geometric noise at the coarse epsilon. Both are always drawn, so that time tells nothing."""
    same = Coin(StayChance(coarse, fine)).draw(bits)
    more = staircase_draw(coarse, 1, 1).draw(bits)
    return 0 if same else more


@dataclass(frozen=True, slots=True)
class StayChance:
    """P(R = 0) = (1 - a)² b/((1 - b)² a), as a ball at the working precision."""

    coarse: Fraction
    fine: Fraction

    def __call__(self) -> arb:
        a, b = exp_ball(-self.coarse), exp_ball(-self.fine)
        return (1 - a) * (1 - a) * b / ((1 - b) * (1 - b) * a)
