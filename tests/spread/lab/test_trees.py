import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.simulation import seeded
from banister.spread.lab import trees
from banister.spread.lab.trees import InfiniteTree, degrees_of


def test_a_regular_tree_grows_where_it_is_walked() -> None:
    tree = InfiniteTree.regular(3).grow(seeded(1))
    assert tree.gather(np.array([0]))[1].tolist() == [1, 2, 3]
    assert sorted(tree.gather(np.array([2]))[1].tolist()) == [0, 4, 5]
    assert tree.count == 6
    assert tree.gather(np.array([2, 4]))[0].tolist() == [0, 1, 0, 0, 1, 1]
    assert tree.hops(5, np.array([5, 4, 3, 0])).tolist() == [0, 2, 3, 2]


def test_random_degrees_follow_their_weights() -> None:
    tree = InfiniteTree((2, 5), (3, 1)).grow(seeded(2))
    for _ in range(9):
        tree.gather(np.arange(tree.count))
    share = (tree.degrees == 5).mean()
    assert abs(share - 0.25) < 4 * np.sqrt(0.25 * 0.75 / tree.count)


def test_bad_trees_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadValue, match=r"degree = 1 must be a whole number, 2 or above\. A node with one contact ends"):
        InfiniteTree.regular(1)
    with pytest.raises(BadValue, match="one weight for each degree"):
        InfiniteTree((3, 4), (1.0,))
    with pytest.raises(BadValue, match="weight = 0 must be a finite number above 0"):
        InfiniteTree((3,), (0.0,))
    monkeypatch.setattr(trees, "LARGEST", 10)
    with pytest.raises(BadValue, match="outgrew 10 nodes"):
        InfiniteTree.regular(20).grow(seeded(1)).gather(np.array([0]))


def test_degrees_are_read_from_text() -> None:
    assert degrees_of("3=0.5,6=0.25") == ([3, 6], [0.5, 0.25])
    assert degrees_of("3,4") == ([3, 4], [1.0, 1.0])
    with pytest.raises(BadValue, match="must look like 3,6"):
        degrees_of("3;4")
