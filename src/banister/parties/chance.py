"""Seeded chance for `Game.estimate_accuracy`, which plays games and protects nobody; from the floor below."""

from banister.sampling.simulation import seeded

__all__ = ["seeded"]
