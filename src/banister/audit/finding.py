"""What an audit found: the largest epsilon that it shows, the event that shows it, and whether the claim is broken."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from banister.core.exact.numbers import brief
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.region import PrivacyRegion


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
    notes: tuple[str, ...] = ()
    """What else was seen, such as neighbours on which every call raised."""

    @property
    def broken(self) -> bool:
        """Whether what is shown is more than what was claimed."""
        return self.shown > self.epsilon

    def __str__(self) -> str:
        claim = f"epsilon {brief(self.epsilon)}" + (f", delta {brief(self.delta)}" if self.delta else "")
        sure = f"{float(self.confidence):.6g}"
        notes = "".join(f"\n{each}" for each in self.notes)
        if not self.event:
            head = f"{self.target}: nothing found against {claim}"
            return f"{head} in {self.draws:,} draws a side ({sure} confidence).{notes}"
        head = "BROKEN, it does not keep" if self.broken else "nothing found against"
        return (
            f"{self.target}: {head} {claim}. Shown: epsilon at least {self.shown:.4g} (confidence {sure}, "
            f"{self.draws:,} draws a side, {self.tests:,} events tested).\n"
            f"The event: {self.event}.\n"
            f"Input {self.side + 1} of pair {self.pair + 1} gave it {self.hits:,} times in {self.tested:,}, "
            f"its neighbour {self.others:,} times."
            + ("" if self.broken or not self.epsilon else self._strength())
            + notes
        )

    def of_time(self) -> str:
        """In words, where what was attacked is the time that calls take."""
        if not self.event:
            return f"The time of {self.draws:,} calls a side told nothing about the input."
        return (
            f"The time that a call takes tells about its input: epsilon at least {self.shown:.4g} from it alone "
            f"(confidence {float(self.confidence):.6g}, {self.draws:,} calls a side, in seconds: {self.event}). The "
            "claim is about answers, so this does not break it; who can measure time learns it all the same."
        )

    def _strength(self) -> str:
        return (
            f"\nTo show 99 % of the claim, were all of it there to be seen, takes {self.draws_for_nearly_all:,} draws."
        )

    @property
    def draws_for_nearly_all(self) -> int:
        """Outputs of each side that could show 99 % of the claim, were an event known on which all of it is seen."""
        from banister.audit.attacks.bounds import draws_needed

        return 2 * draws_needed(float(self.epsilon), 0.99, risk=float(1 - self.confidence) / max(self.tests, 1))

    def draw(self, path: str | Path) -> None:
        """A picture: the region that was claimed, the one that is shown, and the event's two errors in it."""
        from banister.show.regions import draw_reached

        claimed = PrivacyRegion.of_guarantee(Guarantee(self.epsilon, self.delta))
        shown = PrivacyRegion.of_guarantee(Guarantee(Fraction(self.shown), self.delta))
        tested = max(self.tested, 1)
        point = (self.others / tested, 1 - self.hits / tested) if self.event else None
        words = {f"claimed: epsilon {brief(self.epsilon)}": claimed, f"shown: epsilon {self.shown:.3g}": shown}
        draw_reached(words, point, path, caption=f"{self.target}: {self.event or 'nothing found'}"[:110])

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
            "notes": list(self.notes),
        }

    def of_time_as_record(self) -> dict[str, object]:
        """For programs, where what was attacked is the time that calls take: it is no break, whatever it shows."""
        return {name: value for name, value in self.as_record().items() if name != "broken"}
