"""What the messenger's own frames give away, by `python -m bench.wildfire_frames WHAT [--trials 100]`.

`plain` compares frames and arrays on 9502 people; `liars` friends who deviate, who are the spies; `weather` lost lines
and restarts, people away and clocks that run wrong; `approve` people who give on only what they approve; `reach` how
long posts take to everybody, against flooding on the same links; `variants` other deadlines, caps and steps: how long
each takes, and what it gives away. A million people are in `bench.wildfire_million`.
"""

import argparse
import time
from dataclasses import replace

import numpy as np

from banister.sampling.simulation import seeded
from banister.spread import Study, load_graph
from banister.spread.lab.adversaries.base import Scene
from banister.spread.lab.crowd import Conditions, Crowd
from banister.spread.lab.graph import Graph
from banister.spread.lab.protocols.hybrid import Hybrid
from banister.spread.lab.study import MeasuredChance
from banister.spread.lab.written import parse_adversary
from banister.spread.node.rules import GossipRules, HybridRules
from banister.spread.node.wildfire import PAUSE, QUIET, REST, wildfire_settings

GRAPH = "social:9502:20"
ARRAYS = "hybrid:switch=8,rate=1,cap=3"
ATTACKS = ["snapshot", "spies:0.1667", "spies:0.1667:first", "spies:0.1667:timing", "snapshot+spies:0.1667"]
STEPS = 8
VARIANTS = ((8, 3, 4), (8, 3, 2), (8, 3, 1), (6, 5, 2), (6, 5, 3), (4, 13, 2))
"""The deadline in steps, the cap, and ticks for a step."""


def table(graph: Graph | str, protocols: list[str], attacks: list[str], steps: int, trials: int) -> None:
    for protocol in protocols:
        begin = time.process_time()
        study = Study(graph, protocols=[protocol], adversaries=attacks, steps=[steps], trials=trials, seed=1)
        print(protocol, f"{trials} trials")
        for row in study.run(workers=1, progress=lambda *_: None).rows:
            print(f"  {row.adversary:<24} {row.holders:8.1f} holders  {row.detection}", flush=True)
        print(f"  {(time.process_time() - begin) / trials:.2f} s of processor a trial", flush=True)


def variants(graph: Graph, trials: int) -> None:
    """What is gained and lost by shorter steps, and by a wider tree of fewer of them."""
    adversaries = [parse_adversary(each) for each in ATTACKS]
    for switch, cap, ticks in VARIANTS:
        rules = HybridRules(switch, 1, cap, quiet=QUIET, pause=PAUSE)
        settings = replace(wildfire_settings(tick_seconds=5), rules=rules, step_ticks=ticks, horizon=switch + REST)
        hits: dict[str, list[float]] = {each: [] for each in ATTACKS}
        holders = []
        for k in range(trials):
            chance = seeded(1, k, switch)
            author = int(chance.integers(graph.count))
            crowd = Crowd(graph, settings, Conditions(), chance)
            name = crowd.post(author, b"post" + chance.bytes(32))
            crowd.run((switch + 1) * ticks - 0.5)
            spread = crowd.spread(author, name, steps=switch)
            scene = Scene(Hybrid(switch, 1.0, cap), graph, spread)
            holders.append(spread.size)
            for attack, adversary in zip(ATTACKS, adversaries, strict=True):
                hits[attack].append(adversary.suspects(scene, chance).chance_of(author))
        crowd = Crowd(graph, settings, Conditions(), seeded(0, 5))
        post, last = crowd.post(int(seeded(0).permutation(graph.count)[0]), b"post"), (switch + 6) * ticks + 12
        crowd.run(last)
        reached = next((t for t in range(last + 1) if crowd.reach(post, t) >= 0.95 * graph.count), -1)
        found = "; ".join(f"{attack} {MeasuredChance.of(np.asarray(hits[attack]))}" for attack in ATTACKS)
        print(
            f"deadline {switch}, cap {cap}, {ticks} ticks a step: {np.mean(holders):.0f} holders, 95 % after {reached} "
            f"ticks; {found}",
            flush=True,
        )


def reach(graph: Graph, posts: int) -> None:
    """Ticks until 95 and 99 % have a post, and how many have it in the end."""
    ours = wildfire_settings(tick_seconds=5)
    flood = replace(ours, rules=GossipRules(1), step_ticks=1)
    for name, settings, last in (
        ("messenger", ours, 80),
        ("flooding", flood, 40),
        ("messenger, 3 in 10 away", ours, 90),
    ):
        told = []
        for k in range(posts):
            away = Conditions(away=0.3 if "away" in name else 0.0)
            crowd = Crowd(graph, settings, away, seeded(k, 5))
            author = next(v for v in seeded(k).permutation(graph.count).tolist() if not crowd.is_away(v))
            post = crowd.post(author, b"post %d" % k)
            crowd.run(last)
            there = sum(not crowd.is_away(v) for v in range(graph.count))
            ticks = [next((t for t in range(last + 1) if crowd.reach(post, t) >= s * there), -1) for s in (0.95, 0.99)]
            told.append((*ticks, crowd.reach(post, last) / there, crowd.copies / there))
        mean = np.mean(told, axis=0)
        print(
            f"{name}: {posts} posts, 95 % after {mean[0]:.1f} ticks, 99 % after {mean[1]:.1f}, "
            f"{mean[2]:.2%} after {last}, {mean[3]:.1f} copies a person",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["plain", "liars", "weather", "approve", "reach", "variants"])
    parser.add_argument("--trials", type=int, default=100)
    given = parser.parse_args()
    trials = given.trials
    graph = load_graph(GRAPH, seed=1)
    assert isinstance(graph, Graph)
    if given.what == "plain":
        table(graph, ["frames", ARRAYS], ATTACKS, STEPS, trials)
    elif given.what == "liars":
        table(graph, [f"frames:{kind}=0.1667" for kind in ("drop", "hold", "forge", "deny")], ATTACKS, STEPS, trials)
    elif given.what == "weather":
        table(
            graph, ["frames:loss=0.1", "frames:restart=0.1", "frames:away=0.3", "frames:skew=0.02"], ATTACKS, 8, trials
        )
    elif given.what == "approve":
        shares = [f"frames:approve={share},delay=0.25" for share in (1, 0.7, 0.5, 0.3)]
        table(graph, shares, ["snapshot", "spies:0.1667:first"], STEPS, trials)
        table("regular-tree:4", [each.partition(",")[0] for each in shares], ["snapshot"], STEPS, trials)
    elif given.what == "variants":
        variants(graph, trials)
    else:
        reach(graph, trials)


if __name__ == "__main__":
    main()
