from .answering.answers import Answers as Answers
from .dataset import Dataset as Dataset
from .dataset import open as open
from .drafting.draft import Draft as Draft
from .drafting.draft import draft as draft
from .finer import RungPlan as RungPlan
from .finer import RungTables as RungTables
from .from_python import Category as Category
from .from_python import Dates as Dates
from .from_python import Decimals as Decimals
from .from_python import Integer as Integer
from .from_python import Table as Table
from .from_python import Timestamps as Timestamps
from .indexing import drop_index as drop_index
from .indexing import make_index as make_index
from .planning.plan import Plan as Plan
from .planning.request import Accuracy as Accuracy
from .planning.request import PlanRequest as PlanRequest
from .practice import Practice as Practice
from .profile.plan import LookPlan as LookPlan
from .profile.profile import Profile as Profile
from .remote import RemoteTable as RemoteTable
from .remote import connect as connect
from .rungs import RungAnswer as RungAnswer
from .rungs import refine_rungs as refine_rungs
from .rungs import release_rungs as release_rungs
from .streams.plan import StreamPlan as StreamPlan
from .streams.plan import plan_stream as plan_stream
from .streams.run import Stream as Stream
from .streams.run import StreamAnswer as StreamAnswer
from .streams.run import open_stream as open_stream
from .streams.run import start_stream as start_stream

__all__ = [
    "Accuracy",
    "Answers",
    "Category",
    "Dataset",
    "Dates",
    "Decimals",
    "Draft",
    "Integer",
    "LookPlan",
    "Plan",
    "PlanRequest",
    "Practice",
    "Profile",
    "RemoteTable",
    "RungAnswer",
    "RungPlan",
    "RungTables",
    "Stream",
    "StreamAnswer",
    "StreamPlan",
    "Table",
    "Timestamps",
    "connect",
    "draft",
    "drop_index",
    "make_index",
    "open",
    "open_stream",
    "plan_stream",
    "refine_rungs",
    "release_rungs",
    "start_stream",
]
