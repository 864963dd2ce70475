from .answering.answers import Answers as Answers
from .dataset import Dataset as Dataset
from .dataset import open as open
from .drafting.draft import Draft as Draft
from .drafting.draft import draft as draft
from .planning.plan import Plan as Plan
from .planning.request import Accuracy as Accuracy
from .planning.request import PlanRequest as PlanRequest
from .rungs import RungAnswer as RungAnswer
from .rungs import refine_rungs as refine_rungs
from .rungs import release_rungs as release_rungs

__all__ = [
    "Accuracy",
    "Answers",
    "Dataset",
    "Draft",
    "Plan",
    "PlanRequest",
    "RungAnswer",
    "draft",
    "open",
    "refine_rungs",
    "release_rungs",
]
