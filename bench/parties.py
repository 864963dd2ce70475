"""How quickly joint questions are answered, beside exhaustive search on the sizes where that ends.

python -m bench.parties
"""

import itertools
import math
import statistics
import time
from collections.abc import Callable

import numpy as np

import banister as bn
from banister.parties.games import worst

REPEATS = 5


def seconds(job: Callable[[], object], repeats: int = REPEATS) -> float:
    """The median time of one call, after a first one that loads what is needed."""
    job()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def exhaustive(epsilons: list[float], table: list[int]) -> float:
    """The average accuracy by listing every input for every transcript: the reference."""
    k = len(epsilons)
    keep = [1 / (1 + math.exp(-e)) for e in epsilons]
    inputs = list(itertools.product((0, 1), repeat=k))
    total = 0.0
    for said in inputs:
        mass = [0.0, 0.0]
        for number, x in enumerate(inputs):
            mass[table[number]] += math.prod(p if a == b else 1 - p for p, a, b in zip(keep, x, said, strict=True))
        total += max(mass)
    return float(total / len(inputs))


def general(parties: int) -> tuple[bn.parties.Game, list[float], list[int]]:
    """A random function of parties that all have levels of their own."""
    rng = np.random.default_rng(parties)
    table, levels = rng.integers(0, 2, 1 << parties).tolist(), np.linspace(0.5, 1.5, parties).tolist()
    return bn.parties.Game(bn.parties.of_table(table), levels), levels, table


def main() -> None:
    """Print every number that the documents claim."""
    majority = bn.parties.Game(bn.parties.majority(501), [1] * 501)
    said = [1] * 260 + [0] * 241
    both = seconds(lambda: (majority.accuracy(), majority.decide(said)))
    print(f"majority of 501: accuracy and decision   {1000 * both:8.1f} ms   ({majority.accuracy():.6f})")
    print(f"majority of 501: worst case, certified   {1000 * seconds(lambda: majority.accuracy('worst')):8.1f} ms")
    for cost in ("zero-one", "absolute", "squared"):
        game = bn.parties.Game(bn.parties.total(10_000), [1] * 10_000, cost=cost)
        print(f"sum of 10 000, {cost:9s}                 {1000 * seconds(game.accuracy):8.1f} ms")
    game, levels, table = general(8)
    slow, quick = seconds(lambda: exhaustive(levels, table), 1), seconds(game.accuracy)
    off = abs(exhaustive(levels, table) - game.accuracy())
    print(
        f"any function of 8: {1000 * quick:.2f} ms; exhaustive search {slow / quick:.0f} times as long, {off:.1e} apart"
    )
    game, _, _ = general(10)
    interior = seconds(lambda: game.worst_cases(), 1)
    width = game.worst_cases()[0].value.width
    print(f"worst-case rule of any 10 parties        {interior:8.2f} s    (certified to {width:.1e})")
    dense, worst.DENSE = worst.DENSE, 1 << 20
    start = time.perf_counter()
    game.worst_cases()
    simplex = time.perf_counter() - start
    worst.DENSE = dense
    print(f"  the same by the simplex                {simplex:8.2f} s    ({simplex / interior:.0f} times as long)")


if __name__ == "__main__":
    main()
