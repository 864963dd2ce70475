"""The same question under several kinds of trust, each answered as well as is possible at all."""

from banister.doors import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
