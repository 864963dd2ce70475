"""Choose one of many candidates by score, with the chance of each falling as its score falls. Higher is better."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.choices.scores import Floats, Scores, ScoresLike
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.choice import choose_first_heads, choose_in_proportion

HINT = "To choose without looking at the data, choose before."
_SLOWEST, _FASTEST = Fraction(1, 1 << 900), Fraction(1 << 900)


class Moves(Enum):
    """How the scores of two neighbours differ; each score by at most the sensitivity.

    >>> one = ExponentialChoice(epsilon=1, sensitivity=1, moves=Moves.ONE_WAY).probabilities([2, 0])
    >>> any_way = ExponentialChoice(epsilon=1, sensitivity=1, moves=Moves.ANY_WAY).probabilities([2, 0])
    >>> one.round(3).tolist(), any_way.round(3).tolist()
    ([0.881, 0.119], [0.731, 0.269])
    """

    ONE_WAY = "one way"
    """All that move, move the same way: all up or all down. Counts of people, one added or removed, do."""
    ANY_WAY = "any way"
    """Some may rise while others fall."""


class Choice(ABC):
    """Choose one of many candidates by score.

    >>> isinstance(PermuteAndFlip(epsilon=1, sensitivity=1, moves=Moves.ONE_WAY), Choice)
    True
    """

    __slots__ = ()

    epsilon: Fraction
    sensitivity: Fraction
    moves: Moves

    def _repr_html_(self) -> str:
        from banister.show.facts import facts_html

        return facts_html(self)

    @abstractmethod
    def choose(self, scores: ScoresLike, bits: BitSource = SYSTEM) -> int:
        """The position of the chosen candidate."""

    @abstractmethod
    def probabilities(self, scores: ScoresLike) -> Floats:
        """The chance of each candidate, in doubles. It depends on the scores: keep it as private as they are."""

    def loss(self) -> PrivacyLoss:
        """Upper bound: any epsilon-private release; the exact loss of one pair of neighbours is not larger."""
        return PrivacyLoss.pure(self.epsilon)

    def risk(self, scores: ScoresLike) -> float:
        """How far the chosen score is behind the best, on average; as private as the scores."""
        return float(np.dot(self.probabilities(scores), Scores.of(scores).behind()))

    @property
    def step(self) -> Fraction:
        """The part of epsilon that a whole sensitivity of score is worth: all of it, or half."""
        return self.epsilon if self.moves is Moves.ONE_WAY else self.epsilon / 2

    def _fix(self, epsilon: Number, sensitivity: Number, moves: Moves) -> tuple[Fraction, Fraction, Moves]:
        level = need.level("epsilon", epsilon, HINT)
        reach = need.positive("sensitivity", sensitivity)
        if not isinstance(moves, Moves):
            raise BadValue(f"moves = {moves!r} must be Moves.ONE_WAY or Moves.ANY_WAY: how neighbours' scores differ.")
        if not _SLOWEST <= level / reach <= _FASTEST or not _SLOWEST <= reach <= _FASTEST:
            raise BadValue(
                f"epsilon = {float(level):.3g} for a sensitivity of {float(reach):.3g} is beyond what can be drawn "
                "from. Measure the scores in another unit."
            )
        return level, reach, moves


@dataclass(frozen=True, slots=True, init=False)
class ExponentialChoice(Choice):
    """P(candidate) ∝ e^(step · score / Δ), step = epsilon/2, or epsilon where all scores move one way.

    Private:  pure epsilon-DP ([MT07] Thm 6). One factor e^step is from the weight, one from the sum of the weights;
              where all scores move one way, weight and sum move the same way and only one of them counts.
    Optimal:  not claimed: PermuteAndFlip is never worse ([MS20], abstract).

    >>> choice = ExponentialChoice(epsilon=2, sensitivity=1, moves=Moves.ANY_WAY)
    >>> choice.probabilities([1, 0]).round(4).tolist()
    [0.7311, 0.2689]
    """

    epsilon: Fraction
    sensitivity: Fraction
    moves: Moves

    def __init__(self, *, epsilon: Number, sensitivity: Number, moves: Moves) -> None:
        for name, value in zip(self.__slots__, self._fix(epsilon, sensitivity, moves), strict=True):
            object.__setattr__(self, name, value)

    def choose(self, scores: ScoresLike, bits: BitSource = SYSTEM) -> int:
        exact, rate = Scores.of(scores), self.step / self.sensitivity
        return choose_in_proportion(exact.weights(rate), exact.gap, rate, bits)

    def probabilities(self, scores: ScoresLike) -> Floats:
        weights = Scores.of(scores).weights(self.step / self.sensitivity)
        return np.asarray(weights / weights.sum(), dtype=np.float64)


@dataclass(frozen=True, slots=True, init=False)
class PermuteAndFlip(Choice):
    """In random order, take the first candidate whose coin shows heads: P(heads) = e^(step · (score - best) / Δ).

    Private:  pure epsilon-DP with step = epsilon/2 ([MS20]). Where all scores move one way, step = epsilon is
              enough (docs/math/choice.md proves both).
    Optimal:  never a larger expected shortfall than the exponential mechanism, whatever the scores, and up to twice
              better ([MS20], abstract).

    >>> choice = PermuteAndFlip(epsilon=2, sensitivity=1, moves=Moves.ANY_WAY)
    >>> choice.probabilities([1, 0]).round(4).tolist()
    [0.8161, 0.1839]
    """

    epsilon: Fraction
    sensitivity: Fraction
    moves: Moves

    def __init__(self, *, epsilon: Number, sensitivity: Number, moves: Moves) -> None:
        for name, value in zip(self.__slots__, self._fix(epsilon, sensitivity, moves), strict=True):
            object.__setattr__(self, name, value)

    def choose(self, scores: ScoresLike, bits: BitSource = SYSTEM) -> int:
        exact, rate = Scores.of(scores), self.step / self.sensitivity
        return choose_first_heads(exact.weights(rate), exact.gap, rate, bits)

    def probabilities(self, scores: ScoresLike) -> Floats:
        """P(i) = p_i ∫ Π_(j≠i) (1 - u p_j) du over u in [0, 1]: candidate i comes at time u, and none before it.

        Gauss quadrature in doubles, on the part of [0, 1] where the integrand is not negligible.
        """
        heads = Scores.of(scores).weights(self.step / self.sensitivity)
        reach = min(1.0, 45 / float(heads.sum()))
        nodes, weights = _nodes()
        total = np.zeros_like(heads)
        for node, weight in zip((nodes + 1) / 2 * reach, weights / 2 * reach, strict=True):
            quiet = 1 - node * heads
            total += weight * math.exp(float(np.log(quiet).sum())) / quiet
        return np.asarray(heads * total, dtype=np.float64)


@dataclass(frozen=True, slots=True, init=False)
class StaircaseChoice(Choice):
    """P(candidate) ∝ e^(-step · ⌊-score/Δ - gamma⌋): the chance falls in steps, at the scores -(k + gamma)Δ.

    Private:  pure epsilon-DP. The paper's mechanism is 2·step private ([G13] Thm 2.14): a neighbour moves each exponent
              by at most one, and the sum of the weights once more; so step = epsilon/2. Where all scores move one
              way, step = epsilon is enough (docs/math/choice.md). Every gamma is private.
    Optimal:  for a shift of a symmetric cost on the line it is the staircase; for other scores nothing is claimed.
              It is made for scores that are minus a cost, with 0 for a perfect candidate: all costs below gamma·Δ
              have the same, largest chance. With whole scores and Δ = 1 it equals ExponentialChoice.

    >>> choice = StaircaseChoice(epsilon=2, sensitivity=1, moves=Moves.ANY_WAY)
    >>> choice.probabilities([-0.2, -0.4, -0.9]).round(4).tolist()
    [0.4223, 0.4223, 0.1554]
    """

    epsilon: Fraction
    sensitivity: Fraction
    moves: Moves
    gamma: Fraction

    def __init__(self, *, epsilon: Number, sensitivity: Number, moves: Moves, gamma: Number = Fraction(1, 2)) -> None:
        offset = need.between("gamma", gamma, 0, 1)
        for name, value in zip(self.__slots__, (*self._fix(epsilon, sensitivity, moves), offset), strict=True):
            object.__setattr__(self, name, value)

    def choose(self, scores: ScoresLike, bits: BitSource = SYSTEM) -> int:
        levels = self._levels(scores)
        return choose_in_proportion(levels.weights(self.step), levels.gap, self.step, bits)

    def probabilities(self, scores: ScoresLike) -> Floats:
        weights = self._levels(scores).weights(self.step)
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def _levels(self, scores: ScoresLike) -> Scores:
        """-⌊-score/Δ - gamma⌋ = ⌈score/Δ + gamma⌉ for each candidate: whole numbers, higher is better."""
        return Scores.of(scores).levels(self.sensitivity, self.gamma)


@lru_cache(maxsize=1)
def _nodes() -> tuple[Floats, Floats]:
    """Points and weights on [-1, 1]: enough for e^-45x to full precision."""
    nodes, weights = np.polynomial.legendre.leggauss(48)
    return np.asarray(nodes, dtype=np.float64), np.asarray(weights, dtype=np.float64)


def examples() -> tuple[Choice, ...]:
    """A few of them, for tests and the gallery."""
    return (
        ExponentialChoice(epsilon=1, sensitivity=1, moves=Moves.ANY_WAY),
        PermuteAndFlip(epsilon=1, sensitivity=1, moves=Moves.ONE_WAY),
        StaircaseChoice(epsilon=1, sensitivity=1, moves=Moves.ANY_WAY, gamma=Fraction(1, 3)),
    )
