"""How often an audit cries wolf: many audits of mechanisms that keep their word, at a confidence of 0.99.

    python -m tests.audit.alarms --audits 10000

Every right one of the gallery has its turn, each time with noise from another seed. Where a mechanism uses all of its
claim, alarms come as often as they can. A hundredth, with nearly two and a
half deviations, allows 124 of 10,000.
"""

import argparse
import math
import sys
from collections import Counter

from tests.audit.gallery import RIGHT, audited

CONFIDENCE = "0.99"


def alarms(audits: int, draws: int, *, start: int = 0) -> Counter[str]:
    """The names of those who were accused, one for each alarm."""
    found: Counter[str] = Counter()
    for number in range(start, start + audits):
        exhibit = RIGHT[number % len(RIGHT)]
        if audited(exhibit, seed=number, draws=draws, confidence=CONFIDENCE).broken:
            found[exhibit.name] += 1
    return found


def limit(audits: int) -> int:
    """A hundredth of the audits, a little more than two deviations above it: 124 of 10,000.

    >>> limit(10_000)
    124
    """
    return math.floor(audits / 100 + 2.42 * math.sqrt(audits * 0.01 * 0.99))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=10_000)
    parser.add_argument("--draws", type=int, default=400)
    asked = parser.parse_args()
    found, done = Counter[str](), 0
    while done < asked.audits:
        part = min(500, asked.audits - done)
        found += alarms(part, asked.draws, start=done)
        done += part
        print(f"{done:,} audits of {len(RIGHT)} right mechanisms, {found.total()} alarms {dict(found)}", flush=True)
    held = found.total() <= limit(done)
    print(f"at most {limit(done)} allowed: {'held' if held else 'TOO MANY'}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
