"""A crowd of node processes on the loopback with friends as a Holme-Kim graph, under all that can go wrong.

Connections are lost, people are away, processes are killed, clocks run fast and slow, a stranger knocks, and four
friends deviate: one forges counters, one replays, one floods, one is silent. People approve some of what they read, and
the flood begins when they have begun to. Every post of an honest person must reach every honest person; the rest of the
graph hangs together without the four.
"""

import json
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from banister.sampling.simulation import seeded
from banister.spread.lab import generators
from banister.spread.lab.logs import Heard
from banister.spread.node.wildfire import EMBARGO, STEP_TICKS, wildfire_settings
from tests.drills.wildfire_attack import Posted, attacked

WORDS = "correct horse battery"
MANNERS = ("forging", "replaying", "flooding", "silent")
SKEW = 0.01
NODE = """
import json, os, random, resource, sys, threading, time
from dataclasses import replace
from pathlib import Path
from banister.apps.wildfire.content import read_body
from banister.apps.wildfire.messenger import AtTor, Messenger
from banister.errors import BanisterError
from banister.spread.node import codec
from banister.spread.node.exchange import COVER, name_of
from banister.spread.node.messages import Copy
CALM, APPROVES = 20, 0.3  # Posts before the flood, and the share of what they read that people approve.
folder, words, tick, manner = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4]
begin = time.perf_counter()
reach = json.loads(sys.argv[6])
tor = AtTor(reach.pop("control")) if "control" in reach else None
one = Messenger(folder, words, tick_seconds=tick, relay=sys.argv[5], tor=tor, **reach)
exchange, kept, firsts = one.node.exchange, [], {}
honest_tick, honest_received = exchange.tick, exchange.received
copies, noted = [], set()
def received(link, data, *, now):
    if manner:
        kept.append(data)
        del kept[:-200]
    if data != COVER and data[1] == 1:  # What a spy writes down of a copy: each once from each friend.
        frame = codec.read(data)
        if (frame.id, link) not in noted:
            noted.add((frame.id, link))
            copies.append([frame.id.hex(), link, time.time(), frame.climbing, frame.level, frame.age])
    return honest_received(link, data, now=now)
def deviates(link, data):
    frame = codec.read(data)
    if manner == "silent":
        return COVER
    if manner == "forging" and isinstance(frame, Copy):
        return codec.write(replace(frame, climbing=False, level=12, age=random.choice((0, frame.age, 65535))))
    if manner == "replaying" and data == COVER and kept:
        return random.choice(kept)
    if manner == "flooding" and data == COVER and len(exchange.state.held) > CALM:
        body = os.urandom(900)
        return codec.write(Copy(name_of(body), body, False, 12))
    return data
exchange.received = received
if manner:
    exchange.tick = lambda *, now: {k: deviates(k, v) for k, v in honest_tick(now=now).items()}
def watch():
    seen = set()
    while True:
        for name, held in list(exchange.state.held.items()):
            if name not in seen:
                seen.add(name)
                text = read_body(held.body)
                if text is not None:
                    firsts[text.words] = time.time()
                    if not manner and random.random() < APPROVES:
                        one.approve(name.hex())
        time.sleep(tick)
threading.Thread(target=watch, daemon=True).start()
print(json.dumps({"up": time.perf_counter() - begin}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        verb = asked.pop("do")
        if verb == "heard":
            answer = dict(firsts)
            firsts = {}
        elif verb == "copies":
            answer, copies[:] = list(copies), []
        elif verb == "friends":
            answer = [[f.link, f.state] for f in one.friends()]
        elif verb == "cost":
            used = resource.getrusage(resource.RUSAGE_SELF)
            size = next(line for line in open("/proc/self/status") if line.startswith("VmRSS"))
            answer = [used.ru_utime + used.ru_stime, int(size.split()[1]) / 1024, time.perf_counter() - begin]
        elif verb == "failure":
            answer = repr(one.node.failure)
        elif verb == "port":
            answer = one.node.port
        elif verb == "lines":  # Connections that are lost.
            for link in list(one.node.lines)[: asked["count"]]:
                one._do(lambda link=link: one.node._drop(link))
            answer = None
        else:
            answer = getattr(one, verb)(**asked)
    except BanisterError as error:
        answer = {"refusal": str(error)}
    print(json.dumps(answer), flush=True)
"""


