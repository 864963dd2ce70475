from .book import Remaining as Remaining
from .calibration import calibrate as calibrate
from .calibration import calibrate_gaussian as calibrate_gaussian
from .calibration import calibrate_laplace as calibrate_laplace
from .charge import Charge as Charge
from .explanation import explain as explain
from .filters import AsYouGo as AsYouGo
from .filters import Guard as Guard
from .ledger import Ledger as Ledger
from .protects import Protects as Protects
from .receipt import Receipt as Receipt
from .total import Total as Total
from .total import compose as compose

__all__ = [
    "AsYouGo",
    "Charge",
    "Guard",
    "Ledger",
    "Protects",
    "Receipt",
    "Remaining",
    "Total",
    "calibrate",
    "calibrate_gaussian",
    "calibrate_laplace",
    "compose",
    "explain",
]
