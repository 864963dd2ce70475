"""Words to protocols and adversaries, single runs, and finding authors."""

from pathlib import Path

import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.simulation import seeded
from banister.spread.lab.adversaries import ALL as ADVERSARIES
from banister.spread.lab.adversaries.base import Scene
from banister.spread.lab.advice import advise
from banister.spread.lab.graph import Graph
from banister.spread.lab.protocols import ALL as PROTOCOLS
from banister.spread.lab.run import run_spread
from banister.spread.lab.suspects import locate
from banister.spread.lab.written import load_graph, parse_adversary, parse_protocol, read_names, split_list


@pytest.mark.parametrize("make", PROTOCOLS, ids=lambda make: make.__name__)
def test_every_protocol_is_read_back_from_its_words(make: type) -> None:
    protocol = make()
    assert parse_protocol(protocol.spec) == protocol


@pytest.mark.parametrize(
    "text",
    ["snapshot", "snapshot:rumor", "snapshot:jordan", "spies:0.1", "spies:0.2:first", "snapshot+spies:0.1", "posts:3"],
)
def test_every_adversary_is_read_back_and_suspects_somebody(text: str) -> None:
    adversary = parse_adversary(text)
    assert adversary.spec == text
    assert type(adversary) in ADVERSARIES
    graph = load_graph("holme-kim:200:3:0.5")
    assert isinstance(graph, Graph)
    for spec in ("adaptive:cap=3", "diffusion:0.3", "tree"):
        protocol = parse_protocol(spec)
        spread = protocol.run(graph, 3, steps=6, chance=seeded(1))
        ranking = adversary.suspects(Scene(protocol, graph, spread), seeded(2))
        assert len(ranking.best()) >= 1
        assert 0 <= ranking.chance_of(3) <= 1


