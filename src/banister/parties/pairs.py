"""Two parties with several bits each, at the front door: values, curves, and a builder."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats
from banister.parties.games import two
from banister.parties.games.two import TwoPartyProtocol, TwoPartyQuestion, hamming_distance, xor_or_and


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Average scores of one question over levels: every bit randomized, a selected answer, the best second message.

    >>> found = curves(two.hamming_distance(), np.array([1.0, 2.0]))
    >>> found.name, found.best.size, bool((found.best >= found.bitwise).all())
    ('hamming', 2, True)
    """

    name: str
    epsilons: Floats
    bitwise: Floats
    selected: Floats
    best: Floats


def curves(question: TwoPartyQuestion, epsilons: Floats) -> Curves:
    """The three curves of a question; [K16] Fig. 4.2 with its values corrected, and a third curve above both.

    >>> found = curves(xor_or_and(), np.array([1.0]))
    >>> round(found.bitwise[0], 6), round(found.selected[0], 6)
    (np.float64(0.625), np.float64(0.660306))
    """
    levels = [Fraction(float(epsilon)) for epsilon in epsilons]
    firsts = [two.bitwise_response(question.first_bits, level) for level in levels]
    best = [two.best_second(question, first, level, SOLVER)[1] for first, level in zip(firsts, levels, strict=True)]
    return Curves(
        question.name,
        epsilons,
        np.array([two.non_interactive(question, level) for level in levels]),
        np.array([two.selected_response(question, level) for level in levels]),
        np.array(best),
    )


def best_protocol(question: TwoPartyQuestion, epsilon: Number) -> TwoPartyProtocol:
    """A two-party protocol for any function of a few bits each, found by linear programs in turn, exactly private.

    >>> round(best_protocol(xor_or_and(), 2).value, 6)
    0.825593
    """
    return two.build(question, epsilon, SOLVER)


def draw_figure(path: Path, points: int, *, caption: str = "") -> None:
    """Both questions of [K16] Fig. 4.2, corrected, in one figure."""
    from banister.parties.pictures import draw_curves

    levels = np.linspace(0, 5, need.whole("points", points, least=2, most=2001))
    draw_curves([curves(xor_or_and(), levels), curves(hamming_distance(), levels)], path, caption=caption)
