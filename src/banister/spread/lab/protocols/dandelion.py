"""Dandelion: a secret walk first, then ordinary diffusion from where it ends."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.estimators.line import walk_suspects
from banister.spread.lab.estimators.spies import first_spy
from banister.spread.lab.estimators.together import both
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts
from banister.spread.lab.protocols.diffusion import diffuse
from banister.spread.lab.trace import Growth, Spread
from banister.spread.node.rules.gossip import StemRules


@dataclass(frozen=True, slots=True)
class Dandelion:
    """The author hands the message to one contact; each that gets it diffuses with chance `fluff`, and else hands it
    to one contact other than the sender. From the end of the walk it diffuses at `rate`.

    For one message this has the law of Dandelion's fixed stem links drawn afresh for its epoch, save for walks that
    cross themselves. It is made against spies; a snapshot shows the centre of the ball, `fluff`/degree off the author.

    >>> from banister.spread import run_spread
    >>> done = run_spread("regular-tree:3", protocol=Dandelion(fluff=0.2), steps=6, seed=1)
    >>> done.protocol.spec, done.spread.size
    ('dandelion:fluff=0.2,rate=0.5', 6)
    """

    name: ClassVar[str] = "dandelion"

    fluff: float = 0.1
    rate: float = 0.5

    def __post_init__(self) -> None:
        for name, value in (("fluff", self.fluff), ("rate", self.rate)):
            need.positive(name, value)
            need.between(name, value, 0, 1)

    @property
    def spec(self) -> str:
        return f"dandelion:fluff={self.fluff:g},rate={self.rate:g}"

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """Spread for `steps` steps."""
        stem, now, before = [author], 0, -1
        while now < steps and (now == 0 or chance.random() >= self.fluff):
            _, target = contacts.gather(np.asarray([stem[-1]]))
            onward = target[target != before] if len(target) > 1 else target
            before = stem[-1]
            stem.append(int(onward[int(chance.integers(len(onward)))]))
            now += 1
        growth = Growth(contacts, stem[-1])
        diffuse(growth, np.asarray([stem[-1]]), begin=now, steps=steps, rate=self.rate, chance=chance)
        growth.time[stem[-1]] = now
        for step in range(len(stem) - 1, -1, -1):  # Backwards, so that the first visit stays.
            growth.time[stem[step]] = step
            growth.parent[stem[step]] = stem[step - 1] if step else -1
        growth.author = author
        return growth.finish(steps)

    def suspects(self, snapshot: Snapshot) -> Ranking:
        """A walk back from the rumor centre, which is where the walk ended."""
        return walk_suspects(snapshot, fluff=self.fluff)

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        """Who told the first spy."""
        return first_spy(reports)

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        """The two rankings added: a heuristic."""
        return both(reports, self.suspects(snapshot), self.spy_suspects(reports))

    def rules(self) -> StemRules:
        """The node's side."""
        return StemRules(self.fluff, self.rate)
