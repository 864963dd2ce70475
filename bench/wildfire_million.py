"""The messenger among a million people, by `python -m bench.wildfire_million WHAT [--people 1000000] [--trials 100]`.

`delivery`: after how many ticks a post is with 95 % and with everybody, on arrays, and how many have it when gossip
ends after so many steps; with `--frames`, beside it the messenger's own frames of all people (50 000 at most: 0.08 MB
each). `detection`: how often the author is named at the deadline, on arrays, and with `--frames` on real frames, which
are carried for the few hundred people who have a part in the post by then. `capacity`: what links, quotas and memory
have room for, from the settings, and what is left for somebody who was away.
"""

import argparse
import resource
import time

import numpy as np

from banister.sampling.simulation import SeededBits, seeded
from banister.spread import Study, load_graph
from banister.spread.lab.crowd import Conditions, Crowd
from banister.spread.lab.frames import Frames
from banister.spread.lab.graph import Graph
from banister.spread.lab.protocols import Hybrid
from banister.spread.node import codec
from banister.spread.node.exchange import Exchange, name_of
from banister.spread.node.messages import Ack, Copy
from banister.spread.node.state import NodeState
from banister.spread.node.wildfire import BURST, CAP, LIFE_DAYS, PACE, QUIET, STEP_TICKS, SWITCH, wildfire_settings

ARRAYS = Hybrid(SWITCH, 1.0, CAP)
MOST_FRAMES = 50_000
GOSSIP = 8
"""Steps of gossip that are looked at."""
SPIES = ("0.05", "0.1667", "0.3")
TICK_SECONDS = 5
LINK_TICKS_A_POST = 2
"""A short post takes a frame and an answer on every link."""


