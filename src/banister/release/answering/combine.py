"""How far several independent noises together are from 0: the half width of an interval, rounded outwards.

Only accuracy is computed here, never privacy, so doubles will do. For a few noises each is rounded to a lattice, and
half a step for each is added to the half width. For many, magnitudes are rounded up: they are even and fall off on both
sides, so that moving mass outwards makes their sum more spread. The interval is never short.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from banister.core.exact.search import doubled, least_whole

Floats = NDArray[np.float64]

FINE = 128
"""Lattice points in one standard deviation of the whole."""

SPAN = 1024
"""Lattice points in a half width at most: a noise that is nearly always 0 deviates by far less than it reaches."""

CLEAR = 128
"""Lattice points that a half width has at least; with fewer a finer lattice is taken."""

FORGET = 1e-7
"""Tail mass that is counted as being infinitely far out."""


WINDOW = 16
"""Standard deviations on each side within which a sum of many noises is worked out."""

POINTS = 2048
"""Lattice points on each side of that window."""

OWN = 48
"""Lattice points in one standard deviation of a noise that is one of many."""


@dataclass(frozen=True, slots=True, eq=False)
class NoiseSpread:
    """An even law on the whole numbers: its standard deviation and P(|Z| > x) for x ≥ 0."""

    deviation: float
    beyond: Callable[[Floats], Floats]


class NoiseLaw(Protocol):
    """What is asked of a noise here."""

    def __hash__(self) -> int: ...
    def risk_for(self, cost: str) -> float: ...
    def at_least(self, size: Floats) -> Floats: ...


@lru_cache(maxsize=256)
def spread_of(noise: NoiseLaw) -> NoiseSpread:
    """The law of a noise on the integers, for intervals."""
    return NoiseSpread(math.sqrt(noise.risk_for("squared")), lambda x: noise.at_least(np.floor(x) + 1))


def half_width(parts: Sequence[tuple[float, NoiseSpread]], confidence: float) -> float:
    """The least t, up to the lattice, with P(|Σ weight · Z| ≤ t) ≥ confidence."""
    return _half_width(tuple(parts), confidence)


@lru_cache(maxsize=4096)
def _half_width(parts: tuple[tuple[float, NoiseSpread], ...], confidence: float) -> float:
    kept = [(abs(weight), spread) for weight, spread in parts if weight != 0 and spread.deviation > 0]
    if len(kept) <= 1:
        return kept[0][0] * _least_size(kept[0][1], 1 - confidence) if kept else 0.0
    # No further than this: where each of them is within its own share of the chance to miss, so is their sum.
    enough = sum(weight * _least_size(spread, (1 - confidence) / len(kept)) for weight, spread in kept)
    if enough == 0:
        return 0.0
    whole = float(np.sqrt(sum((weight * spread.deviation) ** 2 for weight, spread in kept)))
    grid = max(whole / FINE, enough / SPAN)
    while True:
        law = _nearest(*kept[0], grid)
        for weight, spread in kept[1:]:
            law = _convolved(law, _nearest(weight, spread, grid))
        steps = _quantile(law, confidence)
        if steps is None:
            return float(enough)
        # Each noise was moved by half a step at most.
        enough = min(enough, (steps + len(kept) / 2) * grid)
        if enough == 0 or steps >= CLEAR:
            return float(enough)
        grid = enough / SPAN


@lru_cache(maxsize=1024)
def _least_size(spread: NoiseSpread, outside: float) -> int:
    """The least whole size with P(|Z| > size) ≤ outside."""
    return least_whole(
        lambda size: float(spread.beyond(np.array([float(size)]))[0]) <= outside,
        above=-1,
        start=max(1, int(spread.deviation)),
    )


def _nearest(weight: float, spread: NoiseSpread, grid: float) -> Floats:
    """The law of weight · Z, each size at the nearest point of the lattice; mass that is far out is left out."""
    unit = grid / weight
    beyond = spread.beyond((np.arange(_reach(spread, unit, 1 << 16) + 1, dtype=np.float64) + 0.5) * unit)
    sides = np.maximum(beyond[:-1] - beyond[1:], 0.0) / 2
    return np.concatenate([sides[::-1], [max(1.0 - float(beyond[0]), 0.0)], sides])


def _reach(spread: NoiseSpread, unit: float, most: int) -> int:
    """So many units that hardly any mass is beyond."""
    found: int = doubled(
        lambda n: n >= most or float(spread.beyond(np.array([n * unit]))[0]) <= FORGET, failing=0, start=64
    )[1]
    return found


def _lattice(spread: NoiseSpread, unit: float) -> tuple[Floats, float]:
    """The law of Z in units, sizes rounded up, odd in length with 0 in the middle, and the mass left out."""
    beyond = spread.beyond(np.arange(_reach(spread, unit, 1 << 20) + 1, dtype=np.float64) * unit)
    sides = np.maximum(beyond[:-1] - beyond[1:], 0.0) / 2
    return np.concatenate([sides[::-1], [max(1.0 - float(beyond[0]), 0.0)], sides]), float(beyond[-1])


def _convolved(a: Floats, b: Floats) -> Floats:
    size = len(a) + len(b) - 1
    padded = 1 << int(np.ceil(np.log2(size)))
    return np.maximum(np.fft.irfft(np.fft.rfft(a, padded) * np.fft.rfft(b, padded), padded)[:size], 0.0)


def _quantile(law: Floats, confidence: float) -> int | None:
    """The least number of steps within which there is so much mass; none if too much was left out of the law."""
    half = len(law) // 2
    both = law[half + 1 :] + law[:half][::-1]
    inside = np.concatenate([[law[half]], law[half] + np.cumsum(both)])
    found = int(np.searchsorted(inside, confidence))
    return found if found <= half else None


def pooled(parts: Sequence[tuple[float, NoiseSpread, int]]) -> NoiseSpread:
    """The law of Σ weight · (Z₁ + … + Z_count) for many independent noises; worked out when it is first asked for."""
    kept = tuple((abs(weight), spread, count) for weight, spread, count in parts if weight and spread.deviation > 0)
    whole = float(np.sqrt(sum(count * (weight * spread.deviation) ** 2 for weight, spread, count in kept)))
    if whole == 0:
        return NoiseSpread(0.0, lambda x: np.zeros_like(x))
    grid = WINDOW * whole / POINTS
    return NoiseSpread(whole, lambda x: _pooled_tail(kept, grid)[np.clip(x / grid, 0, POINTS).astype(np.int64)])


@lru_cache(maxsize=256)
def _pooled_tail(parts: tuple[tuple[float, NoiseSpread, int], ...], grid: float) -> Floats:
    """P(|sum| > k · grid) for k up to POINTS, through characteristic functions, never too small but for FORGET.

    Each law is put on a lattice of its own, of whole numbers, with magnitudes rounded up; a triangle of four
    grid steps is added at the end: it spreads the sum a little further, and leaves nothing beyond the transform's band.
    """
    size = 2 * POINTS
    t = 2 * np.pi * np.arange(POINTS + 1) / (size * grid)
    whole = np.sinc(t * grid / np.pi) ** 2
    for weight, spread, count in parts:
        unit = max(1, int(spread.deviation / OWN))
        law, _ = _lattice(spread, float(unit))
        half = len(law) // 2
        reach = int(np.searchsorted(-law[half:], -FORGET / OWN)) if law[-1] < FORGET / OWN else half
        angles = np.outer(t, weight * unit * np.arange(1, reach + 1))
        sides = law[half + 1 : half + 1 + reach]
        # What is forgotten of one law would add up over a million of them, so the rest is made whole again.
        whole *= ((law[half] + 2 * np.cos(angles) @ sides) / (law[half] + 2 * sides.sum())) ** count
    mass = np.fft.irfft(whole, size)
    inside = np.concatenate([[mass[0]], mass[0] + np.cumsum(mass[1:POINTS] + mass[:POINTS:-1]), [1.0]])
    least = np.minimum.accumulate(inside[::-1])[::-1]  # Ripples of the transform never count in our favour.
    return np.clip(1 - least + FORGET / 2, 0.0, 1.0)


def normal_reach(sigma: float, parts: Sequence[tuple[float, int]], confidence: float) -> float:
    """How far Σ weight · Z is off at most, for rounded Gaussian noise: each rounding moves by half a step at most."""
    squares = math.sqrt(sum(count * weight**2 for weight, count in parts))
    return NormalDist().inv_cdf((1 + confidence) / 2) * sigma * squares + sum(n * abs(w) for w, n in parts) / 2


def bounded_reach(spread: NoiseSpread, parts: Sequence[tuple[float, int]], confidence: float) -> float:
    """How far Σ weight · Z is off at most, for many independent noises of one law.

    Upper bound:  Chernoff's, P(|S| ≥ a) ≤ 2 · exp(−t a) · Π E exp(t weight Z), at the best of some t.
    """
    whole = math.sqrt(sum(count * (weight * spread.deviation) ** 2 for weight, count in parts))
    if whole == 0:
        return 0.0
    law, sizes = _own_law(spread)
    best = math.inf
    for far in np.linspace(0.25, 5, 20) / whole:
        grown = [n * _log_mean(far * abs(w) * sizes, law) for w, n in parts if w and n]
        best = min(best, (sum(grown) + math.log(2 / (1 - confidence))) / float(far))
    return best


@lru_cache(maxsize=64)
def _own_law(spread: NoiseSpread) -> tuple[Floats, Floats]:
    unit = float(max(1, int(spread.deviation / OWN)))
    law, _ = _lattice(spread, unit)
    half = len(law) // 2
    return np.concatenate([[law[half]], 2 * law[half + 1 :]]), unit * np.arange(half + 1, dtype=np.float64)


def _log_mean(exponents: Floats, law: Floats) -> float:
    """log E cosh, without overflow."""
    top = float(exponents[-1])
    return top + math.log(float((law * (np.exp(exponents - top) + np.exp(-exponents - top)) / 2).sum()))
