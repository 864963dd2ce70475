"""Exhaustive search, by roads that share nothing with the package: every input, every transcript."""

import itertools
import math
from collections.abc import Callable, Sequence

Level = tuple[float, float]


def row(level: Level, bit: int) -> list[float]:
    """Chances of the symbols 0, 1, surely 0, surely 1."""
    epsilon, delta = level
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    likely, unlikely = (1 - delta) * p, (1 - delta) * (1 - p)
    return [unlikely, likely, 0.0, delta] if bit else [likely, unlikely, delta, 0.0]


def chance(levels: Sequence[Level], x: Sequence[int], said: Sequence[int]) -> float:
    return math.prod(row(level, bit)[symbol] for level, bit, symbol in zip(levels, x, said, strict=True))


def average(
    function: Callable[[tuple[int, ...]], float],
    levels: Sequence[Level],
    worth: Callable[[float, float], float],
    *,
    prior: Callable[[tuple[int, ...]], float],
    fixed: dict[int, int] | None = None,
) -> float:
    """Σ over transcripts of the best guess; `fixed` are bits known to whoever decides."""
    k = len(levels)
    inputs = [x for x in itertools.product((0, 1), repeat=k) if all(x[i] == b for i, b in (fixed or {}).items())]
    guesses = sorted({function(x) for x in itertools.product((0, 1), repeat=k)})
    symbols = [range(4) if delta > 0 else range(2) for _, delta in levels]
    total = 0.0
    for said in itertools.product(*symbols):
        mass = [prior(x) * chance(levels, x, said) for x in inputs]
        total += max(sum(m * worth(function(x), guess) for m, x in zip(mass, inputs, strict=True)) for guess in guesses)
    return total
