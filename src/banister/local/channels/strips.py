"""How many of the sets {v : a v + b mod p < d} hold each v, without looking at every v of every set."""

from math import isqrt

import numpy as np

from banister.core.programs.linear import Ints

_BLOCK = 1 << 18


def strip_counts(slopes: Ints, offsets: Ints, size: int, prime: int) -> Ints:
    """For each v below the prime, how many (a, b) have (a v + b) mod p < size; about 2 p √n steps for n of them.

    Write x for (a v + b) mod p. A step q with a q = s mod p takes v to v + q and x to x + s, so from v - q to v the
    indicator of x < d changes by [x < s] - [d ≤ x < d + s], read around the circle: at 2 s places, not p. Of the steps
    up to √n the best has s below p/√n (Dirichlet). The changes of all sets of one step are added up, and summed along
    v = 0, q, 2q, ..., which passes every v once. That leaves one constant, which the sum over all v, n d, gives.

    >>> strip_counts(np.array([1, 2]), np.array([0, 3]), 2, 5).tolist()
    [1, 2, 0, 0, 1]
    """
    p, d = prime, size
    steps, shifts, backwards = _short_steps(slopes, p, min(isqrt(slopes.size) + 1, p - 1))
    # {v : -a v + d - 1 - b mod p < d} is the same set, and its x rises where the other's falls.
    offsets = np.where(backwards, d - 1 - offsets, offsets)
    own = np.where(backwards, p - slopes, slopes)
    order = np.argsort(steps, kind="stable")
    steps, shifts = steps[order], shifts[order]
    inverse = inverses(own, p)[order]
    begin = -offsets[order] * inverse % p  # The v at which x = 0; x = 1 is 1/a further.
    across = d * inverse % p  # From x = 0 to x = d.
    total = np.zeros(p, dtype=np.int64)
    circle = np.arange(p)
    ends = np.searchsorted(steps, np.arange(1, int(steps[-1]) + 2)) if steps.size else np.zeros(1, dtype=np.int64)
    for step, first, last in zip(range(1, ends.size), ends, ends[1:], strict=False):
        if first == last:
            continue
        change = np.zeros(2 * p, dtype=np.int64)
        piece = max(1, _BLOCK // int(shifts[first:last].max()))
        for start in range(first, last, piece):
            some = slice(start, min(start + piece, last))
            _note(change, begin[some], across[some], inverse[some], shifts[some], p)
        path = _modulo(circle * step, p)
        total[path] += (change[:p] + change[p:])[path].cumsum()
    return total + (slopes.size * d - int(total.sum())) // p


def _note(change: Ints, begin: Ints, across: Ints, inverse: Ints, shifts: Ints, p: int) -> None:
    """For each set add 1 where x is in 0..s - 1, take 1 away where it is in d..d + s - 1; places run to 2 p."""
    starts = shifts.cumsum() - shifts
    base = (begin - starts * inverse) % p
    rises = _modulo(np.arange(int(shifts.sum())) * np.repeat(inverse, shifts) + np.repeat(base, shifts), p)
    change[:p] += np.bincount(rises, minlength=p)
    rises += np.repeat(across, shifts)
    change -= np.bincount(rises, minlength=2 * p)


def _short_steps(slopes: Ints, p: int, most: int) -> tuple[Ints, Ints, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """For each slope a the q of 1..most with a q nearest to 0 mod p, how near, and whether it is below 0.

    It is the last denominator up to `most` of the convergents of a/p.
    """
    before, steps = np.zeros_like(slopes), np.ones_like(slopes)
    above, shifts = np.full_like(slopes, p), slopes.copy()
    backwards = np.zeros(slopes.shape, dtype=bool)
    going = np.arange(slopes.size)
    while going.size:
        times = above[going] // shifts[going]
        further = before[going] + times * steps[going]
        within = further <= most
        going, times, further = going[within], times[within], further[within]
        before[going], steps[going] = steps[going], further
        above[going], shifts[going] = shifts[going], above[going] - times * shifts[going]
        backwards[going] ^= True
    # a q may be nearer to 0 from the other side only for q = 1.
    other = p - shifts < shifts
    return steps, np.where(other, p - shifts, shifts), backwards ^ other


def inverses(values: Ints, p: int) -> Ints:
    """1/a mod p, by a^(p - 2); the products of numbers below 2^25 fit."""
    if values.size > p:
        return np.concatenate((np.zeros(1, dtype=np.int64), inverses(np.arange(1, p), p)))[values]
    result, power, exponent = np.ones_like(values), values, p - 2
    while exponent:
        if exponent & 1:
            result = result * power % p
        power, exponent = power * power % p, exponent >> 1
    return result


def _modulo(values: Ints, p: int) -> Ints:
    """The same as values % p for values from 0 on; NumPy divides by one number fast, but takes remainders slowly."""
    return values - values // p * p
