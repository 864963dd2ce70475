"""What a release of a plan really draws: its own functions are run, and all noises and choices are written down."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import combinations_with_replacement
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from banister.mechanisms import IntegerNoise, PermuteAndFlip
from banister.questions.question import Label
from banister.questions.reading.parser import read_questions
from banister.release import run as running
from banister.release.aggregates import ALL
from banister.release.aggregates.aggregate import Answer
from banister.release.planning.plan import Part, Plan
from banister.release.planning.planner import plan_release
from banister.release.planning.request import PlanRequest
from banister.release.work import Totals
from banister.tables.schema import Schema
from tests.contract.small_source import Person, Row, SmallSource
from tests.contract.true_curve import Losses, Way, chosen, masses, shifted, together
from tests.seeded import SeededBits

SCHEMA = """
[source]
table = "t.parquet"
{person}
neighbours = "{neighbours}"
{bounds}

[columns]
x = {{ kind = "integer", range = [0, 2], nulls = false }}
y = {{ kind = "integer", range = [-1, 3] }}
g = {{ kind = "category", values = ["a", "b", "c"] }}
s = {{ kind = "category" }}
"""
LABELS = ("a", "b", "c")
FAR = 10**6
CUT: tuple[Label, ...] = ("the people whom the bounds cut",)
"""Where the one number stands that tells of them."""


def planned(
    questions: str,
    *,
    neighbours: str = "add-remove",
    rows: int = 1,
    groups: int = 1,
    person: bool = True,
    epsilon: str = "2",
    delta: str = "0",
    weights: dict[str, str] | None = None,
    consistent: bool = False,
    check_bounds: str = "0",
) -> Plan:
    """A plan for the small table."""
    bounds = f"rows = {rows}\ngroups = {groups}" if person else ""
    text = SCHEMA.format(person='person = "who"' if person else "", neighbours=neighbours, bounds=bounds)
    schema = Schema.of_text(text)
    found = read_questions(questions, schema, aggregates=ALL)
    asked = PlanRequest.of(
        found, epsilon=epsilon, delta=delta, weights=weights, consistent=consistent, check_bounds=check_bounds
    )
    return plan_release(asked, schema)


@dataclass(frozen=True)
class Draw:
    """One draw: which mechanism, and what it is given."""

    by: IntegerNoise | PermuteAndFlip
    given: int | tuple[int, ...]

    def against(self, other: "Draw") -> Losses:
        """The law of log(p/q) of this draw, and its neighbour's."""
        assert self.by == other.by
        if isinstance(self.by, IntegerNoise):
            assert isinstance(self.given, int)
            assert isinstance(other.given, int)
            return shifted(self.by, abs(other.given - self.given))
        assert isinstance(self.given, tuple)
        assert isinstance(other.given, tuple)
        return chosen(self.by, self.given, other.given)

    def moved(self, other: "Draw") -> int:
        """How far the neighbour's input is from this one's: of a number, or of the score that moves most."""
        if isinstance(self.given, int):
            assert isinstance(other.given, int)
            return abs(other.given - self.given)
        assert isinstance(other.given, tuple)
        return max(abs(a - b) for a, b in zip(self.given, other.given, strict=True))


At = tuple[int, tuple[Label, ...]]
"""A question and one of its cells."""
Drawn = dict[At, tuple[Draw, ...]]
"""The draws of a release, by question and cell: its measures, then the choices of its quantiles."""


def draws(plan: Plan, people: Sequence[Person]) -> Drawn:
    """Run a plan on a table and write down what is drawn, were every unknown value to appear."""
    found: Drawn = {}
    with _recorded() as tape:
        exact = running.add_up_all(plan, SmallSource(people), SeededBits(1), lambda stage: None)
        running._draw_all(plan, exact, SeededBits(2))
    noises = iter([one for one in tape if isinstance(one[0], IntegerNoise)])
    choices = iter([one for one in tape if isinstance(one[0], PermuteAndFlip)])
    for place, part in enumerate(plan.parts):
        labels = exact[place].totals.labels
        cells = running.cell_labels(part.question.axes) if labels is None else labels
        mine: list[list[Draw]] = [[] for _ in cells]
        for _ in part.measured:
            noise, values = next(noises)
            for cell, value in zip(mine, values.tolist(), strict=True):
                cell.append(Draw(noise, value))
        for formula in part.formulas:
            if formula.choice is not None:
                for cell in mine:
                    for _ in range(3):
                        choice, scores = next(choices)
                        cell.append(Draw(choice, tuple(scores.tolist())))
        found.update({(place, label): tuple(cell) for label, cell in zip(cells, mine, strict=True)})
    for place, part in enumerate(plan.parts):
        if part.beyond is not None:
            noise, values = next(noises)
            assert noise == part.beyond.noise
            (number,) = values.tolist()
            found[place, CUT] = (Draw(noise, number),)
    assert next(noises, None) is None, "a noise was drawn for no measure of the plan"
    assert next(choices, None) is None, "a choice was made for no quantile of the plan"
    return found


Tape = list[tuple[IntegerNoise | PermuteAndFlip, NDArray[np.int64]]]


