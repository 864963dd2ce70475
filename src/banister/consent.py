"""What the owner of an answer agrees to: the level in words, what was given before, and a ceiling for all of it."""

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from banister.core.exact.numbers import brief
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue, BudgetExceeded
from banister.files import Access, folder, whole_text
from banister.foreign import read_json

FORMAT = "banister-ceiling/1"


@dataclass(frozen=True, slots=True)
class Given:
    """How often somebody has answered, and what all answers together give away at most.

    >>> Given(2, Fraction(3, 2), Fraction(0)).plus(Guarantee(1)).epsilon
    Fraction(5, 2)
    """

    answers: int
    epsilon: Fraction
    delta: Fraction

    def plus(self, level: Guarantee) -> "Given":
        """The same after one answer more."""
        return Given(self.answers + 1, self.epsilon + level.epsilon, self.delta + level.delta)

    def __str__(self) -> str:
        if not self.answers:
            return "nothing"
        times = "1 answer" if self.answers == 1 else f"{self.answers} answers"
        return f"{times}, together at most {level_text(self.epsilon, self.delta)}"


def level_text(epsilon: Fraction, delta: Fraction) -> str:
    """A level in numbers.

    >>> level_text(Fraction(1, 2), Fraction(0))
    'epsilon 0.5'
    """
    return f"epsilon {brief(epsilon)}" + (f", delta {brief(delta)}" if delta else "")


def level_words(level: Guarantee) -> str:
    """A level in words, its numbers rounded up.

    >>> level_words(Guarantee(1))
    'epsilon 1: whoever guesses at even odds is right with a chance of at most 73.2 % once your answer is seen'
    """
    # (e^epsilon + delta) / (1 + e^epsilon): the best guess between two equally likely worlds.
    told = 1 / (1 + math.exp(-float(min(level.epsilon, Fraction(700)))))
    right = min(1.0, told + float(level.delta) * (1 - told))
    return (
        f"{level_text(level.epsilon, level.delta)}: whoever guesses at even odds is right with a chance of at most "
        f"{min(100.0, math.ceil(1000 * right + 1e-9) / 10):g} % once your answer is seen"
    )


def read_level(text: str) -> Guarantee:
    """A level as it is typed: epsilon, or epsilon:delta.

    >>> read_level("1:1e-6").delta
    Fraction(1, 1000000)
    """
    epsilon, _, delta = text.partition(":")
    return Guarantee(epsilon, delta or 0)


def _with_delta(after: Given) -> str:
    """How a ceiling with a delta is written, where one is needed."""
    return f" (epsilon:delta, such as --at-most {brief(after.epsilon)}:{brief(after.delta)})" if after.delta else ""


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The ceilings of a folder's owners: what all answers of one of them may give away together.

    A ceiling is lowered by whoever names a lower one; it is raised by `raise_to` alone.
    """

    place: Path

    def of(self, who: str) -> Guarantee | None:
        """The ceiling, or nothing where none was set."""
        path = self._path(who)
        if not path.exists():
            return None
        found = read_json(path, "a ceiling", most_bytes=1 << 12)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise self._unreadable(path)
        epsilon, delta = found.get("epsilon"), found.get("delta")
        if not isinstance(epsilon, str) or not isinstance(delta, str):
            raise self._unreadable(path)
        return Guarantee(epsilon, delta)

    def lower(self, who: str, at_most: Guarantee) -> Guarantee:
        """Keep the lower one of the ceiling that is there and this one; gives it."""
        kept = self.of(who)
        lower = at_most
        if kept is not None:
            lower = Guarantee(min(kept.epsilon, at_most.epsilon), min(kept.delta, at_most.delta))
        if lower != kept:
            self.raise_to(who, lower)
        return lower

    def raise_to(self, who: str, at_most: Guarantee) -> None:
        """Keep this ceiling, whatever was kept before."""
        folder(self.place, access=Access.OWNER)
        body = {"format": FORMAT, "epsilon": str(at_most.epsilon), "delta": str(at_most.delta)}
        whole_text(self._path(who), json.dumps(body) + "\n", access=Access.OWNER)

    def check(self, who: str, given: Given, level: Guarantee) -> None:
        """Refuse an answer that would bring all of them above the ceiling. Nothing was drawn."""
        ceiling, after = self.of(who), given.plus(level)
        if ceiling is not None and (after.epsilon > ceiling.epsilon or after.delta > ceiling.delta):
            raise BudgetExceeded(
                f"This answer gives away at most {level_text(level.epsilon, level.delta)}; with what was given before "
                f"({given}) that is {level_text(after.epsilon, after.delta)}, above the ceiling of '{who}', "
                f"epsilon {brief(ceiling.epsilon)}, delta {brief(ceiling.delta)}. Nothing was drawn. Ask for a lower "
                "level, or raise the ceiling yourself with `banister parties ceiling` or `banister local ceiling`"
                f"{_with_delta(after)}."
            )

    def _path(self, who: str) -> Path:
        return self.place / f"{who}.json"

    def _unreadable(self, path: Path) -> BadValue:
        return BadValue(f"'{path}' is not a ceiling as banister writes it. Nothing was drawn; set it again.")
