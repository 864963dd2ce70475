from .asking import CopyAnswers as CopyAnswers
from .asking import ask as ask
from .exact_limits import binomial_prior as binomial_prior
from .exact_limits import ehrhart_series as ehrhart_series
from .exact_limits import folded_distortion as folded_distortion
from .exact_limits import folded_ends as folded_ends
from .exact_limits import large_table_distortion as large_table_distortion
from .exact_limits import limit_distortion as limit_distortion
from .exact_limits import points_at as points_at
from .exact_limits import points_within_distance as points_within_distance
from .exact_limits import two_cell_optimum as two_cell_optimum
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
    "CopyAnswers",
    "SketchWish",
    "answer_cut",
    "answer_variance",
    "ask",
    "binomial_prior",
    "ehrhart_series",
    "folded_distortion",
    "folded_ends",
    "large_table_distortion",
    "limit_distortion",
    "plan_sanitize",
    "plan_wide",
    "points_at",
    "points_within_distance",
    "read_declaration",
    "sanitize",
    "sanitize_wide",
    "sketch_graph",
    "sketch_matrix",
    "two_cell_optimum",
]
