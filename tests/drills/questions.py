"""Random questions about random tables, on one engine or several: no traceback, one answer, no more than claimed.

    python -m tests.drills.questions --engine duckdb --cases 100000
    python -m tests.drills.questions --engine duckdb --engine postgres --cases 10000

For each case a question is written from a grammar (some are spoilt on purpose), about a table of hostile values under a
schema of its own. Then

    refusals   every error is one of ours, and is raised before a row is read;
    agreement  all engines add up the same whole numbers, cell by cell;
    soundness  without one person, or with another in her place, every number moves by what the plan states at most;
    answers    the draws end in numbers, and every interval holds its own answer.
"""

import argparse
import random
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import numpy as np

from banister.errors import BanisterError, EngineFailed
from banister.questions.reading.parser import read_questions
from banister.release.aggregates import ALL
from banister.release.planning.plan import Plan
from banister.release.planning.planner import plan_release
from banister.release.planning.request import PlanRequest
from banister.release.run import Exact, _draw
from banister.release.sources.duckdb import DuckDBSource
from banister.release.sources.sql.compile import Compiler
from banister.release.work import Source, Totals, Work
from banister.tables.schema import Schema
from tests.drills.grammar import DIALECTS, Asker, schema_text
from tests.release.sources.neighbours import added_up, exchanged, less, moved, people, without
from tests.release.sources.places import Tables, as_arrow, in_postgres, in_spark
from tests.release.sources.shop import GOODS, shop_tables
from tests.seeded import SeededBits

BATCH = 12
"""Questions that are asked about one table."""

ROOM = 40_000
"""Cells of a question that is released in a drill; more would take the time of many."""

Load = Callable[[str, Tables], Source]
"""Puts tables where an engine reads them, under a schema whose text is given."""


@dataclass
class Verdict:
    """What was seen."""

    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {what}" for what, count in sorted(self.seen.items()))
        return "\n\n".join([*self.wrong, f"{counts}; {len(self.wrong)} wrong"])


def drill(loads: Sequence[Load], *, cases: int, first: int, seconds: float = float("inf")) -> Verdict:
    """Ask so many questions, counted from `first`, which also seeds them; ends early when the time is over."""
    verdict, until = Verdict(), time.monotonic() + seconds
    batch = first // BATCH
    while batch * BATCH < first + cases and time.monotonic() < until:
        places = range(max(first, batch * BATCH), min(first + cases, (batch + 1) * BATCH))
        with mock.patch.object(Compiler, "query", _once(Compiler.query)):
            _batch(loads, batch, places, verdict)
        batch += 1
    return verdict


def _once(query: Callable[[Compiler, Work], str]) -> Callable[[Compiler, Work], str]:
    """Writing a query takes longer than running it on a small table, and it is the same for both neighbours."""
    written: dict[tuple[str, str], str] = {}

    def remembered(compiler: Compiler, work: Work) -> str:
        key = compiler.dialect.name, repr(work)
        if key not in written:
            written[key] = query(compiler, work)
        return written[key]

    return remembered


def _batch(loads: Sequence[Load], batch: int, places: Sequence[int], verdict: Verdict) -> None:
    """The questions about one table, and about one neighbour of it."""
    chance = random.Random(f"table {batch}")
    person = chance.random() < 0.7
    text = schema_text(chance, person=person)
    tables = shop_tables(batch, rows=chance.choice([0, 1, 14, 40]))
    schema = Schema.of_text(text)
    schema = schema.with_public({"goods": GOODS}) if schema.public else schema
    near = _neighbour(tables, schema, chance)
    here, there = [load(text, tables) for load in loads], loads[0](text, near)
    for place in places:
        one = random.Random(f"question {place}")
        question, dialect = Asker(one, person).question(), one.choice(DIALECTS)
        try:
            verdict.seen[_case(question, dialect, schema, here, there, one)] += 1
        except Exception:  # Whatever it is, it is the find, and the drill goes on.
            told = f"case {place} (--first {place} --cases 1)\n{text}\n{question}\ndialect {dialect}\n"
            verdict.wrong.append(told + traceback.format_exc())


