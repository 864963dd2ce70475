"""Chance for simulations, where no secret is at stake: a seeded generator that is handed in.

Nothing that is released to anybody may be drawn from here; `sampling.bits` has the bits for that.
"""

from numpy.random import Generator, SeedSequence, default_rng

from banister.core import need

__all__ = ["Generator", "seeded"]


def seeded(seed: int, *path: int) -> Generator:
    """The generator of one simulation; `path` names a branch of it, such as the number of a trial.

    The same seed and path give the same draws on every machine, whatever ran before.

    >>> int(seeded(7, 3).integers(100)) == int(seeded(7, 3).integers(100))
    True
    """
    whole = [need.whole("seed", part, least=0) for part in (seed, *path)]
    return default_rng(SeedSequence(whole))
