"""Whether this process is still the one that it was: forks are noticed, whoever makes them.

What was drawn from secret randomness must not be drawn again by a copy of the process, and a lock that another thread
held at a fork is never opened in the child. Python tells of forks that it makes itself. A fork by C code, a raw clone,
a process number that comes again and a new process namespace are noticed by a page of memory that the kernel hands to
every child empty (Linux 4.14 and later); elsewhere by the process number.
"""

import mmap
import os
from collections.abc import Callable

_WIPE_ON_FORK = 18
"""MADV_WIPEONFORK, which Python does not name."""


class ForkWatch:
    """A mark that is the same object for as long as the process has not been copied.

    >>> WATCH.mark() is WATCH.mark()
    True
    """

    __slots__ = ("_mark", "_page", "_process")

    def __init__(self, page: mmap.mmap | None) -> None:
        self._page = page
        self._renew()

    def mark(self) -> object:
        """Another object in every process. Compare with `is`, after what must not happen twice."""
        page = self._page
        if not page[0] if page is not None else self._process != os.getpid():
            self._renew()
        return self._mark

    def after_python_forks(self) -> None:
        """Called by Python in a child that it made."""
        self._renew()

    def _renew(self) -> None:
        # The mark comes first: a thread that sees the page written must not find the old mark beside it.
        self._mark = object()
        self._process = os.getpid()
        if self._page is not None:
            self._page[0] = 1


def wiped_page() -> mmap.mmap | None:
    """A page that the kernel empties in every child, or None where it cannot."""
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        page.madvise(_WIPE_ON_FORK)
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    return page


def in_every_child(call: Callable[[], None]) -> None:
    """Have it called in every child that Python makes, where the system can fork at all."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


WATCH = ForkWatch(wiped_page())
in_every_child(WATCH.after_python_forks)
