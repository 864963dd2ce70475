"""A shell command that reads its input from standard input and writes its output: one process for every output."""

import json
from dataclasses import dataclass, replace

from banister.audit.targets.bounded import run_within
from banister.audit.targets.raised import RaisedError
from banister.audit.targets.target import Pair, in_turns, timed
from banister.errors import BadValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellCommand:
    """A line for the shell. An input that is a text is handed over as it is, any other as JSON."""

    line: str
    seconds: float
    """How long one call may take."""
    most_bytes: int = 4 << 30
    """How much memory each of its processes may write to."""
    times: bool = False
    """Whether what counts is how many seconds a call takes, in place of what it gives."""

    def by_time(self) -> "ShellCommand":
        """The same, of which time is taken."""
        return replace(self, times=True)

    @property
    def starts_afresh(self) -> bool:
        """Every output comes from a new process anyway, so there is nothing more to try."""
        return False

    def draw(self, given: object, count: int) -> list[object]:
        return [self._one(_text(given)) for _ in range(count)]

    def draw_both(self, pair: Pair, count: int) -> tuple[list[object], list[object]]:
        texts = [_text(given) for given in pair]
        return in_turns(lambda side: self._one(texts[side]), count)

    def _one(self, text: str) -> object:
        return timed(lambda: self._told(text)) if self.times else self._told(text)

    def _told(self, text: str) -> object:
        # Not the address space: Java and others reserve much more of it than they use.
        limit = f"ulimit -d {self.most_bytes >> 10} 2>/dev/null\n"
        done = run_within(limit + self.line, text, seconds=self.seconds)
        if done is None:
            raise BadValue(f"The command did not answer within {self.seconds:g} seconds; allow more --seconds.")
        if done.code == 127:
            raise BadValue(f"The shell does not find the command: {done.err.strip()[:200]}")
        if done.code:
            return RaisedError(f"exit code {done.code}", done.err.strip()[:200])
        return said(done.out.strip())


def _text(given: object) -> str:
    return given if isinstance(given, str) else json.dumps(given)


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
