"""Noise cell by cell: each cell that a person touches takes its part of epsilon.

It is the best where a person counts in few cells, and needs no delta. Which noise that is the shelf of mechanisms says:
the one that a theorem calls best for squared errors, or else the one with the least.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, cast

from banister.core.exact.numbers import brief
from banister.core.laws.cost import Cost
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss, own_delta
from banister.errors import BadValue, Uncertified
from banister.mechanisms.comparison.contenders import for_one_number
from banister.mechanisms.integers.integer_noise import IntegerNoise
from banister.mechanisms.offers import NoiseQuestion, Over, Touches
from banister.questions.measures import Measure, Share
from banister.release.answering.combine import bounded_reach
from banister.release.payments.measured import Measured
from banister.release.payments.stated import Stated, law_of
from banister.sampling.staircase import drawable


@dataclass(frozen=True, slots=True, kw_only=True)
class CellByCell(Measured):
    """Noise for each cell by itself."""

    together: ClassVar[bool] = False

    measure: Measure
    share: Share
    part: Fraction
    name: str
    noise: IntegerNoise

    @property
    def kind(self) -> str:
        return self.name

    @property
    def epsilon(self) -> Fraction:
        return self.part

    @property
    def bar(self) -> None:
        return None

    def stated(self) -> Stated:
        return {"noise": law_of(self.noise), "cells": self.share.touches, "sensitivity": self.share.sensitivity}

    def reach(self, parts: Sequence[tuple[float, int]], confidence: float) -> float:
        return bounded_reach(self.spread, parts, confidence)

    def loss(self) -> PrivacyLoss:
        """What the noise of all cells gives away about one person.

        Exact:  a person moves `touches` cells by up to the sensitivity each. Where one cell can move by several
                sensitivities instead, pure loss dominates both: n · epsilon in one cell is at least as much as
                epsilon in each of n.
        """
        if self.share.moves == 1:
            return self.noise.loss().times(self.share.touches)
        return PrivacyLoss.pure(self.share.moves * _pure(self.noise)).times(self.share.touches // self.share.moves)


def _pure(noise: IntegerNoise) -> Fraction:
    """The epsilon that a noise keeps without any delta: several moves multiply it."""
    total = Fraction(0)
    for law, count in noise.loss().terms:
        top = law.top()
        if top is None or own_delta(law) > 0:
            raise Uncertified("The loss of this noise is known for one sensitivity a cell, not for several.")
        total += top * count
    return total


def cell_by_cell(measure: Measure, share: Share, epsilon: Fraction) -> CellByCell:
    """The least noise at a part of epsilon a cell."""
    level = level_of(share, epsilon)
    if not drawable(level, share.sensitivity):
        raise _too_small(share, epsilon)
    kind, noise = _least(level, share.sensitivity)
    return CellByCell(measure=measure, share=share, part=epsilon, name=kind, noise=noise)


def level_of(share: Share, epsilon: Fraction) -> Fraction:
    """What of a part of epsilon is for each cell."""
    level = epsilon / share.touches
    if share.sensitivity / level > 2**55:
        raise _too_small(share, epsilon)
    return level


def _too_small(share: Share, epsilon: Fraction) -> BadValue:
    return BadValue(
        f"epsilon = {brief(epsilon)} is too small for what one person can contribute ({share.sensitivity} steps). "
        "Give more epsilon, a coarser step or a narrower range; or, where answers have weights, more to this one."
    )


@lru_cache(maxsize=1024)
def _least(epsilon: Fraction, sensitivity: int) -> tuple[str, IntegerNoise]:
    """The name and the noise with the least squared error, of all that the shelf offers quickly."""
    asked = NoiseQuestion(
        guarantee=Guarantee(epsilon),
        sensitivity=Fraction(sensitivity),
        over=Over.INTEGERS,
        cost=Cost.of("squared"),
        dimension=1,
        touches=Touches.ONE,
    )
    quick = [one for one in for_one_number(asked) if one.offer.quick]
    made = [(one.name, cast(IntegerNoise, one.noise())) for one in [o for o in quick if o.optimal] or quick]
    return min(made, key=lambda pair: pair[1].risk_for("squared"))