class Person:
    """A node in a process of its own."""

    def __init__(
        self,
        folder: Path,
        tick: float,
        manner: str = "",
        *,
        within: Iterable[str] = (),
        relay: str = "",
        reach: Mapping[str, object] | None = None,
    ) -> None:
        """`reach` is what else its messenger is told: where it listens, whether it discovers, where its Tor is."""
        self.folder, self.tick, self._within = folder, tick, list(within)
        self._more = [manner, relay, json.dumps(reach or {})]
        self.heard: dict[str, float] = {}
        """When each post was here first."""
        self.friends: dict[int, int] = {}
        """Who is at the other end of each link."""
        self.copies: list[tuple[str, int, float, bool, int, int]] = []
        """What a spy here would have written down: post, friend, moment, and what the copy told."""
        self.start()

    def start(self) -> None:
        words = [*self._within, sys.executable, "-c", NODE, str(self.folder), WORDS, str(self.tick), *self._more]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = False

    def _read(self) -> object:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, do: str, **more: object) -> object:
        assert self.process.stdin is not None
        if not self.ready:
            self._read()
            self.ready = True
        self.process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self.process.stdin.flush()
        return self._read()

    def listen(self) -> set[str]:
        """All that has come here so far."""
        found = self.ask("heard")
        assert isinstance(found, dict)
        self.heard = {**found, **self.heard}
        copies = self.ask("copies")
        assert isinstance(copies, list)
        self.copies += [(name, self.friends[link], *told) for name, link, *told in copies if link in self.friends]
        return set(self.heard)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


def crowd(nodes: int, posts: int, tick: float, seed: int, manners: tuple[str, ...] = MANNERS) -> bool:
    """Everything at once; whether every post came to every honest person."""
    chance = random.Random(seed)
    graph = generators.holme_kim(nodes, 3, 0.5, seeded(seed))
    edges = [(a, int(b)) for a in range(nodes) for b in graph.contacts(a) if a < b]
    bad = _deviating(nodes, edges, manners, chance)
    honest = [k for k in range(nodes) if k not in bad]
    with tempfile.TemporaryDirectory() as name:
        skews = [tick * (1 + SKEW * chance.uniform(-1, 1)) for _ in range(nodes)]
        people = [Person(Path(name) / str(k), skews[k], bad.get(k, "")) for k in range(nodes)]
        begin = time.perf_counter()
        for a, b in edges:
            befriend(people[a], people[b])
            for one, other in ((a, b), (b, a)):
                links = people[one].ask("friends")
                assert isinstance(links, list)
                people[one].friends[links[-1][0]] = other
        up = until(lambda: all(all_here(people[k]) for k in range(nodes)), 240)
        print(
            f"{nodes} processes, {len(edges)} links, {'all' if up else 'not all'} up after "
            f"{time.perf_counter() - begin:.0f} s; deviating: {sorted(bad.values())}",
            flush=True,
        )
        ports = [int(str(people[k].ask("port"))) for k in honest]
        strangers = threading.Thread(target=_knock_as_a_stranger, args=(ports, seed), daemon=True)
        strangers.start()
        told, written, kills, drops, away = _post_under_fire(people, honest, posts, tick, chance)
        start = time.perf_counter()
        held = until(lambda: all(set(told) <= people[k].listen() for k in honest), 300)
        missing = sum(len(set(told) - set(people[k].heard)) for k in honest)
        took = time.perf_counter() - start
        for k in bad:
            people[k].listen()
        failures = {str(people[k].ask("failure")) for k in honest}
        costs = [cost for k in honest if isinstance(cost := people[k].ask("cost"), list)]
        limit = 1.1 * (wildfire_settings(tick_seconds=tick).horizon + EMBARGO) * STEP_TICKS * tick
        waits = [people[k].heard[words] - at for k in honest for words, at in told.items() if words in people[k].heard]
        print(
            f"{posts} posts, {drops} times all lines of a node lost, {kills} kills, {away} people away for a while;\n"
            f"missing: {missing} of {posts * len(honest)} copies; all there {took:.0f} s after the last post;\n"
            f"from post to person: median {statistics.median(waits):.0f} s, at most {max(waits):.0f} s; "
            f"{sum(wait <= limit for wait in waits) / len(waits):.2%} within horizon + embargo + 10 % ({limit:.0f} s), "
            f"with those who were away;\nmemory of a node, median: {statistics.median(cost[1] for cost in costs):.0f} "
            f"MB; processor {statistics.median(cost[0] / cost[2] for cost in costs):.2%}; failures: {failures}",
            flush=True,
        )
        for each in people:
            each.kill()
        step = tick * STEP_TICKS
        heard = {k: _heard(k, each.copies, step) for k, each in enumerate(people)}
        posted = [Posted(author, bytes.fromhex(name), at / step) for author, name, at in written]
        attacks = attacked(graph, heard, posted, seed=seed, silent=list(bad.values()).count("silent"))
        print(f"what spies among the processes wrote down, one in six of all, on {posts} posts:")
        for attack in attacks:
            print(f"  {attack.words()}", flush=True)
    return held and failures == {"None"} and all(attack.holds for attack in attacks)