def test_generators_have_the_sizes_they_are_asked_for() -> None:
    for text, count in (("line:7", 7), ("cut-tree:3:2", 10), ("random-regular:20:4", 20), ("small-world:50:4:0.1", 50)):
        graph = load_graph(text)
        assert isinstance(graph, Graph)
        assert graph.count == count


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("adaptif", "protocol = 'adaptif' must be one of: adaptive, dandelion"),
        ("tree:level=3", "'level' is not an option; possible are: cap"),
        ("flooding:3", "is not an option; possible are: none"),
        ("diffusion:fast", "rate = 'fast' must be a number"),
    ],
)
def test_bad_protocols_are_named(text: str, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        parse_protocol(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spy", "adversary = 'spy' must look like posts:3, snapshot"),
        ("spies:x", "adversary = 'spies:x' must look like"),
        ("spies:2", "share = 2 must be a number above 0 and below 1"),
        ("snapshot:best", "estimator = 'best' must be one of: ml, jordan, rumor"),
        ("spies:0.1:best", "estimator = 'best' must be one of: ml, first, timing"),
        ("snapshot+spies:0", "share = 0 must be"),
        ("posts:0", "posts = 0 must be a whole number, 1 or above"),
    ],
)
def test_bad_adversaries_are_named(text: str, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        parse_adversary(text)


def test_lists_keep_options_together() -> None:
    assert split_list("hybrid:switch=4,rate=0.5, flooding,adaptive:cap=3") == [
        "hybrid:switch=4,rate=0.5",
        "flooding",
        "adaptive:cap=3",
    ]


def test_a_run_tells_its_story_step_by_step() -> None:
    done = run_spread("regular-tree:3", protocol="adaptive:degree=3", steps=6, seed=4)
    moments = done.moments()
    assert [m.holders for m in moments][1::2] == [4, 10, 22]
    assert [m.detection for m in moments][1::2] == pytest.approx([1 / 3, 1 / 9, 1 / 21])
    assert len(done.lines()) == 6
    assert all(len(line) <= 80 for line in done.lines())


def test_a_run_on_a_graph_names_its_author(tmp_path: Path) -> None:
    file = tmp_path / "friends.edges"
    file.write_text("ann bob\nbob cy\ncy dee\ndee ann\nann cy\n")
    done = run_spread(file, protocol="adaptive", steps=3, author="cy")
    assert done.name_of(done.spread.author) == "cy"
    assert done.moments()[2].ranking is None  # Odd steps on a graph with cycles.
    assert "-" in done.lines()[2]
    with pytest.raises(BadValue, match="Node 'eve' is not in the graph"):
        run_spread(file, protocol="adaptive", steps=3, author="eve")
    with pytest.raises(BadValue, match="On an endless tree every author is alike"):
        run_spread("regular-tree:3", protocol="adaptive", steps=3, author="cy")


def test_a_movie_is_one_page_without_outside_requests(tmp_path: Path) -> None:
    done = run_spread("regular-tree:3", protocol="adaptive:degree=3", steps=6, seed=4)
    done.movie(tmp_path / "spread.html")
    page = (tmp_path / "spread.html").read_text()
    assert "://" not in page
    assert page.count('"step":') == 6
    with pytest.raises(BadValue, match=r"must end in \.html"):
        done.movie(tmp_path / "spread.gif")
    large = run_spread("regular-tree:3", protocol="flooding", steps=12)
    with pytest.raises(BadValue, match="holders are too many to draw"):
        large.movie(tmp_path / "large.html")


def test_names_in_a_page_cannot_break_out_of_it(tmp_path: Path) -> None:
    pairs = [("</script><b>", "x"), ("x", "y")]
    run_spread(pairs, protocol="flooding", steps=2, author="x").movie(tmp_path / "spread.html")
    assert "</script><b>" not in (tmp_path / "spread.html").read_text()


def test_locate_ranks_holders_by_name() -> None:
    pairs = [(f"p{v}", f"p{v + 1}") for v in range(8)]
    found = {answer.estimator: answer for answer in locate(pairs, ["p1", "p2", "p3", "p4", "p5"], protocol="line")}
    assert found["rumor"].suspects[0].name == "p3"
    assert found["jordan"].suspects[0].name == "p3"
    assert sum(suspect.share for suspect in found["rumor"].suspects) == pytest.approx(1)
    assert "p3" in found["rumor"].text(2)
    assert "Assumes line after 4 steps." in found["ml"].text(2)


def test_locate_says_what_it_had_to_assume() -> None:
    ring = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    (answer,) = locate(ring, ["a", "b", "c"], estimators=["jordan"])
    assert "breadth-first tree stands in" in answer.notes[0]
    (empty,) = locate([(v, v + 1) for v in range(9)], [2, 3, 4, 5, 6], estimators=["ml"], steps=2)
    assert "No holder can have started this" in empty.notes[-1]
    with pytest.raises(BadValue, match="estimator = 'best' must be one of: rumor, jordan, ml"):
        locate(ring, ["a"], estimators=["best"])
    with pytest.raises(BadValue, match="An endless tree has no names"):
        locate("regular-tree:3", ["a"])
    with pytest.raises(BadValue, match="Only 1 of the 2 holders are connected"):
        locate(ring, ["a", "d"])


def test_names_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "holders.txt"
    file.write_text("# who has it\nann\n\n bob \n")
    assert read_names(file) == ["ann", "bob"]
    with pytest.raises(BadValue, match=r"There is no file .*nobody\.txt"):
        read_names(tmp_path / "nobody.txt")


def test_advice_measures_and_never_quotes_the_theorem_where_it_fails() -> None:
    advice = str(advise("holme-kim:400:4:0.5", trials=60, seed=1, workers=1))
    for words in ("400 people", "at 17 holders", "contacts:", "two ", "spy", "wired at random"):
        assert words in advice
    assert "does not hold here" in advice
    assert max(len(line) for line in advice.splitlines()) <= 80


def test_advice_for_one_person() -> None:
    graph = load_graph("holme-kim:400:4:0.5", seed=1)
    assert isinstance(graph, Graph)
    few = int(np.argmin(graph.degrees))
    advice = str(advise(graph, node=few, trials=20, workers=1))
    assert f"{few} has {graph.degrees[few]} contacts; measured over" in advice
    with pytest.raises(BadValue, match="Advice is about a graph of people"):
        advise("regular-tree:3", trials=20)
    with pytest.raises(BadValue, match="trials = 3 must be a whole number, 20 or above"):
        advise(graph, trials=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("adaptive:cap=2.5", r"cap = 2\.5 must be a whole number, 1 or above"),
        ("tree:cap=nan", "cap = nan must be a whole number"),
        ("hybrid:switch=inf", "switch = inf must be a whole number"),
        ("adaptive:degree=2.5", r"degree = 2\.5 must be a whole number, 2 or above"),
    ],
)
def test_options_that_count_are_whole(text: str, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        parse_protocol(text)
    assert parse_protocol("adaptive:degree=inf").spec == "adaptive"


def test_an_overlay_is_made_of_any_graph_that_ends(tmp_path):
    made = load_graph("overlay:social:300:12:4", seed=1)
    assert isinstance(made, Graph)
    assert (made.degrees == 4).mean() > 0.9
    file = tmp_path / "ring.edges"
    file.write_text("".join(f"p{k} p{(k + step) % 40}\n" for k in range(40) for step in (1, 2, 3)))
    named = load_graph(f"overlay:{file}:4", seed=1)
    assert isinstance(named, Graph)
    assert named.name_of(0) == "p0"


@pytest.mark.parametrize("text", ["overlay", "overlay:social:300:12:x", "overlay:regular-tree:4:4", "overlay:4"])
def test_an_overlay_needs_friends_and_a_number_of_links(text):
    with pytest.raises(BadValue, match=r"must name a graph that ends, and how many links each shall have"):
        load_graph(text)
