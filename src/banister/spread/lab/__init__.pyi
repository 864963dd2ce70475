from . import detection as detection
from . import generators as generators

__all__ = ["detection", "generators"]
