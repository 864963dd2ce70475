"""Many nodes with frames between them: the same law as on arrays, and robust in bad weather."""

from collections import Counter

import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.simulation import seeded
from banister.spread import generators
from banister.spread.detection import ball_size, tree_size
from banister.spread.evidence import Snapshot
from banister.spread.network import NetworkRun, Weather, run_network
from banister.spread.protocols import Adaptive, Dandelion, Diffusion, Preferential, SpreadProtocol, Tree
from banister.spread.rules import ByDegree, GossipRules, Rules, StemRules, TokenRules, TreeRules
from banister.spread.state import Settings
from banister.spread.trees import GrowingTree, InfiniteTree

CALM = Weather()
STORM = Weather(loss=0.25, repeat=0.2, slowest=8)
GRAPH = generators.holme_kim(200, 4, 0.5, seeded(1))


def on_tree(rules: Rules, degree: int, steps: int, seed: int, weather: Weather) -> tuple[NetworkRun, GrowingTree]:
    chance = seeded(seed, 9)
    tree = InfiniteTree.regular(degree).grow(chance)
    settings = Settings(rules=rules, horizon=steps)
    return run_network(tree, 0, settings=settings, steps=steps, weather=weather, chance=chance), tree


@pytest.mark.parametrize("weather", [CALM, STORM], ids=["calm", "storm"])
@pytest.mark.parametrize("degree", [2, 3, 4])
def test_the_holders_are_a_ball_around_the_only_token(degree: int, weather: Weather) -> None:
    for seed in range(6):
        run, tree = on_tree(TokenRules(degree=degree), degree, 6, seed, weather)
        (token,) = run.token_holders
        assert run.spread.size == ball_size(degree, 3)
        assert tree.hops(token, run.spread.holders).max() == 3
        held = run.states[token].held[b"message"]
        assert held.hops == tree.hops(0, np.array([token]))[0]


@pytest.mark.parametrize("weather", [CALM, STORM], ids=["calm", "storm"])
def test_the_tree_protocol_needs_one_copy_a_holder(weather: Weather) -> None:
    run, _ = on_tree(TreeRules(), 3, 7, 1, weather)
    assert run.spread.sizes().tolist() == [tree_size(3, t) for t in range(8)]
    if weather is CALM:
        assert run.frames == {"copy": run.spread.size - 1, "ack": run.spread.size - 1}


@pytest.mark.slow
def test_author_and_snapshot_have_the_law_of_the_arrays() -> None:
    """Where the author sits in the ball: uniform on all nodes but the centre, as on arrays."""
    runs = 1500
    seen: Counter[int] = Counter()
    for seed in range(runs):
        run, tree = on_tree(TokenRules(degree=3), 3, 4, seed, CALM)
        seen[int(tree.hops(run.token_holders[0], np.array([0]))[0])] += 1
        assert Adaptive(degree=3).suspects(Snapshot.of_spread(tree, run.spread)).chance_of(0) == pytest.approx(1 / 9)
    chi = (seen[1] - runs / 3) ** 2 / (runs / 3) + (seen[2] - 2 * runs / 3) ** 2 / (2 * runs / 3)
    assert chi < 10.8  # The 99.9 % point of chi-square with 1 degree of freedom.


PAIRS = [
    (Adaptive(cap=3), TokenRules(cap=3), 8),
    (Preferential(cap=3), TokenRules(cap=3, choice=ByDegree()), 8),
    (Tree(cap=3), TreeRules(cap=3), 8),
    (Diffusion(0.3), GossipRules(0.3), 4),
    (Dandelion(0.3, 0.5), StemRules(0.3, 0.5), 6),
]


@pytest.mark.slow
@pytest.mark.parametrize(("arrays", "frames", "steps"), PAIRS, ids=lambda value: type(value).__name__)
def test_on_graphs_with_cycles_sizes_have_the_same_mean(arrays: SpreadProtocol, frames: Rules, steps: int) -> None:
    settings = Settings(rules=frames, horizon=steps)
    one = np.array([arrays.run(GRAPH, 5, steps=steps, chance=seeded(k, 1)).size for k in range(300)])
    two = np.array(
        [
            run_network(GRAPH, 5, settings=settings, steps=steps, weather=CALM, chance=seeded(k, 2)).spread.size
            for k in range(60)
        ]
    )
    error = np.sqrt(one.var() / len(one) + two.var() / len(two))
    assert abs(one.mean() - two.mean()) < 4 * error


def test_flooding_by_frames_is_flooding() -> None:
    settings = Settings(rules=GossipRules(1), horizon=3)
    run = run_network(GRAPH, 5, settings=settings, steps=2, weather=CALM, chance=seeded(1))
    assert (run.spread.time >= 0).sum() == (GRAPH.hops(5, np.arange(200)) <= 2).sum()


def test_the_embargo_brings_it_to_everybody_even_when_the_token_is_lost() -> None:
    settings = Settings(rules=TokenRules(cap=3), horizon=6, embargo=4, tries=60)
    weather = Weather(loss=0.3, away=0.2)
    run = run_network(GRAPH, 5, settings=settings, steps=30, weather=weather, chance=seeded(3))
    assert run.spread.size == GRAPH.count
    assert len(run.token_holders) <= 1


def test_impossible_weather_is_refused() -> None:
    with pytest.raises(BadValue, match="loss = 2 must be a number from 0 to 1"):
        Weather(loss=2)
    with pytest.raises(BadValue, match="slowest = 1 must be a whole number, 3 or above"):
        Weather(fastest=3, slowest=1)
    on_graph = Settings(rules=TreeRules(), horizon=4)
    with pytest.raises(BadValue, match=r"steps = 9 goes beyond the horizon of 4 steps\. Set a longer horizon"):
        run_network(GRAPH, 0, settings=on_graph, steps=9, weather=CALM, chance=seeded(1))
