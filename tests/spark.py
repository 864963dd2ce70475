"""A real Spark session for tests, in local mode. Where there is no Java the tests that need one are left out, and the
end of the run says so; with BANISTER_NEED_SPARK=1, as in continuous integration, that is a failure instead."""

import os
import shutil
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NO_SPARK = "no Spark session could be started: install Java 17 (Debian's openjdk-17-jre-headless)"


def build() -> "SparkSession":
    """A session on one thread of this machine, quick for small tables: no web page, no compiled code, one partition."""
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.log.level", "OFF")
        .config("spark.driver.extraJavaOptions", "-Xss8m")  # Long questions are deep trees; see the guide.
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.warehouse.dir", "/tmp/banister-spark")
        .getOrCreate()
    )


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    """One session for all tests of a process."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        if os.environ.get("BANISTER_NEED_SPARK") == "1":
            pytest.fail(NO_SPARK)
        pytest.skip(NO_SPARK)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = build()
        yield session
        session.stop()
