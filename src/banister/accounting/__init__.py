"""What was given away: exact totals of many releases, filters, and the ledger that is charged before anything is drawn.

`__init__.pyi` lists what is offered.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
