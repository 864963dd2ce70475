"""Callables of this process: trusted code, without limits; and the noise of ours, by the name it is offered under."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from banister.audit.attacks.event import Outputs
from banister.audit.targets.child import plain, without_addresses
from banister.audit.targets.raised import RaisedError
from banister.audit.targets.target import Pair, in_turns, timed
from banister.errors import BadValue
from banister.mechanisms import ALL
from banister.mechanisms.offers import NoiseQuestion, Serves


@dataclass(frozen=True, slots=True)
class CallableAtHand:
    """A function that is called with the input."""

    function: Callable[[Any], object]
    times: bool = False
    """Whether what counts is how many seconds a call takes, in place of what it gives."""

    def by_time(self) -> "CallableAtHand":
        """The same, of which time is taken."""
        return replace(self, times=True)

    @property
    def starts_afresh(self) -> bool:
        return False

    def draw(self, given: object, count: int) -> list[object]:
        return [self._one(given) for _ in range(count)]

    def draw_both(self, pair: Pair, count: int) -> tuple[list[object], list[object]]:
        return in_turns(lambda side: self._one(pair[side]), count)

    def _one(self, given: object) -> object:
        return timed(lambda: self._told(given)) if self.times else self._told(given)

    def _told(self, given: object) -> object:
        try:
            return plain(self.function(given))
        except Exception as error:
            return RaisedError(type(error).__name__, without_addresses(str(error))[:200])


@dataclass(frozen=True, slots=True)
class OurNoise:
    """A mechanism of ours that is made for the guarantee that it is audited for, and a sensitivity of 1."""

    mechanism: Any

    @classmethod
    def named(cls, name: str, *, epsilon: Fraction, delta: Fraction) -> "OurNoise":
        """The noise that `banister noise` lists under this name."""
        over = {Serves.INTEGERS: "integers", Serves.LINE: "reals"}
        offers = [offer for file in ALL for offer in file.OFFERS if offer.serves in over]
        named = [offer for offer in offers if offer.name.lower() == name.lower()]
        for offer in named:
            asked = NoiseQuestion.of(
                epsilon=epsilon,
                delta=delta,
                sensitivity=1,
                over=over[offer.serves],
                cost="absolute",
                dimension=1,
                touches="all",
            )
            if offer.fits(asked):
                return cls(offer.make(asked))
        if named:
            raise BadValue(f"The noise '{name}' is not offered for epsilon {epsilon}, delta {delta}, sensitivity 1.")
        names = ", ".join(sorted({offer.name for offer in offers}))
        raise BadValue(
            f"The target '{name[:60]}' is neither python:package.module:function nor command:LINE nor channel:FILE "
            f"nor sql:ADDRESS nor release:SCHEMA nor noise of ours. "
            f"Ours are: {names}."
        )

    @property
    def starts_afresh(self) -> bool:
        return False

    def pairs(self) -> list[tuple[object, object]]:
        """The neighbours of a mechanism for a sensitivity of 1, where nobody names any."""
        return [(0, 1)]

    def draw(self, given: object, count: int) -> Outputs:
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise BadValue("Noise of ours is audited on neighbours that are numbers, such as [[0, 1]].")
        found: Outputs = self.mechanism.release(np.full(count, given))
        return found

    def draw_both(self, pair: Pair, count: int) -> tuple[Outputs, Outputs]:
        return self.draw(pair[0], count), self.draw(pair[1], count)
