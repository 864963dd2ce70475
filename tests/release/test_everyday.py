"""Questions as people write them, in the trackers of other tools and as newcomers: noise aside, the answer is SQL's.

The tables are small, epsilon is so large that hardly anything is added, and DuckDB answers the same text directly.
"""

import random
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import banister as bn

SCHEMA = """
[source]
table = "data.parquet"
person = "person_id"
neighbours = "add-remove"
rows = 5
groups = 5

[budget]
epsilon = 450
delta = 1e-6
ledger = "everyday.ledger"

[columns]
drug = { kind = "category", values = ["d0", "d1", "d2", "d3"] }
gap = { kind = "integer", range = [0, 120] }
moment = { kind = "timestamp", range = [2022-01-01, 2022-12-31] }

[tables.person]
table = "person.parquet"
person = "person_id"
rows = 1
groups = 1
columns = { age = { kind = "integer", range = [18, 90] }, region = { kind = "category", values = ["n", "s"] } }
"""

ON = "ON data.person_id = person.person_id"
TRACKERS = (
    f"SELECT COUNT(*) FROM data JOIN person {ON}",
    f"SELECT region, COUNT(*) FROM data JOIN person {ON} GROUP BY region",
    "WITH a AS (SELECT person_id, COUNT(*) AS n FROM data WHERE drug = 'd1' GROUP BY person_id), b AS (SELECT "
    "person_id, MAX(gap) AS g FROM data GROUP BY person_id) SELECT COUNT(*) FROM a JOIN b ON a.person_id = b.person_id "
    "WHERE a.n >= 2 AND b.g > 60",
    "SELECT COUNT(*) FROM (SELECT person_id, gap, MAX(gap) OVER (PARTITION BY person_id) AS m FROM data) x "
    "WHERE gap = m",
    "SELECT COUNT(*) FROM data WHERE person_id IN (SELECT person_id FROM person WHERE age > 60)",
    "SELECT COUNT(*) FROM person WHERE EXISTS (SELECT 1 FROM data WHERE data.person_id = person.person_id "
    "AND drug = 'd1')",
    "SELECT c.class, COUNT(*) FROM data JOIN (VALUES ('d0', 'A'), ('d1', 'A'), ('d2', 'B')) AS c(drug, class) "
    "ON data.drug = c.drug GROUP BY c.class",
    "SELECT CASE WHEN gap < 30 THEN 'short' ELSE 'long' END AS k, COUNT(*) FROM data GROUP BY k",
    "SELECT drug, COUNT(DISTINCT person_id) FROM data WHERE drug IS NOT NULL GROUP BY drug",
    "SELECT drug, COUNT(*) AS n FROM data WHERE drug IS NOT NULL GROUP BY drug HAVING COUNT(*) > 100",
    "SELECT drug, COUNT(*) AS n FROM data WHERE drug IS NOT NULL GROUP BY drug ORDER BY n DESC LIMIT 3",
    "SELECT SUM(gap) / COUNT(*) FROM data",
    f"SELECT CORR(gap, age) FROM data JOIN person {ON}",
)
"""The 13 everyday questions."""

NEWCOMERS = (
    "SELECT COALESCE(drug, 'none') AS d, COUNT(*) FROM data GROUP BY d",
    "SELECT CASE WHEN gap > 60 THEN drug ELSE 'short' END AS k, COUNT(*) AS n FROM data "
    "WHERE drug IS NOT NULL OR gap <= 60 GROUP BY k",
    "SELECT SUM(d) FROM (SELECT person_id, gap - LAG(gap) OVER (PARTITION BY person_id ORDER BY moment) AS d "
    "FROM data) x",
    "SELECT AVG(LEAST(d, 5000000)) FROM (SELECT person_id, DATE_DIFF('second', LAG(moment) OVER (PARTITION BY "
    "person_id ORDER BY moment), moment) AS d FROM data) x WHERE d IS NOT NULL",
    "SELECT drug, COUNT(*) FROM (SELECT * FROM data WHERE drug <> 'd0' QUALIFY ROW_NUMBER() OVER (PARTITION BY "
    "person_id ORDER BY moment DESC) = 1) x GROUP BY drug",
    "SELECT COUNT(*), SUM(n) FROM (SELECT person_id, gap, ROW_NUMBER() OVER (PARTITION BY person_id ORDER BY moment) "
    "AS n FROM data QUALIFY n <= 2 AND gap > 10) x",
    "SELECT COUNT_IF(gap > 60), AVG((gap > 60)::INT), QUANTILE_DISC(gap, 0.5) FROM data",
    "SELECT COUNT(*) FROM data WHERE CAST(moment AS TIME) BETWEEN '08:00' AND '12:30:00' AND moment::TIME <> '09:00'",
    "SELECT COUNT(*) FROM data WHERE moment >= DATE '2022-06-01' - INTERVAL 30 DAY "
    "AND moment < TIMESTAMP '2022-06-01 12:00:00' + INTERVAL '36 hours'",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where, chance = tmp_path_factory.mktemp("everyday"), random.Random(1)
    people = [(one, chance.randint(18, 90), chance.choice("ns")) for one in range(200)]
    rows = [
        (one, chance.choice(["d0", "d1", "d2", "d3", None]), chance.randint(0, 120), chance.randrange(365 * 86_400))
        for one, _, _ in people
        for _ in range(chance.randint(0, 5))
    ]
    data = pd.DataFrame(rows, columns=["person_id", "drug", "gap", "moment"])
    data["moment"] = pd.Timestamp(2022, 1, 1) + pd.to_timedelta(data["moment"], unit="s")
    data.to_parquet(where / "data.parquet")
    pd.DataFrame(people, columns=["person_id", "age", "region"]).to_parquet(where / "person.parquet")
    (where / "everyday.toml").write_text(SCHEMA)
    return where


@pytest.mark.parametrize("question", TRACKERS + NEWCOMERS)
def test_an_everyday_question_has_the_answer_of_sql(question: str, folder: Path) -> None:
    (folder / "everyday.ledger").unlink(missing_ok=True)
    table = bn.open(folder / "everyday.toml")
    found = table.release(table.plan(question, epsilon=450, dialect="duckdb")).table
    with duckdb.connect() as engine:
        for name in ("data", "person"):
            engine.execute(f"CREATE VIEW {name} AS FROM '{folder / name}.parquet'")
        exact = engine.execute(question).fetchall()
    assert len(exact) > 0
    by_key = {_key(row.values()): _numbers(row.values()) for row in found if any(_numbers(row.values()))}
    assert by_key.keys() == {_key(row) for row in exact}
    for row in exact:
        for here, there in zip(by_key[_key(row)], _numbers(row), strict=True):
            assert here == pytest.approx(there, rel=0.02, abs=0.5), question


def _key(row: object) -> tuple[object, ...]:
    return tuple(value for value in row if isinstance(value, str))  # type: ignore[attr-defined]


def _numbers(row: object) -> list[float]:
    return [float(value) for value in row if not isinstance(value, str)]  # type: ignore[attr-defined]
