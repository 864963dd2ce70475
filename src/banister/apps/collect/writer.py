"""The one thread that writes: all requests that wait go into one commit, and each is told when it is on disk."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable

from banister.apps.collect.book import Batch, ReportBook, StorageFull

_MOST_TOGETHER = 500
MOST_WAITING = 5_000
GATHER_SECONDS = 0.01
"""How long the first request of a commit waits for others: fewer commits, each of more people."""
Waiting = tuple[Batch, asyncio.Future[None], asyncio.AbstractEventLoop]


def this_hour() -> int:
    """The hour of now since 1970; no finer time is ever written."""
    return int(time.time() // 3600)


class Writer:
    """Group commit. `put` comes back when the batch is on disk, or was before."""

    def __init__(self, store: ReportBook, hour: Callable[[], int] = this_hour) -> None:
        self.store = store
        self.lock = threading.Lock()
        """Held while the store is used: readers and the writer share one connection."""
        self.commits = 0
        """Goes up with every commit, for those who watch."""
        self._hour = hour
        self._waiting: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self._asides: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        return self._waiting.qsize() > MOST_WAITING

    async def put(self, batch: Batch) -> None:
        """Store a batch."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._waiting.put((batch, done, loop))
        await done

    def aside(self, campaign: int, why: str) -> None:
        """Count a request that was set aside, with the next commit or after a second."""
        if self._asides.qsize() < MOST_WAITING:
            self._asides.put((campaign, why))

    def close(self) -> None:
        """Write what waits, and end."""
        self._waiting.put(None)
        self._thread.join(10)
        with self.lock:
            self.store.close()

    def _run(self) -> None:
        last = False
        while not last:
            together: list[Waiting] = []
            try:
                found = self._waiting.get(timeout=1.0)
                if found is not None:
                    time.sleep(GATHER_SECONDS)
                while found is not None:
                    together.append(found)
                    if len(together) >= _MOST_TOGETHER:
                        break
                    found = self._waiting.get_nowait()
                else:
                    last = True
            except queue.Empty:
                pass
            self._commit(together)

    def _commit(self, together: list[Waiting]) -> None:
        asides = []
        while not self._asides.empty():
            asides.append(self._asides.get())
        if not (together or asides):
            return
        problem: Exception | None = None
        try:
            with self.lock:
                self.store.write([batch for batch, _, _ in together], asides, self._hour())
            self.commits += 1
        except (StorageFull, MemoryError):
            problem = StorageFull()
        for _, done, loop in together:
            loop.call_soon_threadsafe(_settle, done, problem)


def _settle(done: "asyncio.Future[None]", problem: Exception | None) -> None:
    if done.cancelled():
        return
    if problem is None:
        done.set_result(None)
    else:
        done.set_exception(problem)
