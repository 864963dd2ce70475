"""The same counts by Spark, where Parquet files lie on a cluster."""

from collections.abc import Sequence

import numpy as np

from banister.errors import BadValue, MissingExtra
from banister.tables.frames.counted import CountedColumn

WHOLE = ("tinyint", "smallint", "int", "bigint")


def count_marked_by_spark(paths: Sequence[str], *, mark: str, column: str, wanted: str) -> CountedColumn:
    """Count the whole numbers of `column` in the rows in which the column `mark` says `wanted`.

    The session is the caller's own where one is running, else a new one with Spark's usual settings.
    """
    try:
        from pyspark.sql import SparkSession
        from pyspark.sql import functions as of
    except ImportError:
        raise MissingExtra.naming("pyspark", "spark") from None
    session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    try:
        frame = session.read.parquet(*paths)
        kinds = dict(frame.dtypes)
        if kinds.get(mark) != "string" or kinds.get(column) not in WHOLE:
            raise BadValue(f"Parquet files of reports have the columns {mark} (text) and {column} (whole numbers).")
        own = of.col(mark).eqNullSafe(wanted).alias("own")
        rows = frame.groupBy(own, of.col(column).cast("bigint").alias("number")).count().collect()
    except BadValue:
        raise
    except Exception as error:  # Nothing is swallowed: py4j raises all kinds.
        kind = type(error).__name__
        raise BadValue(f"{', '.join(paths)} cannot be read by Spark as Parquet files of reports ({kind}).") from None
    good = sorted((int(row[1]), int(row[2])) for row in rows if row[0] and row[1] is not None)
    return CountedColumn(
        np.array([value for value, _ in good], dtype=np.int64),
        np.array([count for _, count in good], dtype=np.int64),
        sum(int(row[2]) for row in rows if not row[0]),
        sum(int(row[2]) for row in rows if row[0] and row[1] is None),
    )
