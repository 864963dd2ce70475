"""Processes made behind Python's back, as C code makes them."""

import ctypes
import platform
import signal

NEW_PROCESS_NAMESPACE = 0x20000000
_NUMBERS = {"x86_64": 56, "aarch64": 220}


def raw_clone(flags: int = 0) -> int:
    """The kernel's clone, without the C library: no handler of anybody runs, and 0 is the child."""
    library = ctypes.PyDLL(None, use_errno=True)
    return int(library.syscall(_NUMBERS[platform.machine()], flags | signal.SIGCHLD, 0, 0, 0, 0))


def raw_clone_is_refused() -> bool:
    """Whether this machine does not let us make a process namespace: that takes privileges."""
    if platform.system() != "Linux" or platform.machine() not in _NUMBERS:
        return True
    child = raw_clone(NEW_PROCESS_NAMESPACE)
    if child == 0:
        ctypes.PyDLL(None)._exit(0)
    if child > 0:
        import os

        os.waitpid(child, 0)
    return child < 0


def _clone() -> int:
    """A raw clone where the kernel's number for it is known, and C's fork elsewhere."""
    if platform.system() == "Linux" and platform.machine() in _NUMBERS:
        return raw_clone()
    return int(ctypes.PyDLL(None).fork())


CLONE = _clone
