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
    "SketchWish",
    "answer_cut",
    "answer_variance",
    "plan_sanitize",
    "plan_wide",
    "read_declaration",
    "sanitize",
    "sanitize_wide",
    "sketch_graph",
    "sketch_matrix",
]
