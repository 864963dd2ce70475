"""A Python function by its address, called in a process of its own with limits on time and memory."""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from banister.audit.targets.bounded import Ended, run_within
from banister.audit.targets.raised import RaisedError
from banister.audit.targets.target import Pair, turns
from banister.errors import BadValue

_CHILD = Path(__file__).with_name("child.py")
_FOR_FORKS = 20.0
"""Seconds that forks of a process may take together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonFunction:
    """`module` and `function` as after `from module import function`; it is called with the input alone."""

    module: str
    function: str
    seconds: float
    """How long all calls of one batch may take together."""
    most_bytes: int = 4 << 30
    python: str = sys.executable
    """The interpreter: another one has other packages. The process needs nothing of ours."""
    folder: str | None = None
    """Where it runs, and looks for modules first; here where nobody says."""
    times: bool = False
    """Whether what counts is how many seconds a call takes, in place of what it gives."""

    @classmethod
    def of(cls, address: str, *, seconds: float) -> "PythonFunction":
        """From 'package.module:function'."""
        module, _, function = address.partition(":")
        parts = [*module.split("."), *function.split(".")]
        if not all(part.isidentifier() for part in parts):
            raise BadValue(f"The target python:{address[:60]} must be written as python:package.module:function.")
        return cls(module=module, function=function, seconds=seconds)

    def by_time(self) -> "PythonFunction":
        """The same, of which time is taken."""
        return replace(self, times=True)

    @property
    def starts_afresh(self) -> bool:
        return True

    def draw(self, given: object, count: int) -> list[object]:
        """Outputs of so many calls in one new process."""
        return self._called([given], "0" * count)

    def draw_both(self, pair: Pair, count: int) -> tuple[list[object], list[object]]:
        """Outputs of so many calls on each input, all in one new process."""
        order = turns(count)
        found = self._called(list(pair), "".join(map(str, order.tolist())))
        drawn: tuple[list[object], list[object]] = ([], [])
        for side, each in zip(order.tolist(), found, strict=True):
            drawn[side].append(each)
        return drawn

    def draw_forked(self, pair: Pair, order: str) -> list[object]:
        """Outputs of calls on the first and the second input (0 and 1 of `order`), each in a new fork of one process
        that has called the function once; fewer than asked for where forks do not come to an end."""
        told = None if self.times else self._ended(list(pair), order, forks=True)
        return [] if told is None else [self._read(line) for line in told.out.splitlines()]

    def _called(self, given: list[object], order: str) -> list[object]:
        done = self._ended(given, order, forks=False)
        if done is None:
            raise BadValue(
                f"{self._name} did not answer {len(order):,} times within {self.seconds:g} seconds. "
                "Ask for fewer --draws, or allow more --seconds."
            )
        found = [self._read(line) for line in done.out.splitlines()]
        if len(found) != len(order):
            raise BadValue(
                f"{self._name} ended its process (exit code {done.code}) after {len(found):,} of {len(order):,} calls."
            )
        return found

    def _ended(self, given: list[object], order: str, *, forks: bool) -> Ended | None:
        who = {"module": self.module, "function": self.function, "bytes": self.most_bytes}
        how = {"given": given, "turns": order, "forks": forks, "times": self.times}
        # Threads of a library may not survive a fork: such a process hangs, and is not waited for.
        seconds = min(self.seconds, _FOR_FORKS) if forks else self.seconds
        text = json.dumps({**who, **how}) + "\n"
        return run_within([self.python, str(_CHILD)], text, seconds=seconds, folder=self.folder)

    @property
    def _name(self) -> str:
        return f"python:{self.module}:{self.function}"

    def _read(self, line: str) -> object:
        told = json.loads(line)
        if "missing" in told:
            raise BadValue(f"{self._name} cannot be loaded: {told['missing']}")
        return RaisedError(*told["raised"]) if "raised" in told else told["gave"]
