"""Random diffusion: what ordinary gossip does."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.estimators.centres import rumor
from banister.spread.lab.estimators.gossip import diffusion_suspects, fits
from banister.spread.lab.estimators.spies import timing
from banister.spread.lab.estimators.together import both
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts, Nodes
from banister.spread.lab.trace import Growth, Spread
from banister.spread.node.rules.gossip import GossipRules


@dataclass(frozen=True, slots=True)
class Diffusion:
    """At each step every link from a holder to somebody without the message carries it with chance `rate`.

    On regular trees the best guess stays right with a chance that does not fall with the number of holders
    (`detection.diffusion_limit`).

    >>> from banister.spread import run_spread
    >>> done = run_spread("regular-tree:3", protocol=Diffusion(rate=0.5), steps=6, seed=1)
    >>> done.protocol.spec, done.spread.size
    ('diffusion:0.5', 43)
    """

    name: ClassVar[str] = "diffusion"

    rate: float = 0.5

    def __post_init__(self) -> None:
        need.positive("rate", self.rate)
        need.between("rate", self.rate, 0, 1)

    @property
    def spec(self) -> str:
        return f"diffusion:{self.rate:g}"

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """Spread for `steps` steps."""
        growth = Growth(contacts, author)
        diffuse(growth, np.asarray([author]), begin=0, steps=steps, rate=self.rate, chance=chance)
        return growth.finish(steps)

    def suspects(self, snapshot: Snapshot) -> Ranking:
        """By the likelihood with this rate and these steps, exact on trees; the rumor centre where it is too large."""
        return diffusion_suspects(snapshot, rate=self.rate) if fits(snapshot) else rumor(snapshot.view)

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        """Arrival times as sums of geometric delays."""
        return timing(reports, mean=1 / self.rate, variance=(1 - self.rate) / self.rate**2)

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        """The two rankings added: a heuristic."""
        return both(reports, self.suspects(snapshot), self.spy_suspects(reports))

    def rules(self) -> GossipRules:
        """The node's side."""
        return GossipRules(self.rate)


def diffuse(growth: Growth, seeds: Nodes, *, begin: int, steps: int, rate: float, chance: Generator) -> None:
    """Diffuse from the seeds, who have been able to pass it on since `begin`.

    A link that fires with chance `rate` at each step fires first after a geometric number of steps, so each
    link is looked at once, when its first end gets the message.
    """
    due: list[list[tuple[Nodes, Nodes]]] = [[] for _ in range(steps + 1)]
    new = seeds
    for now in range(begin, steps + 1):
        if now > begin:
            source = np.concatenate([pair[0] for pair in due[now]] or [np.empty(0, dtype=np.int64)])
            target = np.concatenate([pair[1] for pair in due[now]] or [np.empty(0, dtype=np.int64)])
            due[now] = []
            fresh = growth.time[target] < 0
            new = growth.infect_fairly(source[fresh], target[fresh], now, chance)
        owner, target = growth.fresh_links(new)
        _schedule(due, new[owner], target, now, rate, chance)


def _schedule(
    due: list[list[tuple[Nodes, Nodes]]], source: Nodes, target: Nodes, now: int, rate: float, chance: Generator
) -> None:
    left = len(due) - 1 - now
    if len(target) == 0 or left == 0:
        return
    if rate == 1:
        due[now + 1].append((source, target))
        return
    delay = np.minimum(chance.geometric(rate, len(target)), left + 1).astype(np.int16 if left < 32_000 else np.int64)
    order = np.argsort(delay, kind="stable")
    cuts = np.searchsorted(delay[order], np.arange(1, left + 2))
    for step in range(1, left + 1):
        chosen = order[cuts[step - 1] : cuts[step]]
        if len(chosen):
            due[now + step].append((source[chosen], target[chosen]))
