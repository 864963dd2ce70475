"""Adversaries: what they see of a spread, and whom they suspect."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.estimators.centres import jordan, rumor
from banister.spread.lab.estimators.spies import first_spy, timing
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports, TreeView, combined
from banister.spread.lab.graph import Contacts
from banister.spread.lab.protocols import SpreadProtocol
from banister.spread.lab.trace import Spread

CENTRES: dict[str, Callable[[TreeView], Ranking]] = {"jordan": jordan, "rumor": rumor}


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
        """What spies saw when each node but the author is one with chance `share`, independently."""
        room = self.contacts.count if self.contacts.cyclic else 4 * self.contacts.count + 4096
        marked: NDArray[np.bool_] = chance.random(room) < share
        return SpyReports.of_spread(self.contacts, self.spread, marked)


class Adversary(Protocol):
    """Somebody who wants to know who wrote the message."""

    @property
    def spec(self) -> str:
        """Its name and parameters, as one writes them on the command line."""
        ...

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        """Whom it suspects."""
        ...


@dataclass(frozen=True, slots=True)
class SnapshotAdversary:
    """Sees all holders at one moment, and which links carried the message (undirected), on graphs also the virtual
    source. `estimator` is `ml` (the best attack known on the protocol), `rumor` or `jordan`."""

    estimator: str = "ml"

    def __post_init__(self) -> None:
        need.one_of("estimator", self.estimator, ("ml", *CENTRES))

    @property
    def spec(self) -> str:
        return "snapshot" if self.estimator == "ml" else f"snapshot:{self.estimator}"

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        snapshot = scene.snapshot()
        if self.estimator == "ml":
            return scene.protocol.suspects(snapshot)
        return CENTRES[self.estimator](snapshot.view)


@dataclass(frozen=True, slots=True)
class SpyAdversary:
    """Controls each node but the author with chance `share`; its nodes follow the protocol and pool what they see.

    `estimator` is `ml` (the best attack known on the protocol), `first` or `timing` (one step a hop).
    """

    share: float
    estimator: str = "ml"

    def __post_init__(self) -> None:
        need.strictly_between("share", self.share, 0, 1)
        need.one_of("estimator", self.estimator, ("ml", "first", "timing"))

    @property
    def spec(self) -> str:
        return f"spies:{self.share:g}" + ("" if self.estimator == "ml" else f":{self.estimator}")

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        reports = scene.reports(self.share, chance)
        if self.estimator == "first":
            return first_spy(reports)
        if self.estimator == "timing":
            return timing(reports, mean=1, variance=1)
        return scene.protocol.spy_suspects(reports)


@dataclass(frozen=True, slots=True)
class SnapshotAndSpies:
    """A snapshot and spies at once; exact for a virtual source on trees, and a sum of both views elsewhere."""

    share: float

    def __post_init__(self) -> None:
        need.strictly_between("share", self.share, 0, 1)

    @property
    def spec(self) -> str:
        return f"snapshot+spies:{self.share:g}"

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        return scene.protocol.joint_suspects(scene.snapshot(), scene.reports(self.share, chance))


@dataclass(frozen=True, slots=True)
class LinkedPosts:
    """Sees one snapshot for each of several posts, and knows that one author wrote them all."""

    posts: int

    def __post_init__(self) -> None:
        need.whole("posts", self.posts, least=1)

    @property
    def spec(self) -> str:
        return f"posts:{self.posts}"

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        rankings = [scene.protocol.suspects(scene.snapshot())]
        for _ in range(self.posts - 1):
            other = scene.again(chance)
            rankings.append(scene.protocol.suspects(other.snapshot()))
        return combined(rankings)


ALL = (SnapshotAdversary, SpyAdversary, SnapshotAndSpies, LinkedPosts)
