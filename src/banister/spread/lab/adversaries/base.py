"""What every adversary answers: whom it suspects, from what it sees of a spread."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from banister.sampling.simulation import Generator
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts
from banister.spread.lab.protocols import SpreadProtocol
from banister.spread.lab.trace import Spread


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One spread, seen from above: what an adversary may be shown a part of."""

    protocol: SpreadProtocol
    contacts: Contacts
    spread: Spread

    def again(self, chance: Generator) -> "Scene":
        """Another post of the same author."""
        run = self.protocol.run(self.contacts, self.spread.author, steps=self.spread.steps, chance=chance)
        return Scene(self.protocol, self.contacts, run)

    def snapshot(self) -> Snapshot:
        return Snapshot.of_spread(self.contacts, self.spread)

    def reports(self, share: float, chance: Generator) -> SpyReports:
        """What spies saw when each node but the author is one with chance `share`, independently; where
        the frames themselves were carried, what those told and no more."""
        if self.spread.log is not None:
            return self.spread.log.reports(self.contacts, self.spread, share)
        room = self.contacts.count if self.contacts.cyclic else 4 * self.contacts.count + 4096
        marked: NDArray[np.bool_] = chance.random(room) < share
        return SpyReports.of_spread(self.contacts, self.spread, marked)


class Adversary(Protocol):
    """Somebody who wants to know who wrote the message. Its fields are its options on the command line, by colons."""

    name: ClassVar[str]
    """What it is called on the command line."""
    forms: ClassVar[tuple[str, ...]]
    """Examples of how one writes it."""

    @property
    def spec(self) -> str:
        """Its name and parameters, as one writes them on the command line."""
        ...

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        """Whom it suspects."""
        ...
