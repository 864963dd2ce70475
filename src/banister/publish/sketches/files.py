"""Sketches on disk: a header that says what it is, the names, and the numbers, in one file written whole."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.files import whole

FORMAT = 1
Header = dict[str, str]


def write_sketch(path: Path, header: Header, names: Sequence[str], values: NDArray[np.float32]) -> None:
    """Write a sketch; everything in it may be published."""
    content = json.dumps({"format": FORMAT, **header, "names": list(names)}).encode()

    def write(temporary: Path) -> None:
        with temporary.open("wb") as file:
            _save(file, content, values)

    whole(path, write)


def _save(file: IO[bytes], content: bytes, values: NDArray[np.float32]) -> None:
    np.savez(file, header=np.frombuffer(content, dtype=np.uint8), values=values)


def read_sketch(path: Path, kind: str) -> tuple[Header, list[str], NDArray[np.float32]]:
    """Read a sketch of that kind."""
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(file["header"].tobytes())
            values = np.asarray(file["values"], dtype=np.float32)
    except FileNotFoundError:
        raise BadValue(f"'{path}' is not a file that is there.") from None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        raise BadValue(f"'{path}' is not a sketch of ours, or it is damaged.") from None
    if header.get("format") != FORMAT or header.get("kind") != kind:
        raise BadValue(f"'{path}' is not a {kind} sketch of format {FORMAT}.")
    names = [str(name) for name in header.pop("names")]
    return {str(key): str(value) for key, value in header.items()}, names, values
