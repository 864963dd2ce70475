"""The protocols at a node, one file each."""

from banister.spread.node.rules.base import Rules
from banister.spread.node.rules.counter import TreeRules
from banister.spread.node.rules.gossip import GossipRules, StemRules
from banister.spread.node.rules.hybrid import HybridRules
from banister.spread.node.rules.line import LineRules
from banister.spread.node.rules.token import ByDegree, Equally, TokenRules

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
