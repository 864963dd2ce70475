"""What is asked for, as one value: made once at the door, handed on whole to the planner and the search for a level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.questions.question import Question

WEIGHTS = Fraction(1, 10**60), Fraction(10**60)
"""The least and the largest weight of an answer: squares of sensitivities times these stay within doubles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How narrow every interval must be: within a share of what it is compared with, in a cell of so many rows.

    >>> Accuracy(within=Fraction(1, 20), size=1000).within
    Fraction(1, 20)
    """

    within: Fraction
    size: int | None
    """Rows in a cell; None where the schema's number of people says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """Questions, what the answers may give away, and how they should be.

    >>> request = PlanRequest.of((), epsilon=1).within("0.05", 1000)
    >>> request.accuracy.within, request.level.epsilon
    (Fraction(1, 20), Fraction(1, 1))
    """

    questions: tuple[Question, ...]
    level: Guarantee
    """What the answers may give away; with an accuracy, at most."""
    confidence: float
    weights: tuple[tuple[str, Fraction], ...] = ()
    consistent: bool = False
    check_bounds: Fraction = Fraction(0)
    """The share of epsilon for an estimate of how many people have more rows or groups than may count; 0 for none."""
    accuracy: Accuracy | None = None
    """Where there is one, the least epsilon is looked for at which every interval is as narrow."""

    @classmethod
    def of(
        cls,
        questions: Sequence[Question],
        *,
        epsilon: Number,
        delta: Number = 0,
        confidence: Number = 0.95,
        weights: Mapping[str, Number] | None = None,
        consistent: bool = False,
        check_bounds: Number = 0,
    ) -> "PlanRequest":
        """The request in the words of a user, checked."""
        return cls(
            questions=tuple(questions),
            level=Guarantee(need.positive("epsilon", epsilon), delta),
            confidence=float(need.strictly_between("confidence", confidence, 0, 1)),
            weights=tuple((name, _weight(name, weight)) for name, weight in (weights or {}).items()),
            consistent=consistent,
            check_bounds=need.between("check_bounds", check_bounds, 0, Fraction(1, 2), "It is a share of epsilon."),
        )

    def within(self, share: Number, size: int | None) -> "PlanRequest":
        """The same for an accuracy, at the least epsilon up to that of the level."""
        found = Accuracy(
            within=need.strictly_between("within", share, 0, 1, "It is a share: 0.05 means 5 %."),
            size=None if size is None else need.whole("size", size, least=1),
        )
        return replace(self, accuracy=found)

    def at(self, epsilon: Fraction) -> "PlanRequest":
        """The same at another epsilon, whatever the accuracy."""
        return replace(self, level=Guarantee(epsilon, self.level.delta), accuracy=None)

    def weights_of(self, question: Question) -> list[float]:
        """How much each answer of a question counts."""
        names = [output.name for output in question.outputs]
        given = dict(self.weights)
        for name in given:
            if name not in names:
                raise BadValue(f"weights name '{name}', which is no answer; the answers are {', '.join(names)}.")
        return [float(given.get(name, 1)) for name in names]


def _weight(name: str, weight: Number) -> Fraction:
    hint = "Weights are compared with each other; beyond this one of them would count for nothing."
    return need.between(f"weight of {name}", weight, *WEIGHTS, hint)
