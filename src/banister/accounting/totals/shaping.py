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
from banister.core.programs.linear import Floats, Ints
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
_MORE = (0.0, 1e-4, 1e-3, 0.01, 0.05, 0.3)
"""How much more weight is tried where the exact composition refuses what doubles found."""


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
    """The shape of least weight for this order with which all questions are within the total.

    The weight is searched in doubles; what is found is composed exactly, and a little more weight is given where
    the doubles said too much.
    """
    at, made = _law(start), dict[float, Floats]()

    def fits(weight: float) -> bool:
        nonlocal at
        at = made[weight] = _newton(sizes, parts, order, math.exp(weight), at)
        return _delta_near(_heights(at), parts, questions, float(total.epsilon)) <= float(total.delta)

    middle = math.log(max(1e-9, float(_law(start) @ (sizes * _sides(sizes.size)))))
    low, high = middle - 2.0, middle
    while not fits(high) and high < middle + 12:
        low, high = high, high + 2.0
    least = halved(fits, low, high, rounds=_ROUNDS)[1]
    for more in _MORE:
        if least + more not in made:
            fits(least + more)
        noise = _on_lattice(made[least + more], parts, cost)
        if noise is not None and noise.loss().times(questions).keeps(total):
            yield noise
            return


def _delta_near(heights: Ints, parts: int, questions: int, epsilon: float) -> float:
    """About the delta of so many questions: the losses of a shift on their lattice, composed in doubles by one FFT."""
    places = np.abs(np.arange(1 - heights.size, heights.size))
    masses = np.exp(-heights[places] * float(_UNIT))
    masses /= masses.sum()
    values = heights[places[parts:]] - heights[places[:-parts]]
    least = int(values.min())
    law = np.bincount(values - least, masses[:-parts])
    length = 1 << ((law.size - 1) * questions + 1).bit_length()
    composed = np.maximum(np.fft.irfft(np.fft.rfft(law, length) ** questions, length), 0.0)
    losses = (np.arange(length) + least * questions) * float(_UNIT)
    over = losses > epsilon
    escaped = 1 - (1 - float(masses[-parts:].sum())) ** questions
    return escaped + float((composed[over] * -np.expm1(epsilon - losses[over])).sum())


def _sides(count: int) -> Floats:
    return np.where(np.arange(count) == 0, 1.0, 2.0)


def _law(weights: Floats) -> Floats:
    result: Floats = weights / float(weights @ _sides(weights.size))
    return result


def _bordered(diagonal: Floats, bend: Floats, slope: Floats, border: Floats) -> Floats:
    """The step that minimises slope·x + xᵀ B x/2 with border·x = 0, for B with neighbouring cells alone coupled."""
    count = diagonal.size
    beside = -(bend[: count - 1][::-1] + bend[count - 1 :])  # Of cells n and n + 1, on both sides.
    pivots, first, second = diagonal + 1e-14 * bend.max(), -slope, border.copy()
    for n in range(1, count):
        ratio = beside[n - 1] / pivots[n - 1]
        pivots[n] -= ratio * beside[n - 1]
        first[n] -= ratio * first[n - 1]
        second[n] -= ratio * second[n - 1]
    first[-1] /= pivots[-1]
    second[-1] /= pivots[-1]
    for n in range(count - 2, -1, -1):
        first[n] = (first[n] - beside[n] * first[n + 1]) / pivots[n]
        second[n] = (second[n] - beside[n] * second[n + 1]) / pivots[n]
    change: Floats = first - second * (float(border @ first) / float(border @ second))
    return change


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
        diagonal: Floats = np.asarray(
            np.bincount(here, bend, count) + np.bincount(there, bend, count), dtype=np.float64
        )
        change = _bordered(diagonal, bend, slope, sides * p)
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


def _heights(p: Floats) -> Ints:
    """Minus the logarithms of the masses, on the lattice."""
    heights: Ints = np.rint((math.log(p.max()) - np.log(p)) * float(1 / _UNIT)).astype(np.int64)
    return heights


def _on_lattice(p: Floats, parts: int, cost: Cost) -> ShapedNoise | None:
    """The law with its logarithms rounded to the lattice; None where a smaller shift would give away more."""
    try:
        return ShapedNoise(
            heights=[int(height) for height in _heights(p)], unit=_UNIT, reach=parts, width=_WIDTH, cost=cost
        )
    except BadValue:
        return None
