"""Attacks on mechanisms, and optima that carry their proof: what others can find out without trusting anybody."""

from banister.doors import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
