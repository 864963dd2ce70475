"""How fast messages spread and authors are found, each against a plain NumPy frontier in the same run.

The frontier does the least that any spread must do: gather the contacts of the newest nodes, keep the unseen, and mark
them.
"""

import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

from banister.sampling.simulation import seeded
from banister.spread.lab.estimators.centres import jordan, rumor
from banister.spread.lab.evidence import TreeView
from banister.spread.lab.graph import Graph
from banister.spread.lab.protocols import Adaptive, Diffusion, Flooding, SpreadProtocol, Tree
from banister.spread.lab.studies import Study
from bench import peers

REPEATS = 5
PEERS = {
    "EoN": ["EoN"],
    "ndlib": ["ndlib"],
    "cosasi": ["cosasi", "six", "scikit-learn", "networkx"],  # It declares none of what it imports.
}
STEPS = 40


def frontier(graph: Graph, start: int) -> int:
    """Breadth-first search in plain NumPy."""
    seen = np.zeros(graph.count, dtype=bool)
    seen[start] = True
    front = np.array([start])
    while len(front):
        begin, counts = graph.starts[front], graph.starts[front + 1] - graph.starts[front]
        where = np.arange(counts.sum()) + np.repeat(begin - (np.cumsum(counts) - counts), counts)
        near = graph.links[where]
        front = np.unique(near[~seen[near]])
        seen[front] = True
    return int(seen.sum())


def seconds(job: Callable[[], object]) -> float:
    """The middle of several runs."""
    took = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        job()
        took.append(time.perf_counter() - start)
    return statistics.median(took)


def random_graph(nodes: int, edges: int) -> Graph:
    return Graph.of_pairs(seeded(1).integers(0, nodes, (edges, 2)), nodes)


def spreads(graph: Graph) -> None:
    """Every kind of spread over the whole graph, and its ratio to the frontier."""
    protocols: list[SpreadProtocol] = [Flooding(), Diffusion(0.5), Adaptive(), Adaptive(cap=3), Tree(cap=3)]
    base = seconds(lambda: frontier(graph, 0))
    print(f"\n{graph.count:,} nodes, {graph.edges:,} edges; a plain frontier takes {base:.3f} s")
    for protocol in protocols:
        took = seconds(lambda: protocol.run(graph, 0, steps=STEPS, chance=seeded(2)))  # noqa: B023
        size = protocol.run(graph, 0, steps=STEPS, chance=seeded(2)).size
        print(f"  {protocol.spec:<16} {took:8.3f} s  {took / base:5.2f} x the frontier  {size:>9,} holders")


def random_tree(holders: int) -> TreeView:
    """A random recursive tree, early nodes preferred."""
    parents = (seeded(3).random(holders) ** 2 * np.arange(holders)).astype(np.int64)
    nodes = np.arange(holders)
    return TreeView.of_links(nodes, nodes[1:], parents[1:])


def estimators(holders: int) -> None:
    """Centres of a diffusion with that many holders."""
    view = random_tree(holders)
    print(f"\n{holders:,} holders")
    for name, job in (("rumor centrality", rumor), ("Jordan centre", jordan)):
        print(f"  {name:<18} {seconds(lambda: job(view)):.3f} s")  # noqa: B023


def trials() -> None:
    """Ten thousand attacks by maximum likelihood, on two cores."""
    study = Study("social:10000:20", protocols=["adaptive:cap=3"], adversaries=["snapshot"], steps=[8], trials=10_000)
    start = time.perf_counter()
    row = study.run(workers=2).rows[0]
    took = time.perf_counter() - start
    print(f"\n10,000 trials on 10,000 people, {row.holders:.0f} holders each: {took:.1f} s; detection {row.detection}")


def against_peers() -> None:
    """EoN, ndlib and cosasi on the same graphs and in the same run, each as a multiple of ours."""
    for name, packages in PEERS.items():
        if not peers.install(packages):
            print(f"  {name} could not be installed here")
    found = peers.measure("peer_spread.py", ["networkx", "numpy"])
    graph, view = random_graph(100_000, 500_000), random_tree(2000)
    small = random_tree(200)
    ours = {
        "EoN": ("diffusion:0.5", seconds(lambda: Diffusion(0.5).run(graph, 0, steps=20, chance=seeded(2)))),
        "ndlib": ("diffusion:0.5", seconds(lambda: Diffusion(0.5).run(graph, 0, steps=20, chance=seeded(2)))),
        "cosasi jordan_centrality": ("Jordan centre", seconds(lambda: jordan(view))),
        "cosasi rumor_centrality": ("rumor centrality", seconds(lambda: rumor(small))),
    }
    print("\npeers, each beside ours")
    for name, took in found.items():
        what, own = next(value for key, value in ours.items() if name.startswith(key))
        if isinstance(took, str):
            print(f"  {name:<38} {took}")
        else:
            print(f"  {name:<38} {took:8.2f} s  {took / own:9,.0f} x ours ({what}, {own:.5f} s)")


def main() -> None:
    spreads(random_graph(100_000, 500_000))
    spreads(random_graph(1_000_000, 10_000_000))
    print(f"  largest memory so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")
    estimators(100_000)
    trials()
    if peers.wanted():
        against_peers()


if __name__ == "__main__":
    main()
