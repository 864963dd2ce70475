"""Every question gives the same exact aggregates on DuckDB, PostgreSQL and Spark."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from banister.errors import BadValue, EngineFailed
from banister.release.run import works
from banister.release.sources.postgres import PostgresSource
from banister.release.work import Source, Totals
from banister.tables.schema import Schema
from tests.release.sources.places import (
    ROWS,
    TABLES,
    Place,
    Rows,
    in_duckdb,
    in_postgres,
    planned,
    random_tables,
    schema,
)
from tests.seeded import SeededBits
from tests.sizes import LONG

ROW_QUESTIONS = (
    "SELECT COUNT(*) FROM data",
    "SELECT plan, COUNT(*), SUM(visits), AVG(income) FROM data GROUP BY plan",
    "SELECT ok, BIN(income) b, COUNT(*), SUM(visits * 2.5 - ABS(income)) FROM data "
    "WHERE NOT (visits > 3 AND site = 'a') GROUP BY ok, b",
    "SELECT visits, COUNT(income), VARIANCE(income) FROM data WHERE plan LIKE '%e' OR plan IS NULL GROUP BY 1",
    "SELECT site, COUNT(*), SUM(LEAST(visits, income / 4)) FROM data GROUP BY site",
    "SELECT site, plan, COUNT(*) FROM data WHERE site <> 'b' GROUP BY site, plan",
    "SELECT COUNT(*) FROM data WHERE visits IN (3, 5) OR income BETWEEN 0 AND 0.5 OR site IN ('c', 'd')",
    "SELECT SUM(CASE WHEN MOD(visits, 3) = 1 THEN income WHEN ok = TRUE THEN 2 END), "
    "SUM(COALESCE(visits, 7)) FROM data",
    "SELECT SUM(GREATEST(visits, -income, 1)), COUNT(site) FROM data WHERE income IS NOT NULL",
    "SELECT plan, MEDIAN(visits), QUANTILE(income, 0.25) FROM data GROUP BY plan",
    "SELECT site, ok, COUNT(*), MEDIAN(visits), QUANTILE(income, 0.25) FROM data GROUP BY site, ok",
    "SELECT COUNT(*) FROM data WHERE plan LIKE 'zz%'",
    "SELECT COUNT(*) FROM data WHERE NOT plan LIKE 'zz%'",
    "SELECT ok, SUM(far), SUM(cost), AVG(far * 3 - visits), MEDIAN(far) FROM data WHERE cost > 0.01 GROUP BY ok",
    "SELECT code, site, COUNT(*), SUM(cost) FROM data GROUP BY code, site",
    "SELECT came, COUNT(*), SUM(LEAST(GREATEST(went - came, 0), 90)) FROM data GROUP BY came",
    "SELECT YEAR(came) AS y, EXTRACT(QUARTER FROM went), MONTH(came), COUNT(*) FROM data "
    "WHERE came BETWEEN '1970-01-01' AND DATE '1972-02-29' OR went IS NULL GROUP BY 1, 2, 3",
    "SELECT DATE_TRUNC('week', went) AS w, COUNT(came), MEDIAN(came), AVG(went - came) FROM data "
    "WHERE came IN ('1972-02-29', CAST('1969-12-31' AS DATE)) OR MONTH(went) <> 2 GROUP BY w",
    "SELECT COALESCE(plan, 'none') AS s, COUNT_IF(visits > 3), AVG((income > 5)::INT), SUM(CAST(ok = TRUE AS INT)), "
    "QUANTILE_DISC(visits, 0.25), PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY income) FROM data "
    "WHERE came < went + INTERVAL 30 DAY OR came >= DATE '1972-03-01' - INTERVAL '2 weeks' GROUP BY s",
    "SELECT plan, QUANTILE(went - 30, 0.9), MEDIAN(COALESCE(came, went, DATE '1970-01-01')), "
    "SUM(CASE WHEN went < came THEN 1 ELSE 0 END) FROM data GROUP BY plan",
    "SELECT plan, SUM(ROUND(income)) FILTER (WHERE visits > 1), COUNT(site) FILTER (WHERE NOT ok = TRUE), "
    "SUM(FLOOR(income / 7) - CEIL(cost)), SUM(ROUND(-cost, 1)), SUM(ROUND(far, -3)) FROM data GROUP BY plan",
    "SELECT CASE WHEN visits < 3 THEN 'few' WHEN income > 5 THEN 'rich' WHEN ok = TRUE THEN 'few' END AS k, "
    "NOT (visits > 3 OR site = 'a') AS truth, COUNT(*), SUM(visits) FROM data GROUP BY ALL",
    "SELECT ISODOW(came) AS d, MOD(visits, 3) - 1 AS m, COUNT(*) FROM data GROUP BY d, 2",
    "SELECT CASE plan WHEN 'free' THEN 7 ELSE -1 END AS k, FLOOR(income / 10) AS f, COUNT(*) FROM data GROUP BY k, f",
    "SELECT plan, SUM(SQRT(GREATEST(income, 0))), SUM(LN(GREATEST(cost, 0.5))), SUM(EXP(visits / 3)), "
    "SUM(POWER(GREATEST(income, 0.5), -1.5)), SUM(LOG10(ABS(far) + 1)), SUM(SIGN(far)) FROM data GROUP BY plan",
    "SELECT SUM(income / GREATEST(visits, 1)), SUM(ROUND(far / NULLIF(visits, 0), 2)), SUM(cost / NULLIF(far, 0)), "
    "SUM(POWER(visits, 3)), SUM(ROUND(SQRT(ABS(far)), 1)), COUNT(NULLIF(visits, 5)) FROM data WHERE visits / (ABS(far) "
    "+ 1) < 0.25 OR LN(visits + 20) > 3",
    "SELECT plan, COUNT(DISTINCT site), COUNT(*), COUNT(DISTINCT visits), MEDIAN(visits) FROM data GROUP BY plan",
    "SELECT COUNT(DISTINCT plan), COUNT(DISTINCT code), COUNT(DISTINCT ROUND(income, -1)), COUNT(DISTINCT came) "
    "FROM data",
    "SELECT BIN(visits, 4) b, BIN(income - 3, 7) AS c, COUNT(*) FROM data GROUP BY b, c",
    "SELECT site, DATE_TRUNC('quarter', came) q, COUNT(*) FROM data WHERE NOT (came > '1970-01-31') GROUP BY site, q",
)
PERSON_QUESTIONS = (
    *ROW_QUESTIONS,
    "SELECT plan, COUNT(DISTINCT who), COUNT(*), AVG(visits) FROM data GROUP BY plan",
    "SELECT COUNT(DISTINCT who), AVG(age) FROM data JOIN people ON data.who = people.who",
    "SELECT plan, COUNT(*), AVG(age) FROM data LEFT JOIN people USING (who) WHERE age IS NULL OR age > 3 GROUP BY plan",
    "SELECT AVG(t), SUM(t), MEDIAN(t) FROM (SELECT who, SUM(visits) AS t, MAX(income) AS m FROM data "
    "WHERE ok = TRUE GROUP BY who) p WHERE m < 50",
    "WITH p AS (SELECT who, plan, COUNT(*) AS n, MIN(income) AS low FROM data GROUP BY who, plan) "
    "SELECT plan, SUM(n), AVG(low) FROM p GROUP BY plan",
    "SELECT DATE_TRUNC('year', first) AS y, COUNT(*), AVG(last - first), MEDIAN(first) FROM "
    "(SELECT who, MIN(came) AS first, MAX(went) AS last FROM data GROUP BY who) p GROUP BY y",
    "SELECT went, SUM(n) FROM (SELECT who, went, COUNT(came) AS n FROM data GROUP BY who, went) p GROUP BY went",
)


def exact(source: Source, asked: Schema, question: str) -> list[tuple[object, list[list[int]]]]:
    """Labels and totals of every piece of work, with the same keys for the choice of groups each time."""
    plan = planned(question, asked)
    found = [source.totals(work) for work in works(plan.parts[0], SeededBits(7))]
    return [(_where(totals), totals.values.tolist()) for totals in found]


def _where(totals: Totals) -> object:
    return totals.labels if totals.rungs is None else (totals.labels, totals.rungs.tolist())


ONE_GROUP = "SELECT {0}, COUNT(DISTINCT who), COUNT(income), AVG(income), SUM(visits) FROM data GROUP BY {0}"


@pytest.mark.parametrize("key", ["plan", "site", "plan, site"])
def test_the_one_group_of_a_person_is_the_same_on_both_engines(key: str, postgres: str, tmp_path: Path) -> None:
    bounds, question = "rows = 3\ngroups = 1", ONE_GROUP.format(key)
    here, there = schema(person=True, bounds=bounds), schema(person=True, bounds=bounds, data=postgres)
    duck, server = in_duckdb(here, TABLES, tmp_path), in_postgres(there, TABLES, postgres)
    assert exact(duck, here, question) == exact(server, there, question)


def tables(person: bool) -> Mapping[str, Rows]:
    return TABLES if person else {"data": ROWS}


@pytest.mark.parametrize("person", [False, True])
@pytest.mark.parametrize("seed", [None, 1])
def test_every_question_gives_the_same_on_every_engine(
    person: bool, seed: int | None, other_place: Place, tmp_path: Path
) -> None:
    """The fixed table, then random ones."""
    whole = TABLES if seed is None else random_tables(seed)
    given = whole if person else {"data": whole["data"]}
    here, there = schema(person=person), other_place.schema(person=person)
    duck, engine = in_duckdb(here, given, tmp_path), other_place.load(there, given)
    questions = PERSON_QUESTIONS if person else ROW_QUESTIONS
    # Spark takes a second for each question: on random tables every third one, unless there is time.
    every = 1 if LONG or (person and (seed is None or other_place.engine != "spark")) else 2 if seed is None else 3
    for question in questions[::every]:
        assert exact(engine, there, question) == exact(duck, here, question), question


def test_an_empty_table_is_all_zeros(postgres: str, tmp_path: Path) -> None:
    question = "SELECT plan, COUNT(*), SUM(visits) FROM data GROUP BY plan"
    for person in (False, True):
        none: Mapping[str, Rows] = {name: [] for name in tables(person)}
        here, there = schema(person=person), schema(person=person, data=postgres)
        for source, asked in ((in_duckdb(here, none, tmp_path), here), (in_postgres(there, none, postgres), there)):
            assert not np.any(exact(source, asked, question)[0][1])


def test_a_server_that_is_not_there_is_named_without_a_word_from_it(postgres: str) -> None:
    away = postgres.rsplit(":", 1)[0] + ":1/postgres"
    with pytest.raises(EngineFailed, match="check host, database and user"):
        PostgresSource(schema(person=False, data=away))
    with pytest.raises(BadValue, match='The database has no table "elsewhere"'):
        PostgresSource(
            Schema.of_text(
                f'[source]\ntable = "{postgres}"\nname = "elsewhere"\nneighbours = "replace"\n'
                '[columns]\nx = { kind = "category" }'
            )
        )


def test_a_server_that_goes_away_in_the_middle_is_an_error_of_its_own(postgres: str) -> None:
    asked = schema(person=False, data=postgres)
    source = in_postgres(asked, {"data": ROWS}, postgres)
    source._address = postgres.rsplit(":", 1)[0] + ":1/postgres"  # type: ignore[attr-defined]
    with pytest.raises(EngineFailed, match="Nothing was drawn and nothing was charged"):
        exact(source, asked, "SELECT COUNT(*) FROM data")
