"""Jobs on several processes: each once, whatever happens to the workers."""

import os
import signal

import pytest

from banister.errors import EngineFailed
from banister.work.workers import in_processes


def square(value: int) -> int:
    return value * value


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_job_is_done_once(workers: int) -> None:
    done = list(in_processes(square, range(7), workers))
    assert sorted(done) == [(k, k * k) for k in range(7)]
    assert list(in_processes(square, [], workers)) == []


def test_what_the_work_refers_to_is_there_in_every_process() -> None:
    table = {k: str(k) for k in range(4)}
    assert dict(in_processes(lambda k: (table[k], os.getpid()), [0, 1, 2, 3], 2))[3][0] == "3"
    assert all(pid != os.getpid() for _, (_, pid) in in_processes(lambda k: (table[k], os.getpid()), [0, 1], 2))


def test_an_error_in_a_worker_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_processes(lambda k: 1 // k, [2, 1, 0], 2))


def test_a_worker_that_dies_is_said() -> None:
    def die(job: int) -> int:
        if job == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return job

    with pytest.raises(EngineFailed, match="A worker process ended in the middle of its work"):
        list(in_processes(die, [0, 1, 2], 2))


def test_workers_are_dismissed_when_nobody_wants_more() -> None:
    running = in_processes(lambda k: (k, os.getpid()), list(range(50)), 2)
    _, (_, pid) = next(running)
    running.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
