"""What every protocol promises, and what each does that no other does."""

import math
from collections import Counter

import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.simulation import seeded
from banister.spread.lab import generators
from banister.spread.lab.detection import ball_size, diffusion_size, tree_size
from banister.spread.lab.evidence import TreeView
from banister.spread.lab.graph import Graph
from banister.spread.lab.protocols import (
    ALL,
    Adaptive,
    Dandelion,
    Diffusion,
    Flooding,
    Hybrid,
    Line,
    Preferential,
    SpreadProtocol,
    Tree,
)
from banister.spread.lab.trace import Growth, Spread, choose_links
from banister.spread.lab.trees import InfiniteTree
from banister.spread.schedule import hops_law
from tests.sizes import sized

SOCIAL = generators.holme_kim(600, 4, 0.5, seeded(11))


def on_tree(protocol: SpreadProtocol, degree: int, steps: int, seed: int) -> tuple[Spread, int]:
    chance = seeded(seed)
    tree = InfiniteTree.regular(degree).grow(chance)
    spread = protocol.run(tree, 0, steps=steps, chance=chance)
    return spread, int(tree.hops(0, np.array([spread.tokens[-1]]))[0]) if spread.tokens else 0


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
@pytest.mark.parametrize("steps", [0, 1, 2, 5, 12])
def test_holders_are_linked_through_senders_who_had_it_before(make: type[SpreadProtocol], steps: int) -> None:
    spread = make().run(SOCIAL, 17, steps=steps, chance=seeded(5, steps))
    children = spread.holders[spread.holders != 17]
    assert spread.time[17] == 0
    assert spread.parent[17] == -1
    assert (spread.time[spread.parent[children]] < spread.time[children]).all()
    assert spread.time.max() <= steps
    assert spread.sizes()[-1] == spread.size
    for child in children:
        assert spread.parent[child] in SOCIAL.contacts(int(child))


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_the_same_seed_gives_the_same_spread(make: type[SpreadProtocol]) -> None:
    one, two = (make().run(SOCIAL, 3, steps=9, chance=seeded(8)) for _ in range(2))
    assert (one.time == two.time).all()
    assert (one.parent == two.parent).all()


@pytest.mark.parametrize("degree", [2, 3, 4, 5])
def test_adaptive_holders_are_the_ball_around_the_virtual_source(degree: int) -> None:
    for seed in range(40):
        chance = seeded(seed, degree)
        tree = InfiniteTree.regular(degree).grow(chance)
        spread = Adaptive(degree=degree).run(tree, 0, steps=8, chance=chance)
        far = tree.hops(spread.tokens[-1], spread.holders)
        assert spread.size == ball_size(degree, 4)
        assert far.max() == 4
        assert spread.tokens[-1] != 0


@pytest.mark.slow
def test_the_virtual_source_keeps_the_law_of_hops() -> None:
    runs = sized(2000, 6000)
    seen = Counter(on_tree(Adaptive(degree=3), 3, 8, seed)[1] for seed in range(runs))
    chi = sum((seen[h] - runs * float(p)) ** 2 / (runs * float(p)) for h, p in enumerate(hops_law(degree=3, time=8), 1))
    assert chi < 16.3  # The 99.9 % point of chi-square with 3 degrees of freedom.


def test_odd_steps_after_a_keep_and_after_a_pass() -> None:
    sizes = {on_tree(Adaptive(degree=3), 3, 5, seed)[0].size for seed in range(60)}
    assert sizes == {ball_size(3, 3), ball_size(3, 2) + 4}


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_tree_sizes(degree: int) -> None:
    spread, _ = on_tree(Tree(), degree, 9, 1)
    assert spread.sizes().tolist() == [tree_size(degree, t) for t in range(10)]
    assert len(spread.path) == 10


def test_flooding_is_the_ball_around_the_author() -> None:
    assert on_tree(Flooding(), 3, 6, 1)[0].size == ball_size(3, 6)


@pytest.mark.slow
def test_diffusion_has_its_expected_size() -> None:
    sizes = np.array([on_tree(Diffusion(0.5), 3, 5, seed)[0].size for seed in range(3000)])
    error = sizes.std() / math.sqrt(len(sizes))
    assert abs(sizes.mean() - float(diffusion_size(3, 5, "1/2"))) < 4 * error


@pytest.mark.slow
def test_ends_of_the_line_are_uniform() -> None:
    runs, steps = 4000, 5
    line = generators.line(21)
    ends = Counter(int(Line().run(line, 10, steps=steps, chance=seeded(s)).holders[-1]) - 10 for s in range(runs))
    chi = sum((ends[k] - runs / 6) ** 2 / (runs / 6) for k in range(steps + 1))
    assert chi < 20.5  # The 99.9 % point of chi-square with 5 degrees of freedom.


