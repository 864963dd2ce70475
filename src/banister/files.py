"""The one writer of files for people: a reader sees all of a file or none of it, and after a crash the same."""

import errno
import fcntl
import hashlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from banister.errors import BadValue

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME_MOST = 255
"""The longest name in bytes where the file system does not say."""
HOME_VARIABLE = "BANISTER_HOME"
_DRAFT = ".draft-"
_SPARE = 1 << 20
"""Bytes that are left free on a disk."""
_NO_FOLDERS = (errno.EINVAL, errno.ENOTSUP)
"""What a file system says that has no way to wait for a folder; anything else is a failure."""


class Access(Enum):
    """Who may read a file that is written; the value is its mode before the user's mask is taken away."""

    USUAL = 0o666
    """What the user's mask leaves; a file that was there keeps its mode."""
    OWNER = 0o600
    """The owner alone, whatever the mask and whatever was there before."""


def check_target(path: Path, suffixes: Sequence[str] = ()) -> None:
    """Refuse a place that cannot be written to, before anything is charged."""
    if suffixes and path.suffix.lower() not in suffixes:
        raise BadValue(f"'{path}' must end in {' or '.join(suffixes)}.")
    _real(path)


def check_apart(path: Path, taken: Mapping[str, Path]) -> None:
    """Refuse to write over a file, or into a folder, that is still needed; `taken` says what each one is, in words."""
    for words, other in taken.items():
        same = os.path.samefile(path, other) if path.exists() and other.exists() else False
        if same or os.path.realpath(path) == os.path.realpath(other):
            raise BadValue(f"'{path}' is {words} itself, which would be written over. Choose another file.")
        if other.is_dir() and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(other)):
            raise BadValue(f"'{path}' lies in {words}, whose files are still needed. Choose another folder.")


@contextmanager
def alone(place: Path) -> "Iterator[None]":
    """Hold a folder while what it says is read, used and written again; whoever comes meanwhile waits."""
    handle = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def file_hash(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_space(path: Path, size: int) -> None:
    """Refuse a folder without room for so many bytes, before anything is charged; some is left for others."""
    place = os.path.realpath(path) if os.path.islink(path) else path  # Folders on the way are followed anyway.
    try:
        left = os.statvfs(os.path.dirname(place) or ".")
    except (OSError, AttributeError):  # A file system, or a system, that does not say.
        return
    room = left.f_bavail * left.f_frsize
    if room < size + _SPARE:
        raise BadValue(
            f"'{path}' cannot be written: its disk has {room:,} bytes left, and some {size + _SPARE:,} are needed. "
            "Free some space, or choose another folder."
        )


def home() -> Path:
    """The folder of this user: $BANISTER_HOME, else ~/.banister."""
    return Path(os.environ.get(HOME_VARIABLE) or Path.home() / ".banister")


def folder(path: Path, *, access: Access = Access.USUAL) -> Path:
    """The folder, made with all above it where it is not there yet."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700 if access is Access.OWNER else 0o777)
    except OSError as error:
        raise BadValue(f"The folder '{path}' cannot be made: {error.strerror}. Choose another folder.") from None
    return path


def sweep(place: Path) -> None:
    """Delete drafts in a folder that processes of this machine left behind when they were killed."""
    for draft in place.glob(f"{_DRAFT}*"):
        owner = draft.name.removeprefix(_DRAFT).partition("-")[0]
        try:
            os.kill(int(owner), 0)
        except ProcessLookupError:
            draft.unlink(missing_ok=True)
        except (PermissionError, ValueError, OverflowError):  # Somebody's who is there, or no draft of ours.
            continue


def whole(path: Path, write: Callable[[Path], object], *, access: Access = Access.USUAL) -> None:
    """Let `write` fill a draft beside the target, and move it there when all of it is on disk.

    A symbolic link stays one: the file that it leads to is replaced.
    """
    target = _real(path)
    with _draft(path, target, write, access) as draft:
        draft.replace(target)


def whole_text(path: Path, text: str, *, access: Access = Access.USUAL) -> None:
    """Write a text in UTF-8, its line ends as they are."""
    whole_bytes(path, text.encode("utf-8"), access=access)


def whole_bytes(path: Path, content: bytes, *, access: Access = Access.USUAL) -> None:
    """Write some bytes."""
    whole(path, lambda draft: draft.write_bytes(content), access=access)


def new_text(path: Path, text: str, *, access: Access = Access.USUAL) -> None:
    """Write a text where no file may be yet; raises FileExistsError, also for all but one of several that try at once.

    A symbolic link counts as a file that is there, wherever it leads.
    """
    new_bytes(path, text.encode("utf-8"), access=access)


def new_bytes(path: Path, content: bytes, *, access: Access = Access.USUAL) -> None:
    """The same for bytes."""
    if os.path.lexists(path):
        raise FileExistsError(path)
    with _draft(path, _real(path), lambda draft: draft.write_bytes(content), access) as draft:
        try:
            os.link(draft, path)
        except FileExistsError:
            raise
        except OSError:  # A file system without hard links: take the name first, and then move the text there.
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, access.value))
            draft.replace(path)


def _real(path: Path) -> Path:
    """The file that is to be replaced, links followed; refused where none can be written."""
    target = Path(os.path.realpath(path))
    if os.path.islink(target):
        raise BadValue(f"'{path}' cannot be written: it is a symbolic link that leads round in a circle.")
    if not os.path.isdir(target.parent) or not os.access(target.parent, os.W_OK):
        raise BadValue(f"'{path}' cannot be written: its folder is not there, or not yours to write to.")
    most = _longest_name(target.parent)
    if len(os.fsencode(target.name)) > most:
        raise BadValue(f"'{path}' cannot be written: a name may have {most} bytes at most. Choose a shorter one.")
    if os.path.isdir(target):
        raise BadValue(f"'{path}' cannot be written: it is a folder. Give the path of a file in it.")
    if os.path.exists(target) and not os.path.isfile(target):
        raise BadValue(f"'{path}' cannot be written: it is a device or a pipe. Give the path of a file.")
    return target


def _longest_name(place: Path) -> int:
    try:
        return os.pathconf(place, "PC_NAME_MAX")
    except (OSError, ValueError):
        return _NAME_MOST


@contextmanager
def _draft(path: Path, target: Path, write: Callable[[Path], object], access: Access) -> "Iterator[Path]":
    """A filled file beside the target, on disk; it is gone afterwards unless it was moved."""
    draft: Path | None = None
    try:
        draft = _made(target, access)
        write(draft)
        _settle(draft, target, access)
        yield draft
        _sync(target.parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise BadValue(f"'{path}' could not be written: {error.strerror or error}.") from None
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)


def _made(target: Path, access: Access) -> Path:
    """An empty draft. Its name has nothing of the target's, so that it is never too long nor taken for such a file.

    It has the thread's number in it: a name that one thread has moved away and is about to clean up is no other's.
    """
    for number in count():
        draft = target.with_name(f"{_DRAFT}{os.getpid()}-{threading.get_native_id()}-{number}")
        with suppress(FileExistsError):
            os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, access.value))
            return draft
    raise AssertionError("counting never ends")


def _settle(draft: Path, target: Path, access: Access) -> None:
    """Give the draft its mode, and wait until it is on disk."""
    if access is Access.OWNER:
        draft.chmod(Access.OWNER.value)
    elif target.exists():
        draft.chmod(target.stat().st_mode & 0o777)
    _sync(draft)


def _sync(place: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if not (place.is_dir() and error.errno in _NO_FOLDERS):
            raise
    finally:
        os.close(handle)
