"""Noise for a trusted curator, one file each. What is drawn here is not charged to any ledger.

`ALL` lists every noise for one number; the contract tests, the command line and the gallery read it.
"""

from banister.mechanisms.choices.choice import Choice, ExponentialChoice, Moves, PermuteAndFlip, StaircaseChoice
from banister.mechanisms.integers import (
    discrete_gaussian,
    discrete_laplace,
    geometric,
    integer_staircase,
    rounded_gaussian,
    tabulated,
    truncated_staircase,
    uniform,
)
from banister.mechanisms.integers.discrete_gaussian import DiscreteGaussian
from banister.mechanisms.integers.discrete_laplace import DiscreteLaplace
from banister.mechanisms.integers.geometric import Geometric
from banister.mechanisms.integers.integer_noise import IntegerNoise
from banister.mechanisms.integers.integer_staircase import IntegerStaircase
from banister.mechanisms.integers.rounded_gaussian import RoundedGaussian
from banister.mechanisms.integers.tabulated import TabulatedNoise
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform
from banister.mechanisms.line import gaussian, laplace, on_grid, staircase
from banister.mechanisms.line.gaussian import Gaussian
from banister.mechanisms.line.grid import Grid
from banister.mechanisms.line.laplace import Laplace
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.line.on_grid import OnGrid
from banister.mechanisms.line.staircase import Staircase
from banister.mechanisms.vectors.independent import Independent, MoveBound
from banister.mechanisms.vectors.integer_vector_staircase import IntegerVectorStaircase
from banister.mechanisms.vectors.vector_staircase import VectorStaircase

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
