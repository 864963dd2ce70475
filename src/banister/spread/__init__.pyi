from .lab import detection as detection
from .lab import generators as generators
from .lab.adversaries import LinkedPosts as LinkedPosts
from .lab.adversaries import SnapshotAdversary as SnapshotAdversary
from .lab.adversaries import SnapshotAndSpies as SnapshotAndSpies
from .lab.adversaries import SpyAdversary as SpyAdversary
from .lab.advice import Advice as Advice
from .lab.advice import advise as advise
from .lab.drawn.figures import draw_all as draw_all
from .lab.graph import Graph as Graph
from .lab.protocols import Adaptive as Adaptive
from .lab.protocols import Dandelion as Dandelion
from .lab.protocols import Diffusion as Diffusion
from .lab.protocols import Flooding as Flooding
from .lab.protocols import Hybrid as Hybrid
from .lab.protocols import Line as Line
from .lab.protocols import Preferential as Preferential
from .lab.protocols import Tree as Tree
from .lab.run import SpreadRun as SpreadRun
from .lab.run import run_spread as run_spread
from .lab.studies import Study as Study
from .lab.studies import StudyResult as StudyResult
from .lab.study import Estimate as Estimate
from .lab.study import Row as Row
from .lab.suspects import Located as Located
from .lab.suspects import Suspect as Suspect
from .lab.suspects import locate as locate
from .lab.trees import InfiniteTree as InfiniteTree
from .lab.written import load_graph as load_graph
from .lab.written import parse_adversary as parse_adversary
from .lab.written import parse_protocol as parse_protocol
from .schedule import hops_law as hops_law
from .schedule import keep_probability as keep_probability

__all__ = [
    "Adaptive",
    "Advice",
    "Dandelion",
    "Diffusion",
    "Estimate",
    "Flooding",
    "Graph",
    "Hybrid",
    "InfiniteTree",
    "Line",
    "LinkedPosts",
    "Located",
    "Preferential",
    "Row",
    "SnapshotAdversary",
    "SnapshotAndSpies",
    "SpreadRun",
    "SpyAdversary",
    "Study",
    "StudyResult",
    "Suspect",
    "Tree",
    "advise",
    "detection",
    "draw_all",
    "generators",
    "hops_law",
    "keep_probability",
    "load_graph",
    "locate",
    "parse_adversary",
    "parse_protocol",
    "run_spread",
]
