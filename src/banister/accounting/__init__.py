"""What was given away: exact totals of many releases, filters, and the ledger that is charged before anything is drawn.

`__init__.pyi` lists what is offered.
"""

from banister.doors import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
