"""The totality matrix in Spark: every stored type, every declared range, every extreme value.

Run: python -m tests.drills.matrix. For DuckDB and PostgreSQL it is among the tests: tests/release/sources.
"""

from collections.abc import Sequence

from banister.release.sources.spark import SparkDialect
from banister.release.work import Physical
from tests.release.sources.matrix import check
from tests.release.sources.stored import (
    DOUBLES,
    ENDLESS,
    SINGLES,
    Row,
    days,
    decimals,
    floats,
    integers,
    moments,
    texts,
    truths,
)
from tests.spark import build

AT_ONCE = 40
"""So many expressions in one query: more take Spark longer to plan than to answer one by one."""

SPARK = (
    *integers("TINYINT", "SMALLINT", "INT", "BIGINT"),
    floats("DOUBLE", DOUBLES),
    floats("FLOAT", (*SINGLES, *ENDLESS)),
    *(decimals(f"DECIMAL({p}, {s})", p, s) for p, s in ((38, 0), (38, 38), (38, 10), (38, 1), (18, 3), (4, 1))),
    days("DATE"),
    moments("TIMESTAMP_NTZ", Physical.TIMESTAMP),
    moments("TIMESTAMP", Physical.ZONED),
    texts("STRING", "spark"),
    truths("BOOLEAN"),
)


def main() -> None:
    session, dialect = build(), SparkDialect()
    for ansi in ("true", "false"):
        session.conf.set("spark.sql.ansi.enabled", ansi)
        for stored in SPARK:

            def ask(kind: str, rows: Sequence[Row], questions: Sequence[str]) -> list[list[object]]:
                values = [f"SELECT {place} AS n, CAST({value} AS {kind}) AS x" for place, (value, _) in enumerate(rows)]
                session.sql(" UNION ALL ".join(values)).coalesce(1).localCheckpoint().createOrReplaceTempView("t")
                found: list[list[object]] = [[place] for place in range(len(rows))]
                for start in range(0, len(questions), AT_ONCE):
                    some = questions[start : start + AT_ONCE]
                    named = ", ".join(f"{question} AS q{i}" for i, question in enumerate(some))
                    for row in session.sql(f"SELECT n, {named} FROM t").collect():
                        found[row["n"]].extend(row[f"q{i}"] for i in range(len(some)))
                return found

            right = check(stored, dialect, ask, alone=False)
            print(f"Spark (ANSI {ansi}) {stored.name}: {right} answers, none failed, none left its range", flush=True)
    session.stop()


if __name__ == "__main__":
    main()
