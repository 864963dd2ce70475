"""The messenger itself as a protocol of the laboratory: not its arrays but its frames, under stated conditions."""

import hashlib
from dataclasses import dataclass, fields
from typing import ClassVar

from banister import need
from banister.errors import BadValue
from banister.sampling.simulation import Generator
from banister.spread.lab.crowd import Conditions, Crowd, Deviation
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts
from banister.spread.lab.protocols.hybrid import Hybrid
from banister.spread.lab.trace import Spread
from banister.spread.node.rules.hybrid import HybridRules
from banister.spread.node.wildfire import wildfire_settings


@dataclass(frozen=True, slots=True)
class Frames:
    """Nodes of the messenger on a graph, tick by tick, attacked by what spies among them heard.

    `loss`, `restart`, `away` and `skew` are the conditions of `Crowd`; `approve` is the share of people who give on
    what they got, after `delay` steps on average, as in the basic model of the source (the messenger itself waits for
    nobody). `drop`, `hold`, `forge` and `deny` are the share of friends who deviate so, one of them at a time. With
    the same share in an adversary (`frames:deny=0.1` against `spies:0.1`) the liars are the spies.

    >>> from banister.spread import run_spread
    >>> done = run_spread("random-regular:200:6", protocol=Frames(), steps=4, seed=1)
    >>> done.protocol.spec, done.spread.size
    ('frames', 17)
    """

    name: ClassVar[str] = "frames"

    loss: float = 0.0
    restart: float = 0.0
    away: float = 0.0
    skew: float = 0.0
    approve: float = 1.0
    delay: float = 0.0
    drop: float = 0.0
    hold: float = 0.0
    forge: float = 0.0
    deny: float = 0.0

    def __post_init__(self) -> None:
        for kind in Deviation:
            need.between(kind.value, getattr(self, kind.value), 0, 1)
        if sum(getattr(self, kind.value) > 0 for kind in Deviation) > 1:
            raise BadValue("Friends deviate in one way at a time: give one of drop, hold, forge and deny.")
        self.conditions()

    @property
    def spec(self) -> str:
        given = [f"{each.name}={getattr(self, each.name):g}" for each in fields(self)]
        plain = {f"{each.name}={each.default:g}" for each in fields(self)}
        told = ",".join(each for each in given if each not in plain)
        return f"frames:{told}" if told else "frames"

    def conditions(self) -> Conditions:
        """What the crowd is under."""
        kind = next((kind for kind in Deviation if getattr(self, kind.value) > 0), None)
        share = 0.0 if kind is None else getattr(self, kind.value)
        return Conditions(self.loss, self.restart, self.away, self.skew, self.approve, self.delay, kind, share)

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """One post of one person in a crowd that has nothing else to say."""
        settings = wildfire_settings(tick_seconds=5)
        crowd = Crowd(contacts, settings, self.conditions(), chance)
        name = crowd.post(author, b"post" + hashlib.sha256(chance.bytes(16)).digest())
        crowd.run((steps + 1) * settings.step_ticks - 0.5)
        return crowd.spread(author, name, steps=steps)

    def suspects(self, snapshot: Snapshot) -> Ranking:
        return self._arrays().suspects(snapshot)

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        return self._arrays().spy_suspects(reports)

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        return self._arrays().joint_suspects(snapshot, reports)

    def rules(self) -> HybridRules:
        """The node's side."""
        rules = wildfire_settings(tick_seconds=5).rules
        assert isinstance(rules, HybridRules)
        return rules

    def _arrays(self) -> Hybrid:
        rules = self.rules()
        return Hybrid(rules.switch, float(rules.rate), rules.tree.cap)