def _heard(node: int, copies: list[tuple[str, int, float, bool, int, int]], step: float) -> tuple[Heard, ...]:
    return tuple(
        Heard(bytes.fromhex(name), node, friend, at / step, climbing, level, age)
        for name, friend, at, climbing, level, age in copies
    )


def befriend(one: Person, other: Person) -> None:
    """An invitation, used and accepted."""
    other.ask("join", line=one.ask("invite"))
    friends = one.ask("friends")
    assert isinstance(friends, list)
    one.ask("accept", link=friends[-1][0])


def _deviating(
    nodes: int, edges: list[tuple[int, int]], manners: tuple[str, ...], chance: random.Random
) -> dict[int, str]:
    """People without whom the rest still hangs together; none in a small crowd."""
    if nodes < 12:
        return {}
    while True:
        bad = set(chance.sample(range(nodes), len(manners)))
        reached, rest = set(), [next(k for k in range(nodes) if k not in bad)]
        while rest:
            node = rest.pop()
            reached.add(node)
            near = {b if a == node else a for a, b in edges if node in (a, b)}
            rest += [other for other in near - reached - bad if other not in rest]
        if len(reached) == nodes - len(bad):
            return dict(zip(sorted(bad), manners, strict=True))


def _post_under_fire(
    people: list[Person], honest: list[int], posts: int, tick: float, chance: random.Random
) -> tuple[dict[str, float], list[tuple[int, str, float]], int, int, int]:
    told, written, kills, drops, away = {}, [], 0, 0, 0
    for number in range(posts):
        words = f"post {number}"
        told[words] = time.time()
        author = chance.choice(honest)
        name = people[author].ask("post", words=words, although_few=True)
        written.append((author, str(name), told[words]))
        time.sleep(2 * tick)
        if chance.random() < 0.1:
            people[chance.choice(honest)].ask("lines", count=99)
            drops += 1
        if number % 10 == 5:
            gone = people[chance.choice(honest)]
            gone.listen()
            gone.kill()
            gone.start()
            kills += 1
        if number % 40 == 20:  # Three in ten are away for a while.
            some = chance.sample(honest, max(len(honest) * 3 // 10, 1))
            away += len(some)
            for k in some:
                people[k].listen()
                people[k].kill()
            time.sleep(20 * tick)
            for k in some:
                people[k].start()
        if number % 40 == 39:  # A node keeps 256 posts at most: what came is written down in time.
            for k in honest:
                people[k].listen()
    return told, written, kills, drops, away


def _knock_as_a_stranger(ports: list[int], seed: int) -> None:
    """Somebody who knows addresses and no secret: connects, says nonsense or nothing, and stays a while."""
    chance = random.Random(seed)
    while True:
        try:
            with socket.create_connection(("127.0.0.1", chance.choice(ports)), timeout=5) as line:
                line.sendall(chance.randbytes(chance.choice((0, 10, 5000))))
                time.sleep(0.2)
        except OSError:
            time.sleep(0.5)


def all_here(person: Person) -> bool:
    found = person.ask("friends")
    return isinstance(found, list) and all(state == "here" for _, state in found)


def until(happened: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.5)
    return True
