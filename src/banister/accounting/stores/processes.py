"""What a process must know of itself: whether it is still the one that opened something, or a child of that one."""

import atexit
import os
import threading
import weakref
from typing import Protocol

from banister import forks


class Carried(Protocol):
    """What holds something open that a child must not inherit."""

    def close(self) -> None:
        """Let go of everything."""
        ...

    def before_fork(self) -> None:
        """Finish what is under way."""
        ...

    def after_fork_in_parent(self) -> None:
        """Go on."""
        ...

    def after_fork_in_child(self) -> None:
        """Let go of what belongs to the parent."""
        ...


class Process:
    """The process that made this value; `is_this` says whether we are still in it.

    >>> Process().is_this()
    True
    """

    __slots__ = ("_mark",)

    def __init__(self) -> None:
        self._mark = forks.WATCH.mark()

    def is_this(self) -> bool:
        """Whether we are still in that process."""
        return forks.WATCH.mark() is self._mark


class _Watch:
    """Everything open in this process that minds forks. It decides nothing: it only passes on that one happens."""

    def __init__(self) -> None:
        self._open: weakref.WeakSet[Carried] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._held: list[Carried] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._before, after_in_parent=self._in_parent, after_in_child=self._in_child)
        atexit.register(self._at_exit)

    def add(self, one: Carried) -> None:
        with self._lock:
            self._open.add(one)

    def discard(self, one: Carried) -> None:
        with self._lock:
            self._open.discard(one)

    def _at_exit(self) -> None:
        """A program that ends without closing leaves nothing half open, as long as it ends in the usual way."""
        with self._lock:
            left = list(self._open)
        for one in left:
            one.close()

    def _before(self) -> None:
        self._lock.acquire()
        self._held = list(self._open)
        for one in self._held:
            one.before_fork()

    def _in_parent(self) -> None:
        for one in self._held:
            one.after_fork_in_parent()
        self._held = []
        self._lock.release()

    def _in_child(self) -> None:
        self._lock = threading.Lock()
        for one in self._held:
            one.after_fork_in_child()
        self._held = []


WATCH = _Watch()
