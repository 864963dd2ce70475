"""A crowd with somebody in it who floods: what honest people write comes to everybody all the same."""

import pytest

from banister.spread.node.wildfire import BURST, PACE
from tests.drills.wildfire_flood import Flood, flooded

POSTS, REST, CALM = 30, 160, 20


@pytest.mark.parametrize(
    ("every", "approves", "flood"),
    [(2, 0.3, Flood.EACH), (4, 0.0, Flood.YOUNG), (2, 0.0, Flood.SAME), (2, 0.0, Flood.NONE)],
)
def test_a_flood_keeps_no_post_from_anybody(every: int, approves: float, flood: Flood) -> None:
    """A hub with ten friends among twenty people fills every tick of each of her links with new posts. People approve
    some of what they read, or nothing at all; she gives on theirs, too, and is approved for it."""
    found = flooded(people=20, posts=POSTS, every=every, approves=approves, links=10, flood=flood, calm=CALM, rest=REST)
    assert found.missing == 0
    assert found.in_time > 0.98
    assert found.most_waiting <= 256
    if not approves:  # Nothing else of hers is in the crowd than what her links may bring.
        assert found.flood <= 10 * (BURST + (POSTS * every + REST - CALM) // PACE + 1)
