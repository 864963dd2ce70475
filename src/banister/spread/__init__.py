"""Spread without a source: protocols, adversaries and studies. What is drawn here is not charged to any ledger.

`lab` is the laboratory, `node` the rules of one node. `__init__.pyi` lists what is offered.
"""

from banister.doors import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
