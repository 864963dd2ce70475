"""Answers that need no search: XOR, sums, AND of two, the limit of majorities. delta = 0 unless a level says so.

l = e^epsilon and t = (l - 1)/(l + 1) = tanh(epsilon/2) throughout.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from banister.core.privacy.guarantee import Guarantee
from banister.parties.games.levels import keep_chance


def xor_accuracy(levels: Sequence[Guarantee]) -> float:
    """The best accuracy for XOR, average and worst case alike: ½(1 + Π(delta_i + (1 - delta_i) t_i)).

    Exact:  [K16] Cor. 4.5.1 for equal epsilon and delta = 0; docs/math/parties-optimality.md for the product. Among
            independent reports; a party leaves its own factor out.

    >>> round(xor_accuracy([Guarantee(1)] * 2), 10)
    0.6067761335
    """
    product = math.prod(
        float(level.delta) + float(1 - level.delta) * math.tanh(float(level.epsilon) / 2) for level in levels
    )
    return (1 + product) / 2


def curator_accuracy(epsilon: Fraction) -> float:
    """What a trusted curator reaches who releases the true bit by randomized response: l/(1 + l) = ½ + epsilon/4 + …

    [K16] Sec. 4.5 prints ½ + epsilon²/4 for this; the expansion has no square term.

    >>> round(curator_accuracy(Fraction(1)), 10)
    0.7310585786
    """
    return keep_chance(epsilon)


def two_party_and_worst(epsilon: float) -> float:
    """AND or OR of two parties, worst case: l(l² + l + 2)/(1 + l)³; majority of three has the same.

    >>> round(two_party_and_worst(1), 10)
    0.640200831
    """
    l = math.exp(epsilon)  # noqa: E741  The paper's letter.
    return l * (l * l + l + 2) / (1 + l) ** 3


def and_accuracy(parties: int, epsilon: float) -> float:
    """AND of k parties on average over uniform bits: say 1 when all say 1 and p^k > ½, else 0 always; p = l/(1 + l).

    >>> round(and_accuracy(2, 1), 10)
    0.7672233227
    """
    p = 1 / (1 + math.exp(-epsilon))
    said_all: float = (p**parties - (1 - p**parties)) / 2**parties  # Gained by saying 1 after k ones rather than 0.
    return float(1 - 2.0**-parties) + max(0.0, said_all)


def sum_squared_error(levels: Sequence[Guarantee], priors: Sequence[Fraction]) -> float:
    """The least mean squared error for the number of ones: the sum of what is left of each bit's variance.

    For uniform bits and delta = 0 it is Σ l_i/(1 + l_i)². Bits are independent, so the variances add.

    >>> round(sum_squared_error([Guarantee(1)] * 10, [Fraction(1, 2)] * 10), 10)
    1.9661193324
    """
    return sum(_variance_left(level, float(prior)) for level, prior in zip(levels, priors, strict=True))


def majority_limit(epsilon: float) -> float:
    """Majority of ever more parties, on average: ½ + arcsin(t)/π, as true and said counts become jointly normal.

    >>> round(majority_limit(1), 10)
    0.6529100466
    """
    return 0.5 + math.asin(math.tanh(epsilon / 2)) / math.pi


def _variance_left(level: Guarantee, prior: float) -> float:
    keep, hidden = keep_chance(level.epsilon), float(1 - level.delta)
    left = 0.0
    for one, zero in ((keep, 1 - keep), (1 - keep, keep)):
        said = prior * one + (1 - prior) * zero
        left += hidden * prior * one * (1 - prior) * zero / said if said > 0 else 0.0
    return left
