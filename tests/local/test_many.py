"""Counted reports give the estimate of the reports themselves."""

from pathlib import Path

import duckdb
import numpy as np
import pytest

from banister.errors import BadValue
from banister.local.channels import ALL
from banister.local.channels.base import Channel
from banister.local.document import Survey
from banister.local.many import Engine, engine_of, estimate_parquet, weighted_tally
from tests.seeded import SeededBits

EXAMPLES = [channel for kind in ALL for channel in kind.examples() if not channel.packed]


@pytest.mark.parametrize("channel", EXAMPLES, ids=lambda channel: channel.kind)
def test_a_weighted_tally_is_that_of_all_reports(channel: Channel) -> None:
    drawn = channel.draw(np.arange(3000) % channel.categories, SeededBits(1))
    values, counts = np.unique(drawn, return_counts=True)
    assert np.array_equal(weighted_tally(channel, values, counts), channel.tallied(drawn))


def parquet(path: Path, name: str, values: list[int | None]) -> Path:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE r(channel VARCHAR, report BIGINT)")
    connection.executemany("INSERT INTO r VALUES(?, ?)", [(name, value) for value in values])
    connection.execute(f"COPY r TO '{path}' (FORMAT parquet)")
    return path


def test_files_are_counted_together_and_what_is_foreign_is_set_aside(tmp_path: Path) -> None:
    channel = EXAMPLES[0]
    survey = Survey(channel, [str(x) for x in range(channel.categories)])
    drawn = channel.draw(np.arange(400) % channel.categories, SeededBits(2))
    name = survey.identity[:16]
    one = parquet(tmp_path / "one [1].parquet", name, [*drawn[:200].tolist(), 10**9, -1, None])
    other = parquet(tmp_path / "other.parquet", name, drawn[200:].tolist())
    alien = parquet(tmp_path / "alien.parquet", "f" * 16, [0, 0])
    found = estimate_parquet([one, other, alien], survey)
    assert np.array_equal(found.estimate.frequencies, channel.estimate(drawn).frequencies)
    assert (
        found.aside
        == "3 rows that are no reports of this channel are set aside. 2 reports of another channel are set aside."
    )
    with pytest.raises(BadValue, match="No report in these files"):
        estimate_parquet([alien], survey)
    (tmp_path / "no.parquet").write_text("no")
    with pytest.raises(BadValue, match="cannot be read as Parquet"):
        estimate_parquet([tmp_path / "no.parquet"], survey)
    duckdb.connect().execute(
        f"COPY (SELECT 1 AS channel, 2 AS report) TO '{tmp_path / 'kind.parquet'}' (FORMAT parquet)"
    )
    with pytest.raises(BadValue, match="have the columns channel"):
        estimate_parquet([tmp_path / "kind.parquet"], survey)


@pytest.mark.usefixtures("spark")
def test_spark_counts_the_same_as_duckdb(tmp_path: Path) -> None:
    channel = EXAMPLES[0]
    survey = Survey(channel, [str(x) for x in range(channel.categories)])
    drawn = channel.draw(np.arange(400) % channel.categories, SeededBits(2))
    name = survey.identity[:16]
    one = parquet(tmp_path / "one.parquet", name, [*drawn.tolist(), 10**9, -1, None])
    alien = parquet(tmp_path / "alien.parquet", "f" * 16, [0, 0])
    mine, theirs = (estimate_parquet([one, alien], survey, engine_of(name)) for name in ("duckdb", "spark"))
    assert np.array_equal(mine.estimate.frequencies, theirs.estimate.frequencies)
    assert mine.aside == theirs.aside
    (tmp_path / "no.parquet").write_text("no")
    with pytest.raises(BadValue, match="cannot be read by Spark"):
        estimate_parquet([tmp_path / "no.parquet"], survey, Engine.SPARK)
    duckdb.connect().execute(
        f"COPY (SELECT 1 AS channel, 2 AS report) TO '{tmp_path / 'kind.parquet'}' (FORMAT parquet)"
    )
    with pytest.raises(BadValue, match="have the columns channel"):
        estimate_parquet([tmp_path / "kind.parquet"], survey, Engine.SPARK)
    with pytest.raises(BadValue, match="engine"):
        engine_of("abacus")


def test_rows_of_bits_are_refused(tmp_path: Path) -> None:
    packed = next(channel for kind in ALL for channel in kind.examples() if channel.packed)
    with pytest.raises(BadValue, match="rows of bits"):
        estimate_parquet([tmp_path / "a.parquet"], Survey(packed, list("abcde")))
