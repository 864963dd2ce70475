"""Quantiles: choose a rung of a ladder over the declared range, by how many rows lie below and above it.

The ladder is public: every value of a short range, or about 1024 equal rungs of a long one. A rung is a q-quantile of
a cell when the rows below it are at most q of all, and the rows up to it at least q. Its score is how many rows it
misses by, times the denominator of q, so that scores are whole numbers. Proofs: docs/math/quantiles.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister.core.privacy.guarantee import Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.mechanisms import Moves, PermuteAndFlip
from banister.questions.measures import Reach
from banister.questions.question import Label, Rungs
from banister.release.aggregates.aggregate import Answer, RankChoice
from banister.release.payments.stated import Stated
from banister.release.work import Totals
from banister.sampling.bits import BitSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """How one quantile is chosen: half of epsilon for the answer, a quarter for each end of its interval."""

    name: str
    order: Fraction
    axis: Rungs
    epsilon: Fraction
    touches: int
    sensitivity: Fraction
    """How far the scores of a cell move, for each of the moves that it can make."""
    moves: int
    """How many sensitivities one cell can move by, which then pays for as many cells."""

    def loss(self) -> PrivacyLoss:
        """What all choices of this quantile give away about one person: an answer and two ends for each cell."""
        times, cells = self.moves, self.touches // self.moves
        ends = PrivacyLoss.pure(times * self.end_epsilon).times(2 * cells)
        return PrivacyLoss.pure(times * self.answer_epsilon).times(cells).with_(ends)

    def stated(self) -> Stated:
        """An answer and two ends for each cell, each a choice of its own."""
        levels = [str(self.answer_epsilon), str(self.end_epsilon), str(self.end_epsilon)]
        choice: Stated = {"law": "PermuteAndFlip", "epsilons": levels, "sensitivity": str(self.sensitivity)}
        return {"noise": choice, "cells": self.touches}

    @property
    def answer_epsilon(self) -> Fraction:
        return self.epsilon / (2 * self.touches)

    @property
    def end_epsilon(self) -> Fraction:
        return self.epsilon / (4 * self.touches)

    def misses(self, epsilon: Fraction, chance: float, *, bad: int) -> int:
        """Scores by which a choice misses, or by less, but for that chance of one of so many bad rungs.

        Exact:  a rung that misses by t shows heads with probability p = e^(−epsilon t / (2 sensitivity)), and is taken
                only if it comes before the perfect one, which always does: P(one of `bad` is taken) ≤ bad · p / 2.
        """
        return math.ceil(2 * float(self.sensitivity) / float(epsilon) * math.log(max(1.0, bad / (2 * chance))))

    def end_miss(self, confidence: float) -> int:
        """By how much the targets of both ends are shifted.

        Of the rungs and the places beyond them, those above the quantile are bad for the lower end and those below it
        for the upper: together one more than there are rungs, whatever the data.
        """
        return self.misses(self.end_epsilon, 1 - confidence, bad=self.axis.size + 1)

    def draw(
        self, totals: Totals, labels: Sequence[tuple[Label, ...]], confidence: float, *, bits: BitSource
    ) -> Answer:
        """For each of some cells the chosen value and its interval, from exact counts."""
        counts = totals.values if totals.rungs is None else columns_of(totals, labels, self.axis.size)
        low, value, high = rung_values(self.axis)
        miss = self.end_miss(confidence)
        found = np.empty((3, counts.shape[1]))
        for cell in range(counts.shape[1]):
            column = counts[:, cell]
            found[0, cell] = value[_choice(self, self.answer_epsilon, column, 0, bits)]
            below = _choice(self, self.end_epsilon, column, -miss, bits)
            above = _choice(self, self.end_epsilon, column, miss, bits)
            # Either end may be chosen beyond the ladder on either side, most of all in a cell that is nearly empty.
            found[1, cell] = low[min(max(below, 0), len(low) - 1)]
            found[2, cell] = high[min(max(above, 0), len(high) - 1)]
        return Answer(found[0], np.minimum(found[1], found[0]), np.maximum(found[2], found[0]))

    def describe(self) -> str:
        """The choice in words."""
        return f"permute-and-flip for {self.name}"

    def rank_error(self, confidence: float) -> float:
        """Rows by which the ends of the interval are set off from the quantile; the answer itself misses by fewer."""
        return self.end_miss(confidence) / self.order.denominator


def plan_ladder(
    name: str, asked: RankChoice, *, reach: Reach, neighbours: Neighbours, epsilon: Fraction, alone: bool
) -> Ladder:
    """The ladder of one quantile and what one person can do to its scores; `alone` where there is one cell in all.

    A row that comes moves a score by p or q - p at most, for the order p/q. One that is replaced by another in the same
    cell leaves the target where it is and moves a score by q, which is less than twice the larger of those.
    """
    order = asked.order
    once = reach.rows * max(order.numerator, order.denominator - order.numerator)
    together = alone and neighbours is Neighbours.REPLACE
    moves = 1 if neighbours is Neighbours.ADD_REMOVE else 2
    return Ladder(
        name=name,
        order=order,
        axis=asked.axis,
        epsilon=epsilon,
        touches=reach.groups * moves,
        sensitivity=Fraction(reach.rows * order.denominator, 2) if together else Fraction(once),
        moves=moves,
    )


def rung_values(axis: Rungs) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The lowest, the middle and the highest value of every rung."""
    quantity, width = axis.quantity, axis.width
    low = quantity.low + width * np.arange(axis.size, dtype=np.float64)
    high = np.minimum(low + width - 1, quantity.high)
    step = float(quantity.step)
    return step * low, step * (low + high) / 2, step * high


def columns_of(totals: Totals, labels: Sequence[tuple[Label, ...]], rungs: int) -> NDArray[np.int64]:
    """The counts of the cells with these labels, `[rung, cell]`; a cell that the ladder does not know is empty.

    Where cells are unknown, this is asked for those alone that were let through; the others are never looked at.
    """
    assert totals.labels is not None
    assert totals.rungs is not None
    places = {label: place for place, label in enumerate(labels)}
    counts = np.zeros((rungs, len(labels)), dtype=np.int64)
    for label, rung, count in zip(totals.labels, totals.rungs.tolist(), totals.values[0].tolist(), strict=True):
        if label in places:
            counts[rung, places[label]] = count
    return counts


def _choice(ladder: Ladder, epsilon: Fraction, column: NDArray[np.int64], shift: int, bits: BitSource) -> int:
    """A rung, chosen by score; −1 or `size` for a place beyond the ladder, which only an end can choose."""
    choice = PermuteAndFlip(epsilon=epsilon, sensitivity=ladder.sensitivity, moves=Moves.ANY_WAY)
    return choice.choose(rung_scores(ladder.order, column, shift), bits) - (1 if shift else 0)


def rung_scores(order: Fraction, column: NDArray[np.int64], shift: int) -> NDArray[np.int64]:
    """The score of every rung. For an end of the interval the target is shifted by what a choice can miss.

    So that a shifted target always exists, an end may also choose a place beyond the ladder on either side, where as
    many rows as the shift are imagined. They are public, so they move no sensitivity.
    """
    upto = np.cumsum(column)
    target = order.numerator * int(upto[-1]) + shift
    most, least = order.denominator * upto, order.denominator * (upto - column)
    if shift:
        far = abs(shift)
        least = np.concatenate([[-far], least, [order.denominator * int(upto[-1])]])
        most = np.concatenate([[0], most, [order.denominator * int(upto[-1]) + far]])
    scores = -np.maximum(0, np.maximum(least - target, target - most))
    return np.asarray(scores, dtype=np.int64)
