"""The messenger's own frames in the laboratory: they behave as the arrays say, and liars change little."""

from pathlib import Path

import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.simulation import seeded
from banister.spread import Study, locate, parse_protocol
from banister.spread.lab import generators
from banister.spread.lab.crowd import Conditions, Crowd, Deviation
from banister.spread.lab.frames import Frames
from banister.spread.lab.logs import Heard, read_log, reports_of
from banister.spread.lab.suspects import locate_by_spies
from banister.spread.node.wildfire import wildfire_settings

GRAPH = generators.random_regular(600, 8, seeded(1))
SETTINGS = wildfire_settings(tick_seconds=5)


def test_the_tree_of_real_nodes_grows_as_that_of_the_arrays() -> None:
    """With two ticks a step, counted from each arrival, real nodes had 25 holders at the deadline where the arrays have
    160: the figures that people are shown would have been somebody else's."""
    arrays = parse_protocol("hybrid:switch=8,rate=1,cap=3")
    for steps in (4, 6):
        one = np.mean([arrays.run(GRAPH, 5, steps=steps, chance=seeded(k)).size for k in range(20)])
        two = np.mean([Frames().run(GRAPH, 5, steps=steps, chance=seeded(k)).size for k in range(6)])
        assert 0.93 * one <= two <= 1.07 * one


def test_an_author_approves_and_waits_like_everybody_and_half_a_crowd_dies_out() -> None:
    sizes = {}
    for share in (1.0, 0.3):
        done = [Frames(approve=share).run(GRAPH, 5, steps=6, chance=seeded(k)) for k in range(6)]
        assert all(each.size >= 2 for each in done)  # The author gave it to somebody.
        sizes[share] = np.mean([each.size for each in done])
    assert sizes[0.3] < 0.6 * sizes[1.0]
    late = Frames(delay=20).run(GRAPH, 5, steps=2, chance=seeded(3))
    assert late.size <= Frames().run(GRAPH, 5, steps=2, chance=seeded(3)).size


@pytest.mark.parametrize("kind", list(Deviation))
def test_friends_who_deviate_are_the_spies_of_the_same_share(kind: Deviation) -> None:
    crowd = Crowd(GRAPH, SETTINGS, Conditions(deviation=kind, deviating=0.2), seeded(2))
    name = crowd.post(5, b"a post")
    crowd.run(26)
    done = crowd.spread(5, name, steps=5)
    assert done.log is not None
    reports = done.log.reports(GRAPH, done, 0.2)
    liars = done.log.marks < 0.2
    assert reports.marked[reports.spies].all()
    assert not reports.marked[5]
    told = {each.sender for seen in done.log.heard.values() for each in seen if liars[each.sender]}
    assert (kind is Deviation.DROP) == (not told - {5})
    if kind is Deviation.FORGE:
        forged = [each for seen in done.log.heard.values() for each in seen if liars[each.sender] and each.sender != 5]
        assert {each.level for each in forged} == {SETTINGS.horizon}
    if kind is Deviation.DENY:  # Who is told that nothing was new asks more friends, until all are asked anyway.
        denied, honest = (
            Crowd(GRAPH, SETTINGS, conditions, seeded(2))
            for conditions in (Conditions(deviation=kind, deviating=0.2), Conditions())
        )
        for each in (denied, honest):
            each.post(5, b"a post")
            each.run(16)
        assert denied.copies > 1.5 * honest.copies


def test_restarts_and_people_away_stop_no_post() -> None:
    crowd = Crowd(GRAPH, SETTINGS, Conditions(restart=0.1, away=0.3, skew=0.02), seeded(4))
    author = next(k for k in range(600) if not crowd.is_away(k))
    name = crowd.post(author, b"a post")
    crowd.run(70)
    there = sum(not crowd.is_away(k) for k in range(600))
    assert crowd.reach(name, 70) >= 0.97 * there


