"""Ways to spread a message, one file each.

A protocol is offered everywhere once it is imported here, by one line: `ALL` is every protocol of this list, and the
command line, the network of nodes and the contract tests read it.
"""

from dataclasses import is_dataclass
from typing import cast

from banister.spread.lab.protocols.adaptive import Adaptive as Adaptive
from banister.spread.lab.protocols.base import SpreadProtocol as SpreadProtocol
from banister.spread.lab.protocols.dandelion import Dandelion as Dandelion
from banister.spread.lab.protocols.diffusion import Diffusion as Diffusion
from banister.spread.lab.protocols.flooding import Flooding as Flooding
from banister.spread.lab.protocols.hybrid import Hybrid as Hybrid
from banister.spread.lab.protocols.line import Line as Line
from banister.spread.lab.protocols.preferential import Preferential as Preferential
from banister.spread.lab.protocols.tree import Tree as Tree

ALL = cast(tuple[type[SpreadProtocol], ...], tuple(kind for kind in list(globals().values()) if is_dataclass(kind)))
