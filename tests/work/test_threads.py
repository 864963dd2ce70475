"""Jobs on threads: each once, errors are raised here, and no thread outlives the call."""

import threading
from collections.abc import Iterator

import pytest

from banister.work.threads import MOST, cores, on_threads


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_job_is_done_once(threads: int) -> None:
    done = on_threads(list, range(100), threads)
    assert len(done) == threads
    assert sorted(job for part in done for job in part) == list(range(100))
    assert all(part == sorted(part) for part in done)  # Each takes the next one.
    assert on_threads(list, [], threads) == [[]] * threads


def test_threads_work_side_by_side() -> None:
    """Two jobs that wait for each other come to an end."""
    meeting = threading.Barrier(2, timeout=60)
    assert sorted(map(len, on_threads(lambda jobs: [meeting.wait() for _ in jobs], range(2), 2))) == [1, 1]


def test_one_thread_is_this_one() -> None:
    assert on_threads(lambda jobs: [threading.get_ident() for _ in jobs], [0], 1) == [[threading.get_ident()]]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_an_error_is_raised_here_and_ends_the_others(threads: int) -> None:
    begun = []

    def work(jobs: Iterator[int]) -> None:
        for job in jobs:
            begun.append(job)
            if job == 3:
                raise ZeroDivisionError
            if job > 10**6:
                pytest.fail("the other threads go on for ever")

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        on_threads(work, range(10**9), threads)
    assert threading.active_count() == before
    assert 3 in begun


def test_an_error_among_the_jobs_is_raised_here() -> None:
    def jobs() -> Iterator[int]:
        yield 1
        raise LookupError

    with pytest.raises(LookupError):
        on_threads(list, jobs(), 2)


def test_there_are_some_cores_and_not_too_many() -> None:
    assert 1 <= cores() <= MOST
