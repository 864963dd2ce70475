import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.simulation import seeded
from banister.spread.lab import generators
from banister.spread.lab.graph import Graph


def test_line_and_tree_have_their_degrees() -> None:
    assert generators.line(5).degrees.tolist() == [1, 2, 2, 2, 1]
    tree = generators.regular_tree(4, 3)
    assert tree.count == 1 + 4 + 12 + 36
    assert set(tree.degrees.tolist()) == {1, 4}
    with pytest.raises(BadValue, match="Take a smaller depth"):
        generators.regular_tree(10, 9)


def test_random_regular_is_exactly_regular() -> None:
    graph = generators.random_regular(500, 7 - 1, seeded(3))
    assert set(graph.degrees.tolist()) == {6}
    with pytest.raises(BadValue, match="must be even"):
        generators.random_regular(5, 3, seeded(3))
    with pytest.raises(BadValue, match="degree = 5 must be a whole number from 1 to 4"):
        generators.random_regular(5, 5, seeded(3))


def test_small_world_keeps_its_links() -> None:
    ring = generators.small_world(100, 4, 0, seeded(1))
    assert set(ring.degrees.tolist()) == {4}
    moved = generators.small_world(1000, 4, 0.2, seeded(1))
    assert 1950 < moved.edges <= 2000


def test_holme_kim_grows_by_links() -> None:
    graph = generators.holme_kim(400, 3, 0.5, seeded(1))
    assert graph.edges == 3 * (400 - 3)
    assert graph.degrees.max() > 20


def test_social_has_communities_and_a_heavy_tail() -> None:
    graph = generators.social(3000, 12, seeded(1))
    degrees = graph.degrees
    assert graph.count > 2800
    assert 8 < degrees.mean() < 13
    assert degrees.max() > 8 * np.median(degrees)
    assert len(set(graph.components().tolist())) == 1
    assert graph.notes == ()
    closed = triangles(graph) / triangles(generators.social(3000, 12, seeded(1), mixing=1.0))
    assert closed > 1.2


def triangles(graph: Graph) -> int:
    total = 0
    for v in range(0, graph.count, 5):
        near = graph.contacts(v).astype(np.int64)
        total += int(np.isin(graph.gather(near)[1], near).sum())
    return total
