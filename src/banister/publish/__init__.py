"""A whole table, graph or matrix, sanitized once and asked for ever.

`__init__.pyi` lists what is offered.
"""

from banister.doors import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
