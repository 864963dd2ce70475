"""A local channel as an audit's target: what one person sends, for two answers that she might give."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from banister.audit.attacks.event import Outputs
from banister.audit.targets.target import Pair
from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.files import read_survey

MOST_PAIRS = 12
"""Pairs of answers that are tried when none are named; all where there are few, else neighbours and the farthest."""


@dataclass(frozen=True, slots=True)
class LocalChannel:
    """A channel of ours, drawn as a person's own machine draws it. Any two answers are neighbours."""

    channel: Channel

    @classmethod
    def of_file(cls, path: str) -> "LocalChannel":
        """The channel in a file that `banister local` wrote."""
        return cls(read_survey(Path(path)).channel)

    @property
    def starts_afresh(self) -> bool:
        return False

    def pairs(self) -> list[tuple[object, object]]:
        """Answers to tell apart, where nobody names any."""
        last = self.channel.categories - 1
        every = [(a, b) for a in range(last + 1) for b in range(a + 1, last + 1)]
        if len(every) <= MOST_PAIRS:
            return list(every)
        return [(place * last // MOST_PAIRS, last - place * last // MOST_PAIRS) for place in range(MOST_PAIRS // 2)]

    def draw(self, given: object, count: int) -> Outputs:
        if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < self.channel.categories:
            raise BadValue(
                f"A channel is audited on pairs of answers, whole numbers from 0 to {self.channel.categories - 1}, "
                "such as [[0, 1]]."
            )
        values = np.asarray(self.channel.respond(np.full(count, given)).values)
        return values if values.ndim == 1 else [row.tolist() for row in values]

    def draw_both(self, pair: Pair, count: int) -> tuple[Outputs, Outputs]:
        return self.draw(pair[0], count), self.draw(pair[1], count)
