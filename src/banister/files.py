"""The one writer of whole files: a reader sees all of a file or none of it."""

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from banister.errors import BadValue


def check_target(path: Path, suffixes: Sequence[str] = ()) -> None:
    """Refuse a place that cannot be written to, before anything is charged."""
    if suffixes and path.suffix.lower() not in suffixes:
        raise BadValue(f"'{path}' must end in {' or '.join(suffixes)}.")
    if path.is_dir():
        raise BadValue(f"'{path}' cannot be written: it is a folder. Give the path of a file in it.")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise BadValue(f"'{path}' cannot be written: its folder is not there, or not yours to write to.")


def whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write beside the target and move it there at the end, so that no half-written file is ever seen."""
    check_target(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise BadValue(f"'{path}' could not be written: {error.strerror}.") from None
    finally:
        temporary.unlink(missing_ok=True)
