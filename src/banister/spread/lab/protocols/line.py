"""Protocol 1: spread faster the farther from the author, made for the line."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from banister.sampling.simulation import Generator
from banister.spread.lab.estimators.line import line_suspects
from banister.spread.lab.estimators.spies import first_spy
from banister.spread.lab.estimators.together import both
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts
from banister.spread.lab.trace import Growth, Spread
from banister.spread.node.rules.line import LineRules


@dataclass(frozen=True, slots=True)
class Line:
    """At step t a holder h hops from the author gives the message to each contact with chance (h + 1)/(t + 1).

    On a line each end of the holders is then uniform on 0 … t hops, and detection is (2t + 1)/(t + 1)²
    ([K15] Protocol 1, Eq. (2.4), where it stands as a bound). On trees with more branches the author stays near the
    middle, and the protocol protects nobody. Errata to the printed protocol: docs/math/spread-protocols.md.

    >>> from banister.spread import run_spread
    >>> done = run_spread("line:50", protocol=Line(), steps=6, seed=1)
    >>> done.protocol.spec, done.spread.size
    ('line', 8)
    """

    name: ClassVar[str] = "line"

    @property
    def spec(self) -> str:
        return "line"

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """Spread for `steps` steps."""
        growth = Growth(contacts, author)
        active = np.asarray([author])
        for now in range(1, steps + 1):
            owner, target = growth.fresh_links(active)
            fires = chance.random(len(target)) * (now + 1) < growth.hops[active[owner]] + 1
            new = growth.infect_fairly(active[owner[fires]], target[fires], now, chance)
            active = np.concatenate([active[np.unique(owner)], new])  # Who had nobody left to tell is done.
        return growth.finish(steps)

    def suspects(self, snapshot: Snapshot) -> Ranking:
        """On a line all from whom both ends are within reach; elsewhere the Jordan centre."""
        return line_suspects(snapshot)

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        """Who told the first spy."""
        return first_spy(reports)

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        """The two rankings added: a heuristic."""
        return both(reports, self.suspects(snapshot), self.spy_suspects(reports))

    def rules(self) -> LineRules:
        """The node's side."""
        return LineRules()
