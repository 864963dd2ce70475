"""Figures about spreading a message without giving away who wrote it, from the second chapter of [K15]."""

import math
from collections.abc import Hashable, Mapping
from pathlib import Path

import numpy as np

from banister.papers.entry import Effort, PaperFigure
from banister.show.diagrams import Dot, Network, draw_networks
from banister.spread.lab.drawn.figures import (
    by_contacts,
    irregular_trees,
    line_on_trees,
    linked_posts,
    posterior_on_a_line,
    regular_trees,
    social_graph,
    spies,
    spies_on_a_graph,
)
from banister.spread.lab.drawn.pictures import draw_charts
from banister.spread.lab.graph import Graph
from banister.spread.lab.run import SpreadRun, run_spread
from banister.spread.lab.suspects import locate

EDGES = ((1, 2), (2, 3), (3, 4), (4, 6), (3, 5), (5, 7), (5, 8))
DEGREES = {1: 4, 2: 2, 3: 3, 4: 2, 5: 3, 6: 4, 7: 2, 8: 4}
"""The tree of [K15] Figure 2.6, and how many contacts each of its people has."""


def two_ways(path: Path, caption: str, effort: Effort) -> None:
    """Telling everybody at once puts the author in the middle; adaptive diffusion puts her anywhere."""
    panels = []
    for title, protocol, steps in (
        ("at once, 4 steps", "flooding", 4),
        ("adaptive diffusion, 8 steps", "adaptive:degree=3", 8),
    ):
        run = run_spread("regular-tree:3", protocol=protocol, steps=steps, seed=effort.seed)
        panels.append(_network(title, run, steps))
    draw_networks(panels, path, caption=caption, height=4.8, size=60)


def on_a_line(path: Path, caption: str, effort: Effort) -> None:
    """The posterior of Protocol 1, and the same protocol off the line."""
    draw_charts([posterior_on_a_line(101), line_on_trees(effort.bench)], path, caption=caption)


def tree_protocol(path: Path, caption: str, effort: Effort) -> None:
    """Protocol 2, step by step."""
    run = run_spread("regular-tree:3", protocol="tree", steps=4, seed=effort.seed)
    draw_networks([_network(f"t = {t}", run, t) for t in (1, 2, 3, 4)], path, caption=caption, height=4.0, size=110)


def pass_or_keep(path: Path, caption: str, effort: Effort) -> None:
    """Adaptive diffusion after four steps: the virtual source moved, or stayed."""
    found: dict[bool, SpreadRun] = {}
    for seed in range(200):
        run = run_spread("regular-tree:3", protocol="adaptive:degree=3", steps=4, seed=seed)
        found.setdefault(_hops(run) == 2, run)
        if len(found) == 2:
            break
    panels = [_network("passed: two hops from the author", found[True], 4), _network("kept: one hop", found[False], 4)]
    draw_networks(panels, path, caption=caption, height=4.6, size=110)


def irregular_tree(path: Path, caption: str, effort: Effort) -> None:
    """The worked example of an irregular tree, with what each node's likelihood comes to for two designs."""
    more = [(v, 100 * v + i) for v, d in DEGREES.items() for i in range(d - sum(v in edge for edge in EDGES))]
    graph = Graph.of_edges([*EDGES, *more])
    places = _radial({v: [b if a == v else a for a, b in EDGES if v in (a, b)] for v in DEGREES}, 3)
    panels = []
    for degree in (2, 4):
        ranked = locate(graph, list(DEGREES), estimators=["ml"], protocol=f"adaptive:degree={degree}", steps=4)[0]
        share = {suspect.name: suspect.share for suspect in ranked.suspects}
        top = max(share.values())
        dots: dict[Hashable, Dot] = {
            v: Dot(*places[v], f"{v}\n{100 * share.get(v, 0):.0f} %", 0 if share.get(v, 0) > top - 1e-9 else -1, v == 3)
            for v in DEGREES
        }
        panels.append(Network(f"made for degree {degree}", dots, EDGES))
    draw_networks(panels, path, caption=caption, size=1050)


def random_trees(path: Path, caption: str, effort: Effort) -> None:
    """Detection on random trees."""
    draw_charts([irregular_trees(effort.bench)], path, caption=caption)


def friends(path: Path, caption: str, effort: Effort) -> None:
    """Detection and hops on a graph like one of friends."""
    draw_charts(social_graph(effort.bench), path, caption=caption)


