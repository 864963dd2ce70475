"""Bit sources for tests: one that walks every tape and adds up exact masses, and one that reads a script."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction

import numpy as np


class TapeEnded(Exception):
    """The sampler asked for more bits than the tape has."""


class Tape:
    """The bits of a number, first bit first; ends when they are used up."""

    def __init__(self, bits: Iterable[int]) -> None:
        self._bits = list(bits)
        self.used = 0

    def take(self, count: int) -> int:
        if self.used + count > len(self._bits):
            self.used = len(self._bits) + count
            raise TapeEnded
        value = 0
        for bit in self._bits[self.used : self.used + count]:
            value = 2 * value + bit
        self.used += count
        return value

    def words(self, count: int, width: int) -> np.ndarray:
        return np.array([self.take(width) for _ in range(count)], dtype=np.uint64)


def exact_mass(draw: Callable[[Tape], Hashable], *, depth: int) -> tuple[dict[Hashable, Fraction], Fraction]:
    """The exact mass that each outcome has after at most `depth` bits, and the mass still undecided.

    Walks the tree of tapes: a prefix that decides is not extended, so the walk is far shorter than 2^depth.
    """
    mass: dict[Hashable, Fraction] = defaultdict(Fraction)
    undecided = Fraction(0)
    open_tapes: list[tuple[int, ...]] = [()]
    while open_tapes:
        bits = open_tapes.pop()
        tape = Tape(bits)
        try:
            outcome = draw(tape)
        except TapeEnded:
            if len(bits) == depth:
                undecided += Fraction(1, 2**depth)
            else:
                open_tapes += [(*bits, 0), (*bits, 1)]
            continue
        mass[outcome] += Fraction(1, 2 ** len(bits))
    return mass, undecided
