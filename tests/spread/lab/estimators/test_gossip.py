"""The likelihood of an ordinary diffusion against every history of it."""

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest

from banister.spread import Graph, locate
from banister.spread.lab.estimators.gossip import diffusion_suspects
from banister.spread.lab.evidence import Snapshot, TreeView
from tests.sizes import sized

EDGES = [(1, 2), (2, 3), (3, 4), (4, 6), (3, 5), (5, 7), (5, 8), (1, 9), (8, 10)]


def law_of_holders(edges: list[tuple[int, int]], author: int, steps: int, rate: float) -> dict[frozenset[int], float]:
    """The chance of each set of holders, link by link and step by step."""
    near: dict[int, list[int]] = defaultdict(list)
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)
    law = {frozenset([author]): 1.0}
    for _ in range(steps):
        after: dict[frozenset[int], float] = defaultdict(float)
        for holders, chance in law.items():
            links = [target for source in holders for target in near[source] if target not in holders]
            for fires in itertools.product((False, True), repeat=len(links)):
                told = {target for target, fired in zip(links, fires, strict=True) if fired}
                after[holders | told] += chance * math.prod(rate if fired else 1 - rate for fired in fires)
        law = dict(after)
    return law


@pytest.mark.parametrize("rate", [0.3, 0.5, 1.0])
@pytest.mark.parametrize(("holders", "steps"), [([2, 3, 4, 5, 7], 2), ([2, 3, 4, 5, 7], 3), ([3], 2), ([3, 5, 8], 3)])
def test_the_likelihood_is_that_of_all_histories(rate: float, holders: list[int], steps: int) -> None:
    graph = Graph.of_edges(EDGES)
    view, _ = TreeView.of_holders(graph, graph.numbers_of(holders))
    found = diffusion_suspects(Snapshot(graph, view, steps), rate=rate)
    for node, log in zip(found.nodes, found.log, strict=True):
        author = graph.name_of(int(node))
        assert isinstance(author, int)
        exact = law_of_holders(EDGES, author, steps, rate).get(frozenset(holders), 0.0)
        assert math.exp(log) == pytest.approx(exact, rel=1e-12, abs=1e-15)


def test_locating_uses_the_rate_and_the_steps() -> None:
    """Three in a row after two steps at rate 1/2: 1/6, 4/6, 1/6; the rumor centre would say 1/4, 1/2, 1/4."""
    line = [(i, i + 1) for i in range(9)]
    shares = {}
    for rate, steps in ((0.5, 2), (0.5, 8), (0.1, 2)):
        (found,) = locate(line, [3, 4, 5], estimators=["ml"], protocol=f"diffusion:{rate}", steps=steps)
        shares[rate, steps] = {suspect.name: suspect.share for suspect in found.suspects}
    assert shares[0.5, 2][4] == pytest.approx(4 / 6)
    assert shares[0.5, 2][3] == shares[0.5, 2][5] == pytest.approx(1 / 6)
    assert len({round(each[4], 6) for each in shares.values()}) >= 2


def test_hundreds_of_holders_are_ranked_without_overflow() -> None:
    """The number of orders in which 400 people can have heard is beyond a double from 171 on."""
    holders = sized(400, 1000)
    graph = Graph.of_edges([(i, i + 1) for i in range(2 * holders)])
    view, _ = TreeView.of_holders(graph, np.arange(holders // 2, holders // 2 + holders))
    found = diffusion_suspects(Snapshot(graph, view, 2 * holders), rate=0.5)
    assert np.isfinite(found.log).all()
    assert abs(int(found.best()[0]) - holders) <= 1
