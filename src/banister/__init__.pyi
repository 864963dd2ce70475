from . import accounting as accounting
from . import audit as audit
from . import compare as compare
from . import local as local
from . import parties as parties
from . import publish as publish
from . import release as release
from . import spread as spread
from .accounting.filters import AsYouGo, Guard
from .accounting.ledger import Ledger
from .accounting.totals.calibration import calibrate, calibrate_gaussian, calibrate_laplace
from .accounting.totals.explanation import explain
from .accounting.totals.many import LeastForMany, least_noise_each
from .accounting.totals.subsample import poisson_sampled, sampled, sampled_without_replacement
from .accounting.totals.total import Total, account, compose
from .core.laws.cost import Cost
from .core.privacy.domination import Domination, dominates
from .core.privacy.guarantee import Guarantee, Neighbours
from .core.privacy.loss import PrivacyLoss
from .core.privacy.region import PrivacyRegion
from .errors import BanisterError, BudgetExceeded, LedgerFault
from .mechanisms.choices.choice import ExponentialChoice, Moves, PermuteAndFlip, StaircaseChoice
from .mechanisms.comparison.least_noise import Comparison, least_noise
from .mechanisms.integers.decoder import Decoder
from .mechanisms.integers.discrete_gaussian import DiscreteGaussian
from .mechanisms.integers.discrete_laplace import DiscreteLaplace
from .mechanisms.integers.geometric import Geometric
from .mechanisms.integers.integer_staircase import IntegerStaircase
from .mechanisms.integers.lower_bounds import lower_bound
from .mechanisms.integers.rounded_gaussian import RoundedGaussian
from .mechanisms.integers.tabulated import TabulatedNoise
from .mechanisms.integers.truncated_staircase import TruncatedStaircase
from .mechanisms.integers.uniform import Uniform
from .mechanisms.line.gaussian import Gaussian
from .mechanisms.line.grid import Grid
from .mechanisms.line.laplace import Laplace
from .mechanisms.line.on_grid import OnGrid
from .mechanisms.line.staircase import Staircase
from .mechanisms.offers import Over, Touches
from .mechanisms.vectors.independent import Independent
from .mechanisms.vectors.integer_vector_staircase import IntegerVectorStaircase
from .mechanisms.vectors.truncated_vector_staircase import TruncatedVectorStaircase as TruncatedVectorStaircase
from .mechanisms.vectors.uniform_cube import UniformCube
from .mechanisms.vectors.vector_staircase import VectorStaircase
from .publish.sketches.sketch import SketchWish, answer_cut, answer_variance, sketch_graph, sketch_matrix
from .publish.table import plan_sanitize, read_declaration, sanitize
from .publish.wide import plan_wide, sanitize_wide
from .release.dataset import Dataset, open
from .release.drafting.draft import draft
from .release.from_python import Category, Dates, Decimals, Integer, Table, Timestamps
from .release.remote import connect

__all__ = [
    "AsYouGo",
    "BanisterError",
    "BudgetExceeded",
    "Category",
    "Comparison",
    "Cost",
    "Dataset",
    "Dates",
    "Decimals",
    "Decoder",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Domination",
    "ExponentialChoice",
    "Gaussian",
    "Geometric",
    "Grid",
    "Guarantee",
    "Guard",
    "Independent",
    "Integer",
    "IntegerStaircase",
    "IntegerVectorStaircase",
    "Laplace",
    "LeastForMany",
    "Ledger",
    "LedgerFault",
    "Moves",
    "Neighbours",
    "OnGrid",
    "Over",
    "PermuteAndFlip",
    "PrivacyLoss",
    "PrivacyRegion",
    "RoundedGaussian",
    "SketchWish",
    "Staircase",
    "StaircaseChoice",
    "Table",
    "TabulatedNoise",
    "Timestamps",
    "Total",
    "Touches",
    "TruncatedStaircase",
    "TruncatedVectorStaircase",
    "Uniform",
    "UniformCube",
    "VectorStaircase",
    "account",
    "accounting",
    "answer_cut",
    "answer_variance",
    "audit",
    "calibrate",
    "calibrate_gaussian",
    "calibrate_laplace",
    "compare",
    "compose",
    "connect",
    "dominates",
    "draft",
    "explain",
    "least_noise",
    "least_noise_each",
    "local",
    "lower_bound",
    "open",
    "parties",
    "plan_sanitize",
    "plan_wide",
    "poisson_sampled",
    "publish",
    "read_declaration",
    "release",
    "sampled",
    "sampled_without_replacement",
    "sanitize",
    "sanitize_wide",
    "sketch_graph",
    "sketch_matrix",
    "spread",
]

__version__: str