def _case(
    question: str, dialect: str | None, schema: Schema, here: Sequence[Source], there: Source, chance: random.Random
) -> str:
    try:
        plans = _plans(question, dialect, schema, chance)
    except EngineFailed:
        raise
    except BanisterError:
        return "refused"
    for plan in plans:
        if (plan.parts[0].question.cells or 1) > ROOM:
            return "too large to release here"
        found = [added_up(source, plan) for source in here]
        for other in found[1:]:
            _same(found[0], other)
        moved(found[0], added_up(there, plan), plan)
        if chance.randrange(3) == 0:
            _answered(plan, found[0])
    return "answered"


def _plans(question: str, dialect: str | None, schema: Schema, chance: random.Random) -> list[Plan]:
    """A plan for each question of a text, so that each is looked at by itself."""
    found = read_questions(question, schema, aggregates=ALL, dialect=dialect)
    epsilon, delta = chance.choice(["0.01", "0.5", "1", "10"]), chance.choice(["0", "1e-6", "1e-6"])
    check = chance.choice(["0", "0", "0.1"])
    asked = [PlanRequest.of([one], epsilon=epsilon, delta=delta, check_bounds=check) for one in found]
    return [plan_release(request, schema) for request in asked]


def _neighbour(tables: Tables, schema: Schema, chance: random.Random) -> Tables:
    """The tables without one person, or with another in her place; a row is a person where none is declared."""
    stranger = shop_tables(chance.randrange(10**6), rows=6)
    replaced = schema.neighbours.value == "replace"
    if schema.main.person is not None:
        who = chance.choice(people(tables) or [1])
        return exchanged(tables, who, stranger) if replaced else without(tables, who)
    if not tables["data"]:
        return tables
    rest = less(tables["data"], chance.randrange(len(tables["data"])))
    return {**tables, "data": [*rest, stranger["data"][0]] if replaced else rest}


def _same(one: Sequence[Totals], other: Sequence[Totals]) -> None:
    for a, b in zip(one, other, strict=True):
        assert a.labels == b.labels, (a.labels, b.labels)
        assert np.array_equal(a.values, b.values), (a.values, b.values)
        assert (a.rungs is None) == (b.rungs is None)
        assert a.rungs is None or np.array_equal(a.rungs, b.rungs)  # type: ignore[arg-type]


def _answered(plan: Plan, found: Sequence[Totals]) -> None:
    part = plan.parts[0]
    rest, beyond = (list(found[:-1]), found[-1]) if part.beyond is not None else (list(found), None)
    start = len(rest) - len(part.ladders)
    empty = Totals(values=np.zeros((0, part.question.cells or 0), dtype=np.int64), labels=None)
    exact = Exact(rest[0] if start else empty, tuple(rest[start:]), beyond)
    table = _draw(part, exact, 0.95, SeededBits(2))
    assert set(table.columns) == {*table.names, *table.answers}
    for name, answer in table.answers.items():
        near = 1e-9 * np.maximum(1, np.abs(answer.values))
        missing = (
            np.isnan(answer.values) if name in dict(part.question.after.made) else np.zeros(len(table), dtype=bool)
        )
        assert (np.isfinite(answer.values) | missing).all(), name
        inside = (answer.low <= answer.values + near) & (answer.values <= answer.high + near)
        assert (inside | missing).all(), name
    assert str(plan)


def _in_duckdb(text: str, tables: Tables) -> Source:
    frames = {name: as_arrow(name, rows) for name, rows in tables.items()}
    schema = Schema.of_text(text)
    declared = {table.name for table in schema.tables}
    kept = {name: frame for name, frame in frames.items() if name in declared}
    return DuckDBSource(schema, folder=Path(tempfile.gettempdir()), frames=kept)


def _opened(engine: str, stack: ExitStack) -> Load:
    if engine == "duckdb":
        return _in_duckdb
    if engine == "postgres":
        from tests.postgres import server

        address = stack.enter_context(server())
        return lambda text, tables: in_postgres(
            Schema.of_text(re.sub(r'table = "\w+\.parquet"', f'table = "{address}"', text)), tables, address
        )
    from tests.spark import build

    session = build()
    stack.callback(session.stop)
    return lambda text, tables: in_spark(Schema.of_text(text), tables, session)


def main() -> int:
    """Read the words of the command, and drill."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=["duckdb", "postgres", "spark"])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end early, and tell how many were asked")
    words = parser.parse_args()
    with ExitStack() as stack:
        engines = [_opened(engine, stack) for engine in words.engine or ["duckdb"]]
        verdict = drill(engines, cases=words.cases, first=words.first, seconds=words.seconds)
    print(verdict)
    return 1 if verdict.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
