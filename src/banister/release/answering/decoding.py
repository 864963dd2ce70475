"""Counts that are known to lie between 0 and the schema's number of people, said as well as the noise allows.

It is post-processing: only noisy counts are seen, and nothing is charged.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import cast

import numpy as np

from banister import need
from banister.errors import BadValue
from banister.mechanisms.integers.decoder import LARGEST_AVERAGE, LARGEST_WORST, Aim, Decoder
from banister.release.aggregates.aggregate import Answer
from banister.release.planning.layout import Formula
from banister.release.planning.plan import Part, Plan
from banister.release.run import AnswerTable

MOST_PEOPLE = {"average": LARGEST_AVERAGE, "worst": LARGEST_WORST}


def aim_of(word: str) -> Aim:
    """What a decoder is to be best for, from a word."""
    return cast(Aim, need.one_of("decode", word, tuple(MOST_PEOPLE)))


def check_decoding(plan: Plan, word: str) -> int:
    """The most that a count can be, by the schema; refuses a plan of which no answer can be decoded."""
    most, people = MOST_PEOPLE[aim_of(word)], plan.schema.people
    if people is None or people > most:
        said = "does not say how many people there are" if people is None else f"says people = {people}"
        raise BadValue(
            f"The schema {said}. To decode counts for the {word} case it must name a public number that is never "
            f"exceeded, up to {most}, e.g. people = {most}. Leave --decode out otherwise."
        )
    if not any(_geometric(part, formula) for part in plan.parts for formula in part.formulas):
        raise BadValue(
            "No answer is a count of people with geometric noise, so there is nothing to decode. Leave --decode out."
        )
    return people


def decoded_tables(plan: Plan, tables: tuple[AnswerTable, ...], aim: Aim) -> tuple[AnswerTable, ...]:
    """The tables with every count that has geometric noise decoded, and its interval cut to the possible range."""
    people = check_decoding(plan, aim)
    return tuple(_decoded(table, part, people, aim) for table, part in zip(tables, plan.parts, strict=True))


def _decoded(table: AnswerTable, part: Part, people: int, aim: Aim) -> AnswerTable:
    answers, whole, names = dict(table.answers), table.whole, set()
    for formula in part.formulas:
        level = _geometric(part, formula)
        if level is None or formula.name not in answers or formula.name in table.consistent:
            continue
        rule, found = _best(level, people, aim), answers[formula.name]
        values = rule.decode(found.values.astype(np.int64))
        answers[formula.name] = Answer(values, *(np.clip(end, 0, people) for end in (found.low, found.high)))
        names.add(formula.name)
        if any(each.denominator > 1 for each in rule.said):
            whole = whole - {formula.name}
    return replace(table, answers=answers, whole=whole, decoded=frozenset(names))


def _geometric(part: Part, formula: Formula) -> Fraction | None:
    """The epsilon of a count's two-sided geometric noise; nothing where the answer or its noise is something else."""
    counts = formula.aggregate.additive and formula.aggregate.whole and not formula.aggregate.can_be_below_zero()
    if not counts or len(formula.pieces) != 1 or part.question.open:
        return None
    paid = part.measured[formula.pieces[0].place]
    pure = not paid.together and paid.noise.sensitivity == 1 and paid.measure.high == 1
    return paid.epsilon / paid.share.touches if pure else None


@lru_cache(maxsize=16)
def _best(epsilon: Fraction, people: int, aim: Aim) -> Decoder:
    return Decoder.best(epsilon=epsilon, largest=people, aim=aim)
