"""Adaptive diffusion that prefers well-connected virtual sources (known as PAAD)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.estimators.likelihood import token_suspects
from banister.spread.lab.estimators.together import agree, never
from banister.spread.lab.estimators.walks import token_spied
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts, Nodes
from banister.spread.lab.protocols.token import run_with_token
from banister.spread.lab.trace import Spread
from banister.spread.node.rules.token import ByDegree, TokenRules


@dataclass(frozen=True, slots=True)
class Preferential:
    """Always pass the token, to a contact of degree g with weight g - 1 ([FKOV17]).

    On trees with unequal degrees it evens out what `Adaptive` gives away. The price: contacts must tell their degree.

    >>> from banister.spread import run_spread
    >>> done = run_spread("regular-tree:3", protocol=Preferential(cap=3), steps=6, seed=1)
    >>> done.protocol.spec, done.spread.size
    ('preferential:cap=3', 22)
    """

    name: ClassVar[str] = "preferential"

    cap: int | None = None

    def __post_init__(self) -> None:
        if self.cap is not None:
            need.whole("cap", self.cap, least=1)

    @property
    def spec(self) -> str:
        return "preferential" if self.cap is None else f"preferential:cap={self.cap}"

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """Spread for `steps` steps."""
        return run_with_token(contacts, author, steps=steps, chance=chance, keep=never, weigh=preference, cap=self.cap)

    def suspects(self, snapshot: Snapshot) -> Ranking:
        """The leaves, by the chance of their way to the centre."""
        weights = preference(snapshot.degrees)
        return token_suspects(snapshot, degree=math.inf, cap=self.cap, weights=weights)

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        """The pivot rule on trees; all walks of the token on other graphs."""
        return token_spied(reports, preference, self.cap)

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        """The snapshot's suspects that the spies do not rule out."""
        return agree(snapshot, reports, self.suspects(snapshot), never)

    def rules(self) -> TokenRules:
        """The node's side."""
        return TokenRules(cap=self.cap, choice=ByDegree())


def preference(degrees: Nodes) -> Nodes:
    """The weight of a next holder: its degree less 1, and at least 1 so that an end can be chosen when all are ends."""
    return np.maximum(degrees - 1, 1)
