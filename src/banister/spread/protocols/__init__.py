"""Ways to spread a message, one file each."""

from typing import Protocol

from banister.sampling.simulation import Generator
from banister.spread.evidence import Ranking, Snapshot, SpyReports
from banister.spread.graph import Contacts
from banister.spread.protocols.adaptive import Adaptive
from banister.spread.protocols.dandelion import Dandelion
from banister.spread.protocols.diffusion import Diffusion
from banister.spread.protocols.flooding import Flooding
from banister.spread.protocols.hybrid import Hybrid
from banister.spread.protocols.line import Line
from banister.spread.protocols.preferential import Preferential
from banister.spread.protocols.tree import Tree
from banister.spread.trace import Spread

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
