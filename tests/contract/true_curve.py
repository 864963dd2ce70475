"""The true hockey-stick curve of independent draws, by a second road: masses, logarithms of ratios, sums.

Nothing here knows a `PrivacyLoss`. A law of losses is a list of log(p/q) with masses under p, and a mass at infinity.
Where lists grow long they are put on a grid, rounded down for a curve that is certainly not above the true one, or up.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve

from banister.core.exact.numbers import BALL_BITS, precision
from banister.mechanisms import IntegerNoise, PermuteAndFlip

Floats = NDArray[np.float64]
Way = Callable[[Floats], Floats]
DOWN: Way = np.floor
UP: Way = np.ceil
GRID = 1 / 512
LONG = 5000
NEGLIGIBLE = 1e-13


@dataclass(frozen=True, eq=False)
class Losses:
    """log(p/q) under p: values, their masses, and the mass where q is 0."""

    values: Floats
    masses: Floats
    infinite: float

    @classmethod
    def of_pair(cls, p: Floats, q: Floats) -> "Losses":
        both = (p > 0) & (q > 0)
        return _merged(np.log(p[both] / q[both]), p[both], float(p[(p > 0) & (q <= 0)].sum()))

    def then(self, other: "Losses", way: Way) -> "Losses":
        """Both, drawn independently."""
        infinite = 1 - (1 - self.infinite) * (1 - other.infinite)
        if len(self.values) * len(other.values) > LONG:
            (start, mine), (second, others) = self._on_grid(way), other._on_grid(way)
            found = np.maximum(fftconvolve(mine, others), 0.0).astype(np.float64)
            places = start + second + np.arange(len(found), dtype=np.float64)
            return Losses(GRID * places, found, infinite)
        values = np.add.outer(self.values, other.values).ravel()
        return _merged(values, np.multiply.outer(self.masses, other.masses).ravel(), infinite)

    def _on_grid(self, way: Way) -> tuple[int, Floats]:
        """The first place on the grid, and the masses from there on; values that lie on it stay where they are."""
        places = way(np.round(self.values / GRID, 6)).astype(np.int64)
        start = int(places.min())
        return start, np.bincount(places - start, weights=self.masses).astype(np.float64)

    def delta(self, epsilon: float) -> float:
        above = self.values > epsilon
        return self.infinite - float((self.masses[above] * np.expm1(epsilon - self.values[above])).sum())

    @property
    def top(self) -> float:
        return float(self.values.max(initial=0.0))


NOTHING = Losses(np.zeros(1), np.ones(1), 0.0)


def _merged(values: Floats, masses: Floats, infinite: float) -> Losses:
    kept = masses > 0
    places, inverse = np.unique(np.round(values[kept], 10), return_inverse=True)
    return Losses(
        places, np.bincount(inverse, weights=masses[kept], minlength=len(places)).astype(np.float64), infinite
    )


def together(losses: Iterable[Losses], way: Way) -> Losses:
    """All of them, drawn independently."""
    return reduce(lambda a, b: a.then(b, way), losses, NOTHING)


@lru_cache(maxsize=512)
def masses(noise: IntegerNoise) -> Floats:
    """The masses of |i| = 0, 1, 2, ... until they do not matter."""
    found: list[float] = []
    with precision(BALL_BITS):
        while len(found) < 2 or (found[-1] > NEGLIGIBLE * found[0]):
            found.append(float(noise.mass_ball(len(found))))
    return np.array(found)


@lru_cache(maxsize=4096)
def shifted(noise: IntegerNoise, shift: int) -> Losses:
    """Noise around 0 against noise around the shift, over every output that matters."""
    half = masses(noise)
    law = np.concatenate([half[:0:-1], half])
    pad = np.zeros(abs(shift))
    p, q = np.concatenate([law, pad]), np.concatenate([pad, law])
    edge = half[-1] <= NEGLIGIBLE * half[0] and half[-1] > 0
    if edge:  # The law goes on beyond the list, so nothing near its ends tells the two apart for certain.
        inside = slice(abs(shift), len(p) - abs(shift)) if shift else slice(None)
        return Losses.of_pair(p[inside], q[inside])
    return Losses.of_pair(p, q)


@lru_cache(maxsize=65536)
def chances(choice: PermuteAndFlip, scores: tuple[int, ...]) -> Floats:
    """The chance of each candidate, by inclusion and exclusion: P(i) = p_i · Σ_S (−1)^|S| Π_S p_j / (|S| + 1)."""
    best = max(scores)
    rate = float(choice.step / choice.sensitivity)
    heads = [math.exp(rate * (score - best)) for score in scores]
    found = []
    for i, mine in enumerate(heads):
        others = heads[:i] + heads[i + 1 :]
        total = 0.0
        for size in range(len(others) + 1):
            chosen = math.fsum(math.prod(some) for some in combinations(others, size))
            total += (-1) ** size * chosen / (size + 1)
        found.append(mine * total)
    return np.array(found)


@lru_cache(maxsize=65536)
def chosen(choice: PermuteAndFlip, here: tuple[int, ...], there: tuple[int, ...]) -> Losses:
    return Losses.of_pair(chances(choice, here), chances(choice, there))
