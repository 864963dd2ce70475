"""Sketches on disk: a header that says what it is, the names, and the numbers, in one file written whole."""

import json
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.files import whole
from banister.foreign import parse_json

FORMAT = 1
MOST_BYTES = 1 << 34
Header = dict[str, str]
_DAMAGE = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    EOFError,
    OverflowError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""All that the readers of zip files and of NumPy's arrays raise on bytes that are none."""
_NUMBER = re.compile(r"\d+(?:/[1-9]\d*|(?:\.\d+)?(?:e[+-]?\d{1,3})?)")
_LONGEST = 1000
_LEAST = Fraction(1, 10**300)


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
    """Read a sketch of that kind that somebody else wrote: bounded, finite, and with as many names as columns."""
    damaged = BadValue(f"'{path}' is not a sketch of ours, or it is damaged.")
    if not path.is_file():
        raise BadValue(f"'{path}' is not a file that is there.")
    try:
        _check_size(path)
        with np.load(path, allow_pickle=False) as file:
            content, values = file["header"], file["values"]
    except BadValue:
        raise
    except _DAMAGE:
        raise damaged from None
    if content.dtype != np.uint8 or values.dtype != np.float32 or values.ndim != 2 or not np.isfinite(values).all():
        raise damaged
    header = parse_json(content.tobytes(), f"'{path}' is not a sketch of ours")
    if not isinstance(header, dict) or not isinstance(header.get("names"), list):
        raise damaged
    if header.get("format") != FORMAT or header.get("kind") != kind:
        raise BadValue(f"'{path}' is not a {kind} sketch of format {FORMAT}.")
    names = header.pop("names")
    if len(names) != values.shape[1] or not values.shape[0] or not all(isinstance(name, str) for name in names):
        raise damaged
    return {str(key): str(value) for key, value in header.items()}, names, values


def header_number(header: Mapping[str, str], name: str) -> Fraction:
    """A number above 0 in a sketch's header, of a length that ours have."""
    text = header.get(name, "")
    found = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    value = Fraction(text) if found else Fraction(0)
    if not _LEAST <= value <= 1 / _LEAST:
        raise BadValue(f"The sketch says {name} = {text[:40]!r}, which is not a usual number above 0. It is damaged.")
    return value


def _check_size(path: Path) -> None:
    """A zip file may say little and unpack to more than any memory holds."""
    with zipfile.ZipFile(path) as packed:
        if sum(one.file_size for one in packed.infolist()) > MOST_BYTES:
            raise BadValue(f"'{path}' unpacks to more than {MOST_BYTES:,} bytes, which no sketch of ours has.")
