"""The drill of random questions in its short form; `make drill` runs the long one. And the judge itself is tried."""

import random
import re
from collections.abc import Mapping, Sequence

import pytest

from banister.release.work import Physical, Source, Totals, Work
from banister.tables.schema import Schema, Table
from tests.drills import questions
from tests.drills.grammar import Asker, schema_text
from tests.drills.questions import _in_duckdb, drill
from tests.release.sources.places import Tables, in_postgres
from tests.sizes import sized


def test_random_questions_hold() -> None:
    cases = sized(200, 2000)
    found = drill([_in_duckdb], cases=cases, first=0)
    assert not found.wrong, str(found)
    assert found.seen["answered"] > 0.4 * cases, "most questions of the grammar should be sensible"
    assert found.seen["refused"] > 0.1 * cases, "some should not"


@pytest.mark.slow
def test_two_engines_add_up_the_same(postgres: str) -> None:
    def there(text: str, tables: Tables) -> Source:
        placed = re.sub(r'table = "\w+\.parquet"', f'table = "{postgres}"', text)
        return in_postgres(Schema.of_text(placed), tables, postgres)

    found = drill([_in_duckdb, there], cases=sized(30, 200), first=10_000)
    assert not found.wrong, str(found)


class Wrong:
    """An engine that adds a little more than it should, or fails, once there are rows."""

    def __init__(self, inner: Source, more: int | None) -> None:
        self.inner, self.more = inner, more

    def describe(self, table: Table) -> Mapping[str, Physical]:
        return self.inner.describe(table)

    def totals(self, work: Work) -> Totals:
        found = self.inner.totals(work)
        if self.more is None:
            raise ZeroDivisionError("one of a row's values was 0")
        return Totals(values=found.values + self.more, labels=found.labels, rungs=found.rungs)


def judged(more: Sequence[int | None]) -> questions.Verdict:
    """What the judge says when the engine of the table, and that of the neighbour, are off by so much."""
    turn = iter(range(10**6))

    def load(text: str, tables: Tables) -> Source:
        return Wrong(_in_duckdb(text, tables), more[next(turn) % len(more)])

    return drill([load], cases=24, first=0)


def test_the_judge_sees_a_neighbour_that_moves_too_far() -> None:
    assert not judged([0, 0]).wrong
    found = judged([0, 10**9])
    assert "AssertionError" in found.wrong[0]
    assert found.wrong[0].startswith("case ")


def test_the_judge_sees_an_engine_that_fails() -> None:
    assert "ZeroDivisionError" in judged([0, None]).wrong[0]


def test_the_judge_sees_engines_that_differ() -> None:
    turn = iter(range(10**6))

    def other(text: str, tables: Tables) -> Source:
        return Wrong(_in_duckdb(text, tables), next(turn) + 1)

    assert drill([_in_duckdb, other], cases=24, first=0).wrong


def test_questions_and_schemas_come_from_the_seed_alone() -> None:
    once, twice = (Asker(random.Random(5), True) for _ in range(2))
    assert [once.question() for _ in range(20)] == [twice.question() for _ in range(20)]
    assert len({schema_text(random.Random(seed), person=True) for seed in range(50)}) > 40
