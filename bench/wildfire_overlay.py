"""What a regular overlay agreed among friends is worth, by `python -m bench.wildfire_overlay WHAT [--trials 100]`.

`agreed`: on 9502 people, for links a person and shares of false friends, how many get all their links, how many of
these lead to false friends, who carries them, and how often authors are named over them: all, and those with few
friends. `friends`: the same false friends on the friends' own links. `introduced`: the same, where everybody with fewer
than 8 friends made friends with friends of friends. `frames`: the overlay under the messenger's real frames. `edges`:
links that lead to false friends who are not spread among people but come in over so many friendships. `walks`: how many
random walks of a length pass a false friend: what links between strangers farther away would cost.
"""

import argparse
import time
from itertools import product

import numpy as np
from numpy.typing import NDArray

from banister.sampling.simulation import seeded
from banister.spread import load_graph
from banister.spread.lab.frames import Frames
from banister.spread.lab.graph import Graph
from banister.spread.lab.overlay import Overlay, agree, attacked
from banister.spread.lab.protocols import Hybrid, SpreadProtocol
from banister.spread.node.overlay import OverlaySettings
from banister.spread.node.wildfire import CAP, SWITCH

GRAPH = "social:9502:20"
ARRAYS = Hybrid(SWITCH, 1.0, CAP)
SHARES = (0.0, 0.05, 1 / 6, 0.3)
BANDS = ((3, 7),)
TURNS = 60


def overlay_of(graph: Graph, links: int, spies: NDArray[np.bool_], *, room: int = 0, widen: int = 10) -> Overlay:
    per_friend = room or OverlaySettings.for_links(links).per_friend
    settings = OverlaySettings(links=links, per_friend=per_friend, widen=widen)
    return agree(graph, settings, turns=TURNS, spies=spies, chance=seeded(7))


def false_friends(graph: Graph, share: float) -> NDArray[np.bool_]:
    return np.asarray(seeded(5).random(graph.count) < share)


def friends_themselves(graph: Graph, spies: NDArray[np.bool_]) -> Overlay:
    """The friends' own links, as if they were an overlay on which everybody honest may write."""
    none = np.zeros(graph.count, dtype=np.int64)
    return Overlay(graph, np.arange(graph.count), spies, ~spies, float(spies.mean()), (), 0, none)


def introduced(graph: Graph, least: int) -> Graph:
    """Everybody with fewer friends makes friends with friends of hers' until she has so many."""
    chance, found = seeded(6), []
    for v in np.flatnonzero(graph.degrees < least).tolist():
        near = graph.contacts(v)
        further = np.setdiff1d(graph.gather(near.astype(np.int64))[1], [v, *near.tolist()])
        chosen = chance.permutation(further)[: least - len(near)]
        found.append(np.column_stack([np.full(len(chosen), v), chosen]))
    source = np.repeat(np.arange(graph.count), graph.degrees)
    return Graph.of_pairs(np.concatenate([np.column_stack([source, graph.links]), *found]), graph.count)


def told(made: Overlay, degrees: NDArray[np.int64], protocol: SpreadProtocol, trials: int, bands: bool) -> None:
    """Detection on an overlay, of all authors and of those with few friends and many."""
    for least, most in ((0, len(degrees) + 1), *(BANDS if bands else ())):
        mine = np.flatnonzero(made.complete)
        mine = mine[(degrees[made.people[mine]] >= least) & (degrees[made.people[mine]] <= most)]
        if len(mine) < 2:
            continue
        found = attacked(made, protocol, steps=SWITCH, trials=trials, seed=1, authors=mine)
        words = "; ".join(f"{name} {chance}" for name, chance in found.items())
        who = "all" if most > len(degrees) else f"{least} to {most} friends"
        print(f"    {who}, {len(mine)} authors: {words}", flush=True)