def said(begin: float) -> str:
    """Processor and memory so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return f"  ({time.process_time() - begin:.0f} s of processor, {peak:.2f} GiB at most)"


def tick_of(step: int) -> int:
    """The tick at which nodes work on what arrays do at a step: in gossip they are quiet for one step before, and what
    is sent at the end of a step is worked on one tick later."""
    return step * STEP_TICKS if step <= SWITCH else (step + QUIET) * STEP_TICKS + 1


def delivery(graph: Graph, posts: int) -> None:
    """Holders by step, on arrays."""
    begin = time.process_time()
    sizes = []
    for k in range(posts):
        chance = seeded(k, 5)
        author = int(chance.integers(graph.count))
        sizes.append(ARRAYS.run(graph, author, steps=SWITCH + GOSSIP, chance=chance).sizes())
    table = np.asarray(sizes)
    print(f"arrays, {posts} posts: holders after a step (its tick), in the mean, and the least and the most")
    for step in range(SWITCH, SWITCH + GOSSIP + 1):
        column = table[:, step]
        mean = column.mean()
        least, most = column.min(), column.max()
        print(f"  {step:>3} ({tick_of(step):>2})  {mean:>11,.0f}  {mean / graph.count:8.3%}  {least} {most}")
    for share in (0.95, 0.99, 1.0):
        steps = [int(np.argmax(row >= share * graph.count)) for row in table]
        ticks = [tick_of(step) for step in steps if step]
        print(f"  {share:.0%} after {np.mean(ticks):.1f} ticks, {len(ticks)} of {posts} posts", flush=True)
    print(said(begin), flush=True)


def by_frames(graph: Graph, posts: int) -> None:
    """The same by real frames on all people."""
    begin = time.process_time()
    for k in range(posts):
        chance = seeded(k, 5)
        crowd = Crowd(graph, wildfire_settings(tick_seconds=TICK_SECONDS), Conditions(), chance)
        name = crowd.post(int(chance.integers(graph.count)), b"post %d" % k)
        last = tick_of(SWITCH + GOSSIP)
        crowd.run(last)
        firsts = np.sort([found[0].at * STEP_TICKS for found in crowd.heard.values() if found[0].name == name])
        have = [1 + int(np.searchsorted(firsts, tick, side="right")) for tick in range(last + 1)]
        ticks = [next((t for t, n in enumerate(have) if n >= s * graph.count), -1) for s in (0.95, 0.99, 1.0)]
        links = len(graph.links)
        print(f"frames, post {k}: 95, 99, 100 % after {ticks} ticks; after {tick_of(SWITCH)}: {have[tick_of(SWITCH)]}")
        print(f"  {crowd.copies / links:.3f} copies and {crowd.answers / links:.3f} answers a link and direction")
    print(said(begin), flush=True)


def detection(graph: Graph, trials: int, frames: int, walks: int) -> None:
    """Snapshot, spies and both at the deadline: on arrays, on real frames, the best spies on arrays, and a snapshot
    after the first step of gossip, where posts that go no farther would stay."""
    cheap = ["snapshot", *(f"{kind}" for p in SPIES for kind in (f"spies:{p}:first", f"snapshot+spies:{p}"))]
    for protocol, steps, against, count in (
        (ARRAYS, SWITCH, [*cheap, "posts:3"], trials),
        (Frames(), SWITCH, cheap, frames),
        (ARRAYS, SWITCH, [f"spies:{p}" for p in SPIES], walks),
        (ARRAYS, SWITCH + 1, ["snapshot"], trials),
    ):
        if not count:
            continue
        begin = time.process_time()
        study = Study(graph, protocols=[protocol], adversaries=against, steps=[steps], trials=count, seed=1)
        print(f"{protocol.spec}, step {steps}, {count} trials")
        for row in study.run(workers=1, progress=lambda *_: None).rows:
            print(f"  {row.adversary:<22} {row.holders:8.1f} holders  {row.detection}", flush=True)
        print(said(begin), flush=True)


def capacity(people: int) -> None:
    """What breaks first, from the settings, and what a friend still has for somebody who was away."""
    settings = wildfire_settings(tick_seconds=TICK_SECONDS)
    day = settings.epoch
    rows = (
        ("every link carries each post, a frame and an answer", day / LINK_TICKS_A_POST),
        ("a person with four friends takes what nobody approved", 4 * settings.quota),
        (f"a node keeps every post for {LIFE_DAYS} days", settings.memory / LIFE_DAYS),
        ("a node keeps a post until its embargo is over", settings.memory * day / _embargo_ticks()),
    )
    print(f"a frame every {TICK_SECONDS} s: short posts a day in the whole crowd, and days between two of one person")
    for what, posts in rows:
        print(f"  {what:<54} {posts:>9,.0f}  {people / posts:>10,.1f}")
    print(f"  (at most {BURST} new frames at once from a friend, one in {PACE} ticks)")
    for posts in (200, 400, 800):
        print(f"  measured: away for {posts} posts, {returning(posts)} come on return")
    print("people in a crowd of which each writes so many short posts a day")
    for posts in (0.1, 1, 10):
        print(f"  {posts:>5g}  {day / LINK_TICKS_A_POST / posts:>10,.0f}")


def returning(posts: int) -> int:
    """How many of so many posts, one in 20 ticks, somebody gets who was away for all of them and comes back."""
    settings = wildfire_settings(tick_seconds=TICK_SECONDS)
    node = Exchange(NodeState(settings, contacts=(1, 2), away=frozenset({2})), SeededBits(seeded(1)))
    for k in range(posts):
        body = b"post %d" % k
        node.received(1, codec.write(Copy(name_of(body), body, age=SWITCH + 2)), now=20 * k)
        for tick in range(20 * k, 20 * (k + 1)):
            node.tick(now=tick)
    begin, got = 20 * posts, set()
    node.back(2, now=begin)
    for tick in range(begin, begin + 4 * posts):
        frame = codec.read(node.tick(now=tick)[2])
        if isinstance(frame, Copy):
            got.add(frame.id)
            node.received(2, codec.write(Ack(frame.id, frame.kind, frame.number, fresh=True)), now=tick)
    return len(got)


def _embargo_ticks() -> int:
    settings = wildfire_settings(tick_seconds=TICK_SECONDS)
    return (settings.horizon + settings.embargo) * settings.step_ticks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["delivery", "detection", "capacity"], nargs="+")
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--posts", type=int, default=5)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--frames", type=int, default=0, help="posts or trials with real frames")
    parser.add_argument(
        "--walks", type=int, default=0, help="trials with the best spies, who take long on a large graph"
    )
    given = parser.parse_args()
    if given.what == ["capacity"]:
        capacity(given.people)
        return
    begin = time.process_time()
    graph = load_graph(f"social:{given.people}:20", seed=1)
    assert isinstance(graph, Graph)
    least, most = int(graph.degrees.min()), int(graph.degrees.max())
    print(
        f"{graph.count:,} people, {graph.edges:,} links, {least} to {most} each, {graph.degrees.mean():.1f} in the mean"
    )
    print(said(begin), flush=True)
    for what in given.what:
        if what == "delivery":
            delivery(graph, given.posts)
            if given.frames and given.people <= MOST_FRAMES:
                by_frames(graph, given.frames)
        elif what == "detection":
            detection(graph, given.trials, given.frames, given.walks)
        else:
            capacity(given.people)


if __name__ == "__main__":
    main()
