"""The working precision of certified arithmetic, which FLINT keeps once for the whole process.

Two threads that set it for themselves would take it from each other: a ball computed in the middle would be wider
than its reader believes. So one thread at a time computes with balls. A fork in the middle neither leaves the child
waiting for a thread that it does not have, nor hands it that thread's precision.
"""

import threading
from types import TracebackType

from flint import ctx

from banister.forks import WATCH, in_every_child


class _Desk:
    """Who computes with balls at the moment: one thread, as deep as its blocks are nested."""

    __slots__ = ("depth", "holder", "lock", "mark", "usual")

    def __init__(self) -> None:
        self.usual: int = ctx.prec
        self.lock = threading.RLock()
        self.holder, self.depth = 0, 0
        self.mark = WATCH.mark()

    def sit(self) -> None:
        if self.mark is not WATCH.mark():
            self.after_a_fork()
        self.lock.acquire()
        self.holder = threading.get_ident()
        self.depth += 1

    def rise(self) -> None:
        if self.mark is not WATCH.mark():
            self.after_a_fork()
        self.depth -= 1
        if not self.depth:
            self.holder = 0
        self.lock.release()

    def after_a_fork(self) -> None:
        """In the child only the thread that forked goes on: what another held is free, what it held itself it keeps."""
        self.mark = WATCH.mark()
        self.lock = threading.RLock()
        if self.holder == threading.get_ident():
            for _ in range(self.depth):
                self.lock.acquire()
        else:
            self.holder, self.depth = 0, 0
            ctx.prec = self.usual


_DESK = _Desk()
in_every_child(_DESK.after_a_fork)


class precision:  # noqa: N801 It is read as a word of a with statement.
    """Work with that many bits in certified arithmetic, for the time of the block; other threads wait.

    >>> with precision(300):
    ...     ctx.prec
    300
    """

    __slots__ = ("_before", "_bits")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        _DESK.sit()
        self._before = ctx.prec
        ctx.prec = self._bits

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ctx.prec = self._before
        _DESK.rise()
