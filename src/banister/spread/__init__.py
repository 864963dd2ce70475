"""Spread without a source: protocols, adversaries and studies. What is drawn here is not charged to any ledger.

`lab` is the laboratory, `node` the rules of one node. `__init__.pyi` lists what is offered.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
