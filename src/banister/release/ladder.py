"""Quantiles: choose a rung of a ladder over the declared range, by how many rows lie below and above it.

The ladder is public: every value of a short range, or about 1024 equal rungs of a long one. A rung is a q-quantile of
a cell when the rows below it are at most q of all, and the rows up to it at least q. Its score is how many rows it
misses by, times the denominator of q, so that scores are whole numbers.
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
from banister.questions.question import Label, Output, Rungs
from banister.release.work import Totals
from banister.sampling.bits import BitSource

RUNGS = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """How one quantile is chosen: half of epsilon for the answer, a quarter for each end of its interval."""

    output: Output
    axis: Rungs
    epsilon: Fraction
    touches: int
    sensitivity: int
    moves: int
    """How many sensitivities one cell can move by, which then pays for as many cells."""

    def loss(self) -> PrivacyLoss:
        """What all choices of this quantile give away about one person: an answer and two ends for each cell."""
        times, cells = self.moves, self.touches // self.moves
        ends = PrivacyLoss.pure(times * self.end_epsilon).times(2 * cells)
        return PrivacyLoss.pure(times * self.answer_epsilon).times(cells).with_(ends)

    @property
    def answer_epsilon(self) -> Fraction:
        return self.epsilon / (2 * self.touches)

    @property
    def end_epsilon(self) -> Fraction:
        return self.epsilon / (4 * self.touches)

    def misses(self, epsilon: Fraction, chance: float) -> int:
        """Scores that a choice misses by at most, but for that chance.

        Upper bound:  permute-and-flip is never worse than the exponential mechanism ([MS20] Thm 2), of which
                      P(miss ≥ t) ≤ rungs · e^(−epsilon t / (2 sensitivity)) ([MT07]).
        """
        rungs = self.axis.size + 2
        return math.ceil(2 * self.sensitivity / float(epsilon) * math.log(rungs / chance))

    def rank_error(self, confidence: float) -> float:
        """Rows by which the chosen rung can miss the quantile's rank."""
        return self.misses(self.answer_epsilon, 1 - confidence) / self.output.order.denominator


def plan_ladder(output: Output, reach: Reach, cells: int | None, neighbours: Neighbours, epsilon: Fraction) -> Ladder:
    """The ladder of one quantile and what one person can do to its scores."""
    quantity = output.quantity
    assert quantity is not None
    order = output.order
    width = -(-(quantity.high - quantity.low + 1) // RUNGS)
    once = reach.rows * max(order.numerator, order.denominator - order.numerator)
    moves = 1 if neighbours is Neighbours.ADD_REMOVE else 2
    return Ladder(
        output=output,
        axis=Rungs(quantity, width),
        epsilon=epsilon,
        touches=reach.groups * moves,
        sensitivity=once,
        moves=moves,
    )


def rung_values(axis: Rungs) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The lowest, the middle and the highest value of every rung."""
    quantity, width = axis.quantity, axis.width
    low = quantity.low + width * np.arange(axis.size, dtype=np.float64)
    high = np.minimum(low + width - 1, quantity.high)
    step = float(quantity.step)
    return step * low, step * (low + high) / 2, step * high


def choose(
    ladder: Ladder, counts: NDArray[np.int64], confidence: float, bits: BitSource
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """For each cell the chosen value and its interval; `counts[rung, cell]` are exact."""
    low, value, high = rung_values(ladder.axis)
    miss = ladder.misses(ladder.end_epsilon, (1 - confidence) / 2)
    found = np.empty((3, counts.shape[1]))
    for cell in range(counts.shape[1]):
        column = counts[:, cell]
        found[0, cell] = value[_choice(ladder, ladder.answer_epsilon, column, 0, bits)]
        below = _choice(ladder, ladder.end_epsilon, column, -miss, bits)
        above = _choice(ladder, ladder.end_epsilon, column, miss, bits)
        # Either end may be chosen beyond the ladder on either side, most of all in a cell that is nearly empty.
        found[1, cell] = low[min(max(below, 0), len(low) - 1)]
        found[2, cell] = high[min(max(above, 0), len(high) - 1)]
    return found[0], np.minimum(found[1], found[0]), np.maximum(found[2], found[0])


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
    """A rung, chosen by score. For an end of the interval the target is shifted by what a choice can miss.

    So that a shifted target always exists, an end may also choose −1 or `size`: beyond the ladder, where as many
    rows as the shift are imagined. They are public, so they move no sensitivity.
    """
    order = ladder.output.order
    upto = np.cumsum(column)
    target = order.numerator * int(upto[-1]) + shift
    most, least = order.denominator * upto, order.denominator * (upto - column)
    if shift:
        far = abs(shift)
        least = np.concatenate([[-far], least, [order.denominator * int(upto[-1])]])
        most = np.concatenate([[0], most, [order.denominator * int(upto[-1]) + far]])
    scores = -np.maximum(0, np.maximum(least - target, target - most))
    choice = PermuteAndFlip(epsilon=epsilon, sensitivity=ladder.sensitivity, moves=Moves.ANY_WAY)
    return choice.choose(scores.astype(np.int64), bits) - (1 if shift else 0)
