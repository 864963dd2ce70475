"""The messenger's drill of frames, in short; kills, the crowd and the link are commands of their own."""

import numpy as np

from tests.drills.wildfire import Gaps, _chance, _distance, frames


def test_frames_of_every_kind_are_harmless() -> None:
    assert frames(1500, seed=3)


def test_the_control_of_the_gaps_tells_a_machines_noise_from_the_protocols() -> None:
    """Phases with a noise of their own each are over the line of independent gaps, and shuffled they are no less; a
    difference between kinds is over both."""
    seeded = np.random.default_rng(4)

    def phases(shift: float) -> list[Gaps]:
        return [seeded.normal(seeded.normal(0, 0.5) + shift, 1, 100) for _ in range(12)]

    one, other, third = phases(0), phases(0), phases(2)
    distance, line = _distance(one, other)
    assert distance > line
    assert _chance(one, other, seed=1, turns=200) > 0.05
    assert _chance(one, third, seed=1, turns=200) < 0.01
