"""What a private table must suffer, exactly: counts of histograms, the limit for many records, two cells."""

from banister.core.laws.histograms import (
    ehrhart_series,
    large_table_distortion,
    limit_distortion,
    points_at,
    points_within_distance,
)
from banister.core.laws.small_tables import binomial_prior, two_cell_optimum
from banister.core.laws.two_cells import folded_distortion, folded_ends

__all__ = [
    "binomial_prior",
    "ehrhart_series",
    "folded_distortion",
    "folded_ends",
    "large_table_distortion",
    "limit_distortion",
    "points_at",
    "points_within_distance",
    "two_cell_optimum",
]
