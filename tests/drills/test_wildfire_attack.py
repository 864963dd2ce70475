"""The attacks on a drill's logs: they find what the laboratory finds, and an author who is given away."""

from banister.sampling.simulation import seeded
from banister.spread.lab import generators
from banister.spread.lab.crowd import Conditions, Crowd
from banister.spread.lab.logs import Heard
from banister.spread.node.wildfire import STEP_TICKS, SWITCH, wildfire_settings
from tests.drills.wildfire_attack import ATTACKS, Posted, attacked

PEOPLE, POSTS = 24, 40


def test_a_crowds_logs_give_away_what_was_foretold_and_an_authors_mark_is_found() -> None:
    """The laboratory's own crowd writes the logs first; then an author tells all of her friends at once."""
    graph = generators.holme_kim(PEOPLE, 3, 0.5, seeded(2))
    heard: dict[int, list[Heard]] = {node: [] for node in range(PEOPLE)}
    posted = []
    for k in range(POSTS):
        crowd = Crowd(graph, wildfire_settings(tick_seconds=5), Conditions(), seeded(k, 3))
        author = int(seeded(k).integers(PEOPLE))
        name = crowd.post(author, b"post %d" % k)
        crowd.run((SWITCH + 1) * STEP_TICKS)
        posted.append(Posted(author, name, 0.0))
        for node, seen in crowd.heard.items():
            heard[node] += seen
    found = attacked(graph, heard, posted, seed=1, trials=60)
    assert [each.attack for each in found] == list(ATTACKS)
    assert all(each.holds for each in found)
    marked: dict[int, list[Heard]] = {node: [] for node in range(PEOPLE)}
    for post in posted:
        for friend in graph.contacts(post.author).tolist():
            marked[friend].append(Heard(post.name, friend, post.author, 0.5, True, 1, 0))
    worse = {each.attack: each for each in attacked(graph, marked, posted, seed=1, trials=60)}
    assert worse["spies:0.1667:first"].found.mean > 0.3
    assert not worse["spies:0.1667:first"].holds
