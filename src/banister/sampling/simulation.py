"""Chance for simulations, where no secret is at stake: a seeded generator that is handed in.

Nothing that is released to anybody may be drawn from here; `sampling.bits` has the bits for that.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from banister import need

if TYPE_CHECKING:
    from banister.sampling.bits import Words

__all__ = ["Generator", "SeededBits", "seeded"]


def seeded(seed: int, *path: int) -> Generator:
    """The generator of one simulation; `path` names a branch of it, such as the number of a trial.

    The same seed and path give the same draws on every machine, whatever ran before.

    >>> int(seeded(7, 3).integers(100)) == int(seeded(7, 3).integers(100))
    True
    """
    whole = [need.whole("seed", part, least=0) for part in (seed, *path)]
    return default_rng(SeedSequence(whole))


class SeededBits:
    """A bit source for simulations: as many bits as asked for, from a seeded generator.

    >>> SeededBits(seeded(1)).take(8) == SeededBits(seeded(1)).take(8)
    True
    """

    __slots__ = ("_chance",)

    def __init__(self, chance: Generator) -> None:
        self._chance = chance

    def take(self, count: int) -> int:
        size = (count + 7) >> 3
        return int.from_bytes(self._chance.bytes(size), "little") >> (8 * size - count)

    def words(self, count: int, width: int) -> "Words":
        return np.frombuffer(self._chance.bytes(count * width >> 3), dtype=f"u{width >> 3}").copy()
