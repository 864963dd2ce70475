from .answers import Answers as Answers
from .dataset import Dataset as Dataset
from .dataset import open as open
from .plan import Plan as Plan

__all__ = [
    "Answers",
    "Dataset",
    "Plan",
    "open",
]
