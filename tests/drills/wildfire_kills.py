"""A node that is killed again and again while it takes posts: what it said it had taken is there at the next start, and
no embargo was drawn anew."""

import os
import random
import signal
import tempfile
import time
from pathlib import Path

from banister.apps.wildfire.messenger import Messenger
from tests.drills.wildfire_crowd import WORDS

TICK = 5.0
"""So long that no embargo ends before it is looked at."""


def kills(count: int, seed: int) -> bool:
    """Each process is a fork, so that only the node itself starts anew."""
    chance = random.Random(seed)
    taken: set[str] = set()
    ends: dict[str, int] = {}
    lost = redrawn = acknowledged = 0
    with tempfile.TemporaryDirectory() as name:
        for turn in range(count + 1):
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reading)
                try:
                    _node(Path(name) / "node", writing, turn)
                finally:
                    os._exit(1)
            os.close(writing)
            with os.fdopen(reading) as said:
                there, embargoes = _first(said.readline())
                lost += len(taken - there)
                redrawn += sum(embargoes.get(words, end) != end for words, end in ends.items())
                time.sleep(chance.random() * 0.15)
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                lines = [line.rstrip("\n").split("\t") for line in said if line.endswith("\n")]
            taken, ends = {words for words, _ in lines}, {words: int(end) for words, end in lines}
            acknowledged += len(taken)
    print(f"{count} kills, {acknowledged} posts taken, {lost} lost, {redrawn} embargoes drawn anew")
    return lost == redrawn == 0


def _first(line: str) -> tuple[set[str], dict[str, int]]:
    found = dict(part.rsplit("=", 1) for part in line.rstrip("\n").split("\t") if part)
    return set(found), {words: int(end) for words, end in found.items()}


def _node(folder: Path, writing: int, turn: int) -> None:
    """What is here first, and then post after post, each told when it is taken, until the end."""
    one = Messenger(folder, WORDS, tick_seconds=TICK)
    names = {post.words: bytes.fromhex(post.name) for post in one.feed()}
    ends = _embargoes(one)
    told = "\t".join(f"{words}={ends[name]}" for words, name in names.items())
    os.write(writing, f"{told}\n".encode())
    for number in range(100):
        words = f"post {turn} {number}"
        name = one.post(words, although_few=True)
        os.write(writing, f"{words}\t{_embargoes(one)[bytes.fromhex(name)]}\n".encode())
    time.sleep(60)


def _embargoes(one: Messenger) -> dict[bytes, int]:
    return {alarm.id: alarm.at for alarm in one.node.exchange.state.alarms if alarm.what == "embargo"}
