"""Privacy at its limit: the least noise a guarantee allows, and an exact account of what was given away.

What stands behind the front door is listed in `__init__.pyi`, and loaded when it is first asked for.
"""

import lazy_loader

# Bound at once (they load nothing more): the rooms would otherwise stand under the recipes' names.
from banister.recipes import local as local
from banister.recipes import parties as parties

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
