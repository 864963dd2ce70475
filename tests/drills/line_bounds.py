"""How near the least real noise with delta is to what no noise can beat, on sixty (epsilon, delta, cost).

    python -m tests.drills.line_bounds

Each bound is certified; the gap says how much of the expected cost could still be saved at most.
"""

import argparse
import itertools
import sys
import time

from banister.mechanisms.comparison.least_noise import Comparison, least_noise

EPSILONS = ("0.1", "0.5", "1", "2", "3")
DELTAS = ("1e-9", "1e-6", "1e-4", "1e-2")
COSTS = ("absolute", "squared", "1.5")
POINTS = tuple(itertools.product(EPSILONS, DELTAS, COSTS))
MOST = 0.01


def at(point: tuple[str, str, str]) -> Comparison:
    """The comparison at one point of the grid, for sensitivity 1."""
    epsilon, delta, cost = point
    return least_noise(epsilon=epsilon, delta=delta, sensitivity=1, cost=cost)


def wide(found: Comparison) -> bool:
    """Whether the bound is missing, not certified, or too far below the noise."""
    return not (found.certified and found.gap is not None and found.gap < MOST)


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    failures = 0
    for point in POINTS:
        begin = time.process_time()
        found = at(point)
        failures += wide(found)
        words = f"({', '.join(point)}): {found.best.risk:.6g} by {found.best.name}, gap {found.gap:.3%}"
        print(f"{words}, {time.process_time() - begin:.2f} s{'  TOO WIDE' * wide(found)}", flush=True)
    print(f"{len(POINTS)} points, {failures} with a gap of {MOST:.0%} or more")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
