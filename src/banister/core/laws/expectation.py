"""Expected costs of symmetric noise from its tail: E L(X) = L(0) + ∫ P(|X| > x) dL(x), for any admissible cost.

These are accuracy figures, not privacy claims: doubles, with a relative error of about 1e-7, and jumps of a cost found
by bisection. They are for costs of which only values are known; one that is written exactly has certified figures.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from banister.core.laws.cost import Cost, CostFunction, Floats
from banister.errors import BadValue

Tail = Callable[[Floats], Floats]

_FINE = 8192
_RATIO = 1 + 2.0**-12
_ROUNDS = 44
_HIDDEN = 2e-8
_NEGLIGIBLE = 1e-14
_SIZES = np.concatenate([np.ones(1), 40 * 1.5 ** np.arange(10)])
"""Where it is seen how far a cost reaches, in scales of the noise; at the last one no exponential has any tail."""
_NEAR, _FAR = 6, 7
"""At 304 scales something may be left, but not also at 456 or beyond, unless the cost begins there."""


def expected_cost_on_line(cost: Cost, beyond: Tail, *, scale: float) -> float:
    """E L(|X|) for real noise with P(|X| > x) = beyond(x), where `scale` is the size at which the tail falls."""
    reach = _reach(cost, beyond, scale)
    _, levels, tails = _refined(_first_nodes(scale, reach), cost, beyond)
    return float(levels[0] + np.dot(np.diff(levels), (tails[:-1] + tails[1:]) / 2))


class Remembered:
    """A cost's function that is not asked again about the nodes on which every sum begins.

    It is for searches, where one cost meets many laws of one scale; people's functions are slow.
    """

    def __init__(self, size: CostFunction) -> None:
        self._size = size
        self._asked: Floats | None = None
        self._told = np.empty(0)

    def __call__(self, x: Floats) -> Floats:
        if x.flags.writeable:
            return self._size(x)
        if x is not self._asked:
            self._asked, self._told = x, self._size(x)
        return self._told


@lru_cache(maxsize=8)
def _first_nodes(scale: float, reach: float) -> Floats:
    nodes = np.concatenate([np.linspace(0, scale / 4, _FINE), _spaced(scale / 4, reach)])
    nodes.flags.writeable = False
    return nodes


def expected_cost_on_integers(cost: Cost, at_least: Tail, *, scale: float) -> float:
    """E L(|Z|) for integer noise with P(|Z| ≥ i) = at_least(i); exact sums where the support is short."""
    reach = np.ceil(_reach(cost, at_least, scale))
    if reach <= 1 << 20:
        sizes = np.arange(0.0, reach + 1)
        levels = cost.size(sizes)
        return float(levels[0] + np.dot(np.diff(levels), at_least(sizes[1:])))
    nodes = np.unique(
        np.floor(np.concatenate([np.arange(_FINE), np.linspace(0, scale / 4, _FINE), _spaced(scale / 4, reach)]))
    )
    found, _, _ = _refined(nodes, cost, at_least)
    nodes = np.unique(np.concatenate([np.floor(found), np.ceil(found)]))  # A jump lies between whole neighbours.
    return _sum_over_whole(nodes, cost, at_least)


def periodic_sum(cost: Cost, start: float, *, period: float, decay: float) -> float:
    """Σ_k e^(-decay k) L(start + k · period), the sum that decides where the step of a staircase lies."""
    count = int(_reach(cost, lambda x: np.exp(-decay * x / period), period / decay) / period) + 2
    if count <= 1 << 20:
        k = np.arange(count, dtype=np.float64)
        return float(np.dot(np.exp(-decay * k), cost.size(start + k * period)))
    k = np.unique(np.floor(np.concatenate([np.arange(1 << 14), _spaced(float(1 << 14), float(count))])))
    terms = np.exp(-decay * k) * cost.size(start + k * period)
    gaps = np.diff(k)
    return float(np.sum(gaps * (terms[:-1] + terms[1:]) / 2 + (terms[:-1] - terms[1:]) / 2) + terms[-1])


def _reach(cost: Cost, tail: Tail, scale: float) -> float:
    """A size beyond which nothing of the cost is left; refuses a cost whose expectation diverges.

    One looks on until the tail of an exponential is below all doubles: a cost may be 0, or small, up to there.
    """
    sizes = scale * _SIZES
    with np.errstate(over="ignore", invalid="ignore"):
        tails = tail(sizes)
        weighed = np.where(tails > 0, cost.size(sizes) * tails * _SIZES, 0.0)
    most = max(float(weighed.max()), float(cost.size(np.zeros(1))[0]))
    left = weighed > _NEGLIGIBLE * most
    if not np.isfinite(weighed).all() or (left[_NEAR:_FAR].any() and left[_FAR:].any()):
        raise BadValue(
            f"The cost {cost.name!r} grows so fast that its expectation diverges under this noise. "
            "Take a cost that grows slower than e^(epsilon · error / sensitivity), or a larger epsilon."
        )
    return float(sizes[1 + max(np.flatnonzero(left), default=0)])


def _spaced(first: float, last: float) -> Floats:
    return np.geomspace(first, last, int(np.ceil(np.log(last / first) / np.log(_RATIO))) + 1)


def _refined(nodes: Floats, cost: Cost, tail: Tail) -> tuple[Floats, Floats, Floats]:
    """Halve the intervals in which much could be hidden: a large rise of the cost times a large fall of the tail.

    What may hide is a part of what is there for certain, the sum with the tails at the far ends. It grows as intervals
    are halved: across a wide one with a jump the tail of a large epsilon falls by many powers of ten.
    """
    levels, tails = cost.size(nodes), tail(nodes)
    added = [(nodes, levels, tails)]
    ends = np.stack([nodes[:-1], nodes[1:], levels[:-1], levels[1:], tails[:-1], tails[1:]])
    sure = float(levels[0] + np.dot(np.diff(levels), tails[1:]))
    for _ in range(_ROUNDS):
        ends = ends[:, (ends[3] - ends[2]) * (ends[4] - ends[5]) > _HIDDEN * sure]
        if not ends.size:
            break
        low, high, level_low, level_high, tail_low, tail_high = ends
        middle = (low + high) / 2
        level, left = cost.size(middle), tail(middle)
        sure += float(np.dot(level - level_low, left - tail_high))
        added.append((middle, level, left))
        halves = [low, middle, level_low, level, tail_low, left], [middle, high, level, level_high, left, tail_high]
        ends = np.concatenate([np.stack(half) for half in halves], axis=1)
    found, levels, tails = (np.concatenate(parts) for parts in zip(*added, strict=True))
    order = np.argsort(found, kind="stable")
    return found[order], levels[order], tails[order]


def _sum_over_whole(nodes: Floats, cost: Cost, tail: Tail) -> float:
    levels = cost.size(nodes)
    rises: NDArray[np.float64] = np.diff(levels)
    # Between whole nodes a < b the sum of (L(i) - L(i-1)) P(|Z| ≥ i) runs over i = a + 1 … b.
    return float(levels[0] + np.dot(rises, (tail(nodes[:-1] + 1) + tail(nodes[1:])) / 2))
