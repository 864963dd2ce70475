"""The shape of noise for many questions, between the staircase and the Gaussian, by a convex program.

For k questions within (epsilon, delta), what a noise with masses p gives away is governed by its moment at one order,
G(p) = Σ p_i^(1+theta) p_(i-M)^(-theta): delta is about G^k e^(-theta epsilon). Each term is jointly convex, so

    minimise Σ |i|^n p_i + weight · G(p)    over laws p

is a convex program; theta and the weight are chosen by the exact guarantee of k releases, never by the moment.
Newton's method proposes; what is returned is a `ShapedNoise`, whose loss is exact.
"""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from banister.core.exact.search import halved
from banister.core.laws.cost import Cost
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.mechanisms.integers.shaped import ShapedNoise

MOST_CELLS = 160
"""Where the Gaussian would need more cells, it is within a hair of the best shape, and none is sought."""
_UNIT = Fraction(1, 64)
_WIDTH = 33
"""Whole numbers in a cell: the noise is as fine as 1/33 of a cell."""
_LEAST_SIGMA = 0.5
"""Below, cells as wide as the sensitivity are too coarse, and the staircase is far better anyway."""
_ORDERS = (0.8, 1.0, 1.25)
_ROUNDS = 9
_NEWTON = 120


def best_shape(total: Guarantee, questions: int, *, cost: Cost, sigma: float) -> ShapedNoise | None:
    """The best shape found for so many questions, in units in which `sensitivity` of the noise is that of a question.

    `sigma` is the Gaussian's standard deviation over the sensitivity, from which the search starts. None where the
    program would be too large, or no shape with a finite loss fits.
    """
    parts = 1  # Cells as wide as the sensitivity: a smaller shift then gives away a part of what a whole one does.
    reach = sigma * math.sqrt(2 * math.log(1e4 * questions / float(total.delta)))
    cells = math.ceil(2 * reach) + 8  # Tails of the best shapes are heavier than the Gaussian's.
    exponent = cost.exponent
    if cells > MOST_CELLS or sigma < _LEAST_SIGMA or exponent is None:
        return None
    order = max(0.2, float(total.epsilon) * sigma**2 / questions - 0.5)
    sizes = (np.arange(cells + 1) / parts) ** float(exponent)
    start = np.exp(-np.minimum((np.arange(cells + 1) / parts / sigma) ** 2 / 2, 300.0))
    found = [
        noise for times in _ORDERS for noise in _fitting(total, questions, sizes, parts, order * times, start, cost)
    ]
    return min(found, key=lambda noise: noise.risk_for(cost), default=None)


def _fitting(
    total: Guarantee, questions: int, sizes: Floats, parts: int, order: float, start: Floats, cost: Cost
) -> Iterator[ShapedNoise]:
    """The shape of least weight for this order with which all questions are within the total."""
    made: dict[float, ShapedNoise] = {}
    at = _law(start)

    def fits(weight: float) -> bool:
        nonlocal at
        at = _newton(sizes, parts, order, math.exp(weight), at)
        noise = _on_lattice(at, parts, cost)
        if noise is None or not noise.loss().times(questions).keeps(total):
            return False
        made[weight] = noise
        return True

    middle = math.log(max(1e-9, float(_law(start) @ (sizes * _sides(sizes.size)))))
    low, high = middle - 2.0, middle
    while not fits(high) and high < middle + 12:
        low, high = high, high + 2.0
    if made:
        halved(fits, low, high, rounds=_ROUNDS)
        yield made[min(made)]


def _sides(count: int) -> Floats:
    return np.where(np.arange(count) == 0, 1.0, 2.0)


def _law(weights: Floats) -> Floats:
    result: Floats = weights / float(weights @ _sides(weights.size))
    return result


def _newton(sizes: Floats, parts: int, order: float, weight: float, start: Floats) -> Floats:
    """The minimum of Σ cost p + weight · G(p), by Newton steps in relative changes of p that keep the sum."""
    count = sizes.size
    places = np.abs(np.arange(1 - count, count))
    here, there = places[parts:], places[:-parts]
    sides, p = _sides(count), start

    def terms(law: Floats) -> Floats:
        result: Floats = weight * np.exp((1 + order) * np.log(law[here]) - order * np.log(law[there]))
        return result

    def value(law: Floats) -> float:
        return float((sides * sizes * law).sum() + terms(law).sum())

    for _ in range(_NEWTON):
        moment = terms(p)
        slope = sides * sizes * p + (1 + order) * np.bincount(here, moment, count)
        slope -= order * np.bincount(there, moment, count)
        bend = order * (1 + order) * moment
        system = np.zeros((count + 1, count + 1))
        np.add.at(system, (here, here), bend)
        np.add.at(system, (there, there), bend)
        np.add.at(system, (here, there), -bend)
        np.add.at(system, (there, here), -bend)
        system[np.arange(count), np.arange(count)] += 1e-14 * bend.max()
        system[:count, -1] = system[-1, :count] = sides * p
        change = np.linalg.solve(system, np.append(-slope, 0.0))[:count]
        fall, now = -float(slope @ change), value(p)
        step = min(1.0, 0.9 / max(1e-300, -float(change.min())))
        while step > 1e-12 and not value(p * (1 + step * change)) < now - 1e-4 * step * fall:
            step /= 2
        if step <= 1e-12:
            break
        p = _law(p * (1 + step * change))
        if fall < 1e-10 * now:
            break
    return p


def _on_lattice(p: Floats, parts: int, cost: Cost) -> ShapedNoise | None:
    """The law with its logarithms rounded to the lattice; None where a smaller shift would give away more."""
    heights = np.rint((math.log(p.max()) - np.log(p)) * float(1 / _UNIT)).astype(np.int64)
    try:
        return ShapedNoise(
            heights=[int(height) for height in heights], unit=_UNIT, reach=parts, width=_WIDTH, cost=cost
        )
    except BadValue:
        return None
