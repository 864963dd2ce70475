"""The law of every charge, for looks: what the worst person moves is what is charged, histogram by histogram.

The engine itself counts tables with and without one person, so a bound that is forgotten in the work, a histogram that
is not charged, or a person who counts in two cells shows as a difference.
"""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import own_delta
from banister.mechanisms import RoundedGaussian
from banister.release.profile.plan import LookPlan, plan_look
from banister.release.profile.run import works
from banister.release.sources.duckdb import DuckDBSource
from banister.tables.schema import Schema
from tests.seeded import SeededBits

Rows = list[tuple[str, float | None, str | None, str | None]]
Moved = tuple[Fraction, Fraction]

COLUMNS = """
[columns]
x = { kind = "number", range = "FILL IN" }
town = { kind = "category" }
sex = { kind = "category", values = ["f", "m"] }
"""

OTHERS: Rows = [("a", 1.0, "n", "f"), ("a", 7.0, "s", "m"), ("b", None, "n", None), ("c", 2.0, None, "x")]
PERSONS: tuple[Rows, ...] = (
    [("z", 3.0, "n", "f")],
    [("z", float(7**k), f"t{k}", "fmx"[k % 3]) for k in range(12)],
    [("z", None, None, None)] * 3,
    [("z", -1.0, "n", "m")] * 40,
)


def schema(*, person: bool, neighbours: str) -> Schema:
    who = 'person = "who"\nrows = 4' if person else ""
    return Schema.of_text(f'[source]\ntable = "t.csv"\nneighbours = "{neighbours}"\n{who}\n{COLUMNS}')


def counted(plan: LookPlan, rows: Rows) -> list[dict[object, int]]:
    """Every histogram of a table, by cell or by label."""
    frame = pd.DataFrame(rows, columns=["who", "x", "town", "sex"]).astype({"x": "float64"})
    frame = frame.astype(dict.fromkeys(("who", "town", "sex"), "object"))
    source = DuckDBSource(plan.schema, folder=Path(), frames={"data": frame})
    found = []
    for work in works(plan, SeededBits(1)):
        totals = source.totals(work)
        names: list[object] = list(totals.labels) if totals.labels is not None else list(range(totals.values.shape[1]))
        found.append(dict(zip(names, totals.values[0].tolist(), strict=True)))
    return found


def moved(plan: LookPlan, here: Rows, there: Rows) -> Iterator[Moved]:
    """For every histogram, what two tables owe: epsilons that add up, and mu² that add up."""
    for paid, one, two in zip(plan.paid, counted(plan, here), counted(plan, there), strict=True):
        gaps = [abs(one.get(cell, 0) - two.get(cell, 0)) for cell in {*one, *two}]
        if isinstance(paid.noise, RoundedGaussian):
            yield Fraction(0), sum((gap**2 / Fraction(paid.noise.sigma) ** 2 for gap in gaps), Fraction(0))
        else:
            level = Fraction(paid.epsilon, paid.share.touches)
            yield sum((level * -(-gap // paid.share.sensitivity) for gap in gaps), Fraction(0)), Fraction(0)


def charged(plan: LookPlan) -> Moved:
    terms = plan.loss.terms
    mu = sum((bell * n for law, n in terms if (bell := law.gaussian()) is not None), Fraction(0))
    tops = sum((top * n for law, n in terms if law.gaussian() is None and (top := law.top()) is not None), Fraction(0))
    return tops, mu


def worst(plan: LookPlan, pairs: list[tuple[Rows, Rows]]) -> Moved:
    """The worst of every histogram, added up."""
    each = [list(moved(plan, here, there)) for here, there in pairs]
    most = [[max(pair[place][side] for pair in each) for place in range(len(plan.paid))] for side in (0, 1)]
    return sum(most[0], Fraction(0)), sum(most[1], Fraction(0))


@pytest.mark.parametrize("delta", ["0", "1/1000"])
def test_the_worst_person_moves_what_is_charged(delta: str) -> None:
    plan = plan_look(schema(person=True, neighbours="add-remove"), Guarantee(1, delta), confidence=0.95)
    pairs = [(OTHERS, [*OTHERS, *person]) for person in PERSONS]
    assert worst(plan, pairs) == charged(plan)
    if delta == "0":
        assert charged(plan) == (Fraction(1), Fraction(0))


@pytest.mark.parametrize("delta", ["0", "1/1000"])
def test_a_person_who_is_exchanged_moves_no_more_than_is_charged(delta: str) -> None:
    plan = plan_look(schema(person=True, neighbours="replace"), Guarantee(1, delta), confidence=0.95)
    pairs = [([*OTHERS, *one], [*OTHERS, *two]) for one in PERSONS for two in PERSONS if one is not two]
    for found, paid in zip(worst(plan, pairs[:6]), charged(plan), strict=True):
        assert found <= paid


def test_a_row_that_is_a_person_moves_what_is_charged() -> None:
    plan = plan_look(schema(person=False, neighbours="add-remove"), Guarantee(1), confidence=0.95)
    assert worst(plan, [(OTHERS, [*OTHERS, *PERSONS[0]])]) == charged(plan) == (Fraction(1), Fraction(0))


def test_half_of_delta_is_for_values_that_appear_and_all_of_it_is_charged() -> None:
    plan = plan_look(schema(person=True, neighbours="add-remove"), Guarantee(1, "1/1000"), confidence=0.95)
    shown = sum((n * own_delta(law) for law, n in plan.loss.terms), Fraction(0))
    assert shown == (Fraction(1, 2000) if plan.joint else Fraction(1, 1000))
    assert plan.loss.keeps(plan.guarantee)
    assert not plan.loss.keeps(Guarantee(Fraction(99, 100), plan.guarantee.delta))
