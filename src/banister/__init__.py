"""Privacy at its limit: the least noise a guarantee allows, and an exact account of what was given away."""

from banister.core.guarantee import Guarantee, Neighbours
from banister.core.loss import PrivacyLoss
from banister.errors import BanisterError

__all__ = ["BanisterError", "Guarantee", "Neighbours", "PrivacyLoss"]
__version__ = "0.1.0"
