"""Drills for the messenger: fuzzed frames, a crowd of processes under bad conditions, and what one link shows.

    python -m tests.drills.wildfire frames --count 10000000
    python -m tests.drills.wildfire crowd --nodes 30 --posts 400
    python -m tests.drills.wildfire gaps --ticks 10000
    python -m tests.drills.wildfire kills --count 1000
    python -m tests.drills.wildfire nat
    python -m tests.drills.wildfire lan
    python -m tests.drills.wildfire tor
    python -m tests.drills.wildfire flood --nodes 20 --posts 150

Each prints what it measured and ends with a line that says whether it held.
"""

import argparse
import random
import resource
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from banister.sampling.simulation import SeededBits, seeded
from banister.spread.node import codec
from banister.spread.node.exchange import Exchange, name_of
from banister.spread.node.messages import Ack, Copy, Cover, FrameKind, Token, Wave
from banister.spread.node.state import NodeState
from banister.spread.node.wildfire import wildfire_settings
from tests.drills.wildfire_crowd import MANNERS, Person, all_here, crowd, until
from tests.drills.wildfire_flood import Flood, flooded
from tests.drills.wildfire_kills import kills
from tests.drills.wildfire_lan import lan
from tests.drills.wildfire_nat import nat
from tests.drills.wildfire_tor import tor


