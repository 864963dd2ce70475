from .book import Remaining as Remaining
from .charge import Charge as Charge
from .elsewhere import SpentElsewhere as SpentElsewhere
from .elsewhere import loss_of_event as loss_of_event
from .elsewhere import spent_document as spent_document
from .filters import AsYouGo as AsYouGo
from .filters import Guard as Guard
from .ledger import Ledger as Ledger
from .protects import Protects as Protects
from .receipt import Receipt as Receipt
from .shares import BudgetShare as BudgetShare
from .shares import Opening as Opening
from .shares import Whose as Whose
from .sharing import ShareLeft as ShareLeft
from .totals.calibration import calibrate as calibrate
from .totals.calibration import calibrate_gaussian as calibrate_gaussian
from .totals.calibration import calibrate_laplace as calibrate_laplace
from .totals.closed_forms import ClosedForm as ClosedForm
from .totals.corollaries import adaptive_by_formula as adaptive_by_formula
from .totals.corollaries import by_theorem as by_theorem
from .totals.corollaries import each_by_corollary as each_by_corollary
from .totals.corollaries import gaussian_by_theorem as gaussian_by_theorem
from .totals.corollaries import laplace_by_corollary as laplace_by_corollary
from .totals.explanation import explain as explain
from .totals.subsample import poisson_sampled as poisson_sampled
from .totals.subsample import sampled as sampled
from .totals.subsample import sampled_without_replacement as sampled_without_replacement
from .totals.total import Account as Account
from .totals.total import Total as Total
from .totals.total import account as account
from .totals.total import compose as compose

__all__ = [
    "Account",
    "AsYouGo",
    "BudgetShare",
    "Charge",
    "ClosedForm",
    "Guard",
    "Ledger",
    "Opening",
    "Protects",
    "Receipt",
    "Remaining",
    "ShareLeft",
    "SpentElsewhere",
    "Total",
    "Whose",
    "account",
    "adaptive_by_formula",
    "by_theorem",
    "calibrate",
    "calibrate_gaussian",
    "calibrate_laplace",
    "compose",
    "each_by_corollary",
    "explain",
    "gaussian_by_theorem",
    "laplace_by_corollary",
    "loss_of_event",
    "poisson_sampled",
    "sampled",
    "sampled_without_replacement",
    "spent_document",
]
