from .answering.answers import Answers as Answers
from .dataset import Dataset as Dataset
from .dataset import open as open
from .drafting.draft import Draft as Draft
from .drafting.draft import draft as draft
from .indexing import drop_index as drop_index
from .indexing import make_index as make_index
from .planning.plan import Plan as Plan
from .planning.request import Accuracy as Accuracy
from .planning.request import PlanRequest as PlanRequest
from .practice import Practice as Practice
from .remote import RemoteTable as RemoteTable
from .remote import connect as connect
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
    "Practice",
    "RemoteTable",
    "RungAnswer",
    "connect",
    "draft",
    "drop_index",
    "make_index",
    "open",
    "refine_rungs",
    "release_rungs",
]