@contextmanager
def _recorded() -> Iterator[Tape]:
    tape: Tape = []

    def release(self: IntegerNoise, answer: NDArray[np.int64], bits: object) -> NDArray[np.int64]:
        tape.append((self, answer.copy()))
        return answer + FAR

    def choose(self: PermuteAndFlip, scores: NDArray[np.int64], bits: object) -> int:
        tape.append((self, scores.copy()))
        return 1

    def answer(self: object, pieces: object, noisy: object) -> Answer:
        return Answer(np.zeros(0), np.zeros(0), np.zeros(0))

    with ExitStack() as patches:
        patches.enter_context(patch.object(IntegerNoise, "release", release))
        patches.enter_context(patch.object(PermuteAndFlip, "choose", choose))
        for aggregate in ALL:
            patches.enter_context(patch.object(aggregate, "answer", answer))
        yield tape


def least_shown(part: Part) -> int:
    """The least noisy number of people with which an unknown value appears, by trying them all."""
    bar = part.measured[0].bar
    assert bar is not None
    most = 4 * bar + 50
    labels = tuple((f"{n}",) for n in range(most))
    values = np.tile(np.arange(most, dtype=np.int64), (max(1, len(part.measured)), 1))
    empty = Totals(values=np.zeros((1, 0), dtype=np.int64), labels=(), rungs=np.zeros(0, dtype=np.int64))
    exact = running.Exact(Totals(values=values, labels=labels), tuple(empty for _ in part.ladders))
    with _recorded():
        shown = running.answered(part, values, exact, 0.95, SeededBits(1)).labels
    places = [int(str(label[0])) for label in shown]
    assert places == list(range(places[0], most)), "whoever has more people appears too"
    return places[0]


def losses(plan: Plan, here: Drawn, there: Drawn, way: Way) -> Losses:
    """The true law of losses of a whole release, on one table against its neighbour."""
    cells = sorted(set(here) | set(there), key=str)
    return together((_cell(plan.parts[at[0]], at, here.get(at), there.get(at), way) for at in cells), way)


def _cell(part: Part, at: At, here: tuple[Draw, ...] | None, there: tuple[Draw, ...] | None, way: Way) -> Losses:
    if not part.question.open or at[1] == CUT:
        assert here is not None
        assert there is not None
        return together((a.against(b) for a, b in zip(here, there, strict=True) if a != b), way)
    least = least_shown(part)
    if here is None or there is None:
        return _appearing(here or there or (), least, gone=here is None)
    rest = together((a.against(b) for a, b in zip(here[1:], there[1:], strict=True) if a != b), way)
    p, q = (_law(draws[0], least) for draws in (here, there))
    hidden = Losses.of_pair(p[:1], q[:1])
    shown = Losses.of_pair(p[1:], q[1:])
    total = float(shown.masses.sum())
    if total == 0:
        return Losses(hidden.values, hidden.masses, hidden.infinite + shown.infinite)
    scaled = Losses(shown.values, shown.masses / total, 0.0).then(rest, way)
    return Losses(
        np.concatenate([hidden.values, scaled.values]),
        np.concatenate([hidden.masses, scaled.masses * total]),
        hidden.infinite + shown.infinite + total * scaled.infinite,
    )


def _law(people: Draw, least: int) -> NDArray[np.float64]:
    """The chance that a value stays hidden, and that of each noisy number of people with which it appears."""
    assert isinstance(people.by, IntegerNoise)
    assert isinstance(people.given, int)
    half = masses(people.by)
    top = max(least, 40) + 2 * len(half)
    law = np.zeros(2 * top + 1)
    start = top + people.given - (len(half) - 1)
    law[start : start + 2 * len(half) - 1] = np.concatenate([half[:0:-1], half])
    shown = law[top + least :]
    return np.concatenate([[law[: top + least].sum()], shown])


def _appearing(cell: tuple[Draw, ...], least: int, *, gone: bool) -> Losses:
    """A cell that only one of two neighbours has: the other never shows it."""
    law = _law(cell[0], least)
    hidden, shown = float(law[0]), float(law[1:].sum())
    if gone:
        return Losses(np.array([-np.log(hidden)]), np.ones(1), 0.0)
    return Losses(np.array([np.log(hidden)]), np.array([hidden]), shown)


def persons(*, rows: int, cells: int, personal: bool = True) -> list[Person]:
    """People who do their worst, one of each kind up to the order of the cells, with more rows than may count."""
    low, high = {"x": 0, "y": -1}, {"x": 2, "y": 3}
    many = rows + 1
    kinds: list[list[dict[str, int]]] = [[], [high] * many, [low] * many, [low] + [high] * rows]
    if not personal:
        return [(_row(value, label),) for value in (low, high) for label in LABELS[:cells]]
    found: dict[Person, None] = {}
    for chosen_kinds in combinations_with_replacement(range(len(kinds)), cells):
        places = [(LABELS[cell], row) for cell, kind in enumerate(chosen_kinds) for row in kinds[kind]]
        found[tuple(_row(value, label) for label, value in places)] = None
    return list(found)


def _row(value: dict[str, int], label: str) -> Row:
    return _Row({**value, "g": label, "s": label})


class _Row(dict[str, "int | str | None"]):
    """A row that can stand in a set."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))


def turned(person: Person, by: int) -> Person:
    """The same person with her cells moved on, so that two people can meet in all ways, and miss each other."""
    place = {label: LABELS[(at + by) % len(LABELS)] for at, label in enumerate(LABELS)}
    return tuple(_Row({**row, "g": place[str(row["g"])], "s": place[str(row["s"])]}) for row in person)


def others(value: int, label: str, count: int) -> list[Person]:
    """Other people, with a row each."""
    return [(_Row({"x": value, "y": value, "g": label, "s": label}),)] * count
