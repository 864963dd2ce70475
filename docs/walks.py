"""The main jobs of the house, walked: which files each one passes, in order. `docs/house.py` writes them down.

Each walk runs in a process of its own, with bits from a fixed stream, so that the same code gives the same walk.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np

import banister as bn

ROOT = Path(bn.__file__).parent


class FixedBits:
    """A stream of bits that is the same every time. For walks only: nothing that it draws is secret."""

    def __init__(self) -> None:
        self._used = 0

    def take(self, count: int) -> int:
        return int.from_bytes(self._bytes((count + 7) // 8), "little") >> (-count % 8)

    def words(self, count: int, width: int) -> np.ndarray:
        kinds = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
        return np.frombuffer(self._bytes(count * width // 8), dtype=kinds[width]).copy()

    def _bytes(self, size: int) -> bytes:
        self._used += 1
        return hashlib.shake_256(self._used.to_bytes(8, "big")).digest(size)


Job = Callable[[], object]
"""What is walked. It is made by a function that first sets up what should not be seen."""


def question() -> Job:
    dataset = _health()
    return lambda: dataset.plan(
        "SELECT plan, COUNT(*) AS n, AVG(visits) AS mean FROM data GROUP BY plan", epsilon="3/10"
    )


def answers() -> Job:
    dataset = _health()
    plan = dataset.plan("SELECT plan, COUNT(*) AS n, AVG(visits) AS mean FROM data GROUP BY plan", epsilon="3/10")

    def release() -> None:
        found = dataset.release(plan, bits=FixedBits())
        found.write("answers.parquet")
        found.report("answers.html")

    return release


def charge() -> Job:
    people = bn.Neighbours.REPLACE
    ledger = bn.Ledger.create("one.ledger", budget=bn.Guarantee(1, "1e-6"), neighbours=people, questions=bn.AsYouGo())
    return lambda: ledger.charge(bn.Guarantee("1/10"), label="a question", neighbours=people)


def draw() -> Job:
    return lambda: bn.Staircase(epsilon=1, sensitivity=1).release(41.7, FixedBits())


def compose() -> Job:
    parts = [(bn.Laplace(epsilon="1/20", sensitivity=1), 500), (bn.Staircase(epsilon="3/10", sensitivity=1), 20)]
    return lambda: bn.compose(parts).epsilon(delta=1e-6)


def channel() -> Job:
    def survey() -> None:
        made = bn.local.design(epsilon=1, prior=[0.5, 0.3, 0.2], utility="estimation")
        made.estimate(made.respond([0, 1, 2] * 100, FixedBits())).intervals(0.95)

    return survey


def meeting() -> Job:
    from banister.parties.meetings.home import PartyHome

    homes = {name: PartyHome(Path(name)) for name in ("north", "south")}
    keys = {name: bn.parties.public_key(name, home) for name, home in homes.items()}
    Path("plan.toml").write_text(
        'function = "xor"\n' + "".join(f'[[party]]\nname = "{name}"\nepsilon = "1"\n' for name in homes)
    )

    def held() -> None:
        mine = PartyHome(Path("mine"))
        _, plan = bn.parties.invite(Path("plan.toml"), Path("meeting"), keys=keys, home=mine, bits=FixedBits())
        for name, home in homes.items():
            out = Path(f"{name}.json")
            bn.parties.answer_plan(plan, party=name, bit=1, out=out, home=home, bits=FixedBits())
        bn.parties.decide_meeting(plan, [Path(f"{name}.json") for name in homes], bits=FixedBits())

    return held


def table() -> Job:
    _health()
    domain = bn.read_declaration("health/health.toml").domain.only(("plan", "health"))
    people = bn.Neighbours.ADD_REMOVE
    ledger = bn.Ledger.create("memory:", budget=bn.Guarantee(1, "1e-6"), neighbours=people, questions=bn.AsYouGo())

    def publish() -> None:
        plan = bn.plan_sanitize(domain, epsilon="1/2", neighbours=people)
        done, _ = bn.sanitize(plan, "health/randhie.parquet", ledger=ledger, bits=FixedBits())
        done.write("copy.csv")

    return publish


def message() -> Job:
    from banister.spread.node import codec
    from banister.spread.node.messages import Post, Received, Send, Wake
    from banister.spread.node.rules import TreeRules
    from banister.spread.node.state import NodeState, Settings
    from banister.spread.node.step import step

    author = NodeState(Settings(rules=TreeRules()), contacts=(0, 1))
    friend = NodeState(Settings(rules=TreeRules()), contacts=(0, 1))

    def told() -> None:
        bits = FixedBits()
        state, _ = step(author, Post(b"i" * 16, b"hello"), now=0, bits=bits)
        _, actions = step(state, Wake(), now=1000, bits=bits)
        for action in actions:
            if isinstance(action, Send):
                frame = codec.read(codec.write(action.frame))
                step(friend, Received(0, frame), now=1001, bits=bits)

    return told


WALKS: dict[str, tuple[str, Callable[[], Job]]] = {
    "question": ("A question: from SQL to a plan", question),
    "answers": ("A release: from a plan to answers, a file and a report", answers),
    "charge": ("A charge", charge),
    "draw": ("A draw", draw),
    "compose": ("An account", compose),
    "channel": ("A channel: design, respond, estimate", channel),
    "meeting": ("A meeting of parties", meeting),
    "table": ("A sanitized table", table),
    "message": ("A message at a node", message),
}


def _health() -> "bn.Dataset":
    from banister.release.demo import write_demo

    list(write_demo("health"))
    return bn.open("health/health.toml")


def passed(job: Job) -> list[str]:
    """The files of the package in which a function was called, in the order of their first call."""
    found: dict[str, None] = {}

    def seen(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(f"{ROOT}{os.sep}") and code.co_name[0] != "<":
            found.setdefault(Path(code.co_filename).relative_to(ROOT).as_posix())

    sys.setprofile(seen)
    try:
        job()
    finally:
        sys.setprofile(None)
    return list(found)


def walk(name: str) -> list[str]:
    """One walk, in a process of its own."""
    done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True)
    files: list[str] = json.loads(done.stdout)
    return files


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        WALKS[sys.argv[1]][1]()()  # Once before, so that loading a file on the way is not taken for passing it.
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(json.dumps(passed(WALKS[sys.argv[1]][1]())))
        os.chdir(ROOT)
