"""A crowd in one process, tick by tick, with somebody in it who floods: what honest people write comes to everybody.

    python -m tests.drills.wildfire flood --nodes 20 --posts 150

She fills every idle tick of each of her links with another post, in one of several ways, and gives on what others
write. People approve some of what they read, or nothing.
"""

import random
from dataclasses import dataclass
from enum import Enum

from banister.sampling.simulation import SeededBits, seeded
from banister.spread.lab import generators
from banister.spread.node import codec
from banister.spread.node.exchange import COVER, Exchange, name_of
from banister.spread.node.messages import Copy
from banister.spread.node.state import NodeState
from banister.spread.node.wildfire import EMBARGO, STEP_TICKS, wildfire_settings

LENGTH = 900
"""Bytes of a post that floods: as many as a frame takes."""


class Flood(Enum):
    """How she fills her links."""

    NONE = "none"
    EACH = "each"
    """Another post on each link at each tick."""
    SAME = "same"
    """One post on all links at each tick."""
    YOUNG = "young"
    """Another post on each link, which claims to be new and climbing."""


@dataclass(frozen=True, slots=True)
class Flooded:
    """What became of the honest posts."""

    copies: int
    missing: int
    in_time: float
    """Share of the copies that came, or should have, within horizon, embargo and a tenth."""
    median: float
    longest: int
    flood: int
    """Posts of hers that any honest node took."""
    most_waiting: int
    """Copies that waited for one link of an honest node at the end."""

    def words(self) -> str:
        return (
            f"missing {self.missing} of {self.copies}; {self.in_time:.2%} in time; from post to person "
            f"{self.median:.0f} ticks (median), at most {self.longest}; {self.flood} posts of the flood were taken"
        )


def flooded(
    *,
    people: int,
    posts: int,
    every: int,
    approves: float,
    links: int,
    flood: Flood = Flood.EACH,
    seed: int = 1,
    calm: int = 40,
    rest: int = 200,
    together: int = 1,
) -> Flooded:
    """One honest post in `every` ticks, a flood from tick `calm` on by whoever has about so many links, and `rest`
    ticks after the last post while the flood goes on. Where several flood `together` with one post for all, they are
    witnesses for each other at the friends whom they share."""
    chance, settings = random.Random(seed), wildfire_settings(tick_seconds=5)
    graph = generators.holme_kim(people, 3, 0.5, seeded(seed))
    friends = [[int(b) for b in sorted(graph.contacts(a))] for a in range(people)]
    back = [[friends[b].index(a) for b in friends[a]] for a in range(people)]
    bits = SeededBits(seeded(seed))
    nodes = [Exchange(NodeState(settings, tuple(range(len(friends[a])))), bits) for a in range(people)]
    bad = sorted(range(people), key=lambda a: (abs(len(friends[a]) - links), a))[:together]
    honest = [a for a in range(people) if a not in bad]
    told: dict[bytes, int] = {}
    heard: list[dict[bytes, int]] = [{} for _ in range(people)]
    taken: set[bytes] = set()
    for now in range(posts * every + rest):
        if now % every == 0 and len(told) < posts:
            told[nodes[chance.choice(honest)].post(b"honest %d" % now, now=now)] = now
        carried = []
        same = chance.randbytes(LENGTH)
        for a, node in enumerate(nodes):
            for link, data in node.tick(now=now).items():
                if a in bad and data == COVER and now > calm and flood is not Flood.NONE:
                    body = same if flood is Flood.SAME else chance.randbytes(LENGTH)
                    young = flood is Flood.YOUNG
                    data = codec.write(Copy(name_of(body), body, young, 0 if young else settings.horizon))
                if data is not COVER:
                    carried.append((friends[a][link], back[a][link], data))
        for b, link, data in carried:
            nodes[b].received(link, data, now=now)
        for a, node in enumerate(nodes):
            for name in node.shown:
                if name not in told:
                    if a not in bad:
                        taken.add(name)
                elif heard[a].setdefault(name, now) == now and chance.random() < approves:
                    node.approve(name, now=now)
            node.shown.clear()
    limit = 1.1 * (settings.horizon + EMBARGO) * STEP_TICKS
    waits = sorted(heard[a][name] - at for a in honest for name, at in told.items() if name in heard[a])
    copies = len(told) * len(honest)
    return Flooded(
        copies,
        copies - len(waits),
        sum(wait <= limit for wait in waits) / copies,
        waits[len(waits) // 2],
        waits[-1],
        len(taken),
        max(len(box) for a in honest for box in nodes[a]._outboxes.values()),
    )