def agreed(graph: Graph, made: Overlay) -> None:
    people = len(made.people)
    few = made.people[(graph.degrees[made.people] <= BANDS[0][1])]
    able = np.isin(few, made.people[np.flatnonzero(made.complete)]).mean()
    middle, most = np.percentile(made.carried, (50, 95)), made.carried.max()
    share, turns = made.complete.sum() / people, len(made.turns) - 1
    print(
        f"  {share:.2%} of {people} have all links after {turns} turns ({able:.1%} of the {len(few)} with at most "
        f"{BANDS[0][1]} friends); {made.told / people:.0f} messages a person\n"
        f"  links to false friends {made.captured:.3f}; each carries {made.carried.mean():.1f} links of others in the "
        f"mean, {middle[0]:.0f} in the middle, {middle[1]:.0f} at 95 %, {most} at most; "
        f"{len(np.unique(made.graph.components()))} part(s)",
        flush=True,
    )


def edges(graph: Graph) -> None:
    """A crowd of masks that nobody knows but through so many friendships with honest people."""
    for each in (0.01, 0.1, 1 / 6, 0.5, 1.0):
        count = int(each * graph.count)
        victims = seeded(3).integers(graph.count, size=count)
        source = np.repeat(np.arange(graph.count), graph.degrees)
        pairs = np.column_stack([source, graph.links])
        joined = Graph.of_pairs(
            np.concatenate([pairs[source < graph.links], np.column_stack([victims, graph.count + np.arange(count)])]),
            graph.count + count,
        )
        spies = np.arange(joined.count) >= graph.count
        made = overlay_of(joined, 8, spies)
        print(
            f"{count} friendships ({count / (graph.edges + count):.2%} of all): captured {made.captured:.4f}",
            flush=True,
        )


def walks(graph: Graph) -> None:
    """From honest people, along friends' links, as far as the first false friend."""
    chance = seeded(4)
    for share in SHARES[1:]:
        spies = false_friends(graph, share)
        at = np.repeat(np.flatnonzero(~spies), 20)
        met, line = np.zeros(len(at), dtype=bool), []
        for length in range(1, 17):
            at[:] = graph.links[graph.starts[at] + (chance.random(len(at)) * graph.degrees[at]).astype(np.int64)]
            met |= spies[at]
            if length in (1, 2, 4, 8, 16):
                line.append(f"{length}: {met.mean():.3f}")
        print(f"false friends {share:.3f}; walks that met one by their length: " + ", ".join(line), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["agreed", "friends", "introduced", "frames", "edges", "walks"])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--links", type=int, nargs="+", default=[8])
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES, help="of false friends")
    parser.add_argument("--room", type=int, default=0, help="places of one friend at most; 0: a third of the links")
    parser.add_argument("--widen", type=int, default=10, help="turns after which a friend may have one more")
    given = parser.parse_args()
    graph = load_graph(GRAPH, seed=1)
    assert isinstance(graph, Graph)
    if given.what == "walks":
        walks(graph)
    elif given.what == "edges":
        edges(graph)
    elif given.what in ("friends", "introduced"):
        links = introduced(graph, 8) if given.what == "introduced" else graph
        for share in given.shares:
            print(f"friends' own links, {links.edges} of them, false friends {share:.3f}")
            told(friends_themselves(links, false_friends(graph, share)), graph.degrees, ARRAYS, given.trials, True)
    else:
        protocol = Frames() if given.what == "frames" else ARRAYS
        for links, share in product(given.links, given.shares):
            begin = time.process_time()
            print(f"{links} links each (room {given.room}, widened after {given.widen}), false friends {share:.3f}")
            made = overlay_of(graph, links, false_friends(graph, share), room=given.room, widen=given.widen)
            agreed(graph, made)
            if given.trials:
                told(made, graph.degrees, protocol, given.trials, given.what == "agreed")
            print(f"  ({time.process_time() - begin:.0f} s of processor)", flush=True)


if __name__ == "__main__":
    main()
