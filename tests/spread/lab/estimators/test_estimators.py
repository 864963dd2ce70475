"""Estimators against definitions, enumerations and printed vectors."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.simulation import Generator, seeded
from banister.spread.lab import generators
from banister.spread.lab.detection import adaptive_detection, ball_size, spies_detection, tree_detection
from banister.spread.lab.estimators import conflicts
from banister.spread.lab.estimators.centres import centres, jordan, rumor
from banister.spread.lab.estimators.conflicts import choice_penalty, hops_from
from banister.spread.lab.estimators.likelihood import token_suspects
from banister.spread.lab.estimators.spies import first_spy, timing
from banister.spread.lab.estimators.together import agree, both, never
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports, TreeView, combined
from banister.spread.lab.graph import Graph
from banister.spread.lab.protocols import (
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
from banister.spread.lab.trees import InfiniteTree
from tests.sizes import sized
from tests.spread.enumeration import adaptive_histories, exact_posterior, seen_law

RUNS = sized(800, 2000)


def view_of(edges: list[tuple[int, int]]) -> TreeView:
    one, other = (np.asarray(column) for column in zip(*edges, strict=True))
    return TreeView.of_links(np.unique(np.concatenate([one, other])), one, other)


def random_tree(count: int, chance: Generator) -> Graph:
    return Graph.of_pairs([(int(chance.integers(v)), v) for v in range(1, count)], count)


def orders_from(graph: Graph, start: int) -> int:
    """Ways in which a message can reach all nodes one by one, by trying them."""
    total = 0
    for order in itertools.permutations(range(graph.count)):
        if order[0] == start:
            total += all(
                any(before in graph.contacts(node) for before in order[:k]) for k, node in enumerate(order) if k
            )
    return total


@pytest.mark.parametrize("seed", range(4))
def test_rumor_centrality_counts_orders(seed: int) -> None:
    graph = random_tree(7, seeded(seed))
    view, is_tree = TreeView.of_holders(graph, np.arange(7))
    assert is_tree
    assert np.exp(rumor(view).log) == pytest.approx([orders_from(graph, v) for v in range(7)])


def test_centres_of_paths_stars_and_twins() -> None:
    path4 = view_of([(0, 1), (1, 2), (2, 3)])
    assert jordan(path4).best().tolist() == [1, 2]
    assert rumor(path4).best().tolist() == [1, 2]
    star = view_of([(0, 9), (1, 9), (2, 9)])
    assert jordan(star).best().tolist() == rumor(star).best().tolist() == [9]
    assert centres(view_of([(5, 6)]))[0].tolist() == [0, 1]


def test_centres_do_not_overflow_on_a_long_path() -> None:
    n = 3001
    view = view_of([(v, v + 1) for v in range(n - 1)])
    assert rumor(view).best().tolist() == [1500]
    assert jordan(view).best().tolist() == [1500]
    assert np.isfinite(rumor(view).log).all()


FIGURE = [(1, 2), (2, 3), (3, 4), (4, 6), (3, 5), (5, 7), (5, 8)]
DEGREES = {1: 4, 2: 2, 3: 3, 4: 2, 5: 3, 6: 4, 7: 2, 8: 4}


def figure_snapshot() -> Snapshot:
    """Figure 2.6 of [K15], with further contacts hung on until each node has its degree."""
    edges, new = list(FIGURE), itertools.count(100)
    for node, degree in DEGREES.items():
        have = sum(node in edge for edge in FIGURE)
        edges += [(node, next(new)) for _ in range(degree - have)]
    names = sorted({end for edge in edges for end in edge})
    graph = Graph.of_pairs([(names.index(a), names.index(b)) for a, b in edges], len(names))
    one, other = (np.array([names.index(v) for v in column]) for column in zip(*FIGURE, strict=True))
    return Snapshot(graph, TreeView.of_links(np.arange(8), one, other), 4)


@pytest.mark.parametrize(
    ("degree", "scores", "best"),
    [
        (2, [1 / 2, 1, 0, 1, 2 / 3, 1 / 2, 1 / 2, 1 / 4], [2, 4]),
        (4, [3, 2, 0, 2, 4 / 3, 3, 3, 3 / 2], [1, 6, 7]),
    ],
)
def test_the_vectors_of_figure_2_6(degree: int, scores: list[float], best: list[int]) -> None:
    ranking = token_suspects(figure_snapshot(), degree=degree, cap=None)
    assert np.exp(ranking.log) * (ball_size(degree, 2) - 1) == pytest.approx(scores)
    assert (ranking.best() + 1).tolist() == best


def test_figure_2_6_for_degree_three() -> None:
    ranking = token_suspects(figure_snapshot(), degree=3, cap=None)
    assert math.exp(ranking.log[4]) == pytest.approx(1 / 9)


@pytest.mark.parametrize("degree", [2, 3, 5, None])
@pytest.mark.parametrize("steps", [2, 3, 4, 5, 6])
def test_likelihoods_equal_those_of_every_history_on_irregular_trees(degree: int | None, steps: int) -> None:
    law = adaptive_histories(degree)
    for seed in range(3):
        chance = seeded(seed, steps)
        tree = InfiniteTree((2, 3, 4), (1, 1, 1)).grow(chance)
        protocol = Adaptive(degree=math.inf if degree is None else degree)
        spread = protocol.run(tree, 0, steps=steps, chance=chance)
        ranking = protocol.suspects(Snapshot.of_spread(tree, spread))
        seen = frozenset(spread.holders.tolist())

        def neighbours(node: object) -> list[int]:
            return [int(v) for v in tree.gather(np.array([node]))[1]]  # noqa: B023

        for node, log in zip(ranking.nodes.tolist(), ranking.log.tolist(), strict=True):
            if steps < 6 or node % 3 == 0:
                exact = seen_law(law, neighbours, node, steps, lambda h: h.holders).get(seen, Fraction(0))
                assert math.exp(log) == pytest.approx(float(exact), rel=1e-9, abs=1e-15)


def test_preferential_likelihood_is_the_chance_of_the_way() -> None:
    edges = [("a", "m"), ("m", "x"), ("m", "y"), *(("x", k) for k in range(9)), ("y", "end"), ("a", "b"), ("y", "z")]
    graph = Graph.of_edges(edges)
    a, x = graph.numbers_of(["a", "x"]).tolist()
    spread = next(
        s for s in (Preferential().run(graph, a, steps=4, chance=seeded(k)) for k in range(50)) if s.tokens[-1] == x
    )
    ranking = Preferential().suspects(Snapshot.of_spread(graph, spread))
    assert math.exp(ranking.log[ranking.nodes == a][0]) == pytest.approx(1 / 2 * 9 / (9 + 2))


def detection_of(protocol: SpreadProtocol, degree: int, steps: int, runs: int) -> float:
    total = 0.0
    for seed in range(runs):
        chance = seeded(seed, 77)
        tree = InfiniteTree.regular(degree).grow(chance)
        spread = protocol.run(tree, 0, steps=steps, chance=chance)
        total += protocol.suspects(Snapshot.of_spread(tree, spread)).chance_of(0)
    return total / runs


@pytest.mark.parametrize(("degree", "steps"), [(2, 6), (3, 4), (3, 8), (4, 6)])
def test_detection_at_even_steps_is_the_same_in_every_run(degree: int, steps: int) -> None:
    assert detection_of(Adaptive(degree=degree), degree, steps, 5) == pytest.approx(
        float(adaptive_detection(degree, steps))
    )
    assert detection_of(Tree(), degree, steps, 5) == pytest.approx(float(tree_detection(degree, steps)))


@pytest.mark.slow
@pytest.mark.parametrize(("degree", "steps"), [(3, 5), (4, 3), (2, 7)])
def test_detection_at_odd_steps(degree: int, steps: int) -> None:
    exact = float(adaptive_detection(degree, steps))
    assert abs(detection_of(Adaptive(degree=degree), degree, steps, RUNS) - exact) < 4 * math.sqrt(exact / RUNS)


def test_flooding_is_always_found_and_the_line_nearly_never() -> None:
    assert detection_of(Flooding(), 3, 5, 3) == 1
    line = generators.line(201)
    spread = Line().run(line, 100, steps=20, chance=seeded(3))
    ranking = Line().suspects(Snapshot.of_spread(line, spread))
    size = spread.size
    assert len(ranking.best()) == (size if size <= 21 else 42 - size)


def test_dandelion_suspects_the_neighbours_of_the_centre() -> None:
    chance = seeded(5)
    tree = InfiniteTree.regular(4).grow(chance)
    spread = Dandelion(fluff=0.5, rate=1).run(tree, 0, steps=6, chance=chance)
    assert len(Dandelion(fluff=0.5).suspects(Snapshot.of_spread(tree, spread)).best()) == 4


def spied(protocol: SpreadProtocol, degree: int, steps: int, share: float, runs: int) -> tuple[float, float]:
    chances = []
    for seed in range(runs):
        chance = seeded(seed, 5)
        tree = InfiniteTree.regular(degree).grow(chance)
        spread = protocol.run(tree, 0, steps=steps, chance=chance)
        marked = chance.random(4 * tree.count + 4096) < share
        chances.append(protocol.spy_suspects(SpyReports.of_spread(tree, spread, marked)).chance_of(0))
    return float(np.mean(chances)), float(np.std(chances) / math.sqrt(runs))


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "degree", "share"), [(Tree(), 3, 0.1), (Adaptive(), 4, 0.1), (Tree(), 3, 0.2)])
def test_the_pivot_rule_reaches_the_closed_form(protocol: SpreadProtocol, degree: int, share: float) -> None:
    mean, error = spied(protocol, degree, 10, share, sized(500, 1500))
    assert abs(mean - spies_detection(degree, share)) < 4 * error
    assert mean > share


def test_the_pivot_rule_agrees_with_every_history() -> None:
    """One spied run on a small tree: the posterior of the rule against that of all histories of all authors."""
    chance = seeded(12)
    tree = InfiniteTree.regular(3).grow(chance)
    spread = Adaptive().run(tree, 0, steps=4, chance=chance)
    for _ in range(8):
        tree.gather(np.arange(min(tree.count, 400)))
    marked = np.zeros(tree.count, dtype=bool)
    below, above = spread.holders[spread.time[spread.holders] == 2][:2].tolist()
    marked[[below, above]] = True
    reports = SpyReports.of_spread(tree, spread, marked)

    def neighbours(node: object) -> list[int]:
        return [int(v) for v in tree.gather(np.array([node]))[1]]

    def seen(history: object) -> object:
        times, parents = history.times, history.parents  # type: ignore[attr-defined]
        return tuple((spy, times[spy], parents[spy]) for spy in (below, above) if spy in times)

    reported = np.column_stack([reports.spies, reports.times, reports.senders])
    observed = sorted((int(s), int(t), int(p)) for s, t, p in reported)
    authors = [v for v in range(60) if not marked[v]]
    exact = exact_posterior(adaptive_histories(None), neighbours, authors, 4, seen, tuple(sorted(observed)))
    best = {v for v, p in exact.items() if p == max(exact.values())}
    assert 0 in best
    assert set(Adaptive().spy_suspects(reports).best().tolist()) <= best


def test_the_first_spy_names_its_sender() -> None:
    graph = generators.line(9)
    spread = Flooding().run(graph, 4, steps=4, chance=seeded(1))
    marked = np.zeros(9, dtype=bool)
    marked[[6, 1]] = True
    reports = SpyReports.of_spread(graph, spread, marked)
    assert first_spy(reports).best().tolist() == [5]
    nothing = SpyReports.of_spread(graph, spread, np.zeros(9, dtype=bool))
    assert len(first_spy(nothing).best()) == 0
    assert len(timing(nothing, mean=1, variance=0).best()) == 0


def test_timing_finds_the_author_of_a_flood_between_two_spies() -> None:
    graph = generators.line(9)
    spread = Flooding().run(graph, 4, steps=4, chance=seeded(1))
    marked = np.zeros(9, dtype=bool)
    marked[[6, 1]] = True
    reports = SpyReports.of_spread(graph, spread, marked)
    assert timing(reports, mean=1, variance=0.1).best().tolist() == [4]


def test_a_snapshot_and_spies_know_more_than_either() -> None:
    totals = np.zeros(3)
    for seed in range(150):
        chance = seeded(seed, 9)
        tree = InfiniteTree.regular(3).grow(chance)
        spread = Tree().run(tree, 0, steps=6, chance=chance)
        snapshot = Snapshot.of_spread(tree, spread)
        reports = SpyReports.of_spread(tree, spread, chance.random(4 * tree.count) < 0.1)
        alone = Tree().suspects(snapshot)
        joint = agree(snapshot, reports, alone, never)
        assert 0 in joint.nodes
        totals += [alone.chance_of(0), Tree().spy_suspects(reports).chance_of(0), joint.chance_of(0)]
    assert totals[2] > totals[0]
    assert totals[2] >= totals[1]


def test_heuristic_sum_keeps_the_snapshot_when_nobody_is_common() -> None:
    reports = SpyReports.of_spread(
        generators.line(5), Flooding().run(generators.line(5), 2, steps=1, chance=seeded(1)), np.zeros(5, dtype=bool)
    )
    ours = Ranking(np.array([1, 2]), np.array([0.0, 1.0]))
    assert both(reports, ours, Ranking(np.array([2]), np.zeros(1))).best().tolist() == [2]
    assert both(reports, ours, Ranking(np.array([4]), np.zeros(1))).best().tolist() == [2]


def test_linked_posts_add_up() -> None:
    one = Ranking(np.array([5, 3, 1]), np.log([0.2, 0.4, 0.4]))
    two = Ranking(np.array([3, 5]), np.log([0.5, 0.5]))
    total = combined([one, two])
    assert total.nodes.tolist() == [3, 5]
    assert total.best().tolist() == [3]


def test_hops_from_suspects_are_those_in_the_tree() -> None:
    graph = random_tree(40, seeded(3))
    view, _ = TreeView.of_holders(graph, np.arange(40))
    table = hops_from(Snapshot(graph, view, 4), 0, np.array([7, 21]))
    assert (table[0] == graph.hops(7, np.arange(40))).all()
    assert (table[1] == graph.hops(21, np.arange(40))).all()


def test_holders_must_be_connected_and_some() -> None:
    graph = generators.line(6)
    with pytest.raises(BadValue, match="Only 2 of the 3 holders are connected"):
        TreeView.of_holders(graph, np.array([0, 1, 4]))
    with pytest.raises(BadValue, match="There is no holder"):
        TreeView.of_holders(graph, np.array([], dtype=np.int64))


def test_holders_in_a_ring_get_a_breadth_first_tree() -> None:
    graph = Graph.of_edges([(0, 1), (1, 2), (2, 0)])
    view, is_tree = TreeView.of_holders(graph, np.arange(3))
    assert not is_tree
    assert view.link_counts.sum() == 4


def test_odd_steps_on_cyclic_graphs_are_refused() -> None:
    graph = generators.holme_kim(60, 3, 0.3, seeded(1))
    spread = Adaptive(cap=3).run(graph, 1, steps=5, chance=seeded(1))
    with pytest.raises(BadValue, match="steps = 5 must be even: on graphs with cycles"):
        Adaptive(cap=3).suspects(Snapshot.of_spread(graph, spread))


def test_diffusion_is_found_by_the_rumor_centre() -> None:
    chance = seeded(4)
    tree = InfiniteTree.regular(3).grow(chance)
    spread = Diffusion(0.5).run(tree, 0, steps=6, chance=chance)
    snapshot = Snapshot.of_spread(tree, spread)
    assert Diffusion(0.5).suspects(snapshot).best().tolist() == rumor(snapshot.view).best().tolist()


def test_on_graphs_the_author_breaks_no_rule_and_most_others_do() -> None:
    """Without a cap everybody tells all contacts, so nobody can have the message later than one step after a contact
    that told: true for the real author in every run in which the token always moved."""
    graph, checked = generators.holme_kim(400, 3, 0.4, seeded(6)), 0
    for seed in range(30):
        author = int(seeded(seed).integers(400))
        spread = Adaptive().run(graph, author, steps=6, chance=seeded(seed, 1))
        snapshot = Snapshot.of_spread(graph, spread)
        place = int(np.searchsorted(snapshot.view.nodes, author))
        hops = hops_from(snapshot, snapshot.centre, np.array([place]))[0]
        if not spread.path or spread.size > 350:
            continue
        assert (hops == spread.time[snapshot.view.nodes]).all()
        everybody = np.ones(snapshot.view.count, dtype=bool)
        penalty = choice_penalty(snapshot, snapshot.centre, everybody, None)
        assert penalty[place] == 0
        assert (penalty < 0).mean() > 0.5
        checked += 1
    assert checked >= 10


def test_many_suspects_are_tried_on_a_few_rules_first(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = generators.holme_kim(300, 3, 0.4, seeded(6))
    spread = Adaptive().run(graph, 5, steps=4, chance=seeded(2))
    snapshot = Snapshot.of_spread(graph, spread)
    slow = Adaptive().suspects(snapshot)
    monkeypatch.setattr(conflicts, "PROBE", 40)
    monkeypatch.setattr(conflicts, "BLOCK", 100)
    fast = Adaptive().suspects(snapshot)
    assert fast.best().tolist() == slow.best().tolist()


def test_a_token_that_had_to_rest_leaves_the_farthest_as_suspects() -> None:
    pair = Graph.of_edges([("a", "b")])
    spread = Adaptive().run(pair, 0, steps=4, chance=seeded(1))
    assert Adaptive().suspects(Snapshot.of_spread(pair, spread)).best().tolist() == [0]


def test_hybrid_suspects_those_as_far_from_the_source_as_the_author() -> None:
    protocol = Hybrid(switch=4, rate=0.5)
    for seed in range(20):
        chance = seeded(seed, 3)
        tree = InfiniteTree.regular(3).grow(chance)
        spread = protocol.run(tree, 0, steps=8, chance=chance)
        best = protocol.suspects(Snapshot.of_spread(tree, spread)).best()
        assert 0 in best
        assert len(best) == 6
