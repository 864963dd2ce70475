"""Tables too wide to enumerate: counts that none is negative of, groups of values, and codes dealt by shares.

Everything here works on released noisy counts, so it costs no privacy and may look at them as it likes.
"""

import numpy as np
from numpy.typing import NDArray

from banister.sampling.bits import BitSource

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GROUPS = 20
"""How many groups of values a column has when it is measured together with another."""


def on_simplex(noisy: Floats, total: float) -> Floats:
    """The nearest numbers, none negative, of that total: one common threshold."""
    ordered = np.sort(noisy.ravel())[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, ordered.size + 1)
    last = int(np.flatnonzero(ordered > excess)[-1]) if np.any(ordered > excess) else 0
    return np.asarray(np.maximum(noisy - excess[last], 0.0))


def grouped(counts: Floats, *, ordered: bool) -> Ints:
    """A group for each value: neighbours of about equal weight where values are ordered, else the rarest together."""
    if counts.size <= GROUPS:
        return np.arange(counts.size)
    if not ordered:
        ranks = np.empty(counts.size, dtype=np.int64)
        ranks[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
        return np.minimum(ranks, GROUPS - 1)
    share = np.cumsum(counts) - counts / 2
    rough = np.floor(share / max(float(counts.sum()), 1e-9) * GROUPS).clip(0, GROUPS - 1)
    return np.unique(rough, return_inverse=True)[1].astype(np.int64)


def spread_over(known: Ints, shares: Floats, bits: BitSource) -> Ints:
    """For every record a second code, dealt by the row of `shares` that its first code names."""
    found = np.empty(known.size, dtype=np.int64)
    order = np.argsort(known, kind="stable")
    counts = np.bincount(known, minlength=shares.shape[0])
    ends = np.cumsum(counts)
    for code in np.flatnonzero(counts):
        end, count = ends[code], counts[code]
        found[order[end - count : end]] = _dealt(shares[code], int(count), bits)
    return found


def _dealt(shares: Floats, records: int, bits: BitSource) -> Ints:
    """So many codes with counts as near to the shares as whole numbers can be, in random order."""
    total = float(shares.sum())
    exact = shares / total * records if total > 0 else np.full(shares.size, records / shares.size)
    counts = np.floor(exact).astype(np.int64)
    left = records - int(counts.sum())
    if left:
        # The places of what is left follow one random comb, so that each share keeps its mean.
        parts = np.cumsum(exact - counts)
        start = float(bits.take(53)) * 2.0**-53
        teeth = (np.arange(left) + start) * (parts[-1] / left)
        np.add.at(counts, np.searchsorted(parts, teeth, side="right").clip(0, shares.size - 1), 1)
    codes = np.repeat(np.arange(shares.size), counts)
    return codes[np.argsort(bits.words(records, 64), kind="stable")]
