"""From scores to a verdict: the highest are guessed to be in the table, the lowest not, and right guesses count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.audit.canaries.bound import epsilon_of_guesses
from banister.core.exact.numbers import Number, brief
from banister.errors import BadValue

_SHARES = (1, 2, 4, 8)
"""Guesses are made about all canaries, a half, a quarter and an eighth of them; the confidence pays for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryFinding:
    """What one run of a pipeline showed about planted people; wrong with a chance of at most 1 - confidence.

    >>> from banister.audit import judge_canaries
    >>> found = judge_canaries([True, False] * 50, {"answers": [1.0, 0.0] * 50}, epsilon=1)
    >>> found.broken, found.right, found.guesses
    (True, 100, 100)
    """

    epsilon: Fraction
    delta: Fraction
    confidence: Fraction
    shown: float
    """No smaller epsilon holds at this delta, with the confidence stated."""
    score: str
    """By which reading of the answers the guesses were made."""
    canaries: int
    guesses: int
    right: int
    tests: int

    @property
    def broken(self) -> bool:
        """Whether what is shown is more than what was claimed."""
        return self.shown > self.epsilon

    def __str__(self) -> str:
        claim = f"epsilon {brief(self.epsilon)}" + (f", delta {brief(self.delta)}" if self.delta else "")
        head = "BROKEN, the pipeline does not keep" if self.broken else "nothing found against"
        return (
            f"{head} {claim}. Shown: epsilon at least {self.shown:.4g} (confidence {float(self.confidence):.6g}, "
            f"one run, {self.canaries:,} canaries).\n"
            f"By {self.score}, {self.right:,} of {self.guesses:,} guesses whether a canary is in the table were right; "
            f"whoever guesses blindly has {self.guesses / 2:,.0f} on average."
        )

    def as_record(self) -> dict[str, object]:
        """For programs."""
        exact = {"epsilon": str(self.epsilon), "delta": str(self.delta), "confidence": str(self.confidence)}
        counts = {"canaries": self.canaries, "guesses": self.guesses, "right": self.right, "tests": self.tests}
        return {"broken": self.broken, **exact, "shown": self.shown, "score": self.score, **counts}


def judge_canaries(
    present: Sequence[bool] | NDArray[np.bool_],
    scores: Mapping[str, Sequence[float] | NDArray[np.float64]],
    *,
    epsilon: Number,
    delta: Number = 0,
    confidence: Number = "0.99",
) -> CanaryFinding:
    """What the guesses by each of the scores show; a higher score means rather in the table.

    A score must come from the pipeline's output and from what was known before the coins were thrown, nothing else.

    >>> judge_canaries([True, False] * 50, {"answers": [0.0] * 100}, epsilon=1).shown
    0.0
    """
    level, chance = need.non_negative("epsilon", epsilon), need.between("delta", delta, 0, 1)
    sure = need.strictly_between("confidence", confidence, 0, 1)
    truth = np.asarray(present, dtype=bool)
    if not scores or any(len(each) != len(truth) for each in scores.values()):
        raise BadValue(f"There must be a score for each of the {len(truth):,} canaries.")
    sizes = sorted({len(truth) // share // 2 * 2 for share in _SHARES if len(truth) // share >= 8})
    if not sizes:
        raise BadValue(f"{len(truth)} canaries are too few to guess about; plant at least 10.")
    tests = len(sizes) * len(scores)
    best = CanaryFinding(
        epsilon=level, delta=chance, confidence=sure, shown=0.0, score=next(iter(scores)), canaries=len(truth),
        guesses=0, right=0, tests=tests,
    )  # fmt: skip
    for name, each in scores.items():
        order = np.argsort(-np.nan_to_num(np.asarray(each, dtype=float)), kind="stable")
        for size in sizes:
            right = int(truth[order[: size // 2]].sum() + (~truth[order[-(size // 2) :]]).sum())
            shown = epsilon_of_guesses(right, size, len(truth), delta=float(chance), risk=float((1 - sure) / tests))
            if shown > best.shown or not best.guesses:
                best = CanaryFinding(
                    epsilon=level, delta=chance, confidence=sure, shown=shown, score=name, canaries=len(truth),
                    guesses=size, right=right, tests=tests,
                )  # fmt: skip
    return best
