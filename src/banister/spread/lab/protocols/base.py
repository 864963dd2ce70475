"""What every protocol answers: how it spreads, who is suspected of having begun it, and what a node does."""

from typing import ClassVar, Protocol

from banister.sampling.simulation import Generator
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts
from banister.spread.lab.trace import Spread
from banister.spread.node.rules import Rules


class SpreadProtocol(Protocol):
    """A way to spread a message. Its fields are its options on the command line, in their order."""

    name: ClassVar[str]
    """What it is called on the command line."""

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

    def rules(self) -> Rules:
        """What a node does that follows it."""
        ...
