"""The tree protocol while few have the message, then gossip to everybody."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.estimators.likelihood import token_suspects
from banister.spread.lab.estimators.line import ring_suspects
from banister.spread.lab.estimators.spies import first_spy
from banister.spread.lab.estimators.together import agree, both, never
from banister.spread.lab.estimators.walks import token_spied
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts
from banister.spread.lab.protocols.diffusion import diffuse
from banister.spread.lab.protocols.tree import Climb
from banister.spread.lab.trace import Growth, Spread
from banister.spread.node.rules.hybrid import HybridRules


@dataclass(frozen=True, slots=True)
class Hybrid:
    """`Tree` up to step `switch`, a deadline known to all; from then on every holder diffuses at `rate`.

    The first phase hides the author among the holders of that moment, and costs one message each; the second closes the
    gap of those whom the first never reaches. A snapshot after the switch is blurred by everything since.

    >>> from banister.spread import run_spread
    >>> done = run_spread("regular-tree:3", protocol=Hybrid(switch=4), steps=6, seed=1)
    >>> done.protocol.spec, done.spread.size
    ('hybrid:switch=4,rate=0.5', 28)
    """

    name: ClassVar[str] = "hybrid"

    switch: int = 8
    rate: float = 0.5
    cap: int | None = None

    def __post_init__(self) -> None:
        need.whole("switch", self.switch, least=1)
        need.positive("rate", self.rate)
        need.between("rate", self.rate, 0, 1)
        if self.cap is not None:
            need.whole("cap", self.cap, least=2)

    @property
    def spec(self) -> str:
        cap = "" if self.cap is None else f",cap={self.cap}"
        return f"hybrid:switch={self.switch},rate={self.rate:g}{cap}"

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """Spread for `steps` steps."""
        growth = Growth(contacts, author)
        climb = Climb(growth, self.cap, chance)
        first = min(self.switch, steps)
        for now in range(1, first + 1):
            climb.advance(now)
        if steps > first:
            seeds = np.flatnonzero(growth.time >= 0)
            diffuse(growth, seeds, begin=first, steps=steps, rate=self.rate, chance=chance)
        return climb.finish(steps, climbed=first)

    def suspects(self, snapshot: Snapshot) -> Ranking:
        """As for `Tree` before the switch; after it those as far from its last virtual source as the author was."""
        if snapshot.steps > self.switch:
            return ring_suspects(snapshot, hops=self.switch // 2)
        return token_suspects(snapshot, degree=math.inf, cap=self.cap)

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        """As for `Tree`, from what was heard before the switch; who told the first spy when nothing was."""
        early = reports.until(self.switch)
        return token_spied(early, np.ones_like, self.cap) if len(early.spies) else first_spy(reports)

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        """As for `Tree` before the switch; after it the two rankings added, a heuristic."""
        if snapshot.steps <= self.switch:
            return agree(snapshot, reports, self.suspects(snapshot), never)
        return both(reports, self.suspects(snapshot), self.spy_suspects(reports))

    def rules(self) -> HybridRules:
        """The node's side."""
        return HybridRules(self.switch, self.rate, self.cap)
