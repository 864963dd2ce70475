"""Protocol 3: adaptive diffusion."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.estimators.likelihood import token_suspects
from banister.spread.lab.estimators.spies import first_spy
from banister.spread.lab.estimators.together import agree, never
from banister.spread.lab.estimators.walks import token_spied
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports
from banister.spread.lab.graph import Contacts, Nodes
from banister.spread.lab.protocols.token import run_with_token
from banister.spread.lab.trace import Spread
from banister.spread.node.rules.token import TokenRules
from banister.spread.schedule import keep_chance


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Keep the holders balanced around a virtual source that walks away from the author.

    `degree` is the one for which the keep probabilities are made (d0 in the literature); with infinity the token is
    always passed. On the regular tree of that degree and at even times every holder but the virtual source is equally
    likely to be the author ([K15] section 2.3). Anywhere else this is a heuristic; `docs/guide/spread.md` has what was
    measured. `cap` limits how many contacts a holder tells, for graphs where degrees differ.

    >>> from banister.spread import run_spread
    >>> done = run_spread("regular-tree:3", protocol=Adaptive(degree=3), steps=6, seed=1)
    >>> done.protocol.spec, done.spread.size
    ('adaptive:degree=3', 22)
    """

    name: ClassVar[str] = "adaptive"

    degree: float = math.inf
    cap: int | None = None

    def __post_init__(self) -> None:
        if not math.isinf(self.degree):
            need.whole("degree", self.degree, least=2)
        if self.cap is not None:
            need.whole("cap", self.cap, least=1)

    @property
    def spec(self) -> str:
        parts = [] if math.isinf(self.degree) else [f"degree={self.degree:g}"]
        parts += [] if self.cap is None else [f"cap={self.cap}"]
        return ":".join(["adaptive", *([",".join(parts)] if parts else [])])

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """Spread for `steps` steps."""
        return run_with_token(
            contacts, author, steps=steps, chance=chance, keep=self._keep, weigh=_equally, cap=self.cap
        )

    def suspects(self, snapshot: Snapshot) -> Ranking:
        """All holders but the virtual source, by their likelihood."""
        return token_suspects(snapshot, degree=self.degree, cap=self.cap)

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        """For a token that always moves the pivot rule, on trees, or all walks, on other graphs; for one that may rest
        who told the first spy."""
        return token_spied(reports, _equally, self.cap) if math.isinf(self.degree) else first_spy(reports)

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        """The snapshot's suspects by the chance that the spies heard when they did, over all histories of the token."""
        return agree(snapshot, reports, self.suspects(snapshot), never if math.isinf(self.degree) else self._keep)

    def rules(self) -> TokenRules:
        """The node's side."""
        return TokenRules(None if math.isinf(self.degree) else int(self.degree), self.cap)

    def _keep(self, time: int, hops: int) -> float:
        return keep_chance(degree=self.degree, time=time, hops=hops)


def _equally(degrees: Nodes) -> Nodes:
    return np.ones_like(degrees)
