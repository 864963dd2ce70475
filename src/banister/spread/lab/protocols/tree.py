"""Protocol 2, corrected: a counter that climbs away from the author, and needs no control messages."""

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
from banister.spread.lab.graph import Contacts
from banister.spread.lab.protocols.offers import offer_quota
from banister.spread.lab.trace import Growth, Spread
from banister.spread.node.rules.counter import TreeRules


@dataclass(frozen=True, slots=True)
class Tree:
    """The author tells one contact, with the climbing copy at level 1. One step after it came, the holder of the
    climbing copy at level s gives it, at level s + 1, to one contact, and a falling copy at level s - 1 to all others;
    the holder of a falling copy at level s > 0 gives falling copies at level s - 1 to all.

    On d-regular trees detection is (d - 1)/(2 + (d - 2) N) with N holders, at every time ([K15] Eq. (2.8)); the printed
    Protocol 2 serves the other contacts of the climbing copy one step late, which breaks this. `cap` limits how many
    contacts a holder tells, for graphs where degrees differ.

    >>> from banister.spread import run_spread
    >>> done = run_spread("regular-tree:3", protocol=Tree(), steps=6, seed=1)
    >>> done.protocol.spec, done.spread.size
    ('tree', 22)
    """

    name: ClassVar[str] = "tree"

    cap: int | None = None

    def __post_init__(self) -> None:
        if self.cap is not None:
            need.whole("cap", self.cap, least=2, hint="One for the climbing copy, one for a falling one.")

    @property
    def spec(self) -> str:
        return "tree" if self.cap is None else f"tree:cap={self.cap}"

    def run(self, contacts: Contacts, author: int, *, steps: int, chance: Generator) -> Spread:
        """Spread for `steps` steps."""
        growth = Growth(contacts, author)
        climb = Climb(growth, self.cap, chance)
        for now in range(1, steps + 1):
            climb.advance(now)
        return climb.finish(steps, steps)

    def suspects(self, snapshot: Snapshot) -> Ranking:
        """The leaves, by the chance of their way to the centre."""
        return token_suspects(snapshot, degree=math.inf, cap=self.cap)

    def spy_suspects(self, reports: SpyReports) -> Ranking:
        """The pivot rule on trees; all walks of the counter on other graphs."""
        return token_spied(reports, np.ones_like, self.cap)

    def joint_suspects(self, snapshot: Snapshot, reports: SpyReports) -> Ranking:
        """The snapshot's suspects that the spies do not rule out."""
        return agree(snapshot, reports, self.suspects(snapshot), never)

    def rules(self) -> TreeRules:
        """The node's side."""
        return TreeRules(self.cap)


class Climb:
    """The counters of a tree protocol under way."""

    def __init__(self, growth: Growth, cap: int | None, chance: Generator) -> None:
        self.growth, self.cap, self.chance = growth, cap, chance
        self.top = growth.author
        self.stuck = False
        self.path = [growth.author]
        self.level = np.zeros(len(growth.time), dtype=np.int32)
        self.active = np.empty(0, dtype=np.int64)

    def advance(self, now: int) -> None:
        """One step: the climbing copy moves on, and all counters above 0 are passed down."""
        growth = self.growth
        above = None if self.stuck else self._climb(now)
        tell = self.active
        if now > 1 and above is not None:
            tell = np.append(tell, self.top)
        unlimited = growth.contacts.degrees[tell] if self.cap is None else np.full(len(tell), self.cap)
        quota = unlimited.astype(np.int64)
        if now > 1 and above is not None:
            quota[-1] -= 1
        new = offer_quota(growth, tell, quota, now, self.chance)
        self._fit()
        self.level[new] = self.level[growth.parent[new]] - 1
        self.active = new[self.level[new] > 0]
        if above is not None:
            self.level[above] = self.level[self.top] + 1
            self.top = above
            self.path.append(above)

    def _climb(self, now: int) -> int | None:
        _, target = self.growth.fresh_links(np.asarray([self.top]))
        self._fit()
        if len(target) == 0:
            self.stuck = True
            return None
        above = int(target[int(self.chance.integers(len(target)))])
        self.growth.infect(np.asarray([self.top]), np.asarray([above]), now)
        return above

    def _fit(self) -> None:
        missing = len(self.growth.time) - len(self.level)
        if missing > 0:
            self.level = np.concatenate([self.level, np.zeros(missing, dtype=np.int32)])

    def finish(self, steps: int, climbed: int) -> Spread:
        """The finished record; the virtual source at an even step is the middle of the climb."""
        tokens = [self.path[k] for k in range(1, climbed // 2 + 1) if k < len(self.path)]
        notes = ("The climbing copy met nobody without the message and stopped.",) if self.stuck else ()
        return self.growth.finish(steps, tokens=tokens, path=self.path, notes=notes)