def frames(count: int, seed: int) -> bool:
    """Whatever comes over the links of one node raises nothing and takes no more memory than it has."""
    chance = random.Random(seed)
    node = Exchange(NodeState(wildfire_settings(tick_seconds=5), tuple(range(5))), SeededBits(seeded(seed)))
    bodies = [bytes([k % 251]) * (1 + 37 * k % 3000) for k in range(400)]
    names = [name_of(body) for body in bodies]
    dropped, most, start = 0, 0, time.perf_counter()
    for turn in range(count):
        k, number = chance.randrange(400), chance.choice((0, 1, 2, 5, 13, 40, 65_535))
        kind = chance.randrange(8)
        if kind < 4:
            body = bodies[k]
            pieces = -(-len(body) // codec.LONGEST_BODY)
            piece = chance.randrange(pieces)
            part = body[piece * codec.LONGEST_BODY : (piece + 1) * codec.LONGEST_BODY]
            level = chance.randrange(14)
            data = codec.write(Copy(names[k], part, number % 2 == 1, level, number, turn % 16, piece, pieces))
        elif kind == 4:
            data = codec.write(Token(names[k], number, number // 2))
        elif kind == 5:
            data = codec.write(Wave(names[k], number))
        elif kind == 6:
            data = codec.write(Ack(names[k], FrameKind(1 + turn % 3), 0, turn % 2 == 0))
        else:
            data = codec.write(Cover())
        if chance.random() < 0.3:
            changed = bytearray(data)
            for _ in range(1 + chance.randrange(3)):
                changed[chance.randrange(64)] = chance.randrange(256)
            data = bytes(changed)
        now = turn // 4
        dropped += not node.received(chance.randrange(6), data, now=now)
        if turn % 4 == 0:
            node.tick(now=now)
        if turn % 997 == 0:
            link = chance.randrange(5)
            (node.away if chance.random() < 0.5 else node.back)(link, now=now)
        if turn % 50_000 == 0:
            most = max(most, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
            assert len(node.state.held) <= 256
            assert len(node.state.forgotten) <= 4 * 256
            assert len(node.state.alarms) <= 256 * 8
    seconds = time.perf_counter() - start
    print(
        f"{count:,} frames, {dropped:,} dropped, no exception; {seconds / count * 1e6:.0f} us each, {most // 1024} MB"
    )
    return True


def gaps(ticks: int, tick: float, seed: int) -> bool:
    """Times between records on one link, in idle, busy and again idle phases that take turns: can they be told apart,
    and can idle ones from idle ones?"""
    with tempfile.TemporaryDirectory() as name:
        ann, ben = (Person(Path(name) / who, tick) for who in ("ann", "ben"))
        line = str(ann.ask("invite"))
        from banister.apps.wildfire.invitation import Invitation

        true = Invitation.read(line)
        tap = _Tap(true.port)
        moved = Invitation(true.id, true.secret, true.fingerprint, true.expires, "127.0.0.1", tap.port)
        ben.ask("join", line=moved.text())
        friends = ann.ask("friends")
        assert isinstance(friends, list)
        ann.ask("accept", link=friends[-1][0])
        until(lambda: all_here(ann) and all_here(ben), 60)
        phases: list[list[Gaps]] = [[], [], []]
        for phase in range(max(ticks // PHASE, 6)):
            first = tap.mark()
            end = time.monotonic() + PHASE * tick
            if phase % 3 == BUSY:
                while time.monotonic() < end:
                    ann.ask("post", words="busy " * 300, although_few=True)
                    time.sleep(10 * tick)
            else:
                time.sleep(PHASE * tick)
            phases[phase % 3].append(np.diff(tap.since(first)))
        sizes = tap.sizes()
        ann.kill()
        ben.kill()
    distances = []
    for other, name in ((BUSY, "busy"), (CONTROL, "idle again, the control")):
        distance, line_at = _distance(phases[IDLE], phases[other])
        chance = _chance(phases[IDLE], phases[other], seed)
        found = _classifier((np.concatenate(phases[IDLE]).tolist(), np.concatenate(phases[other]).tolist()))
        distances.append((distance, line_at, chance))
        print(
            f"idle against {name}: {sum(map(len, phases[IDLE]))} and {sum(map(len, phases[other]))} gaps of "
            f"{tick * 1000:.0f} ms in {len(phases[other])} phases each; Kolmogorov-Smirnov {distance:.4f} (1 % line "
            f"{line_at:.4f}); phases shuffled are as far apart in {chance:.1%}; a classifier on windows of 100 gaps is "
            f"right in {found:.0%}"
        )
    print(f"record sizes {sorted(sizes)}")
    (busy, line_at, chance), (idle, its_line, _) = distances
    if idle > its_line:
        print("The control is over its line too: the line sees this machine's own noise; read the shuffled phases.")
    return (busy <= line_at or (idle > its_line and chance > 0.01)) and sizes == {codec.FRAME_BYTES + 17}


def floods(people: int, posts: int, seed: int) -> bool:
    """Crowds in one process in which who has ten friends or so floods: at two paces, with approval and without."""
    held = True
    for every in (2, 4):
        for approves in (0.3, 0.0):
            for flood in Flood:
                found = flooded(
                    people=people, posts=posts, every=every, approves=approves, links=10, flood=flood, seed=seed
                )
                print(f"1 post in {every} ticks, {approves:.0%} approved, {flood.value}: {found.words()}", flush=True)
                held = held and found.missing == 0
    return held


Gaps = npt.NDArray[np.float64]
PHASE = 200
"""Ticks of one phase; idle, busy and idle ones take turns, so that what the machine does beside meets all alike."""
IDLE, BUSY, CONTROL = range(3)


def _distance(one: list[Gaps], other: list[Gaps]) -> tuple[float, float]:
    """Kolmogorov's and Smirnov's distance of two sets of phases, and where 1 % of independent gaps would lie."""
    first, second = (np.sort(np.concatenate(each)) for each in (one, other))
    both = np.concatenate([first, second])
    shares = [np.searchsorted(each, both, "right") / len(each) for each in (first, second)]
    return float(np.abs(shares[0] - shares[1]).max()), 1.628 * (1 / len(first) + 1 / len(second)) ** 0.5


def _chance(one: list[Gaps], other: list[Gaps], seed: int, turns: int = 1000) -> float:
    """How often phases whose names were shuffled are as far apart: the noise of a machine, which is alike within a
    phase, is in that; the line for independent gaps knows nothing of it."""
    far, chance, both = _distance(one, other)[0], random.Random(seed), [*one, *other]
    hits = 0
    for _ in range(turns):
        chance.shuffle(both)
        hits += _distance(both[: len(one)], both[len(one) :])[0] >= far
    return (hits + 1) / (turns + 1)


def _classifier(phases: tuple[list[float], list[float]]) -> float:
    """Nearest mean on spread, extremes and quantiles of windows, one window left out at a time."""
    rows, labels = [], []
    for label, values in enumerate(phases):
        for start in range(0, len(values) - 99, 100):
            window = np.asarray(values[start : start + 100])
            rows.append([window.std(), window.min(), window.max(), *np.quantile(window, [0.1, 0.5, 0.9])])
            labels.append(label)
    table, marks = np.asarray(rows), np.asarray(labels)
    table = (table - table.mean(0)) / (table.std(0) + 1e-12)
    right = 0
    for k in range(len(marks)):
        rest = np.arange(len(marks)) != k
        means = [table[rest & (marks == label)].mean(0) for label in (0, 1)]
        right += int(np.argmin([np.linalg.norm(table[k] - mean) for mean in means]) == marks[k])
    return right / len(marks)


class _Tap:
    """A plain relay that writes down when each record passed, one way."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._seen: list[tuple[float, int]] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            near, _ = self._server.accept()
            far = socket.create_connection(("127.0.0.1", self._target))
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._pipe, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self._pipe, args=(far, near, True), daemon=True).start()

    def _pipe(self, source: socket.socket, sink: socket.socket, watched: bool) -> None:
        kept = bytearray()
        try:
            while data := source.recv(65536):
                now = time.monotonic()
                sink.sendall(data)
                kept += data if watched else b""
                while len(kept) >= 5 and len(kept) >= 5 + int.from_bytes(kept[3:5], "big"):
                    size = int.from_bytes(kept[3:5], "big")
                    if kept[0] == 23:
                        self._seen.append((now, size))
                    del kept[: 5 + size]
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def mark(self) -> int:
        return len(self._seen)

    def since(self, first: int) -> list[float]:
        return [at for at, _ in self._seen[first:]]

    def sizes(self) -> set[int]:
        """Of all records after the handshake and the pairing, which are the first few."""
        return {size for _, size in self._seen[20:]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drill", choices=["frames", "crowd", "gaps", "nat", "lan", "tor", "kills", "flood"])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--nodes", type=int, default=30)
    parser.add_argument("--posts", type=int, default=400)
    parser.add_argument("--ticks", type=int, default=10_000)
    parser.add_argument("--tick", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--manners", default=",".join(MANNERS), help="how friends deviate in the crowd, one for each")
    given = parser.parse_args()
    if given.drill == "frames":
        held = frames(given.count, given.seed)
    elif given.drill == "crowd":
        held = crowd(given.nodes, given.posts, given.tick or 0.5, given.seed, tuple(given.manners.split(",")))
    elif given.drill == "kills":
        held = kills(given.count, given.seed)
    elif given.drill == "flood":
        held = floods(given.nodes, given.posts, given.seed)
    elif given.drill == "nat":
        held = nat(given.tick or 0.5)
    elif given.drill == "lan":
        held = lan(given.tick or 0.5)
    elif given.drill == "tor":
        held = tor(given.tick or 1)
    else:
        held = gaps(given.ticks, given.tick or 0.05, given.seed)
    print("It held." if held else "It did not hold.")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
