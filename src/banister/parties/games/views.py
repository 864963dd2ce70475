"""What a coalition learns about a party from all that was said, exactly.

A coalition knows the bits of its members and the transcript, and wants to tell whether a party holds 0 or 1. Against
any bits of the others, their symbols say nothing about it, so the trade-off is that of the party's own symbol, whoever
joins. If bits belong together (a joint prior), the others' symbols do speak about it, and the view says how much.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.parties.games.levels import LevelLike, levels_of, response_matrix


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Two laws of what the coalition sees: when the party holds 0, and when it holds 1.

    >>> view = coalition_view([1, 1, 1], 1, [2, 3])
    >>> round(view.advantage(), 6), round(view.delta_at(0), 6)
    (0.462117, 0.462117)
    """

    if_zero: Floats
    if_one: Floats

    def region(self) -> Floats:
        """The corners (false alarm, missed detection) of the best tests for "the party holds 1", ends included.

        All tests lie on this broken line, above it, or below its mirror image through (½, ½) (Neyman and Pearson).
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self.if_zero > 0, self.if_one / self.if_zero, np.inf)
        order = np.argsort(-ratio, kind="stable")
        alarm = np.concatenate(([0.0], np.cumsum(self.if_zero[order])))
        missed = 1 - np.concatenate(([0.0], np.cumsum(self.if_one[order])))
        ratios = ratio[order]
        with np.errstate(invalid="ignore"):  # Two infinite ratios are equal.
            apart = np.abs(ratios[1:] - ratios[:-1]) > 1e-12 * ratios[1:]
        corner = np.concatenate(([True], apart, [True]))
        return np.stack((alarm, np.clip(missed, 0, 1)), axis=1)[corner]

    def delta_at(self, epsilon: Number) -> float:
        """The least delta with which what is seen is (epsilon, delta)-private about the party's bit."""
        steep = np.exp(min(float(need.non_negative("epsilon", epsilon)), 700.0))
        forward = np.maximum(self.if_one - steep * self.if_zero, 0).sum()
        return float(max(forward, np.maximum(self.if_zero - steep * self.if_one, 0).sum()))

    def advantage(self) -> float:
        """The largest gain over guessing blindly when 0 and 1 are equally likely: total variation."""
        return float(np.abs(self.if_zero - self.if_one).sum() / 2)


def coalition_view(
    levels: Sequence[LevelLike], party: int, coalition: Sequence[int], *, prior: ArrayLike | None = None
) -> View:
    """What a coalition (numbers from 1) learns about a party; a joint prior of 2^k chances if bits belong together.

    Exact:  without a prior the region is R(epsilon_i, delta_i) of the party's own level, whatever the bits of all
            others, for every coalition without it: given those bits, their symbols are independent of the party's.

    >>> coalition_view([1, 1, 1], 1, [2, 3]).region().round(3).tolist()
    [[0.0, 1.0], [0.269, 0.269], [1.0, 0.0]]
    >>> round(coalition_view([1, 1, 2], 3, [1]).delta_at(2), 12)
    0.0
    """
    exact = levels_of(levels, len(levels))
    number = _members(len(exact), party, coalition)
    if prior is not None:
        return _with_prior(exact, number, coalition, prior)
    matrix = response_matrix(exact[number - 1])
    return View(matrix[0], matrix[1])


def _with_prior(levels: Sequence[Guarantee], number: int, coalition: Sequence[int], prior: ArrayLike) -> View:
    """The same when the bits follow a joint prior: 2^k chances, party 1 in the highest bit of the input's number.

    The members' bits and all symbols are seen; the bits of the others are averaged over the prior given what is known.
    Here a party's neighbours may give it away: this can exceed R(epsilon_i, delta_i).
    """
    k = len(levels)
    chances = np.asarray(prior, dtype=np.float64)
    if chances.shape != (1 << k,) or not np.all(chances >= 0) or not abs(chances.sum() - 1) < 1e-9:
        raise BadValue(f"The prior needs 2^{k} chances of 0 or above that sum to 1, one for each input.")
    cube = chances.reshape((2,) * k)
    laws = []
    for bit in (0, 1):
        given = np.take(cube, [bit], axis=number - 1)
        if not given.sum() > 0:
            raise BadValue(f"Under the prior, party {number} never holds {bit}; there is nothing to tell apart.")
        laws.append(_seen(given / given.sum(), levels, number, set(coalition), bit))
    return View(laws[0], laws[1])


def _seen(given: Floats, levels: Sequence[Guarantee], party: int, coalition: set[int], bit: int) -> Floats:
    """The law of (members' bits, all symbols), from the law of the bits given the party's bit."""
    law = given
    for number, level in enumerate(levels, 1):
        matrix = response_matrix(level)
        if number == party:
            matrix = matrix[bit : bit + 1]
        elif number in coalition:  # Its bit stays in sight, and its symbol adds nothing.
            matrix = np.eye(2)
        law = np.tensordot(law, matrix, axes=(0, 0))
    return law.ravel()


def views_together(views: Sequence[View]) -> View:
    """Several independent views of one bit, such as answers to several plans, as one.

    >>> one = coalition_view([1, 1], 1, [2])
    >>> round(one.advantage(), 6), round(views_together([one, one]).advantage(), 6)
    (0.462117, 0.462117)
    """
    zero = reduce(np.multiply.outer, [view.if_zero for view in views], np.ones(1))
    one = reduce(np.multiply.outer, [view.if_one for view in views], np.ones(1))
    return View(zero.ravel(), one.ravel())


def _members(parties: int, party: int, coalition: Sequence[int]) -> int:
    number = need.whole("party", party, least=1, most=parties)
    members = {need.whole("a member of the coalition", member, least=1, most=parties) for member in coalition}
    if number in members:
        raise BadValue(f"Party {number} is in the coalition itself, and knows its bit. Ask about another party.")
    return number
