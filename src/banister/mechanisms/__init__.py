"""Noise for a trusted curator, one file each. What is drawn here is not charged to any ledger.

`ALL` lists every file of noise. What it lists is at once offered by `least_noise`, `banister noise`, the figures and
the lists of `banister account`, and examined by the contract tests: they read `OFFERS` and `examples()` of each file.
"""

from importlib import import_module
from typing import cast

from banister.mechanisms.choices.choice import Choice, ExponentialChoice, Moves, PermuteAndFlip, StaircaseChoice
from banister.mechanisms.comparison.limits import (
    laplace_over_least,
    least_in_the_limit,
    uniform_factor,
    uniform_over_bound,
    usual_over_least,
    worst_ratio,
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
from banister.mechanisms.line.gaussian import Gaussian
from banister.mechanisms.line.grid import Grid
from banister.mechanisms.line.laplace import Laplace
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.line.on_grid import OnGrid
from banister.mechanisms.line.staircase import Staircase
from banister.mechanisms.offers import Mechanism
from banister.mechanisms.vectors.independent import Independent, MoveBound
from banister.mechanisms.vectors.integer_vector_staircase import IntegerVectorStaircase
from banister.mechanisms.vectors.truncated_vector_staircase import TruncatedVectorStaircase
from banister.mechanisms.vectors.uniform_cube import UniformCube
from banister.mechanisms.vectors.vector_staircase import VectorStaircase

_SHELF = (
    "integers.discrete_gaussian",
    "integers.discrete_laplace",
    "integers.geometric",
    "integers.integer_staircase",
    "integers.rounded_gaussian",
    "integers.tabulated",
    "integers.truncated_staircase",
    "integers.uniform",
    "line.gaussian",
    "line.laplace",
    "line.on_grid",
    "line.staircase",
    "vectors.independent",
    "vectors.integer_vector_staircase",
    "vectors.truncated_vector_staircase",
    "vectors.uniform_cube",
    "vectors.vector_staircase",
)

ALL: tuple[Mechanism, ...] = tuple(cast(Mechanism, import_module(f"{__name__}.{place}")) for place in _SHELF)
"""Every file of noise; what it lists is offered everywhere."""

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
    "TruncatedVectorStaircase",
    "Uniform",
    "UniformCube",
    "VectorStaircase",
    "laplace_over_least",
    "least_in_the_limit",
    "uniform_factor",
    "uniform_over_bound",
    "usual_over_least",
    "worst_ratio",
]
