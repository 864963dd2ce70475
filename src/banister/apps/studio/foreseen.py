"""A plan as the page shows it: for each answer its intervals by cell size, beside Laplace, and what it takes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from banister.accounting.book import Remaining
from banister.accounting.charge import Cost
from banister.accounting.ledger import Ledger
from banister.core.exact.numbers import brief, brief_down
from banister.core.privacy.guarantee import Neighbours
from banister.release.answering.wording import describe_noise, describe_person, describe_reach, number
from banister.release.dataset import Dataset
from banister.release.planning.plan import Part, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One answer of a question."""

    name: str
    widths: tuple[str, ...]
    typical: str
    laplace: str
    share: float
    """The typical error as a share of Laplace's; 0 where the two cannot be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRows:
    """One question of a plan."""

    text: str
    sizes: tuple[str, ...]
    answers: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetWords:
    """What a release takes of the budget, in words and as shares of it."""

    words: str
    fits: bool
    used: float
    """The share of the allowance that is used up now."""
    after: float
    """The share that would be."""
    asks: bool = False
    """Whether somebody else must say yes first."""

    def without_ledger(self) -> "BudgetWords":
        """The same where the first release would make the ledger."""
        return replace(self, words=f"There is no ledger yet: the first release makes it. {self.words}")


def question_rows(plan: Plan) -> tuple[QuestionRows, ...]:
    """The questions of a plan, each with its answers."""
    return tuple(_question(part, plan) for part in plan.parts)


def _question(part: Part, plan: Plan) -> QuestionRows:
    wide = part.forecasts_at(plan.sizes, plan.confidence)
    rows = []
    for place, middle in enumerate(wide[1]):
        unit = f" {middle.unit}" if middle.unit else ""
        share = middle.error / middle.laplace if middle.laplace > 0 else math.nan
        rows.append(
            AnswerRow(
                name=middle.name,
                widths=tuple(f"± {number(found[place].half_width)}{unit}" for found in wide),
                typical=number(middle.error),
                laplace=number(middle.laplace),
                share=share if math.isfinite(share) else 0.0,
            )
        )
    return QuestionRows(
        text=part.question.text,
        sizes=tuple(number(size) for size in plan.sizes),
        answers=tuple(rows),
    )


def how_words(plan: Plan) -> list[str]:
    """How each question of a plan is answered: what of a person counts, and by which noise."""
    return [
        words
        for part in plan.parts
        for words in (describe_reach(part), *describe_noise(part, plan.sizes[1], plan.confidence))
    ]


def level_words(plan: Plan) -> str:
    """Epsilon, and delta where there is one."""
    level = plan.guarantee
    return f"epsilon {brief(level.epsilon)}" + (f", delta {brief(level.delta)}" if level.delta else "")


def person_words(plan: Plan) -> str:
    """Whom it protects, and how far one person can move what is published."""
    factor = math.exp(min(float(plan.guarantee.epsilon), 700.0))
    but = f", but for a chance of {brief(plan.guarantee.delta)}" if plan.guarantee.delta else ""
    return (
        f"{describe_person(plan.schema)} Whatever anyone knows, one person changes the probability of any answer by a "
        f"factor of at most {math.ceil(1000 * factor) / 1000:,g}{but}."
    )


def budget_words(plan: Plan, ledger: Ledger, now: Remaining) -> BudgetWords:
    """What is left now, and what would be left after the release."""
    return said_of(now, ledger.fitting(plan.costs, neighbours=plan.neighbours)[1])


def foreseen_budget(dataset: Dataset, costs: Sequence[Cost], neighbours: Neighbours) -> BudgetWords:
    """The same for something else that has a cost: several true descriptions of it, of which the first that fits is
    charged."""
    waits = dataset.awaits_ledger()
    with dataset.trial_ledger() if waits else dataset.ledger() as ledger:
        said = said_of(ledger.remaining(), ledger.fitting(costs, neighbours=neighbours)[1])
    return said.without_ledger() if waits else said


def said_of(now: Remaining, after: Remaining | None) -> BudgetWords:
    """In words; the same for a whole budget and for what a share leaves of it."""
    largest = f"the largest epsilon that still fits is {brief_down(now.largest_epsilon)}"
    used = float(now.used)
    if after is None:
        return BudgetWords(words=f"The budget does not allow it: {largest}.", fits=False, used=used, after=1.0)
    left = brief_down(after.largest_epsilon)
    words = f"The budget allows it: {largest}, and afterwards {left}."
    return BudgetWords(words=words, fits=True, used=used, after=float(after.used))
