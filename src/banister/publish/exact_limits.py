"""What a private table must suffer: counts of histograms, the limit for many records, two cells, and few records."""

from banister.core.laws.histograms import (
    ehrhart_series,
    large_table_distortion,
    lattice_weights,
    limit_distortion,
    points_at,
    points_within_distance,
)
from banister.core.laws.prior_classes import ClassOptimum, optimum_for_priors
from banister.core.laws.small_tables import binomial_prior, two_cell_optimum
from banister.core.laws.table_programs import ProgramOptimum, histograms_of, optimum_for_prior, program_optimum
from banister.core.laws.two_cells import folded_distortion, folded_ends

__all__ = [
    "ClassOptimum",
    "ProgramOptimum",
    "binomial_prior",
    "ehrhart_series",
    "folded_distortion",
    "folded_ends",
    "histograms_of",
    "large_table_distortion",
    "lattice_weights",
    "limit_distortion",
    "optimum_for_prior",
    "optimum_for_priors",
    "points_at",
    "points_within_distance",
    "program_optimum",
    "two_cell_optimum",
]
