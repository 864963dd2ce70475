"""Noise for a trusted curator, one file each. What is drawn here is not charged to any ledger.

`ALL` lists every noise for one number; the contract tests, the command line and the gallery read it.
"""

from banister.mechanisms import (
    discrete_gaussian,
    discrete_laplace,
    gaussian,
    geometric,
    integer_staircase,
    laplace,
    on_grid,
    rounded_gaussian,
    staircase,
    tabulated,
    truncated_staircase,
    uniform,
)
from banister.mechanisms.choice import Choice, ExponentialChoice, Moves, PermuteAndFlip, StaircaseChoice
from banister.mechanisms.discrete_gaussian import DiscreteGaussian
from banister.mechanisms.discrete_laplace import DiscreteLaplace
from banister.mechanisms.gaussian import Gaussian
from banister.mechanisms.geometric import Geometric
from banister.mechanisms.grid import Grid
from banister.mechanisms.independent import Independent, MoveBound
from banister.mechanisms.integer_noise import IntegerNoise
from banister.mechanisms.integer_staircase import IntegerStaircase
from banister.mechanisms.integer_vector_staircase import IntegerVectorStaircase
from banister.mechanisms.laplace import Laplace
from banister.mechanisms.line_noise import LineNoise
from banister.mechanisms.on_grid import OnGrid
from banister.mechanisms.rounded_gaussian import RoundedGaussian
from banister.mechanisms.staircase import Staircase
from banister.mechanisms.tabulated import TabulatedNoise
from banister.mechanisms.truncated_staircase import TruncatedStaircase
from banister.mechanisms.uniform import Uniform
from banister.mechanisms.vector_staircase import VectorStaircase

ALL = (
    discrete_gaussian,
    discrete_laplace,
    gaussian,
    geometric,
    integer_staircase,
    laplace,
    on_grid,
    rounded_gaussian,
    staircase,
    tabulated,
    truncated_staircase,
    uniform,
)

__all__ = [
    "ALL",
    "Choice",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialChoice",
    "Gaussian",
    "Geometric",
    "Grid",
    "Independent",
    "IntegerNoise",
    "IntegerStaircase",
    "IntegerVectorStaircase",
    "Laplace",
    "LineNoise",
    "MoveBound",
    "Moves",
    "OnGrid",
    "PermuteAndFlip",
    "RoundedGaussian",
    "Staircase",
    "StaircaseChoice",
    "TabulatedNoise",
    "TruncatedStaircase",
    "Uniform",
    "VectorStaircase",
]
