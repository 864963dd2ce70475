"""A shell command that reads its input from standard input and writes its output: one process for every output."""

import json
from dataclasses import dataclass

from banister.audit.targets.bounded import run_within
from banister.audit.targets.raised import RaisedError
from banister.errors import BadValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellCommand:
    """A line for the shell. An input that is a text is handed over as it is, any other as JSON."""

    line: str
    seconds: float
    """How long one call may take."""

    @property
    def starts_afresh(self) -> bool:
        """Every output comes from a new process anyway, so there is nothing more to try."""
        return False

    def draw(self, given: object, count: int) -> list[object]:
        text = given if isinstance(given, str) else json.dumps(given)
        return [self._one(text) for _ in range(count)]

    def _one(self, text: str) -> object:
        done = run_within(self.line, text, seconds=self.seconds)
        if done is None:
            raise BadValue(f"The command did not answer within {self.seconds:g} seconds; allow more --seconds.")
        if done.code == 127:
            raise BadValue(f"The shell does not find the command: {done.err.strip()[:200]}")
        if done.code:
            return RaisedError(f"exit code {done.code}", done.err.strip()[:200])
        return said(done.out.strip())


def said(text: str) -> object:
    """What a command wrote: a value of JSON, or else a text.

    >>> said("0.5"), said("[1, 2]"), said("yes")
    (0.5, [1, 2], 'yes')
    """
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value
