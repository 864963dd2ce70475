"""What friends agree on, as a whole: everybody has as many links, and what false friends get of them."""

import numpy as np
import pytest

from banister.sampling.simulation import seeded
from banister.spread.lab.frames import Frames
from banister.spread.lab.generators import social
from banister.spread.lab.graph import Graph
from banister.spread.lab.overlay import Overlay, agree, attacked
from banister.spread.lab.protocols import Hybrid
from banister.spread.node.overlay import OverlaySettings

SETTINGS = OverlaySettings(links=6, per_friend=2)


@pytest.fixture(scope="module")
def friends() -> Graph:
    return social(600, 14, seeded(1))


@pytest.fixture(scope="module")
def honest(friends: Graph) -> Overlay:
    return agree(friends, SETTINGS, turns=60, chance=seeded(2))


def with_spies(friends: Graph, share: float) -> tuple[Overlay, np.ndarray]:
    spies = seeded(3).random(friends.count) < share
    return agree(friends, SETTINGS, turns=60, spies=spies, chance=seeded(2)), spies


def test_nearly_everybody_gets_exactly_as_many_links(honest: Overlay):
    degrees = honest.graph.degrees
    assert degrees.max() == 6
    assert (degrees == 6).mean() > 0.95
    assert (degrees[honest.complete] == 6).all()
    assert honest.turns[-1] <= 0.05 * len(honest.people)


def test_the_overlay_is_in_one_piece_and_no_friends_graph(friends: Graph, honest: Overlay):
    assert len(np.unique(honest.graph.components())) == 1
    known = sum(int(other in friends.contacts(v)) for v in range(600) for other in honest.graph.contacts(v).tolist())
    assert known < 0.5 * len(honest.graph.links)


def test_each_link_goes_through_one_friend_of_both(friends: Graph, honest: Overlay):
    near = [set(friends.contacts(v).tolist()) for v in range(friends.count)]
    for v in range(0, friends.count, 7):
        assert all(near[v] & near[other] for other in honest.graph.contacts(v).tolist())
    assert int(honest.carried.sum()) == honest.graph.edges


def test_false_friends_get_more_than_their_share_and_less_than_everything(friends: Graph):
    made, spies = with_spies(friends, 0.1)
    through = 1 - (1 - spies.mean()) ** 2  # Whoever carries a link, and whoever is at its other end.
    assert through < made.captured < 3 * through
    assert made.graph.degrees[made.masks].max() <= 6
    assert made.masks.sum() * 6 >= made.captured * 6 * made.complete.sum()
    assert len(made.people) == (~spies).sum()


def test_captured_links_are_those_that_lead_to_masks(friends: Graph):
    made, _ = with_spies(friends, 0.1)
    _, target = made.graph.gather(np.flatnonzero(~made.masks))
    assert made.masks[target].mean() == pytest.approx(made.captured, abs=0.01)  # Swaps may leave a double or two.


def test_a_narrow_door_lets_fewer_false_friends_in(friends: Graph):
    spies = seeded(3).random(friends.count) < 0.1
    wide = agree(friends, OverlaySettings(links=6, per_friend=2, widen=1), turns=30, spies=spies, chance=seeded(2))
    narrow = agree(friends, OverlaySettings(links=6, per_friend=2, widen=30), turns=30, spies=spies, chance=seeded(2))
    assert narrow.captured < wide.captured


def test_attacks_run_on_arrays_and_on_frames(friends: Graph):
    made, _ = with_spies(friends, 0.2)
    for protocol in (Hybrid(4, 1.0, 3), Frames()):
        found = attacked(made, protocol, steps=4, trials=3, seed=1)
        assert set(found) == {"snapshot", "posts:3", "spies", "snapshot+spies"}
        assert all(0 <= chance.mean <= 1 for chance in found.values())


def test_who_is_told_by_masks_alone_is_found(friends: Graph):
    """Against false friends behind nearly all links the author is the first to tell one."""
    made, _ = with_spies(friends, 0.6)
    assert made.captured > 0.7
    authors = np.flatnonzero(made.complete)
    found = attacked(made, Hybrid(4, 1.0, 3), steps=4, trials=20, seed=1, authors=authors)
    assert found["spies"].mean > 0.7


def test_without_false_friends_only_snapshots_are_tried(honest: Overlay):
    found = attacked(honest, Hybrid(6, 1.0, 3), steps=6, trials=30, seed=1)
    assert set(found) == {"snapshot", "posts:3"}
    assert found["snapshot"].mean < 0.2
