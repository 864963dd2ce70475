"""What all protocols with a virtual source share: the token's walk, and the waves that it sends through the tree."""

from collections.abc import Callable

import numpy as np

from banister.sampling.simulation import Generator
from banister.spread.lab.graph import Contacts, Nodes
from banister.spread.lab.protocols.offers import offer
from banister.spread.lab.trace import Growth, Spread

Keep = Callable[[int, int], float]
"""Chance to keep the token at (time, hops)."""

Weigh = Callable[[Nodes], Nodes]
"""Weights of the next holders, from their degrees."""


def run_with_token(
    contacts: Contacts, author: int, *, steps: int, chance: Generator, keep: Keep, weigh: Weigh, cap: int | None
) -> Spread:
    """Spread with a virtual source ([K15] Protocol 3, corrected).

    Waves run along the links that carried the message, and only its leaves give it on, each to `cap` contacts at most.
    The token never goes back where it came from; the printed protocol lets it (docs/math/spread-protocols.md).
    """
    walk = Walk(Growth(contacts, author), cap, chance)
    if steps >= 1:
        walk.begin()
    if steps >= 2:
        walk.ahead = offer(walk.growth, np.asarray([walk.holder]), 2, cap, chance)
        walk.tokens.append(walk.holder)
    for now in range(2, steps, 2):
        kin = walk.growth.children(walk.holder)
        if len(kin) == 0 or chance.random() < keep(now, walk.hops):
            walk.keep(now + 1)
        else:
            weight = weigh(contacts.degrees[kin]).astype(float)
            draw = np.searchsorted(np.cumsum(weight), chance.random() * weight.sum(), side="right")
            walk.pass_on(int(kin[min(int(draw), len(kin) - 1)]), now + 1, steps)
        walk.tokens.append(walk.holder)
    path = [author, *walk.tokens] if len(set(walk.tokens)) == len(walk.tokens) else []
    return walk.growth.finish(steps, tokens=walk.tokens, path=path)


class Walk:
    """The token and the leaves of the tree: `ahead` are those that the author's side of the token is not on."""

    def __init__(self, growth: Growth, cap: int | None, chance: Generator) -> None:
        self.growth, self.cap, self.chance = growth, cap, chance
        self.holder, self.hops = growth.author, 0
        self.tokens: list[int] = []
        self.ahead = np.empty(0, dtype=np.int64)
        self.behind = np.empty(0, dtype=np.int64)

    def begin(self) -> None:
        """The author tells one contact and hands it the token."""
        author = np.asarray([self.growth.author])
        _, target = self.growth.fresh_links(author)
        first = target[[int(self.chance.integers(len(target)))]]
        self.growth.infect(author, first, 1)
        self.holder, self.hops = int(first[0]), 1
        self.behind = author

    def keep(self, now: int) -> None:
        """One wave to all leaves, then a silent step."""
        ahead, behind = self.ahead, self.behind
        if len(ahead) == 0 and len(self.growth.children(self.holder)) == 0:
            ahead = np.asarray([self.holder])  # A holder at the end of a branch is a leaf itself.
        new = offer(self.growth, np.concatenate([ahead, behind]), now, self.cap, self.chance)
        forward = np.isin(self.growth.parent[new], ahead)
        self.ahead, self.behind = new[forward], new[~forward]

    def pass_on(self, to: int, now: int, steps: int) -> None:
        """The token moves one hop away from the author; its branch gets two waves."""
        inside = self._below(to)
        self.behind = np.concatenate([self.behind, self.ahead[~inside]])
        self.ahead = offer(self.growth, self.ahead[inside], now, self.cap, self.chance)
        self.holder, self.hops = to, self.hops + 1
        if now < steps:
            self.ahead = offer(self.growth, self.ahead, now + 1, self.cap, self.chance)

    def _below(self, node: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        growth = self.growth
        at, floor = self.ahead.copy(), growth.hops[node]
        while True:
            deep = growth.hops[at] > floor
            if not deep.any():
                return np.asarray(at == node)
            at[deep] = growth.parent[at[deep]]
