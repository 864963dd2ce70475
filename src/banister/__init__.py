"""Privacy at its limit: the least noise a guarantee allows, and an exact account of what was given away.

What stands behind the front door is listed in `__init__.pyi`, and loaded when it is first asked for. Each context is a
package with such a door of its own: `banister.local` is `bn.local`, and `from banister.local import design` works.
"""

from banister.doors import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
__version__ = "0.1.0"
