"""A guarantee in words for people who decide: what the best attacker can and cannot tell."""

import math
from dataclasses import dataclass
from fractions import Fraction

from banister.accounting.totals.total import Total
from banister.core.exact.numbers import BALL_BITS, Bracket, ball, exp_ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.region import PrivacyRegion
from banister.errors import BadValue

ALARM_RATES = (Fraction(1, 100), Fraction(5, 100), Fraction(10, 100), Fraction(20, 100))
SUSPICIONS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a guarantee means: detection at false-alarm rates, and how far a suspicion can grow."""

    subject: str
    detection: tuple[tuple[Fraction, float], ...]
    """(false-alarm rate, share of true cases that the best attacker finds, rounded up)."""
    suspicion: tuple[tuple[Fraction, float], ...]
    """(suspicion before, largest suspicion after, rounded up), but for the chance below."""
    failure: Fraction
    """The chance that nothing is promised: delta."""
    advantage: float
    """How much more often than not the best attacker is right, beyond guessing: the total variation, rounded up."""

    def blocks(self) -> list[tuple[str, list[str]]]:
        """The same words as `str`, for a page: each paragraph with the points that belong to it."""
        found = []
        for block in str(self).split("\n\n"):
            lines = block.splitlines()
            points = [line.strip() for line in lines if line.startswith(" ")]
            found.append((" ".join(line for line in lines if not line.startswith(" ")), points))
        return found

    def __str__(self) -> str:
        lines = [
            f"What {self.subject} means for one person.",
            "",
            "Somebody sees everything that was published, knows all other records, and",
            "tries to tell whether this person's record was used. The best attacker,",
        ]
        for alarm, found in self.detection:
            lines.append(f"  at {_percent(float(alarm))} false alarms, finds {_percent(found)} of the true cases;")
        lines[-1] = lines[-1].rstrip(";") + "."
        lines.append("  (By guessing alone, as many true cases as false alarms would be found.)")
        lines += ["", "Whoever suspected before"]
        for before, after in self.suspicion:
            lines.append(f"  with {_percent(float(before))} certainty is at most {_percent(after)} certain afterwards;")
        lines[-1] = lines[-1].rstrip(";") + "."
        if self.failure:
            lines += [
                "",
                f"This holds except with a chance of {float(self.failure):.3g}, against which nothing is promised.",
            ]
        lines += [
            "",
            "It does not cover: what follows from facts about everybody (that smoking",
            "harms, say), what other publications reveal, several people whose records",
            "move together, or data that leaves by any way but this one.",
        ]
        return "\n".join(lines)


def explain(subject: Guarantee | Total, *, delta: Fraction = Fraction(0)) -> Explanation:
    """The meaning of a guarantee, or of a total at a given delta, from its region.

    >>> alarms, found = explain(Guarantee(1, 1e-6)).detection[1]
    >>> print(f"{float(alarms):.2f} {found:.6f}")
    0.05 0.135915
    """
    if isinstance(subject, Guarantee):
        guarantee, region = subject, PrivacyRegion.of_guarantee(subject)
        words = f"epsilon = {float(guarantee.epsilon):g}, delta = {float(guarantee.delta):g}"
    elif not isinstance(subject, Total):
        raise BadValue(f"{subject!r} cannot be explained. Give a bn.Guarantee(epsilon, delta), or a total of compose.")
    else:
        guarantee, region = Guarantee(subject.epsilon(delta=delta), delta), subject.region()
        words = f"the total of epsilon = {float(guarantee.epsilon):.4g} at delta = {float(delta):g}"
    return Explanation(
        words,
        tuple((rate, Bracket.of_exact(1 - region.missed_detection(rate)).up) for rate in ALARM_RATES),
        tuple((before, _after(before, guarantee.epsilon)) for before in SUSPICIONS),
        guarantee.delta,
        Bracket.of_exact(region.total_variation()).up,
    )


def _after(before: Fraction, epsilon: Fraction) -> float:
    """Odds grow by a factor e^epsilon at most: after = before·e^epsilon/(1 − before + before·e^epsilon)."""
    with precision(BALL_BITS):
        shrunk = exp_ball(-epsilon) * ball(1 - before)
        return Bracket.of_ball(ball(before) / (ball(before) + shrunk)).up


def _percent(share: float) -> str:
    """In tenths of a percent, rounded up."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:g} %"
