"""Work that takes long: one thread each, told about stage by stage, stopped where it can still be stopped.

A piece of work is a function that is handed a `Teller`. It says a few words before each stage; where somebody has asked
to stop, that call does not come back. So a stage begins whole or not at all. What must not be left in the middle (a
charge and what it pays for) begins with `last`: until then it can be stopped, afterwards not.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass

from banister.errors import BadValue, BanisterError

_PAUSE_SECONDS = 0.05
_QUIET_ROUNDS = 200
"""After so many rounds without news a line is sent all the same, so that a lost connection is noticed."""


class _Stopped(Exception):
    """Somebody asked to stop; it carries the thread out of the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """How far a job is: its stage in words, and at the end where its result is, or why there is none."""

    stage: str
    stoppable: bool = True
    finished: bool = False
    result: str = ""
    refusal: str = ""
    share: float = -1.0
    """How much of it is done, from 0 to 1; below 0 where that is not known."""


class Teller:
    """What work calls between its stages."""

    __slots__ = ("_set", "_stop", "_stoppable")

    def __init__(self, tell: Callable[[JobState], None], stop: threading.Event) -> None:
        self._set = tell
        self._stop = stop
        self._stoppable = True

    def __call__(self, stage: str, share: float = -1.0) -> None:
        """Say what begins now, and how much is done where that is known; the last chance to stop before it."""
        if self._stoppable and self._stop.is_set():
            raise _Stopped
        self._set(JobState(stage=stage, stoppable=self._stoppable, share=share))

    def last(self, stage: str) -> None:
        """The same, for the stage from which on nothing can be stopped."""
        self(stage)
        self._stoppable = False
        self(stage)


Work = Callable[[Teller], str]
"""What is done; it gives the address at which its result is seen."""


class Job:
    """One piece of work in its own thread."""

    __slots__ = ("_lock", "_state", "_stop", "_thread", "again", "title")

    def __init__(self, title: str, work: Work, *, again: str) -> None:
        self.title = title
        self.again = again
        """The address from which it was started, for who wants to change something."""
        self._state = JobState(stage="starting")
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def state(self) -> JobState:
        with self._lock:
            return self._state

    def stop(self) -> None:
        """Ask it to end before its next stage."""
        self._stop.set()

    def wait(self, seconds: float) -> JobState:
        """Its state once it has ended, or after so long."""
        self._thread.join(seconds)
        return self.state

    def _run(self, work: Work) -> None:
        try:
            self._set(JobState(stage="done", finished=True, result=work(Teller(self._set, self._stop))))
        except _Stopped:
            self._set(JobState(stage="stopped", finished=True, refusal="It was stopped. Nothing was paid."))
        except BanisterError as error:
            self._set(JobState(stage="refused", finished=True, refusal=str(error)))
        except BaseException as error:
            # Who watches must hear of it; the words of a stranger's error may hold data, so its kind alone is shown.
            words = f"The program failed ({type(error).__name__}). Look at the account to see whether it was paid."
            self._set(JobState(stage="failed", finished=True, refusal=words))
            raise

    def _set(self, state: JobState) -> None:
        with self._lock:
            self._state = state


class Jobs:
    """All work of a server by its keys: under one key a thing is done once, however often it is asked for."""

    __slots__ = ("_jobs", "_lock")

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def once(self, key: str, make: Callable[[], Job]) -> Job:
        """The job under a key; made and started if there is none, or if the one that there was ended in nothing."""
        with self._lock:
            found = self._jobs.get(key)
            if found is None or (found.state.finished and not found.state.result):
                found = self._jobs[key] = make()
                found.start()
            return found

    def find(self, key: str) -> Job:
        with self._lock:
            found = self._jobs.get(key)
        if found is None:
            raise BadValue("This work is not known here: the server was started again. Look at the account.")
        return found


async def events(job: Job) -> AsyncIterator[str]:
    """The states of a job as server-sent events, each when it changes, the last when it has ended."""
    shown: JobState | None = None
    quiet = 0
    while True:
        state = job.state
        quiet += 1
        if state != shown:
            yield f"data: {json.dumps(asdict(state))}\n\n"
            shown, quiet = state, 0
        elif quiet > _QUIET_ROUNDS:
            yield ": still here\n\n"
            quiet = 0
        if state.finished:
            return
        await asyncio.sleep(_PAUSE_SECONDS)
