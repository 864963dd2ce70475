"""How a run of the command line ends: one line on standard error, and an exit code that tells the kind."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from banister.apps.cli.say import fail
from banister.errors import BanisterError, MissingExtra

INTERRUPTED = 130

NOT_IN_RUN = ("scipy", "highspy")
"""Libraries that the package needs and `make run` leaves out, because its own job does without them."""
_PATIENCE_SECONDS = 0.4
"""How long a program may take to end by itself after Ctrl-C; an engine deep in its work does not hear it."""


def run(program: Callable[[], object]) -> None:
    """Run a command tree to its end; an error of ours is one message, never a traceback (docs/commands.md)."""
    with _ended_soon_after_ctrl_c():
        try:
            program()
        except BanisterError as error:
            sys.exit(fail(error))
        except ModuleNotFoundError as error:
            library = (error.name or "").partition(".")[0]
            if library not in NOT_IN_RUN:
                raise
            sys.exit(fail(_left_out(library)))
        except KeyboardInterrupt:
            _say_interrupted()
            sys.exit(INTERRUPTED)
        except SystemExit as error:
            if error.code == INTERRUPTED and _was_ctrl_c(error):
                _say_interrupted()
            raise


def _left_out(library: str) -> MissingExtra:
    return MissingExtra(
        f"This needs {library}, which is not installed here. In the project's folder, `make setup` installs everything "
        f"that `make run` left out; elsewhere: pip install {library}"
    )


def _was_ctrl_c(error: BaseException) -> bool:
    """Typer turns an interrupt into an exit; what it came from is behind it."""
    before = error.__cause__ or error.__context__
    return before is not None and (isinstance(before, KeyboardInterrupt) or _was_ctrl_c(before))


def _say_interrupted() -> None:
    print("banister: Interrupted. What the ledger was charged stays charged.", file=sys.stderr)


@contextmanager
def _ended_soon_after_ctrl_c() -> Iterator[None]:
    """Python hears Ctrl-C between its own lines only. Its C code hears it at once and writes a byte, for which a thread
    waits: if the program has not ended by itself soon after, it is ended. The ledger survives that, as a kill.

    Whoever runs a command inside a program of their own gets back what listened to signals before.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    over = threading.Event()
    heard, told = socket.socketpair()
    told.setblocking(False)

    def wait() -> None:
        while not over.is_set():
            if signal.SIGINT in heard.recv(64) and not over.wait(_PATIENCE_SECONDS):
                if sys.stderr.isatty():
                    sys.stderr.write("\x1b[?25h\r\x1b[K")  # The cursor that a moving line had hidden.
                _say_interrupted()
                sys.stderr.flush()
                os._exit(INTERRUPTED)

    listener = threading.Thread(target=wait, daemon=True, name="ctrl-c")
    before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    listener.start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        told.close()  # The listener reads the end of the line, and ends.
        listener.join()
        heard.close()
