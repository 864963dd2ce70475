"""The protocols at a node, one file each."""

from banister.spread.rules.base import Rules
from banister.spread.rules.counter import TreeRules
from banister.spread.rules.gossip import GossipRules, StemRules
from banister.spread.rules.hybrid import HybridRules
from banister.spread.rules.line import LineRules
from banister.spread.rules.token import ByDegree, Equally, TokenRules

__all__ = [
    "ByDegree",
    "Equally",
    "GossipRules",
    "HybridRules",
    "LineRules",
    "Rules",
    "StemRules",
    "TokenRules",
    "TreeRules",
]
