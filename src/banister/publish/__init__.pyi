from .asking import CopyAnswers as CopyAnswers
from .asking import ask as ask
from .exact_limits import ClassOptimum as ClassOptimum
from .exact_limits import ProgramOptimum as ProgramOptimum
from .exact_limits import binomial_prior as binomial_prior
from .exact_limits import ehrhart_series as ehrhart_series
from .exact_limits import folded_distortion as folded_distortion
from .exact_limits import folded_ends as folded_ends
from .exact_limits import histograms_of as histograms_of
from .exact_limits import large_table_distortion as large_table_distortion
from .exact_limits import lattice_weights as lattice_weights
from .exact_limits import limit_distortion as limit_distortion
from .exact_limits import optimum_for_prior as optimum_for_prior
from .exact_limits import optimum_for_priors as optimum_for_priors
from .exact_limits import points_at as points_at
from .exact_limits import points_within_distance as points_within_distance
from .exact_limits import program_optimum as program_optimum
from .exact_limits import two_cell_optimum as two_cell_optimum
from .repair import nearest_counts as nearest_counts
from .repair import remapped_counts as remapped_counts
from .sketches.sketch import SketchWish as SketchWish
from .sketches.sketch import answer_cut as answer_cut
from .sketches.sketch import answer_variance as answer_variance
from .sketches.sketch import sketch_graph as sketch_graph
from .sketches.sketch import sketch_matrix as sketch_matrix
from .table import plan_sanitize as plan_sanitize
from .table import read_declaration as read_declaration
from .table import sanitize as sanitize
from .wide import plan_wide as plan_wide
from .wide import sanitize_wide as sanitize_wide

__all__ = [
    "ClassOptimum",
    "CopyAnswers",
    "ProgramOptimum",
    "SketchWish",
    "answer_cut",
    "answer_variance",
    "ask",
    "binomial_prior",
    "ehrhart_series",
    "folded_distortion",
    "folded_ends",
    "histograms_of",
    "large_table_distortion",
    "lattice_weights",
    "limit_distortion",
    "nearest_counts",
    "optimum_for_prior",
    "optimum_for_priors",
    "plan_sanitize",
    "plan_wide",
    "points_at",
    "points_within_distance",
    "program_optimum",
    "read_declaration",
    "remapped_counts",
    "sanitize",
    "sanitize_wide",
    "sketch_graph",
    "sketch_matrix",
    "two_cell_optimum",
]
