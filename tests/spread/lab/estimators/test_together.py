"""A snapshot and spies at once, and spies on graphs with cycles: against every history, and against simpler rules."""

from collections.abc import Hashable
from fractions import Fraction

import numpy as np
import pytest

from banister.sampling.simulation import seeded
from banister.spread.lab import generators
from banister.spread.lab.adversaries import SnapshotAndSpies
from banister.spread.lab.adversaries.base import Scene
from banister.spread.lab.detection import spies_detection
from banister.spread.lab.estimators import together
from banister.spread.lab.estimators.spies import first_spy
from banister.spread.lab.estimators.walks import Links, walked
from banister.spread.lab.evidence import Snapshot, SpyReports
from banister.spread.lab.graph import Graph
from banister.spread.lab.protocols import ALL, Adaptive, Flooding, Hybrid, Preferential, SpreadProtocol, Tree
from banister.spread.lab.trees import InfiniteTree
from banister.spread.lab.written import load_graph
from tests.spread.enumeration import History, adaptive_histories, exact_posterior


class Spied:
    """One spread on a random irregular tree with some spies, and its exact posterior."""

    def __init__(self, protocol: SpreadProtocol, steps: int, seed: int) -> None:
        chance = seeded(seed, steps, 3)
        self.tree = InfiniteTree((2, 3, 4), (1, 1, 1)).grow(chance)
        self.steps = steps
        self.spread = protocol.run(self.tree, 0, steps=steps, chance=chance)
        self.marked = chance.random(100_000) < 0.25
        self.marked[0] = False
        self.reports = SpyReports.of_spread(self.tree, self.spread, self.marked)

    def neighbours(self, node: Hashable) -> list[int]:
        return [int(v) for v in self.tree.gather(np.array([node]))[1]]

    def seen(self, history: History) -> Hashable:
        told = [(v, history.times[v], parent) for v, parent in history.parents.items() if self.marked[int(str(v))]]
        return history.holders, frozenset(told)

    def posterior(self, degree: int | None) -> dict[Hashable, float]:
        times: dict[Hashable, int] = {int(v): int(self.spread.time[v]) for v in self.spread.holders}
        parents: dict[Hashable, Hashable] = {int(v): int(self.spread.parent[v]) for v in self.spread.holders[1:]}
        authors = [v for v in self.spread.holders.tolist() if not self.marked[v]]
        observed = self.seen(History(Fraction(1), times, parents))
        exact = exact_posterior(adaptive_histories(degree), self.neighbours, authors, self.steps, self.seen, observed)
        return {v: float(p) for v, p in exact.items()}


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("degree", [2, 3, None])
def test_both_at_once_have_the_posterior_of_every_history(degree: int | None, steps: int) -> None:
    """On irregular trees, for a token that may rest and one that may not, at even and odd steps."""
    protocol = Adaptive() if degree is None else Adaptive(degree=degree)
    for seed in range(3):
        run = Spied(protocol, steps, seed)
        ranking = protocol.joint_suspects(Snapshot.of_spread(run.tree, run.spread), run.reports)
        ours = dict(zip(ranking.nodes.tolist(), ranking.posterior().tolist(), strict=True))
        exact = run.posterior(degree)
        assert {v: ours.get(v, 0.0) for v in exact} == pytest.approx(exact)


def measured(protocol: SpreadProtocol, graph: Graph, steps: int, share: float, runs: int) -> np.ndarray:
    """How often the first spy's rule, our rule from spies, and ours with a snapshot too are right, with errors."""
    rows = []
    for seed in range(runs):
        chance = seeded(seed, 21)
        author = int(chance.integers(graph.count))
        scene = Scene(protocol, graph, protocol.run(graph, author, steps=steps, chance=chance))
        reports = scene.reports(share, chance)
        rankings = (
            first_spy(reports),
            protocol.spy_suspects(reports),
            protocol.joint_suspects(scene.snapshot(), reports),
        )
        rows.append([ranking.chance_of(author) for ranking in rankings])
    return np.array(rows)


def test_on_a_regular_graph_all_walks_come_close_to_the_tree() -> None:
    """4 links each, one in ten a spy: 0.314 on the endless tree; cycles cost the attack little."""
    rows = measured(Tree(), generators.random_regular(2000, 4, seeded(1)), 6, 0.1, 300)
    first, ours, joint = rows.mean(axis=0)
    error = 3 * rows[:, 1].std() / np.sqrt(len(rows))
    assert abs(ours - spies_detection(4, 0.1)) < 0.03 + error
    assert first < 0.6 * ours
    assert joint > ours


