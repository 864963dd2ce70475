"""Several questions to one person: how the level is shared out so that the errors are least."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.local.designing import Designed, DesignRequest
from banister.local.designs.estimation import ESTIMATION, counting_error_at
from banister.local.designs.priors import positive_law

_STEPS = 240
"""Parts into which the level is cut; a finer cut gains less than one part in 10^4."""
MOST_QUESTIONS = 64


class LevelShare(Enum):
    """Who answers what: every person all questions, or each one question that chance picks on her own machine.

    >>> LevelShare("one").in_words
    'one of the questions, which chance picks on your own machine'
    """

    ALL = "all"
    ONE = "one"

    @property
    def in_words(self) -> str:
        """For a person."""
        if self is LevelShare.ALL:
            return "all questions; what the reports give away adds up"
        return "one of the questions, which chance picks on your own machine"


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Levels of the questions, and people · total squared error over all of them, by both ways to share."""

    share: LevelShare
    levels: tuple[Fraction, ...]
    error_all: float
    error_one: float


def share_out(epsilon: Number, priors: Sequence[ArrayLike]) -> Shared:
    """Share a level out over several questions, by the way with the least total squared error.

    Asked all, the levels add up to epsilon exactly and the total error is least (each further part goes where it helps
    most, which is the optimum since errors are convex in the level). Asked one of m at random, each report has the
    whole level and each question 1/m of the people; which is picked says nothing, so epsilon is the whole loss.

    >>> found = share_out(1, [[0.5, 0.5], [0.25, 0.25, 0.25, 0.25]])
    >>> found.share, sum(found.levels)
    (<LevelShare.ONE: 'one'>, Fraction(2, 1))
    """
    level = need.positive("epsilon", epsilon, "At 0 a report says nothing.")
    laws = [positive_law(f"prior of question {place}", prior) for place, prior in enumerate(priors, start=1)]
    if not 1 <= len(laws) <= MOST_QUESTIONS:
        raise BadValue(f"A campaign has 1 to {MOST_QUESTIONS} questions, not {len(laws)}.")
    parts, error_all = split(level, laws)
    error_one = len(laws) * sum(error_at(law, float(level)) for law in laws)
    if error_all <= error_one:
        return Shared(LevelShare.ALL, parts, error_all, error_one)
    return Shared(LevelShare.ONE, (level,) * len(laws), error_all, error_one)


def split(level: Fraction, laws: Sequence[Floats]) -> tuple[tuple[Fraction, ...], float]:
    """Parts that add up to the level with the least sum of errors, and that sum."""
    step = level / max(_STEPS, 4 * len(laws))
    total = max(_STEPS, 4 * len(laws))
    counts = [1] * len(laws)
    now = [error_at(law, float(step)) for law in laws]
    then = [error_at(law, float(2 * step)) for law in laws]
    for _ in range(total - len(laws)):
        best = max(range(len(laws)), key=lambda place: now[place] - then[place])
        counts[best] += 1
        now[best] = then[best]
        then[best] = error_at(laws[best], float((counts[best] + 1) * step))
    return tuple(count * step for count in counts), sum(now)


def error_at(law: Floats, level: float) -> float:
    """people · total squared error of frequencies from the best plain channel: sets of the best size."""
    k = law.size
    best = math.inf
    centre = k / (1 + math.exp(min(level, 700.0)))
    for size in range(max(1, math.floor(centre) - 1), min(k - 1, math.ceil(centre) + 1) + 1):
        keep = size / (size + (k - size) * math.exp(-level))
        spill = (keep * (size - 1) + (1 - keep) * size) / (k - 1)
        best = min(best, counting_error_at(law, keep, spill))
    return best


def design_all(shared: Shared, priors: Sequence[ArrayLike]) -> tuple[Designed, ...]:
    """The best channel of each question at its level."""
    pairs = zip(shared.levels, priors, strict=True)
    return tuple(DesignRequest(level, ESTIMATION, prior=np.asarray(prior)).channel() for level, prior in pairs)
