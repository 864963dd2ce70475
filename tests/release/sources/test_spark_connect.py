"""Spark Connect without a server: what such a session lacks is not asked for, and what it does late is told apart."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from banister.errors import BadValue, EngineBroke, EngineFailed
from banister.release.dataset import Dataset
from banister.release.indexing import make_index
from banister.release.sources.spark import SparkSource, _failed, is_remote
from tests.release.sources.places import schema


class Planned:
    """A frame that is planned when its schema is asked for, as those of Spark Connect are."""

    def __init__(self, fails: str) -> None:
        self.fails = fails

    @property
    def schema(self) -> str:
        if self.fails == "plan":
            raise RuntimeError("a value of the table")
        return "cell BIGINT"

    def collect(self) -> list[int]:
        if self.fails == "rows":
            raise RuntimeError("a value of the table")
        return [1, 2]


class Session:
    """A session with no context in this process."""

    def __init__(self, fails: str) -> None:
        self.fails = fails

    def sql(self, query: str) -> Planned:
        return Planned(self.fails)

    def __getattr__(self, name: str) -> object:
        raise NotImplementedError(name)


def source(fails: str, *, module: str = "pyspark.sql.connect.session") -> SparkSource:
    there = type("Session", (Session,), {"__module__": module})(fails)
    made = SparkSource.__new__(SparkSource)
    made._session = there
    return made


def test_a_session_of_connect_is_asked_for_no_context() -> None:
    assert len(source("")._work("SELECT 1")) == 2
    assert is_remote(source("")._session)
    with pytest.raises(EngineFailed, match=r"\(NotImplementedError\)\. Nothing was drawn and nothing was charged"):
        source("", module="pyspark.sql.session")._work("SELECT 1")


def test_failing_to_plan_is_free_and_failing_among_rows_is_not() -> None:
    with pytest.raises(EngineFailed, match=r"\(RuntimeError\)\. Nothing was drawn and nothing was charged"):
        source("plan")._work("SELECT 1")
    with pytest.raises(EngineBroke, match=r"Spark could not do the work \(RuntimeError\)\.$"):
        source("rows")._work("SELECT 1")


def test_a_question_too_deep_for_the_stack_says_what_to_do() -> None:
    """The name of the Java side's error holds no value of the table; its words are kept to themselves."""
    kind = SimpleNamespace(getName=lambda: "java.lang.StackOverflowError")
    deep = RuntimeError("a value of the table")
    deep.java_exception = SimpleNamespace(getClass=lambda: kind)  # type: ignore[attr-defined]
    assert "spark.driver.extraJavaOptions=-Xss8m" in str(_failed(deep))
    assert "a value" not in str(_failed(deep)) + str(_failed(RuntimeError("a value of the table")))


def test_of_a_table_on_spark_there_is_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing there moves with every change for sure, so none is kept, and the message says what is safe."""
    dataset = Dataset(schema(person=True, data="spark:data"), folder=Path(), frames={})
    monkeypatch.setattr(Dataset, "source", lambda self: source(""))
    with pytest.raises(BadValue, match=r"does not say for sure whether a table has changed\. Its releases need no"):
        make_index(dataset, "")
