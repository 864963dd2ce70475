"""Ways to spread a message, one file each."""

from typing import Protocol

from banister.sampling.simulation import Generator
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts
from banister.spread.lab.protocols.adaptive import Adaptive
from banister.spread.lab.protocols.dandelion import Dandelion
from banister.spread.lab.protocols.diffusion import Diffusion
from banister.spread.lab.protocols.flooding import Flooding
from banister.spread.lab.protocols.hybrid import Hybrid
from banister.spread.lab.protocols.line import Line
from banister.spread.lab.protocols.preferential import Preferential
from banister.spread.lab.protocols.tree import Tree
from banister.spread.lab.trace import Spread

ALL = (Adaptive, Dandelion, Diffusion, Flooding, Hybrid, Line, Preferential, Tree)


class SpreadProtocol(Protocol):
    """A way to spread a message."""

    @property
    def spec(self) -> str:
        """Its name and parameters, as one writes them on the command line."""
        ...

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """One spread from `author`, for `steps` steps."""
        ...

    def suspects(self, snapshot: Snapshot) -> Ranking:
        """The best attack known from a snapshot of the holders and the links that carried the message."""
        ...

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        """The best attack known from what spies saw."""
        ...

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        """The best attack known from both at once."""
        ...


__all__ = [
    "ALL",
    "Adaptive",
    "Dandelion",
    "Diffusion",
    "Flooding",
    "Hybrid",
    "Line",
    "Preferential",
    "SpreadProtocol",
    "Tree",
]