@pytest.mark.parametrize("protocol", [Adaptive(cap=3), Preferential(cap=3), Tree(cap=3)], ids=lambda p: str(p.spec))
def test_nobody_tells_more_than_the_cap(protocol: SpreadProtocol) -> None:
    spread = protocol.run(SOCIAL, 17, steps=10, chance=seeded(4))
    children = spread.holders[spread.holders != 17]
    assert np.bincount(spread.parent[children]).max() <= 3
    assert spread.size <= ball_size(4, 5)
    assert TreeView.of_spread(spread).count == spread.size


def test_adaptive_reaches_nearly_everybody_on_a_graph() -> None:
    spread = Adaptive(cap=3).run(SOCIAL, 17, steps=24, chance=seeded(4))
    assert spread.size > 0.9 * SOCIAL.count


def test_a_token_at_an_end_rests_and_the_author_tells_the_others() -> None:
    star = Graph.of_edges([(0, leaf) for leaf in range(1, 5)])
    spread = Adaptive().run(star, 0, steps=4, chance=seeded(1))
    assert spread.sizes().tolist() == [1, 2, 2, 5, 5]
    assert len(set(spread.tokens)) == 1


def test_a_climb_that_meets_nobody_new_says_so() -> None:
    spread = Tree().run(generators.line(4), 1, steps=9, chance=seeded(1))
    assert "met nobody" in spread.notes[0]


def test_preferential_prefers_the_well_connected() -> None:
    edges = [("a", "m"), ("m", "x"), ("m", "y"), *(("x", k) for k in range(9)), ("y", "end")]
    graph = Graph.of_edges(edges)
    author, popular = graph.numbers_of(["a", "x"])
    wins = sum(
        Preferential().run(graph, int(author), steps=4, chance=seeded(s)).tokens[-1] == popular for s in range(300)
    )
    assert abs(wins - 270) < 4 * math.sqrt(300 * 0.9 * 0.1)


def test_dandelion_walks_first() -> None:
    spread = Dandelion(fluff=1.0, rate=1.0).run(generators.line(30), 15, steps=5, chance=seeded(1))
    assert spread.size == 2 * 5 - 1 + (1 if spread.time[15] == 0 else 0) - 1
    walk = Dandelion(fluff=1e-9).run(generators.line(30), 15, steps=5, chance=seeded(1))
    assert walk.size == 6


def test_hybrid_reaches_everybody_after_the_switch() -> None:
    spread = Hybrid(switch=6, cap=3).run(SOCIAL, 17, steps=40, chance=seeded(1))
    assert spread.size == SOCIAL.count
    assert spread.sizes()[6] == Tree(cap=3).run(SOCIAL, 17, steps=6, chance=seeded(1)).size


def test_choices_are_different_and_uniform() -> None:
    counts, most = np.array([5, 2, 0]), np.array([3, 3, 3])
    seen: Counter[tuple[int, ...]] = Counter()
    chance = seeded(2)
    for _ in range(3000):
        owner, position = choose_links(counts, most, chance)
        assert owner.tolist() == [0, 0, 0, 1, 1]
        seen[tuple(sorted(position[:3].tolist()))] += 1
    assert len(seen) == 10
    assert sum((n - 300) ** 2 / 300 for n in seen.values()) < 27.9  # 99.9 %, 9 degrees of freedom.


def test_one_of_several_senders_counts() -> None:
    growth = Growth(SOCIAL, 0)
    new = growth.infect(np.array([0, 0, 0]), np.array([5, 6, 5]), 1)
    assert sorted(new.tolist()) == [5, 6]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Diffusion(0), "rate = 0 must be a finite number above 0"),
        (lambda: Diffusion(1.5), "rate = 1.5 must be a number from 0 to 1"),
        (lambda: Adaptive(degree=1), "degree = 1 must be a whole number, 2 or above"),
        (lambda: Adaptive(cap=0), "cap = 0 must be a whole number, 1 or above"),
        (lambda: Tree(cap=1), "cap = 1 must be a whole number, 2 or above. One for the climbing copy"),
        (lambda: Preferential(cap=0), "cap = 0 must be"),
        (lambda: Dandelion(fluff=0), "fluff = 0 must be"),
        (lambda: Hybrid(switch=0), "switch = 0 must be"),
        (lambda: Hybrid(rate=2), "rate = 2 must be"),
        (lambda: Hybrid(cap=1), "cap = 1 must be"),
    ],
)
def test_impossible_parameters_are_refused(make: type[SpreadProtocol], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        make()


def test_specs_say_all_parameters() -> None:
    made: list[SpreadProtocol] = [
        Adaptive(),
        Adaptive(degree=4, cap=3),
        Tree(cap=3),
        Preferential(),
        Hybrid(cap=4),
        Diffusion(),
        Line(),
    ]
    assert [protocol.spec for protocol in made] == [
        "adaptive",
        "adaptive:degree=4,cap=3",
        "tree:cap=3",
        "preferential",
        "hybrid:switch=8,rate=0.5,cap=4",
        "diffusion:0.5",
        "line",
    ]
