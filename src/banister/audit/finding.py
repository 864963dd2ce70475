"""What an audit found: the largest epsilon that it shows, the event that shows it, and whether the claim is broken."""

from dataclasses import dataclass
from fractions import Fraction

from banister.core.exact.numbers import brief


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of an audit. What it shows is wrong with a chance of at most 1 - confidence.

    >>> from banister.audit import attack
    >>> found = attack(lambda count: count, epsilon=1, pairs=[(3, 4)], draws=1000)
    >>> found.broken, found.event
    (True, 'the answer is 3')
    """

    target: str
    epsilon: Fraction
    """The claim."""
    delta: Fraction
    confidence: Fraction
    shown: float
    """No smaller epsilon holds at this delta, with the confidence stated."""
    event: str
    """The outputs that show it, in words; empty when nothing was found."""
    attack: str
    """Which file of attacks proposed it."""
    pair: int
    """Which of the pairs of neighbours, from 0 on."""
    side: int
    """Which input of the pair gives it more often: 0 or 1."""
    hits: int
    others: int
    tested: int
    """Outputs of each side that the event was tested on; it was proposed on others."""
    draws: int
    """Outputs of each side and pair that were drawn in all."""
    tests: int
    """Events that were tested in all; the confidence pays for every one of them."""

    @property
    def broken(self) -> bool:
        """Whether what is shown is more than what was claimed."""
        return self.shown > self.epsilon

    def __str__(self) -> str:
        claim = f"epsilon {brief(self.epsilon)}" + (f", delta {brief(self.delta)}" if self.delta else "")
        sure = f"{float(self.confidence):.6g}"
        if not self.event:
            return f"{self.target}: nothing found against {claim} in {self.draws:,} draws a side ({sure} confidence)."
        head = "BROKEN, it does not keep" if self.broken else "nothing found against"
        return (
            f"{self.target}: {head} {claim}. Shown: epsilon at least {self.shown:.4g} (confidence {sure}, "
            f"{self.draws:,} draws a side, {self.tests:,} events tested).\n"
            f"The event: {self.event}.\n"
            f"Input {self.side + 1} of pair {self.pair + 1} gave it {self.hits:,} times in {self.tested:,}, "
            f"its neighbour {self.others:,} times."
        )

    def as_record(self) -> dict[str, object]:
        """For programs."""
        exact = {"epsilon": str(self.epsilon), "delta": str(self.delta), "confidence": str(self.confidence)}
        counts = {"hits": self.hits, "others": self.others, "tested": self.tested}
        where = {"event": self.event, "attack": self.attack, "pair": self.pair, "side": self.side}
        numbers = {"draws": self.draws, "tests": self.tests}
        return {
            "target": self.target,
            "broken": self.broken,
            **exact,
            "shown": self.shown,
            **where,
            **counts,
            **numbers,
        }
