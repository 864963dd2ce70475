import numpy as np
import pytest

from banister.errors import BadValue
from banister.spread.lab.graph import Graph

PAIRS = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


def test_names_survive_and_unknown_ones_are_named() -> None:
    graph = Graph.of_edges(PAIRS)
    assert [graph.name_of(v) for v in graph.numbers_of(["d", "a"])] == ["d", "a"]
    with pytest.raises(BadValue, match="Node 'x' is not in the graph of 4 nodes"):
        graph.numbers_of(["x"])


def test_numbers_are_found_as_text_and_text_as_numbers() -> None:
    graph = Graph.of_edges([(1, 2), (2, 3)])
    assert graph.numbers_of(["3"]).tolist() == [2]
    assert Graph.of_edges([("1", "2")]).numbers_of([2]).tolist() == [1]
    assert Graph.of_pairs([[0, 1]], 2).numbers_of(["1"]).tolist() == [1]


def test_empty_graphs_and_loops_are_refused() -> None:
    with pytest.raises(BadValue, match="The graph has no edge"):
        Graph.of_edges([])
    with pytest.raises(BadValue, match="only self-loops"):
        Graph.of_edges([("a", "a")])
    with pytest.raises(BadValue, match="An edge has two ends, but one of them has 3"):
        Graph.of_edges([("a", "b", "c")])
    with pytest.raises(BadValue, match="Node numbers must lie from 0 to 1; found 0 and 2"):
        Graph.of_pairs([[0, 2]], 2)


def test_repairs_are_said() -> None:
    graph = Graph.of_edges([*PAIRS, ("a", "b"), ("b", "a"), ("d", "d"), ("a", "a")])
    assert graph.notes == ("2 self-loops were dropped.", "2 repeated edges were merged.")
    assert graph.edges == 4
    assert graph.degrees.tolist() == [2, 2, 3, 1]


def test_gather_lists_every_link_of_every_node() -> None:
    graph = Graph.of_edges(PAIRS)
    owner, target = graph.gather(np.array([2, 0, 2]))
    assert owner.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    assert target.tolist() == [0, 1, 3, 1, 2, 0, 1, 3]


def test_core_takes_weak_nodes_away_again_and_again() -> None:
    graph = Graph.of_edges([*PAIRS, ("d", "e")])
    assert sorted(map(str, graph.core(2).names or ())) == ["a", "b", "c"]
    with pytest.raises(BadValue, match="No group of nodes has 3 contacts each"):
        graph.core(3)


def test_largest_component_and_hops() -> None:
    graph = Graph.of_edges([*PAIRS, ("x", "y")])
    assert set(graph.components().tolist()) == {0, 4}
    assert graph.largest_component().count == 4
    assert graph.hops(0, np.array([3, 0, 4])).tolist() == [2, 0, -1]
    assert graph.cyclic is True  # Five edges, six nodes, and yet a ring, in one of two parts.
    assert Graph.of_edges([("a", "b"), ("x", "y"), ("y", "z")]).cyclic is False
