"""Closed forms, thresholds and converses: what is known without solving anything."""

import math

import numpy as np
from numpy.typing import ArrayLike

from banister.core.exact.numbers import Number
from banister.core.laws.utility import KL, entropy
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.columns import subset_sums
from banister.local.designs.information import information_cap
from banister.local.designs.priors import law, pair

_EXHAUSTIVE = 22
_MEET = 40


def contraction(epsilon: float) -> float:
    """tanh²(epsilon/2): no report keeps a larger part of a KL, chi-square or Hellinger divergence.

    It also bounds effective samples: n reports are worth at most n tanh²(epsilon/2) open answers.

    >>> round(contraction(1), 3)
    0.214
    """
    return math.tanh(epsilon / 2) ** 2


def total_variation_kept(epsilon: float, p0: ArrayLike, p1: ArrayLike) -> float:
    """The largest total variation of reports, tanh(epsilon/2) TV(P0, P1), reached by one bit ([K16] Thm 3.4.2).

    >>> round(total_variation_kept(1, [0.5, 0.5], [0.2, 0.8]), 6)
    0.138635
    """
    first, second = pair((p0, p1))
    return math.tanh(epsilon / 2) * float(np.abs(first - second).sum()) / 2


def kl_up(epsilon: float, p0: ArrayLike, p1: ArrayLike) -> float:
    """No channel of the level keeps more KL divergence than this.

    Upper bound:  the least of tanh²(epsilon/2) KL(P0, P1), 2 epsilon tanh(epsilon/2) TV, and
                  min(4, e^2epsilon) (e^epsilon - 1)² TV² ([K16] Lemma B.4.2).

    >>> round(kl_up(1, [0.5, 0.5], [0.2, 0.8]), 6)
    0.047653
    """
    first, second = pair((p0, p1))
    far = float(np.abs(first - second).sum()) / 2
    duchi = min(4.0, math.exp(2 * min(epsilon, 1))) * math.expm1(min(epsilon, 300)) ** 2 * far**2
    return min(
        contraction(epsilon) * float(KL.between(first, second)), 2 * epsilon * math.tanh(epsilon / 2) * far, duchi
    )


def information_up(epsilon: float, prior: ArrayLike) -> float:
    """No channel of the level tells more about the answer, in nats: min(tanh²(epsilon/2) H, cap(epsilon)).

    >>> round(information_up(1, [0.5, 0.3, 0.2]), 6)
    0.123302
    """
    return min(contraction(epsilon) * entropy(law("prior", prior)), information_cap(epsilon))


def one_bit_threshold(p0: ArrayLike, p1: ArrayLike) -> float:
    """The epsilon up to which the binary channel is optimal for every f-divergence at once.

    Exact:  docs/math/local-design.md. [K16] Thm 3.4.1 is false where P0(x) = P1(x); there the threshold is 0.

    >>> round(one_bit_threshold([0.6, 0.3, 0.1], [0.2, 0.2, 0.6]), 6)
    0.980829
    """
    first, second = pair((p0, p1))
    with np.errstate(divide="ignore"):
        ratio = first / second
    if np.any(ratio == 1):
        return 0.0
    top = ratio > 1
    low, high = float(ratio[top].min()), float(ratio[~top].max())
    return min(
        _branch(low - 1, math.inf if math.isinf(low) else float(first[top].sum() - low * second[top].sum())),
        _branch(1 - high, high * float(second[~top].sum()) - float(first[~top].sum())),
    )


def _branch(rise: float, room: float) -> float:
    return math.inf if not room > 1e-15 or math.isinf(rise) else math.log1p(rise / room)


def binary_for_testing(epsilon: Number, p0: ArrayLike, p1: ArrayLike) -> RandomizedResponse:
    """One bit: whether the category is likelier under P0 ([K16] Eq. 3.15).

    >>> binary_for_testing(1, [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]).matrix.round(3).tolist()
    [[0.269, 0.731], [0.269, 0.731], [0.731, 0.269]]
    """
    first, second = pair((p0, p1))
    cell_of = (first >= second).astype(np.int64)
    if cell_of.min() == cell_of.max():
        raise BadValue("The two hypotheses are the same law, so no bit can tell them apart.")
    return RandomizedResponse(epsilon, first.size, cell_of=cell_of)


def binary_for_information(epsilon: Number, prior: ArrayLike) -> RandomizedResponse:
    """One bit: whether the category is in a set of probability as near 1/2 as can be found ([K16] Eq. 3.21).

    >>> binary_for_information(1, [0.5, 0.3, 0.2]).matrix.round(3).tolist()
    [[0.269, 0.731], [0.731, 0.269], [0.731, 0.269]]
    """
    half = halved(law("prior", prior))
    return RandomizedResponse(epsilon, half.size, cell_of=half)


def one_bit_testing_factor(epsilon: float) -> float:
    """The binary channel keeps at least this part of the best KL ([K16] Thm 3.4.3, constant of Lemma B.4.2).

    >>> round(one_bit_testing_factor(0.5), 6)
    0.104873
    """
    return 2 / (min(4.0, math.exp(2 * min(epsilon, 1))) * (math.exp(epsilon) + 1) ** 2)


def one_bit_information_factor(epsilon: float) -> float:
    """The binary channel keeps at least this part of the most information, for epsilon at most 1 ([K16] Thm 3.5.2).

    >>> round(one_bit_information_factor(0.5), 6)
    0.377541
    """
    if not 0 <= epsilon <= 1:
        raise BadValue(f"epsilon = {epsilon} must be from 0 to 1: the theorem says nothing beyond.")
    return 1 / (1 + math.exp(epsilon))


def halved(prior: Floats) -> Ints:
    """Which categories form a half: exact up to 40 categories, by differencing beyond (far below any use).

    >>> halved(np.array([0.5, 0.2, 0.3])).tolist()
    [1, 0, 0]
    """
    if prior.size <= _EXHAUSTIVE:
        best = int(np.argmin(np.abs(subset_sums(prior)[1:-1] - 0.5))) + 1
        return best >> np.arange(prior.size) & 1
    return _met(prior) if prior.size <= _MEET else _differenced(prior)


def _met(prior: Floats) -> Ints:
    """Meet in the middle: for each set of the first half, the best set of the second."""
    middle = prior.size // 2
    first, second = subset_sums(prior[:middle]), subset_sums(prior[middle:])
    order = np.argsort(second)
    place = np.clip(np.searchsorted(second[order], 0.5 - first), 1, second.size - 1)
    candidates = np.stack((order[place - 1], order[place]))
    misses = np.abs(first + second[candidates] - 0.5)
    side, one = np.unravel_index(int(misses.argmin()), misses.shape)
    other = int(candidates[side, one])
    return np.append(int(one) >> np.arange(middle) & 1, other >> np.arange(prior.size - middle) & 1)


def _differenced(prior: Floats) -> Ints:
    """Karmarkar and Karp: the two largest go to different sides, and only their difference is kept."""
    import heapq

    heap = [(-float(p), x) for x, p in enumerate(prior)]
    heapq.heapify(heap)
    opposite: list[tuple[int, int]] = []
    while len(heap) > 1:
        large, x = heapq.heappop(heap)
        less, y = heapq.heappop(heap)
        opposite.append((x, y))
        heapq.heappush(heap, (large - less, x))
    side = np.zeros(prior.size, dtype=np.int64)
    for x, y in reversed(opposite):
        side[y] = 1 - side[x]
    return side
