"""Jobs on several processes, each of which is handed the work once and the jobs one by one."""

import multiprocessing
import signal
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import TypeVar, cast

from banister.errors import EngineFailed

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_processes(
    work: Callable[[Job], Result], jobs: Sequence[Job], workers: int
) -> Generator[tuple[Job, Result], None, None]:
    """Each job with its result, as they are finished, in any order.

    What `work` refers to (a graph, say) goes to a process once, when it starts: by forking where that exists, so that
    it is not even copied. One worker, or one job, needs no process at all.
    """
    if workers == 1 or len(jobs) <= 1:
        for job in jobs:
            yield job, work(job)
        return
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    left, crew, busy = list(reversed(jobs)), [], {}
    try:
        for _ in range(min(workers, len(jobs))):
            here, there = context.Pipe()
            process = context.Process(target=_serve, args=(work, there), daemon=True)  # type: ignore[attr-defined]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # Forking is safe: no thread of ours holds a lock.
                process.start()
            there.close()  # So that the end of the process is seen here.
            crew.append(process)
            busy[here] = left.pop()
            here.send(busy[here])
        while busy:
            for ready in wait(list(busy)):
                pipe = cast("Connection[Job, tuple[Result, Exception | None]]", ready)
                yield busy.pop(pipe), _result(pipe)
                if left:
                    busy[pipe] = left.pop()
                    pipe.send(busy[pipe])
    finally:
        for process in crew:
            process.terminate()
            process.join()


def _serve(work: Callable[[Job], Result], pipe: "Connection[tuple[Result | None, Exception | None], Job]") -> None:
    """A worker's life: it ends when it is dismissed, or when whoever started it is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Who presses Ctrl-C means the program; it dismisses the workers.
    parent = multiprocessing.parent_process()
    while parent is not None and pipe in wait([pipe, parent.sentinel]):
        with suppress(EOFError, BrokenPipeError):
            job = pipe.recv()
            try:
                pipe.send((work(job), None))
            except Exception as error:  # Raised again where the work was asked for.
                pipe.send((None, error))
            continue
        return


def _result(pipe: "Connection[Job, tuple[Result, Exception | None]]") -> Result:
    try:
        result, error = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise EngineFailed(
            "A worker process ended in the middle of its work, perhaps for lack of memory. Take fewer workers; what "
            "was saved is not lost."
        ) from None
    if error is not None:
        raise error
    return result
