from . import spread as spread
from .accounting.filters import AsYouGo, Guard
from .core.cost import Cost
from .core.guarantee import Guarantee, Neighbours
from .core.loss import PrivacyLoss
from .core.region import PrivacyRegion
from .errors import BanisterError, BudgetExceeded
from .mechanisms.choice import ExponentialChoice, Moves, PermuteAndFlip, StaircaseChoice
from .mechanisms.discrete_gaussian import DiscreteGaussian
from .mechanisms.discrete_laplace import DiscreteLaplace
from .mechanisms.gaussian import Gaussian
from .mechanisms.geometric import Geometric
from .mechanisms.grid import Grid
from .mechanisms.independent import Independent
from .mechanisms.integer_staircase import IntegerStaircase
from .mechanisms.integer_vector_staircase import IntegerVectorStaircase
from .mechanisms.laplace import Laplace
from .mechanisms.on_grid import OnGrid
from .mechanisms.rounded_gaussian import RoundedGaussian
from .mechanisms.staircase import Staircase
from .mechanisms.tabulated import TabulatedNoise
from .mechanisms.truncated_staircase import TruncatedStaircase
from .mechanisms.uniform import Uniform
from .mechanisms.vector_staircase import VectorStaircase
from .recipes import local, parties
from .recipes.account import Total, compose
from .recipes.calibrate import calibrate, calibrate_gaussian, calibrate_laplace
from .recipes.contenders import Over, Touches
from .recipes.dataset import Dataset, open
from .recipes.explain import explain
from .recipes.least_noise import Comparison, least_noise
from .recipes.ledger import Ledger
from .recipes.sanitize import plan_sanitize, read_declaration, sanitize
from .recipes.sketch import SketchWish, answer_cut, answer_variance, sketch_graph, sketch_matrix
from .recipes.wide import plan_wide, sanitize_wide

__all__ = [
    "AsYouGo",
    "BanisterError",
    "BudgetExceeded",
    "Comparison",
    "Cost",
    "Dataset",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialChoice",
    "Gaussian",
    "Geometric",
    "Grid",
    "Guarantee",
    "Guard",
    "Independent",
    "IntegerStaircase",
    "IntegerVectorStaircase",
    "Laplace",
    "Ledger",
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
    "TabulatedNoise",
    "Total",
    "Touches",
    "TruncatedStaircase",
    "Uniform",
    "VectorStaircase",
    "answer_cut",
    "answer_variance",
    "calibrate",
    "calibrate_gaussian",
    "calibrate_laplace",
    "compose",
    "explain",
    "least_noise",
    "local",
    "open",
    "parties",
    "plan_sanitize",
    "plan_wide",
    "read_declaration",
    "sanitize",
    "sanitize_wide",
    "sketch_graph",
    "sketch_matrix",
    "spread",
]

__version__: str
