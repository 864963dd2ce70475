"""A total over a count, with an interval that holds at its rate also where the count is small."""

import itertools

import numpy as np

from banister.release.aggregates.aggregate import Floats, Noisy, Piece
from banister.release.answering.combine import half_width

NODES = 16
"""Pieces into which the range of a mean is cut on each side of its middle, each with its own half width."""


def ratio(total: Piece, count: Piece, noisy: Noisy, confidence: float) -> tuple[Floats, Floats, Floats]:
    """Total over count, in whole steps, with every ratio m for which total − m · count is as near 0 as its noise.

    The set of such m holds the true ratio with the stated confidence ([F54]): total − m · count has then mean 0
    and the known noise Z_total − m · Z_count. The half width grows with |m|, so it is taken at the far end of
    each piece of the range.
    """
    quantity = noisy.quantity(total)
    sums, counts = noisy.values[total.place].astype(np.float64), noisy.values[count.place].astype(np.float64)
    bound = float(max(abs(quantity.low), abs(quantity.high)))
    edges = np.linspace(0.0, bound, NODES + 1)
    wide = 0.0
    low, high = np.full(len(sums), np.inf), np.full(len(sums), -np.inf)
    for near, far in itertools.pairwise(edges.tolist()):
        laws = [(1.0, noisy.spreads[total.place]), (float(far), noisy.spreads[count.place])]
        wide = half_width(laws, confidence)
        for left, right in ((near, far), (-far, -near)):
            bottom, top = _within(sums, counts, wide, left, right)
            found = bottom <= top
            low = np.where(found, np.minimum(low, bottom), low)
            high = np.where(found, np.maximum(high, top), high)
    low, high = _where_none(sums, counts, low, high, (float(quantity.low), float(quantity.high), wide))
    safe = np.where(counts > 0, counts, 1.0)
    point = np.where(counts > 0, sums / safe, 0.0)
    return (
        np.clip(point, low, high),
        np.clip(low, quantity.low, quantity.high),
        np.clip(high, quantity.low, quantity.high),
    )


def _where_none(
    sums: Floats, counts: Floats, low: Floats, high: Floats, held: tuple[float, float, float]
) -> tuple[Floats, Floats]:
    """Where no ratio in the range fits, the noise has gone beyond an end: from there inwards, as wide as at that end.

    Without any rows to speak of it can be every ratio.
    """
    bottom, top, wide = held
    none, some = low > high, counts > 0
    inwards = wide / np.where(some, counts, 1.0)
    above = sums > 0
    first = np.where(above, np.maximum(top - inwards, bottom), bottom)
    last = np.where(above, top, np.minimum(bottom + inwards, top))
    return (
        np.where(none, np.where(some, first, bottom), low),
        np.where(none, np.where(some, last, top), high),
    )


def _within(sums: Floats, counts: Floats, wide: float, left: float, right: float) -> tuple[Floats, Floats]:
    """The m in [left, right] with |sum − m · count| ≤ wide."""
    divisor = np.where(counts == 0, 1.0, counts)
    ends = np.stack([(sums - wide) / divisor, (sums + wide) / divisor])
    bottom, top = ends.min(axis=0), ends.max(axis=0)
    everything = np.abs(sums) <= wide
    bottom = np.where(counts == 0, np.where(everything, left, np.inf), bottom)
    top = np.where(counts == 0, np.where(everything, right, -np.inf), top)
    return np.maximum(bottom, left), np.minimum(top, right)
