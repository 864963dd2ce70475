"""The messenger's drill of frames, in short; kills, the crowd and the link are commands of their own."""

from tests.drills.wildfire import frames


def test_frames_of_every_kind_are_harmless() -> None:
    assert frames(1500, seed=3)
