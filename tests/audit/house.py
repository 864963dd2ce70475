"""Our own house under attack: noises, channels, the payments of a release; and in `house_wholes` all the rest.

    python -m tests.audit.house --draws 10000000      (`make audit`)

Each claims what it states to the ledger, and must not be broken; noise whose claim is reached must show most of it.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from banister.audit import Finding, attack
from banister.local.channels import ALL as CHANNELS
from banister.mechanisms import ALL as MECHANISMS
from banister.mechanisms.offers import Serves
from banister.sampling.bits import SYSTEM
from tests.audit.house_wholes import Audited, wholes
from tests.contract.drawn import planned
from tests.contract.test_law_plans import OPEN, QUARTER, SUMS


def noises() -> Iterator[tuple[str, float]]:
    """The names of all noises for one number, each with a delta that it needs."""
    for file in MECHANISMS:
        for offer in file.OFFERS:
            if offer.serves in (Serves.INTEGERS, Serves.LINE):
                yield offer.name, 0.0
                yield offer.name, 1e-2


def channels() -> Iterator[Audited]:
    """Every kind of channel, on its examples."""
    for kind in CHANNELS:
        for place, channel in enumerate(kind.examples()):
            promise = channel.guarantee

            def draw(given: int, count: int, channel: Any = channel) -> Any:
                return np.asarray(channel.respond(np.full(count, given)).values)

            last = channel.categories - 1
            name = f"{kind.__name__} {place + 1}"
            yield Audited(name, draw, ((0, last),), float(promise.epsilon), float(promise.delta))


def payments() -> Iterator[Audited]:
    """What the plans of a release draw: cells with noise, thresholds of unknown values, and choices."""
    for question, delta in ((SUMS, "0"), (SUMS, "0.02"), (OPEN, "0.02"), (QUARTER, "0")):
        plan = planned(question, delta=delta, epsilon="1", rows=2, groups=1)
        for paid in plan.parts[0].measured:
            promise = paid.noise.loss().epsilon_at(delta) if delta != "0" else paid.noise.loss().epsilon_at(0)
            reach = paid.share.sensitivity

            def draw(given: int, count: int, paid: Any = paid) -> Any:
                return paid.draw(np.full(count, given, dtype=np.int64), SYSTEM)

            yield Audited(f"{paid.kind} for {question[:30]}", draw, ((0, reach),), promise.up, float(delta))


class _Many:
    """A target that draws many outputs at once."""

    starts_afresh = False

    def __init__(self, audited: Audited) -> None:
        self.draw = audited.draw

    def draw_both(self, pair: tuple[Any, Any], count: int) -> tuple[Any, Any]:
        return self.draw(pair[0], count), self.draw(pair[1], count)


def all_findings(
    draws: int, confidence: str, *, of_wholes: int | None = None, only: str = ""
) -> Iterator[tuple[str, Finding]]:
    """Attack everything, one after the other; what is drawn one by one with fewer draws where they are said."""
    from banister.errors import BadValue

    for name, delta in noises():
        if only not in name:
            continue
        try:
            yield f"{name} at delta {delta:g}", attack(name, epsilon=1, delta=delta, draws=draws, confidence=confidence)
        except BadValue:  # Not offered for this claim; `offered` in the test sees that each is tried once.
            continue
    for several, most in (((*channels(), *payments()), draws), (wholes(), of_wholes or draws)):
        for audited in several:
            if only in audited.name:
                yield audited.name, attacked(audited, most, confidence)


def attacked(audited: Audited, draws: int, confidence: str) -> Finding:
    """One audit of something that draws many outputs at once."""
    from banister.audit.attacking import attack_target

    return attack_target(
        _Many(audited),
        audited.name,
        epsilon=audited.epsilon,
        delta=audited.delta,
        pairs=audited.pairs,
        draws=audited.draws(draws),
        confidence=confidence,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1_000_000)
    parser.add_argument("--confidence", default="0.9999")
    parser.add_argument("--only", default="", help="those with this in their name")
    asked = parser.parse_args()
    broken = tried = 0
    for name, found in all_findings(asked.draws, asked.confidence, only=asked.only):
        tried, broken = tried + 1, broken + found.broken
        verdict = "BROKEN" if found.broken else "holds"
        print(
            f"{verdict:7} {found.shown:8.4f} of {float(found.epsilon):8.4f}  {name}, {found.draws:,} draws", flush=True
        )
    print(f"{tried} audited with up to {asked.draws:,} draws a side, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
