"""The one reader of files that others wrote: strict and bounded, with one clear error for whatever it does not take.

Python's own reader keeps the last of two equal keys, accepts NaN, and spends time or stack without limit on long
numbers and deep nesting. Two programs that read such a file differently could be shown two different plans.
"""

import csv
import json
import os
import re
import tomllib
from decimal import Decimal
from pathlib import Path

from banister.errors import BadValue

MOST_BYTES = 1 << 26
MOST_TOML = 1 << 22
DEEPEST = 64
LONGEST_NUMBER = 1000
"""Digits: the exact weights of channels are long, and nothing of ours is longer."""
LARGEST_EXPONENT = 400

_NUMBER = re.compile(r"[+-]?[\d_]+(?:\.[\d_]+)?(?:[eE][+-]?([\d_]+))?")


def read_json(path: Path, what: str, *, most_bytes: int = MOST_BYTES, infinite: bool = False) -> object:
    """The content of a file that somebody else made; `what` it should be stands in the errors."""
    data = read_bytes(path, most_bytes=most_bytes)
    return parse_json(data, f"{path} is not {what}", most_bytes=most_bytes, infinite=infinite)


def read_bytes(path: Path, *, most_bytes: int = MOST_BYTES) -> bytes:
    """The bytes of a file, and one more than the most where it is longer; a pipe or a device is none."""
    try:
        if path.exists() and not path.is_file():
            raise BadValue(f"{path} cannot be read as a file.")
        with path.open("rb") as file:
            # Python makes room for all that is asked for, so no more is asked for than there is.
            return file.read(min(os.fstat(file.fileno()).st_size, most_bytes) + 1)
    except FileNotFoundError:
        raise BadValue(f"{path} does not exist.") from None
    except (OSError, ValueError):  # A name with a zero byte is a ValueError.
        raise BadValue(f"{path} cannot be read as a file.") from None


def read_text(path: Path, what: str, *, most_bytes: int = MOST_BYTES) -> str:
    """The text of a file that somebody else made: UTF-8, of a bounded length, without zero bytes."""
    data = read_bytes(path, most_bytes=most_bytes)
    if len(data) > most_bytes:
        raise BadValue(f"{path} is not {what}: it is longer than {most_bytes:,} bytes.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadValue(f"{path} is not {what}: it is not text in UTF-8.") from None
    if "\x00" in text:
        raise BadValue(f"{path} is not {what}: it has a zero byte.")
    return text


def parse_json(data: bytes | str, problem: str, *, most_bytes: int = MOST_BYTES, infinite: bool = False) -> object:
    """The value of a JSON text; `problem` opens the message where it has none.

    `infinite` takes the word Infinity, which is no JSON, as older files of ours have it.

    >>> parse_json('{"a": [1, 2.5]}', "This is not a plan")
    {'a': [1, 2.5]}
    """
    if len(data) > most_bytes:
        raise BadValue(f"{problem}: it is longer than {most_bytes:,} bytes.")
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        _check_depth(text, problem)
        return json.loads(
            text,
            object_pairs_hook=_once,
            parse_constant=_infinity if infinite else _no_constant,
            parse_int=_whole,
            parse_float=_decimal,
        )
    except UnicodeDecodeError:
        raise BadValue(f"{problem}: it is not text in UTF-8.") from None
    except _Unfit as error:
        raise BadValue(f"{problem}: {error}.") from None
    except (json.JSONDecodeError, RecursionError):
        raise BadValue(f"{problem}: it is not JSON.") from None


def parse_toml(text: str, problem: str) -> dict[str, object]:
    """The content of a TOML text, its decimals as they are written; `problem` opens the message where it has none.

    >>> parse_toml("a = 0.1", "This is not a schema")
    {'a': Decimal('0.1')}
    """
    if len(text) > MOST_TOML:
        raise BadValue(f"{problem}: it is longer than {MOST_TOML:,} characters.")
    _check_depth(text, problem)
    try:
        return tomllib.loads(text, parse_float=_exact_decimal)
    except _Unfit as error:
        raise BadValue(f"{problem}: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise BadValue(f"{problem}: it is not valid TOML: {error}.") from None
    except (ValueError, RecursionError):  # Whole numbers of thousands of digits, and keys of thousands of dots.
        raise BadValue(f"{problem}: a number or a key in it is beyond what can be read.") from None


def read_rows(path: Path, what: str, *, most_bytes: int = MOST_BYTES) -> list[list[str]]:
    """The rows of a CSV file in UTF-8, empty lines left out; a line is a row, whatever its quotes say."""
    text = read_text(path, what, most_bytes=most_bytes)
    try:
        return [row for row in csv.reader(text.splitlines()) if row]
    except csv.Error:
        raise BadValue(f"{path} is not {what}: a cell of it is too long.") from None


class _Unfit(Exception):
    """Something that JSON allows and we do not."""


def _check_depth(text: str, problem: str) -> None:
    """Before anything is built: brackets outside of texts, never more open than a file of ours has."""
    depth, inside = 0, False
    for found in re.finditer(r'[\[\]{}"]|\\.', text, re.DOTALL):
        mark = found.group()
        if mark == '"':
            inside = not inside
        elif not inside and mark in "[{":
            depth += 1
            if depth > DEEPEST:
                raise BadValue(f"{problem}: it is nested more than {DEEPEST} deep.")
        elif not inside and mark in "]}":
            depth -= 1


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Unfit("a key stands in it twice")
    return found


def _no_constant(word: str) -> object:
    raise _Unfit(f"{word} is not a number")


def _infinity(word: str) -> object:
    return float("inf") if word == "Infinity" else _no_constant(word)


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise _Unfit(f"a number in it has more than {LONGEST_NUMBER} digits")
    return int(text)


def _bounded(text: str) -> str:
    exponent = _NUMBER.fullmatch(text)
    digits = exponent.group(1) if exponent else None
    if len(text) > LONGEST_NUMBER or (digits and (len(digits) > 6 or int(digits) > LARGEST_EXPONENT)):
        raise _Unfit("a number in it is beyond what can be read")
    return text


def _exact_decimal(text: str) -> Decimal:
    return Decimal(_bounded(text))


def _decimal(text: str) -> float:
    value = float(_bounded(text))
    if value in (float("inf"), float("-inf")):
        raise _Unfit("a number in it is beyond what can be read")
    return value
