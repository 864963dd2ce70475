"""A whole table, graph or matrix, sanitized once and asked for ever.

`__init__.pyi` lists what is offered.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
