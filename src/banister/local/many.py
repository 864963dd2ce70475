"""Very many reports: engines count how often each came, and the estimate needs no more."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from banister import need
from banister.core.programs.linear import Ints
from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.document import Survey
from banister.local.estimates import Estimate
from banister.tables.frames.counted import count_marked

PARQUET = ".parquet"
_HASH_DIGITS = 16


@dataclass(frozen=True, slots=True, eq=False)
class CountedReports:
    """An estimate from counted reports, and how many rows were set aside."""

    estimate: Estimate
    aside: str


class Engine(Enum):
    """Who counts.

    >>> Engine("spark") is Engine.SPARK
    True
    """

    DUCKDB = "duckdb"
    SPARK = "spark"


def engine_of(name: str) -> Engine:
    """The engine of a name.

    >>> engine_of("duckdb")
    <Engine.DUCKDB: 'duckdb'>
    """
    return Engine(need.one_of("engine", name, tuple(one.value for one in Engine)))


def estimate_parquet(paths: Sequence[Path], survey: Survey, engine: Engine = Engine.DUCKDB) -> CountedReports:
    """Estimate from Parquet files with the columns channel and report, as CSV files of reports have them.

    Counting is all that is asked of the engine, so a billion rows take what counting them takes.
    """
    channel = survey.channel
    if channel.packed:
        raise BadValue(
            f"Reports of {channel.kind.replace('-', ' ')} are rows of bits; Parquet files hold whole numbers."
        )
    wanted = survey.identity[:_HASH_DIGITS]
    if engine is Engine.SPARK:
        from banister.tables.frames.counted_spark import count_marked_by_spark

        found = count_marked_by_spark([str(path) for path in paths], mark="channel", column="report", wanted=wanted)
    else:
        found = count_marked(paths, mark="channel", column="report", wanted=wanted)
    able = (found.values >= 0) & (found.values < channel.outputs)
    malformed = found.malformed + int(found.counts[~able].sum())
    values, counts = found.values[able], found.counts[able]
    if not values.size:
        raise BadValue("No report in these files is of this channel; estimate with the channel that made them.")
    told = channel.unbiased_from(weighted_tally(channel, values, counts), int(counts.sum()), int(counts.max()))
    words = (
        (malformed, "rows that are no reports of this channel are"),
        (found.foreign, "reports of another channel are"),
    )
    return CountedReports(told, " ".join(f"{count:,} {what} set aside." for count, what in words if count))


def weighted_tally(channel: Channel, values: Ints, counts: Ints) -> Ints:
    """The tally of reports that came so often: tallies add up, so each binary digit of the counts is tallied once.

    >>> from banister.local import RandomizedResponse
    >>> import numpy as np
    >>> weighted_tally(RandomizedResponse(1, categories=3), np.array([0, 2]), np.array([5, 2])).tolist()
    [5, 0, 2]
    """
    total = channel.tallied(values[:0])
    for digit in range(int(counts.max()).bit_length()):
        total = total + (channel.tallied(values[counts >> digit & 1 == 1]) << digit)
    return total