def test_a_study_runs_them_by_name_and_refuses_two_lies_at_once() -> None:
    study = Study(GRAPH, protocols=["frames:deny=0.1"], adversaries=["spies:0.1", "snapshot"], steps=[4], trials=2)
    rows = study.run(workers=1).rows
    assert [row.protocol for row in rows] == ["frames:deny=0.1"] * 2
    with pytest.raises(BadValue, match="Friends deviate in one way at a time"):
        parse_protocol("frames:deny=0.1,drop=0.1")
    with pytest.raises(BadValue, match="approve = 2 must be a number from 0 to 1"):
        parse_protocol("frames:approve=2")


def test_a_friend_who_had_it_and_hears_the_first_counter_knows_the_author() -> None:
    """A repeated copy tells more than the first: the climbing one with the lowest counter is the one that counts."""
    marked = np.zeros(600, dtype=bool)
    spy = int(GRAPH.contacts(5)[0])
    other = int(GRAPH.contacts(spy)[1])
    marked[spy] = True
    seen = [Heard(b"p", spy, other, 1.5, False, 1, 2), Heard(b"p", spy, 5, 2.5, True, 1, 1)]
    reports = reports_of(GRAPH, seen, marked, 8)
    assert Frames().spy_suspects(reports).best().tolist() == [5]


HEAD = "post,spy,sender,step,climbing,level,age\n"


def test_a_log_of_spies_names_the_author(tmp_path: Path) -> None:
    links = [("ann", "ben"), ("ben", "cleo"), ("cleo", "dan"), ("dan", "ann"), ("ann", "eve"), ("eve", "cleo")]
    (tmp_path / "log.csv").write_text(HEAD + "1,ben,ann,1.2,1,1,1\n1,cleo,ben,2.3,1,2,2\n")
    (found,) = locate_by_spies(links, tmp_path / "log.csv")
    assert found.suspects[0].name == "ann"
    assert "1, heard by 2 spies" in found.text(3)
    assert locate(links, ["ann", "ben", "cleo"], estimators=["jordan"])[0].suspects  # The other road is as it was.


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("post,spy\n1,ben\n", "A log of spies begins with the line post,spy,sender"),
        (HEAD, "has no line after its first"),
        (HEAD + "1,ben,ann,1,1\n", "Line 2 of the log needs 7 values"),
        (HEAD + "1,ben,ann,1,1,1,1,9\n", "Line 2 of the log needs 7 values"),
        (HEAD + "1,ben,ann,x,1,1,1\n", "step, level and age must be numbers"),
        (HEAD + "1,ben,ann,nan,1,1,1\n", "level and age from 0 to"),
        (HEAD + "1,ben,ann,1,2,1,1\n", "climbing 0 or 1"),
        (HEAD + "1,ben,dan,1,1,1,1\n", "'dan' is no contact of 'ben' in the graph"),
        (HEAD + "1,zoe,ann,1,1,1,1\n", "zoe"),
    ],
)
def test_a_log_that_is_none_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "log.csv").write_text(text)
    links = [("ann", "ben"), ("ben", "cleo"), ("cleo", "dan"), ("dan", "ann")]
    with pytest.raises(BadValue, match=words):
        locate_by_spies(links, tmp_path / "log.csv")


def test_a_crowd_writes_what_a_log_reads(tmp_path: Path) -> None:
    crowd = Crowd(GRAPH, SETTINGS, Conditions(), seeded(2))
    name = crowd.post(5, b"a post")
    crowd.run(20)
    done = crowd.spread(5, name, steps=4)
    assert done.log is not None
    done.log.write(tmp_path / "log.csv", GRAPH, share=0.3, author=5)
    marked = done.log.marks < 0.3
    seen = [each for node, found in done.log.heard.items() if marked[node] and node != 5 for each in found]
    (read,) = read_log(tmp_path / "log.csv", GRAPH).values()
    assert {(each.node, each.sender, each.level, each.age) for each in read} == {
        (each.node, each.sender, each.level, each.age) for each in seen
    }
