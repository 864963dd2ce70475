"""Flooding: everybody tells everybody at once. As fast as can be, and it hides nothing."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from banister.sampling.simulation import Generator
from banister.spread.lab.estimators.centres import jordan
from banister.spread.lab.estimators.spies import first_spy
from banister.spread.lab.estimators.together import both
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts
from banister.spread.lab.trace import Growth, Spread
from banister.spread.node.rules.gossip import GossipRules


@dataclass(frozen=True, slots=True)
class Flooding:
    """Each holder gives the message to all contacts one step after it came.

    On a tree the author is the centre of the holders: detection is certain ([K15] section 2.2.2).

    >>> from banister.spread import run_spread
    >>> done = run_spread("regular-tree:3", protocol=Flooding(), steps=6, seed=1)
    >>> done.protocol.spec, done.spread.size
    ('flooding', 190)
    """

    name: ClassVar[str] = "flooding"

    @property
    def spec(self) -> str:
        return "flooding"

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """Spread for `steps` steps; chance plays no part."""
        growth = Growth(contacts, author)
        front = np.asarray([author])
        for now in range(1, steps + 1):
            owner, target = growth.fresh_links(front)
            front = growth.infect(front[owner], target, now)
            if len(front) == 0:
                break
        return growth.finish(steps)

    def suspects(self, snapshot: Snapshot) -> Ranking:
        """The centre of the holders: on trees it is the author."""
        return jordan(snapshot.view)

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        """Who told the first spy."""
        return first_spy(reports)

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        """The two rankings added: a heuristic."""
        return both(reports, self.suspects(snapshot), self.spy_suspects(reports))

    def rules(self) -> GossipRules:
        """The node's side."""
        return GossipRules(1)
