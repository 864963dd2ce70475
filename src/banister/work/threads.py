"""Jobs on several threads of this process, for work that NumPy does on long arrays, where Python's own lock is free."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

MOST = 4
"""More threads than this wait for one another: between two arrays each needs Python's lock."""


def cores() -> int:
    """The cores that this process may use, as far as they are of use to threads."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(allowed or 1, MOST)


def on_threads(work: Callable[[Iterator[Job]], Result], jobs: Iterable[Job], threads: int) -> list[Result]:
    """What each thread made of its jobs; whichever is free takes the next one, so what is made must not depend on that.

    The threads end with the call, also with one that fails or is interrupted: they begin no job after that.
    """
    if threads == 1:
        return [work(iter(jobs))]
    taken = _Taken(jobs)

    def part() -> Result:
        try:
            return work(iter(taken))
        except BaseException:  # It is raised again, here and then to the caller; the others need not go on.
            taken.over = True
            raise

    with ThreadPoolExecutor(threads) as pool:
        try:
            return [one.result() for one in [pool.submit(part) for _ in range(threads)]]
        finally:
            taken.over = True


class _Taken(Generic[Job]):
    """Jobs that several threads take from, each job once, until it is `over`."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs, self._lock, self.over = iter(jobs), Lock(), False

    def __iter__(self) -> Iterator[Job]:
        while not self.over:
            with self._lock:
                try:
                    job = next(self._jobs)
                except StopIteration:
                    return
            yield job