@pytest.mark.slow
@pytest.mark.parametrize(
    "protocol", [Adaptive(cap=3), Preferential(cap=3), Tree(cap=3), Hybrid(switch=6, cap=3)], ids=lambda p: p.spec
)
def test_on_a_social_graph_all_walks_beat_the_first_spy(protocol: SpreadProtocol) -> None:
    graph = load_graph("social:2000:16", seed=1)
    assert isinstance(graph, Graph)
    rows = measured(protocol, graph, 7 if isinstance(protocol, Hybrid) else 6, 0.1, 300)
    gain = rows[:, 1] - rows[:, 0]
    assert gain.mean() > 2 * gain.std() / np.sqrt(len(gain))
    assert rows[:, 2].mean() > rows[:, 1].mean()


def test_all_walks_are_the_pivot_rule_where_no_spy_is_silent() -> None:
    """On trees with the spies that heard, and no others, both rules give the same posterior."""
    for seed in range(25):
        chance = seeded(seed, 8)
        tree = cut_tree(seed)
        spread = Tree().run(tree, 0, steps=6, chance=chance)
        marked = np.zeros(tree.count, dtype=bool)
        marked[chance.choice(spread.holders[1:], 3, replace=False)] = True
        reports = SpyReports.of_spread(tree, spread, marked)
        one, two = Tree().spy_suspects(reports), walked(reports, np.ones_like, None)
        ours = dict(zip(two.nodes.tolist(), two.posterior().tolist(), strict=True))
        theirs = dict(zip(one.nodes.tolist(), one.posterior().tolist(), strict=True))
        assert ours == pytest.approx(theirs)


def cut_tree(seed: int) -> Graph:
    """A random tree with 3 or 4 contacts each, cut off seven hops from node 0."""
    tree = InfiniteTree((3, 4), (1, 1)).grow(seeded(seed, 1))
    for _ in range(7):
        inner = np.arange(tree.count)
        owner, target = tree.gather(inner)
    return Graph.of_pairs(np.column_stack([inner[owner], target])[inner[owner] < target], tree.count)


def test_a_token_that_had_to_rest_is_left_to_the_first_spy() -> None:
    graph = Graph.of_edges([(0, 1), (1, 2), (2, 0), (2, 3)])
    spread = Adaptive().run(graph, 3, steps=6, chance=seeded(1))
    marked = np.array([True, False, False, False])
    reports = SpyReports.of_spread(graph, spread, marked)
    assert walked(reports, np.ones_like, None).nodes.tolist() == first_spy(reports).nodes.tolist()


def test_links_know_their_opposites() -> None:
    links = Links.of_contacts(generators.holme_kim(60, 3, 0.5, seeded(1)))
    assert (links.source[links.back] == links.target).all()
    assert (links.target[links.back] == links.source).all()
    place = links.place(int(links.source[7]), int(links.target[7]))
    assert place == 7
    assert (links.target[links.into(np.array([4, 9]))] < 10).all()


def test_the_adversary_with_both_works_against_every_protocol() -> None:
    graph = generators.holme_kim(120, 3, 0.5, seeded(2))
    for kind in ALL:
        protocol: SpreadProtocol = kind()
        scene = Scene(protocol, graph, protocol.run(graph, 7, steps=4, chance=seeded(3)))
        ranking = SnapshotAndSpies(0.2).suspects(scene, seeded(4))
        assert len(ranking.nodes) == len(set(ranking.nodes.tolist()))
        assert not np.isnan(ranking.log).any()


def test_too_many_histories_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "LONGEST", 3)
    chance = seeded(5)
    tree = InfiniteTree.regular(3).grow(chance)
    spread = Adaptive(degree=3).run(tree, 0, steps=4, chance=chance)
    snapshot = Snapshot.of_spread(tree, spread)
    reports = SpyReports.of_spread(tree, spread, chance.random(tree.count) < 0.3)
    joint = Adaptive(degree=3).joint_suspects(snapshot, reports)
    assert not reports.marked[joint.nodes].any()
    assert np.ptp(joint.log) == pytest.approx(0)


def test_what_was_heard_after_the_switch_is_gossip() -> None:
    graph = generators.holme_kim(120, 3, 0.5, seeded(2))
    protocol = Hybrid(switch=3, rate=0.5)
    spread = protocol.run(graph, 7, steps=6, chance=seeded(3))
    late = spread.holders[spread.time[spread.holders] > 3]
    marked = np.zeros(120, dtype=bool)
    marked[late] = True
    reports = SpyReports.of_spread(graph, spread, marked)
    assert len(reports.until(3).spies) == 0
    assert protocol.spy_suspects(reports).nodes.tolist() == first_spy(reports).nodes.tolist()
    flood = Flooding().run(graph, 7, steps=3, chance=seeded(1))
    assert SpyReports.of_spread(graph, flood, marked).until(2).steps == 2
