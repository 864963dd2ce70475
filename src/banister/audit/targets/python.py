"""A Python function by its address, called in a process of its own with limits on time and memory."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from banister.audit.targets.bounded import run_within
from banister.audit.targets.raised import RaisedError
from banister.errors import BadValue

_CHILD = Path(__file__).with_name("child.py")


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

    @classmethod
    def of(cls, address: str, *, seconds: float) -> "PythonFunction":
        """From 'package.module:function'."""
        module, _, function = address.partition(":")
        parts = [*module.split("."), *function.split(".")]
        if not all(part.isidentifier() for part in parts):
            raise BadValue(f"The target python:{address[:60]} must be written as python:package.module:function.")
        return cls(module=module, function=function, seconds=seconds)

    @property
    def starts_afresh(self) -> bool:
        return True

    def draw(self, given: object, count: int) -> list[object]:
        """Outputs of so many calls in one new process."""
        order = {"module": self.module, "function": self.function, "bytes": self.most_bytes}
        text = json.dumps({**order, "given": given, "count": count}) + "\n"
        done = run_within([self.python, str(_CHILD)], text, seconds=self.seconds, folder=self.folder)
        if done is None:
            raise BadValue(
                f"{self._name} did not answer {count:,} times within {self.seconds:g} seconds. "
                "Ask for fewer --draws, or allow more --seconds."
            )
        found = [self._read(line) for line in done.out.splitlines()]
        if len(found) != count:
            raise BadValue(
                f"{self._name} ended its process (exit code {done.code}) after {len(found):,} of {count:,} calls."
            )
        return found

    @property
    def _name(self) -> str:
        return f"python:{self.module}:{self.function}"

    def _read(self, line: str) -> object:
        told = json.loads(line)
        if "missing" in told:
            raise BadValue(f"{self._name} cannot be loaded: {told['missing']}")
        return RaisedError(*told["raised"]) if "raised" in told else told["gave"]
