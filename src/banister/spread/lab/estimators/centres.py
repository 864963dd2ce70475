"""Rumor centre and Jordan centre of a tree, in time linear in the holders and without overflow."""

import math

import numpy as np

from banister.spread.lab.evidence import Ranking, TreeView
from banister.spread.lab.graph import Nodes


def rumor(view: TreeView) -> Ranking:
    """Logarithm of the number of orders in which the message can have reached the holders, from each of them.

    R(v) = N!/∏_u (size of the branch of u seen from v); one hop away R(child) = R(parent) · s/(N - s).

    Optimal:  the maximum-likelihood guess for diffusion in continuous time on regular trees ([SZ11]).

    >>> path = TreeView.of_links(np.arange(3), np.array([0, 1]), np.array([1, 2]))
    >>> np.exp(rumor(path).log).round(6).tolist()
    [1.0, 2.0, 1.0]
    """
    order, parent, edges = view.walk(0)
    n = view.count
    size = branch_sizes(view, order, parent, edges).astype(float)
    value = np.zeros(n)
    value[0] = math.lgamma(n + 1) - float(np.log(size).sum())
    for level in range(1, len(edges) - 1):
        new = order[edges[level] : edges[level + 1]]
        value[new] = value[parent[new]] + np.log(size[new]) - np.log(n - size[new])
    return Ranking(view.nodes, value)


def branch_sizes(view: TreeView, order: Nodes, parent: Nodes, edges: list[int]) -> Nodes:
    """Nodes in the branch that hangs below each node."""
    size = np.ones(view.count, dtype=np.int64)
    for level in range(len(edges) - 2, 0, -1):
        low = order[edges[level] : edges[level + 1]]
        np.add.at(size, parent[low], size[low])
    return size


def jordan(view: TreeView) -> Ranking:
    """Minus the hops to the farthest holder: the centre is where the message would have needed the least time.

    >>> path = TreeView.of_links(np.arange(4), np.array([0, 1, 2]), np.array([1, 2, 3]))
    >>> jordan(path).best().tolist()
    [1, 2]
    """
    one = int(view.walk(0)[0][-1])
    from_one = view.depths(one)
    from_other = view.depths(int(np.argmax(from_one)))
    return Ranking(view.nodes, -np.maximum(from_one, from_other).astype(float))


def centres(view: TreeView) -> tuple[Nodes, int]:
    """The one or two middles of a longest path, as numbers of the view, and its length."""
    one = int(view.walk(0)[0][-1])
    from_one = view.depths(one)
    other = int(np.argmax(from_one))
    far = np.maximum(from_one, view.depths(other))
    return np.flatnonzero(far == far.min()), int(from_one[other])
