"""Contact graphs to experiment with."""

import numpy as np

from banister import need
from banister.errors import BadValue
from banister.sampling.simulation import Generator
from banister.spread.lab.detection import ball_size
from banister.spread.lab.graph import Graph, Nodes
from banister.spread.lab.trees import LARGEST


def line(count: int) -> Graph:
    """A row of nodes.

    >>> line(4).edges
    3
    """
    n = need.whole("count", count, least=2)
    return Graph.of_pairs(np.column_stack([np.arange(n - 1), np.arange(1, n)]), n)


def regular_tree(degree: int, depth: int) -> Graph:
    """A regular tree cut off at `depth` hops from node 0; the nodes there have one contact.

    >>> regular_tree(3, 2).count
    10
    """
    d, k = need.whole("degree", degree, least=2), need.whole("depth", depth, least=1)
    if ball_size(d, k) > LARGEST:
        raise BadValue(f"A tree of degree {d} and depth {k} has {ball_size(d, k):,} nodes. Take a smaller depth.")
    parents, level, count = [], np.asarray([0]), 1
    for step in range(k):
        parents.append(np.repeat(level, d if step == 0 else d - 1))
        level = count + np.arange(len(parents[-1]))
        count += len(level)
    return Graph.of_pairs(np.column_stack([np.concatenate(parents), np.arange(1, count)]), count)


def random_regular(count: int, degree: int, chance: Generator) -> Graph:
    """A random graph in which everybody has exactly `degree` contacts: a random pairing, repaired by random swaps."""
    n, d = need.whole("count", count, least=2), need.whole("degree", degree, least=1, most=count - 1)
    if n * d % 2:
        raise BadValue(f"count · degree = {n * d} must be even: every link has two ends. Add a node.")
    ends = chance.permutation(np.repeat(np.arange(n), d)).reshape(-1, 2)
    for _ in range(10_000):
        low, high = ends.min(axis=1), ends.max(axis=1)
        _, first = np.unique(low * n + high, return_index=True)
        wrong = np.ones(len(ends), dtype=bool)
        wrong[first] = False
        wrong |= low == high
        if not wrong.any():
            return Graph.of_pairs(ends, n)
        bad = np.flatnonzero(wrong)
        other = chance.integers(len(ends), size=len(bad))
        for i, j in zip(bad, other, strict=True):
            ends[i, 1], ends[j, 1] = ends[j, 1], ends[i, 1]
    raise BadValue(f"No simple graph with {n} nodes of degree {d} was found. Take a smaller degree.")


def small_world(count: int, degree: int, rewire: float, chance: Generator) -> Graph:
    """A ring in which everybody knows the nearest `degree`; each link is moved to a random end with chance `rewire`."""
    n, d = need.whole("count", count, least=4), need.whole("degree", degree, least=2, most=count - 1)
    need.between("rewire", rewire, 0, 1)
    one = np.repeat(np.arange(n), d // 2)
    other = (one + np.tile(np.arange(1, d // 2 + 1), n)) % n
    moved = chance.random(len(one)) < rewire
    other[moved] = chance.integers(n, size=int(moved.sum()))
    return _said(Graph.of_pairs(np.column_stack([one, other]), n))


def holme_kim(count: int, links: int, triangle: float, chance: Generator) -> Graph:
    """Growth with preference for the well-connected, and with friends of friends ([HK02]): each new node makes `links`
    links, and after the first each is with chance `triangle` to a contact of the one before."""
    n, m = need.whole("count", count, least=3), need.whole("links", links, least=1, most=count - 1)
    need.between("triangle", triangle, 0, 1)
    urn = list(range(m))
    friends: list[list[int]] = [[] for _ in range(n)]
    pairs = []
    for node in range(m, n):
        chosen: list[int] = []
        draws = chance.random(4 * m + 8).tolist()
        while len(chosen) < m:
            if len(draws) < 3:
                draws = chance.random(4 * m + 8).tolist()
            near = friends[chosen[-1]] if chosen else []
            pick = near[int(draws.pop() * len(near))] if near and draws.pop() < triangle else -1
            if pick < 0 or pick in chosen or pick == node:
                pick = urn[int(draws.pop() * len(urn))]
            if pick not in chosen:
                chosen.append(pick)
        for other in chosen:
            pairs.append((node, other))
            friends[node].append(other)
            friends[other].append(node)
        urn.extend(chosen)
        urn.extend([node] * m)
    return Graph.of_pairs(np.asarray(pairs), n)


def social(count: int, degree: float, chance: Generator, *, mixing: float = 0.3, tail: float = 2.7) -> Graph:
    """Communities and a heavy tail: degrees fall like g^-tail around the given mean, community sizes too; a share
    `mixing` of each one's links leads outside its community. The largest connected part is returned."""
    n = need.whole("count", count, least=20)
    need.positive("degree", degree)
    need.between("mixing", mixing, 0, 1)
    wish = np.maximum(1, np.rint(_heavy(n, degree, tail, n // 10 + 2, chance))).astype(np.int64)
    community = _communities(n, max(20.0, 3 * degree), chance)
    inner = chance.binomial(wish, 1 - mixing)
    near = _paired_within(np.repeat(np.arange(n), inner), community, chance)
    far = chance.permutation(np.repeat(np.arange(n), wish - inner))
    far = far[: len(far) // 2 * 2].reshape(-1, 2)
    return _said(Graph.of_pairs(np.concatenate([near, far]), n).largest_component())


def _heavy(
    size: int, mean: float, tail: float, most: float, chance: Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Power-law numbers with the given mean, cut off at `most`."""
    draws = np.minimum((1 - chance.random(size)) ** (-1 / (tail - 1)), most)
    return np.asarray(draws * (mean / draws.mean()))


def _communities(count: int, mean: float, chance: Generator) -> Nodes:
    sizes = np.maximum(10, _heavy(int(count / mean) + 8, mean, 2.5, count / 4, chance))
    return chance.choice(len(sizes), size=count, p=sizes / sizes.sum())


def _paired_within(ends: Nodes, community: Nodes, chance: Generator) -> Nodes:
    order = np.lexsort((chance.random(len(ends)), community[ends]))
    ends = ends[order]
    place = np.arange(len(ends)) - np.searchsorted(community[ends], community[ends])
    first = np.flatnonzero((place[:-1] % 2 == 0) & (community[ends[:-1]] == community[ends[1:]]))
    return np.column_stack([ends[first], ends[first + 1]])


def _said(graph: Graph) -> Graph:
    """A made graph needs no word about what was repaired."""
    return Graph(graph.starts, graph.links, graph.names)
