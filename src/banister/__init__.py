"""Privacy at its limit: the least noise a guarantee allows, and an exact account of what was given away."""

from banister.accounting.filters import AsYouGo, Guard
from banister.core.guarantee import Guarantee, Neighbours
from banister.core.loss import PrivacyLoss
from banister.errors import BanisterError, BudgetExceeded
from banister.recipes.ledger import Ledger

__all__ = ["AsYouGo", "BanisterError", "BudgetExceeded", "Guarantee", "Guard", "Ledger", "Neighbours", "PrivacyLoss"]
__version__ = "0.1.0"
