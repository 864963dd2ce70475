"""A crowd with somebody in it who floods: what honest people write comes to everybody all the same."""

import random

from banister.sampling.simulation import SeededBits, seeded
from banister.spread.lab import generators
from banister.spread.node import codec
from banister.spread.node.exchange import COVER, Exchange, name_of
from banister.spread.node.messages import Copy
from banister.spread.node.state import NodeState
from banister.spread.node.wildfire import wildfire_settings

PEOPLE, POSTS, CALM, LAST = 16, 40, 40, 250


def test_a_flood_keeps_no_post_from_anybody() -> None:
    """She fills every tick of each of her links with new posts, other ones on each. People approve some of what they
    read; she gives on theirs, too, and is approved for it."""
    chance, settings = random.Random(4), wildfire_settings(tick_seconds=5)
    graph = generators.holme_kim(PEOPLE, 3, 0.5, seeded(1))
    friends = [[int(b) for b in sorted(graph.contacts(a))] for a in range(PEOPLE)]
    bits = SeededBits(seeded(1))
    nodes = [Exchange(NodeState(settings, tuple(range(len(friends[a])))), bits) for a in range(PEOPLE)]
    bad = sorted(range(PEOPLE), key=lambda a: len(friends[a]))[PEOPLE // 2]
    honest = [a for a in range(PEOPLE) if a != bad]
    told: set[bytes] = set()
    heard: list[set[bytes]] = [set() for _ in range(PEOPLE)]
    for now in range(LAST):
        if now % 2 == 0 and len(told) < POSTS:
            told.add(nodes[chance.choice(honest)].post(b"honest %d" % now, now=now))
        carried = []
        for a, node in enumerate(nodes):
            for link, data in node.tick(now=now).items():
                if a == bad and data == COVER and now > CALM:
                    body = chance.randbytes(900)
                    data = codec.write(Copy(name_of(body), body, False, 12))
                if data is not COVER:
                    carried.append((friends[a][link], friends[friends[a][link]].index(a), data))
        for b, link, data in carried:
            nodes[b].received(link, data, now=now)
        for a, node in enumerate(nodes):
            fresh = told & set(node.shown) - heard[a]
            heard[a] |= fresh
            for name in sorted(fresh):
                if chance.random() < 0.3:
                    node.approve(name, now=now)
            node.shown.clear()
    assert [len(told - heard[a]) for a in honest] == [0] * len(honest)
    assert all(len(box.short) + len(box.long) <= 256 for node in nodes for box in node._outboxes.values())
