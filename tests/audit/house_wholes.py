"""More of our own house under attack: vectors, choices, whole tables, sketches, and what parties answer.

Each is drawn through the function that a door calls once the charge is on disk. Lists are rows of one array, so ten
million of them are audited as numbers are; `most` says how many draws are worth their time where each is a call of its
own, and `slow` how many others one costs.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.mechanisms.choices import choice
from banister.mechanisms.choices.choice import Moves
from banister.mechanisms.vectors import (
    independent,
    integer_vector_staircase,
    truncated_vector_staircase,
    uniform_cube,
    vector_staircase,
)
from banister.mechanisms.vectors.independent import MoveBound
from banister.parties.games.levels import respond
from banister.parties.numbers import number_report
from banister.publish import wide
from banister.publish.noise import FixedTotal, PerCell
from banister.publish.sketches.cut import CutSketch
from banister.publish.sketches.variance import VarianceSketch
from banister.publish.wide import WidePlan, plan_wide
from banister.sampling.bits import SYSTEM
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain

MANY, SOME = 10**7, 10**6
LEAST = 100
_TOGETHER = 50_000
"""Sketches that are drawn in one call: their rows do not depend on one another."""


@dataclass(frozen=True, slots=True)
class Audited:
    """What is attacked: a name, a way to draw many outputs on an input, neighbours, and the claim."""

    name: str
    draw: Callable[[Any, int], Any]
    pairs: tuple[tuple[Any, Any], ...]
    epsilon: float
    delta: float = 0.0
    most: int = MANY
    slow: int = 1

    def draws(self, asked: int) -> int:
        """How many draws of those that are asked for."""
        return max(LEAST, min(asked, self.most) // self.slow)


def wholes() -> Iterator[Audited]:
    """All of them."""
    for some in (vectors, choices, tables, sketches, parties):
        yield from some()


def vectors() -> Iterator[Audited]:
    """Noise for several numbers that a person moves together: by one coordinate, and by as many as may move."""
    shelf = (independent, integer_vector_staircase, truncated_vector_staircase, uniform_cube, vector_staircase)
    for place, noise in enumerate(each for file in shelf for each in file.examples()):
        delta = Fraction(getattr(noise, "delta", 0))
        claim = noise.loss().epsilon_at(delta).up
        moves = [tuple(move) for move in _moves(noise)]
        still = tuple([0] * noise.dimension)
        pairs = tuple((still, move) for move in moves)
        name = f"{type(noise).__name__} {place + 1}"
        yield Audited(name, partial(_vector, noise), pairs, claim, float(delta))


def _moves(noise: Any) -> Iterator[list[float]]:
    reach = getattr(noise, "noise", noise).sensitivity
    whole = int(reach) if Fraction(reach).denominator == 1 else float(reach)
    rest = [0] * (noise.dimension - 1)
    yield [whole, *rest]
    if getattr(noise, "bound", None) is MoveBound.EACH:
        yield [whole] * noise.touches + [0] * (noise.dimension - noise.touches)
    elif isinstance(whole, int) and whole > 1 and getattr(noise, "touches", 2) > 1:
        yield [1, whole - 1, *rest[1:]]


def _vector(noise: Any, given: Sequence[float], count: int) -> Any:
    return noise.release(np.tile(np.array(given), (count, 1)), SYSTEM)


def choices() -> Iterator[Audited]:
    """One of three candidates by their scores."""
    for each in choice.examples():
        moved = (1, 0, 0) if each.moves is Moves.ONE_WAY else (1, -1, -1)

        def draw(given: Sequence[int], count: int, each: Any = each) -> Any:
            return np.array([each.choose(given, SYSTEM) for _ in range(count)])

        pairs = (((0, 0, 0), moved), (tuple(-score for score in moved), (0, 0, 0)))
        yield Audited(type(each).__name__, draw, pairs, float(each.epsilon), 0.0, SOME)


def tables() -> Iterator[Audited]:
    """Histograms as `sanitize` draws them, and a wide table measured, fitted and dealt anew for each output."""
    for relation in Neighbours:
        noise = PerCell(cells=3, epsilon=Fraction(1), neighbours=relation)
        near = _neighbours(relation, (5, 3, 0))
        yield Audited(f"PerCell, {relation.value}", partial(_cells, noise), (near,), 1.0)

    def fixed(given: Sequence[int], count: int) -> Any:
        noise = FixedTotal(cells=3, epsilon=Fraction(1))
        return np.array([noise.release(np.array(given), SYSTEM) for _ in range(count)])

    yield Audited("FixedTotal", fixed, (_neighbours(Neighbours.REPLACE, (5, 3, 0)),), 1.0, 0.0, SOME)
    for relation in Neighbours:
        plan = _wide_plan(relation)
        some, last = (0,) * 12, (0,) * 11 + (1,)
        other = last if relation is Neighbours.REPLACE else (*some, 0)
        claim, pair = plan.guarantee, ((some, some), (other, other))
        name = f"wide table, {relation.value}"
        yield Audited(name, partial(_wide, plan), (pair,), float(claim.epsilon), float(claim.delta), SOME, 100)


def _neighbours(relation: Neighbours, counts: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    more = (counts[0] - (relation is Neighbours.REPLACE), counts[1], counts[2] + 1)
    return counts, more


def _cells(noise: PerCell, given: Sequence[int], count: int) -> Any:
    return noise.release(np.tile(np.array(given), count), SYSTEM).reshape(count, -1)


def _wide_plan(relation: Neighbours) -> WidePlan:
    asked = tuple(Attribute(name=name, kind=Kind.CATEGORY, values=("yes", "no"), nulls=False) for name in "ab")
    return plan_wide(Domain(asked), epsilon=2, delta="1e-2", neighbours=relation)


def _wide(plan: WidePlan, given: Sequence[Sequence[int]], count: int) -> Any:
    codes = tuple(np.array(each, dtype=np.int64) for each in given)
    known = codes[0].size if plan.neighbours is Neighbours.REPLACE else None
    found = []
    for _ in range(count):
        columns, _sets = wide._measured(plan, codes, known, SYSTEM)
        found.append(np.bincount(2 * columns[0] + columns[1], minlength=4))
    return np.array(found)


def sketches() -> Iterator[Audited]:
    """A graph with an edge and without, and a matrix with a row and without, or with another."""
    cut = CutSketch(epsilon=4, delta=Fraction(1, 10), nodes=6, rows=2)

    def graph(some: CutSketch, given: float) -> Any:
        return some.release(np.array([0]), np.array([1]), np.array([given]), SYSTEM)

    yield Audited("CutSketch", partial(_sketched, cut, graph), ((0.0, 1.0),), 4.0, 0.1, SOME)
    for relation in Neighbours:
        sketch = VarianceSketch(epsilon=3, delta=Fraction(1, 20), columns=2, rows=2, neighbours=relation)
        pair = ((1.0, 0.0), (0.0, 1.0)) if relation is Neighbours.REPLACE else ((0.0, 0.0), (1.0, 0.0))
        name = f"VarianceSketch, {relation.value}"
        yield Audited(name, partial(_sketched, sketch, _matrix), (pair,), 3.0, 0.05)


def _matrix(some: VarianceSketch, given: Sequence[float]) -> Any:
    return some.release(np.array([given]), SYSTEM)


def _sketched(sketch: Any, release: Callable[[Any, Any], Any], given: Any, count: int) -> Any:
    """So many sketches, as one with the rows of many: each row is drawn for itself, at the same root or width."""
    found = []
    while count:
        some, many = min(count, _TOGETHER), copy(sketch)
        object.__setattr__(many, "rows", sketch.rows * some)
        found.append(release(many, given).reshape(some, -1))
        count -= some
    return np.concatenate(found)


def parties() -> Iterator[Audited]:
    """The symbol of a party for its bit, and the report of its number."""
    for level in (Guarantee(1), Guarantee("1/2", "1/20")):

        def say(given: int, count: int, level: Guarantee = level) -> Any:
            return np.array([int(respond(level, given, SYSTEM)) for _ in range(count)])

        yield Audited(f"party, {level}", say, ((0, 1),), float(level.epsilon), float(level.delta), SOME)
    report = number_report(0, 10, 1)

    def number(given: str, count: int) -> Any:
        return np.array([report.respond(given) for _ in range(count)])

    yield Audited("party's number", number, (("0", "10"), ("10", "0"), ("3.7", "9.2")), 1.0, 0.0, SOME)
