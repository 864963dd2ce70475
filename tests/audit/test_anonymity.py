"""Authors of posts: a protocol that gives them away, the messenger's own state machine, and files that say nothing."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.audit import unmask
from banister.audit.anonymity.records import FrameSeen, SpySaw
from banister.errors import BadValue
from banister.sampling.simulation import SeededBits, seeded
from banister.spread.lab.graph import Graph
from banister.spread.lab.written import load_graph, parse_protocol
from banister.spread.node import codec
from banister.spread.node.exchange import Exchange
from banister.spread.node.messages import Copy
from banister.spread.node.state import NodeState
from banister.spread.node.wildfire import wildfire_settings


def logged(protocol: str, posts: int) -> tuple[Graph, dict[str, str], list[SpySaw]]:
    """Posts on a random graph, one node in five a spy."""
    graph = load_graph("random-regular:80:4", seed=1)
    assert isinstance(graph, Graph)
    chance, how = seeded(3), parse_protocol(protocol)
    spies = set(range(0, 80, 5))
    authors: dict[str, str] = {}
    seen: list[SpySaw] = []
    for post in range(posts):
        author = int(chance.choice([each for each in range(80) if each not in spies]))
        spread = how.run(graph, author, steps=8, chance=chance)
        authors[str(post)] = str(graph.name_of(author))
        seen += [
            SpySaw(
                str(post), str(graph.name_of(spy)), str(graph.name_of(int(spread.parent[spy]))), int(spread.time[spy])
            )
            for spy in spies
            if spread.time[spy] > 0
        ]
    return graph, authors, seen


def test_a_protocol_that_gives_authors_away_is_found() -> None:
    found = unmask(*logged("flooding", 60), stated="0.3", bits=SeededBits(seeded(1)))
    assert found.broken, str(found)
    assert found.shown > 0.4


def test_a_figure_that_is_kept_is_not_broken() -> None:
    graph, authors, seen = logged("adaptive", 60)
    found = unmask(graph, authors, seen, stated="0.45", bits=SeededBits(seeded(1)))
    assert not found.broken, str(found)
    assert found.hits > 0
    assert unmask(graph, authors, seen, stated=found.hits / 180, bits=SeededBits(seeded(1))).broken


def test_a_run_of_the_messenger_itself() -> None:
    """Sixteen real nodes of the messenger on a ring with chords: logs and captures as they come off the links."""
    count, ticks = 16, 30
    near = (1, 3, count - 1, count - 3)
    edges = [(str(k), str((k + d) % count)) for k in range(count) for d in (1, 3)]
    authors: dict[str, str] = {}
    seen: list[SpySaw] = []
    frames: list[FrameSeen] = []
    for post in range(20):
        nodes = [
            Exchange(
                NodeState(wildfire_settings(tick_seconds=5), tuple(sorted((k + d) % count for d in near))),
                SeededBits(seeded(100 * post + k)),
            )
            for k in range(count)
        ]
        author = 1 + post % (count - 1)
        authors[str(post)] = str(author)
        nodes[author].post(b"words", now=0)
        for now in range(ticks):
            carried = [(k, link, data) for k, each in enumerate(nodes) for link, data in each.tick(now=now).items()]
            for k, link, data in carried:
                frames.append(FrameSeen(post * ticks + now, str(k), str(link), len(data)))
                if link == 0 and isinstance(codec.read(data), Copy):
                    seen.append(SpySaw(str(post), "0", str(k), post * ticks + now))
                nodes[link].received(k, data, now=now + 1)
    found = unmask(Graph.of_edges(edges), authors, seen, frames, stated="0.4", bits=SeededBits(seeded(1)))
    assert not found.broken, str(found)
    assert found.ways["the first frame of an unusual size"] == 0
    assert found.ways["the busiest sender"] <= 6


def test_frames_that_give_authors_away_are_found() -> None:
    graph = Graph.of_edges([(str(k), str((k + 1) % 12)) for k in range(12)])
    chance = np.random.default_rng(1)
    authors = {str(post): str(int(chance.integers(12))) for post in range(40)}
    steady = [FrameSeen(t, str(k), str((k + 1) % 12), 1024) for t in range(400) for k in range(12)]
    heard = [SpySaw(str(post), "none", "none", 10 * post + 9) for post in range(40)]
    extra = [
        FrameSeen(10 * post + 3.5, author, "x", 1024) for post, author in ((int(p), a) for p, a in authors.items())
    ]
    busy = unmask(graph, authors, (), [*steady, *extra], stated="0.3", window=10)
    assert not busy.broken, "without knowing when, nobody is found"
    graph = Graph.of_edges([*[(str(k), str((k + 1) % 12)) for k in range(12)], ("none", "0")])
    assert unmask(graph, authors, heard, [*steady, *extra], stated="0.3", window=6).way == "the busiest sender"
    odd = [FrameSeen(each.time, each.sender, each.receiver, 900) for each in extra]
    assert (
        unmask(graph, authors, heard, [*steady, *odd], stated="0.3", window=6).ways[
            "the first frame of an unusual size"
        ]
        == 40
    )


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "g.edges").write_text("".join(f"{k} {(k + 1) % 9}\n" for k in range(9)))
    (tmp_path / "a.csv").write_text("post,author\n" + "".join(f"{p},1\n" for p in range(40)))
    (tmp_path / "s.csv").write_text("post,spy,sender,time\n" + "".join(f"{p},0,1,3\n" for p in range(40)))
    words = ["anonymity", str(tmp_path / "g.edges"), "--authors", str(tmp_path / "a.csv"), "--stated", "0.5"]
    done = CliRunner().invoke(build(), [*words, "--spies", str(tmp_path / "s.csv")])
    assert done.exit_code == 1, done.output
    assert "the authors of 40 of 40 posts were found" in done.output
    assert CliRunner().invoke(build(), words).exit_code == 2
    for bad, said in (
        ("post,spy\n1,2\n", "must name the columns"),
        ("post,spy,sender,time\n1,0,1,soon\n", "where a number must be"),
        ("post,spy,sender,time\n1,0,1\n", "has 3 cells"),
        ("post,spy,sender,time\n1,0,77,3\n", "is not in the graph"),
    ):
        (tmp_path / "s.csv").write_text(bad)
        done = CliRunner().invoke(build(), [*words, "--spies", str(tmp_path / "s.csv")])
        assert (done.exit_code, said in done.output) == (2, True), done.output


def test_too_few_posts_are_said() -> None:
    with pytest.raises(BadValue, match="3 posts with known authors are too few"):
        unmask(Graph.of_edges([("a", "b")]), {"1": "a", "2": "b", "3": "a"}, stated="0.5")