def exposure(path: Path, caption: str, effort: Effort) -> None:
    """Detection by contacts of the author, and by linked posts."""
    draw_charts([by_contacts(effort.bench), linked_posts(effort.bench)], path, caption=caption)


def spying(path: Path, caption: str, effort: Effort) -> None:
    """Detection by spies."""
    draw_charts([spies(effort.bench), spies_on_a_graph(effort.bench)], path, caption=caption)


def exact_trees(path: Path, caption: str, effort: Effort) -> None:
    """Detection on regular trees, in closed form."""
    draw_charts([regular_trees()], path, caption=caption)


def _hops(run: SpreadRun) -> int:
    """How far the virtual source is from the author."""
    spread = run.spread
    return int(run.contacts.hops(spread.author, np.array([spread.tokens[-1]]))[0])


def _network(title: str, run: SpreadRun, step: int) -> Network:
    """The holders at a step as a tree around its middle; the author red, those that held the token yellow."""
    spread = run.at(step)
    holders = [int(node) for node in spread.holders]
    around: dict[int, list[int]] = {node: [] for node in holders}
    links = []
    for node in holders:
        parent = int(spread.parent[node])
        if node != spread.author and parent in around:
            around[node].append(parent)
            around[parent].append(node)
            links.append((parent, node))
    tokens = {int(token) for token in spread.tokens} & set(holders)
    middle = int(spread.tokens[-1]) if spread.tokens and int(spread.tokens[-1]) in around else spread.author
    places = _radial(around, middle)
    dots: dict[Hashable, Dot] = {
        node: Dot(*places[node], "", 1 if node == spread.author else 3 if node in tokens else -1, node == middle)
        for node in holders
    }
    return Network(f"{title}: {len(holders)} holders", dots, links)


def _radial(around: Mapping[int, list[int]], root: int) -> dict[int, tuple[float, float]]:
    """Places of a tree's nodes around a root: as many hops away as they are, branches beside each other."""

    def leaves(node: int, parent: int) -> int:
        below = [leaves(other, node) for other in around[node] if other != parent]
        return sum(below) or 1

    places: dict[int, tuple[float, float]] = {}

    def put(node: int, parent: int, low: float, high: float, depth: int) -> None:
        middle = (low + high) / 2
        places[node] = (depth * math.cos(middle), depth * math.sin(middle))
        children = [other for other in around[node] if other != parent]
        total = sum(leaves(child, node) for child in children) or 1
        for child in children:
            width = (high - low) * leaves(child, node) / total
            put(child, node, low, low + width, depth + 1)
            low += width

    put(root, -1, 0.0, 2 * math.pi, 0)
    return places


FIGURES = (
    PaperFigure(
        "two-ways",
        ("K15 2.1",),
        "Telling at once, and adaptive diffusion. Red: the author. Yellow: who held the token. Ringed: the middle.",
        two_ways,
    ),
    PaperFigure(
        "line",
        ("K15 2.2", "K15 2.3"),
        "Left: who wrote it, given 101 holders in a row; exact. Right: Protocol 1 on trees, by the Jordan centre.",
        on_a_line,
    ),
    PaperFigure(
        "tree-protocol",
        ("K15 2.4",),
        "Protocol 2 on a tree of degree 3, corrected. Red: the author. Yellow: past and present middles.",
        tree_protocol,
    ),
    PaperFigure(
        "pass-or-keep",
        ("K15 2.5",),
        "Adaptive diffusion after four steps. All holders but the ringed middle are equally likely to be the author.",
        pass_or_keep,
    ),
    PaperFigure(
        "irregular-tree",
        ("K15 2.6",),
        "Eight holders with 4, 2, 3, 2, 3, 4, 2, 4 contacts: what the snapshot says about each. Blue: the likeliest.",
        irregular_tree,
    ),
    PaperFigure(
        "random-trees",
        ("K15 2.7",),
        "Random trees: detection falls slower than 1/holders, the more so the less alike the degrees.",
        random_trees,
    ),
    PaperFigure(
        "friends",
        ("K15 2.8", "K15 2.9"),
        "A made graph of 10 000 people with communities and a heavy tail; the source's is not public.",
        friends,
    ),
    PaperFigure("regular-trees", (), "Exact detection on regular trees at even steps.", exact_trees),
    PaperFigure("exposure", (), "Few contacts, or several posts that can be linked, give an author away.", exposure),
    PaperFigure("spies", (), "When one contact in ten is a spy; no protocol goes below their share.", spying),
)
