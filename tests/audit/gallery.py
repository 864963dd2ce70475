"""Mechanisms broken in the ways the field has broken them, and right ones: what an audit must find, and must not."""

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import banister as bn

Table = list[float]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A mechanism that claims to be private, and neighbours on which to try it."""

    name: str
    make: Callable[[random.Random], Callable[[Any], object]]
    pairs: list[tuple[Any, Any]]
    epsilon: float = 1.0
    delta: float = 0.0
    found_by: tuple[str, ...] = field(default=())
    """Attacks of which one must be what finds it; empty when any will do."""


def laplace(chance: random.Random, scale: float) -> float:
    """As in a textbook, in doubles."""
    return chance.choice((-1.0, 1.0)) * -scale * math.log(1.0 - chance.random())


def geometric(chance: random.Random, epsilon: float = 1.0) -> int:
    """The difference of two geometric numbers, which are whole."""
    one, other = (int(math.log(1.0 - chance.random()) / -epsilon) for _ in range(2))
    return one - other


def _late_staircase(chance: random.Random, epsilon: float = 1.0) -> float:
    """The number of steps begins at 1 instead of 0, so the noise is never near 0."""
    gamma = 1 / (1 + math.exp(epsilon / 2))
    steps = 1 + int(math.log(1.0 - chance.random()) / -epsilon)
    low = chance.random() < gamma / (gamma + (1 - gamma) * math.exp(-epsilon))
    size = steps + gamma * chance.random() if low else steps + gamma + (1 - gamma) * chance.random()
    return chance.choice((-1.0, 1.0)) * size


def _own_range(table: Table, chance: random.Random) -> float:
    return min(max(sum(table) + geometric(chance), min(table)), max(table))


def _sparse_vector(table: Table, chance: random.Random) -> list[bool]:
    """Variant 5 of Lyu, Su and Li: a noisy threshold, and answers compared with it without any noise."""
    threshold = laplace(chance, 2.0)
    return [each >= threshold for each in table]


def _sparse_vector_value(table: Table, chance: random.Random) -> list[float]:
    """Variant 3: what passes the threshold is given with the very noise that was compared."""
    threshold = geometric(chance, 0.5)
    for place, each in enumerate(table):
        noisy = each + geometric(chance, 0.5)
        if noisy >= threshold:
            return [float(place), noisy]
    return [-1.0, 0.0]


def _histogram(keys: list[str], chance: random.Random) -> dict[str, int]:
    return {key: count + geometric(chance) for key, count in sorted(Counter(keys).items())}


def _mean(table: Table, chance: random.Random) -> float:
    return sum(table) / len(table) + laplace(chance, 1 / len(table))


def _raises(table: Table, chance: random.Random) -> int:
    if not table:
        raise ValueError("the table is empty")
    return len(table) + geometric(chance)


def _shared_noise(table: Table, chance: random.Random) -> list[float]:
    noise = geometric(chance, 0.5)
    return [sum(table) + noise, len(table) + noise]


def _seeded(count: int, chance: random.Random) -> float:
    return count + laplace(random.Random(7), 1.0)


def _two_counts(table: Table, chance: random.Random) -> list[float]:
    return [sum(table) + geometric(chance), sum(table) + geometric(chance)]


def _uniform(count: float, chance: random.Random) -> float:
    return count + chance.uniform(-3, 3)


def _rounded_to_data(table: Table, chance: random.Random) -> float:
    """The noisy total is rounded to the largest value, which is private."""
    step = max(table)
    return round((sum(table) + laplace(chance, 4.0)) / step) * step


def _dropped(table: Table, chance: random.Random) -> list[int]:
    return [geometric(chance) + len(table)] if table else []


def _choice(scores: Table, chance: random.Random) -> int:
    """The exponential mechanism without the half in its exponent."""
    weights = [math.exp(each * 1.0) for each in scores]
    return chance.choices(range(len(scores)), weights)[0]


def _response(bit: int, chance: random.Random) -> int:
    return bit if chance.random() < 0.8 else 1 - bit


def _fall_back(count: int, chance: random.Random) -> float:
    """Noise of an infinite scale comes out as no number when the count is 0."""
    return float("nan") if count == 0 else count + geometric(chance)


def _gaussian(count: float, chance: random.Random) -> float:
    """The deviation for delta is forgotten: 1/epsilon."""
    return count + round(chance.gauss(0, 1.0))


def _drawn_again(count: int, chance: random.Random) -> int:
    """A noisy count below 0 is drawn again, which makes 0 likelier for some counts than for others."""
    while (noisy := count + geometric(chance)) < 0:
        pass
    return noisy


def _own_spread(table: Table, chance: random.Random) -> int:
    """The scale of the noise is how far the values of this very table lie apart."""
    return round(sum(table) + laplace(chance, max(table) - min(table)))


BROKEN = (
    Exhibit("no noise", lambda _: lambda count: count, [(3, 4)]),
    Exhibit("textbook Laplace in doubles", lambda c: lambda x: x + laplace(c, 1.0), [(0.0, 1.0)], found_by=("grid",)),
    Exhibit("staircase that begins at 1", lambda c: lambda x: x + _late_staircase(c), [(0.0, 1.0)]),
    Exhibit("wrong sensitivity", lambda c: lambda t: 2 * sum(t) + geometric(c), [([0, 0], [0, 1])]),
    Exhibit("noise reused", lambda c: lambda t: _shared_noise(t, c), [([0, 0], [0, 1])]),
    Exhibit("clamped to the data's own range", lambda c: lambda t: _own_range(t, c), [([0, 1], [0, 5])], 5.0),
    Exhibit("unclipped mean", lambda c: lambda t: _mean(t, c), [([0.0, 1.0], [0.0, 90.0])]),
    Exhibit("empty groups dropped", lambda c: lambda t: _dropped(t, c), [([], [1])]),
    Exhibit("unknown keys without a threshold", lambda c: lambda k: _histogram(k, c), [(["a"], ["a", "b"])]),
    Exhibit("sparse vector without noise", lambda c: lambda t: _sparse_vector(t, c), [([0, 1], [1, 0])]),
    Exhibit("sparse vector tells its noise", lambda c: lambda t: _sparse_vector_value(t, c), [([0] * 6, [1] * 6)], 0.5),
    Exhibit("seeded generator", lambda c: lambda x: _seeded(x, c), [(0, 1)]),
    Exhibit("split epsilon forgotten", lambda c: lambda t: _two_counts(t, c), [([0], [1])]),
    Exhibit("bounded noise", lambda c: lambda x: _uniform(x, c), [(0.0, 1.0)]),
    Exhibit("rounded to a private step", lambda c: lambda t: _rounded_to_data(t, c), [([1, 2], [1, 3])]),
    Exhibit("error on an empty table", lambda c: lambda t: _raises(t, c), [([], [1])], found_by=("kinds", "counts")),
    Exhibit("choice without the half", lambda c: lambda t: _choice(t, c), [([0, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0])]),
    Exhibit("response beyond its level", lambda c: lambda b: _response(b, c), [(0, 1)]),
    Exhibit("no number on zero", lambda c: lambda x: _fall_back(x, c), [(0, 1)]),
    Exhibit("many rows of a person through a join", lambda c: lambda t: sum(t) + geometric(c), [([1, 1], [1, 7])]),
    Exhibit("noise only above zero", lambda c: lambda x: x + geometric(c) if x else 0, [(0, 1)]),
    Exhibit("noise cut off", lambda c: lambda x: x + min(max(geometric(c), -2), 2), [(0, 1)]),
    Exhibit("negative answers drawn again", lambda c: lambda x: _drawn_again(x, c), [(0, 1)]),
    Exhibit("scale from the data", lambda c: lambda t: _own_spread(t, c), [([1, 1], [1, 2])]),
    Exhibit("Gaussian without its logarithm", lambda c: lambda x: _gaussian(x, c), [(0.0, 1.0)], 1.0, 1e-5),
)


def _split(table: Table, chance: random.Random) -> list[float]:
    return [sum(table) + geometric(chance, 0.5), len(table) + geometric(chance, 0.5)]


def _clipped(table: Table, chance: random.Random) -> int:
    return sum(min(max(int(each), 0), 1) for each in table) + geometric(chance)


def _honest_choice(scores: Table, chance: random.Random) -> int:
    return chance.choices(range(len(scores)), [math.exp(each / 2) for each in scores])[0]


def _snapped(total: float, chance: random.Random) -> float:
    """Whole-number noise on a grid of eighths."""
    return (round(total * 8) + geometric(chance, 1 / 8)) / 8


def _above_a_bar(keys: list[str], chance: random.Random) -> dict[str, int]:
    """Unknown keys, shown above a bar that one person alone passes with a chance of at most delta."""
    counts = {key: count + geometric(chance) for key, count in sorted(Counter(keys).items())}
    return {key: count for key, count in counts.items() if count > 5}


_RESPONSE = math.e / (1 + math.e)

RIGHT = (
    Exhibit("geometric", lambda c: lambda x: x + geometric(c), [(0, 1), (10, 9)]),
    Exhibit("response", lambda c: lambda b: b if c.random() < _RESPONSE else 1 - b, [(0, 1)]),
    Exhibit("split epsilon", lambda c: lambda t: _split(t, c), [([0], [1]), ([1], [1, 1])]),
    Exhibit("clipped sum", lambda c: lambda t: _clipped(t, c), [([0, 0], [0, 90])]),
    Exhibit("choice", lambda c: lambda t: _honest_choice(t, c), [([0, 1, 1], [1, 0, 0])]),
    Exhibit("on a grid", lambda c: lambda x: _snapped(x, c), [(0.3, 1.2)]),
    Exhibit("a constant", lambda _: lambda x: "no", [(0, 1)]),
    Exhibit("Gaussian", lambda c: lambda x: x + round(c.gauss(0, 5.0)), [(0, 1)], 1.0, 1e-5),
    Exhibit("above a bar", lambda c: lambda k: _above_a_bar(k, c), [(["a"] * 9, ["a"] * 9 + ["b"])], 1.0, 1e-2),
    Exhibit("staircase", lambda _: bn.mechanisms.Staircase(epsilon=1, sensitivity=1).release, [(0.0, 1.0)]),
)


def audited(exhibit: Exhibit, *, seed: int, draws: int, confidence: str = "0.99") -> bn.audit.Finding:
    """The finding on one exhibit, from a seed."""
    return bn.audit.attack(
        exhibit.make(random.Random(seed)),
        epsilon=exhibit.epsilon,
        delta=exhibit.delta,
        pairs=exhibit.pairs,
        draws=draws,
        confidence=confidence,
    )
