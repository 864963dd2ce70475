"""Files that are nearly right: a valid one, changed where its structure or its bytes can be changed.

Everything is drawn from a seeded generator, so that a number and a seed name an input for good.
"""

import json
import math
import random
import re
from collections.abc import Callable

HOSTILE_TEXTS = (
    "",
    " ",
    "0",
    "-1",
    "1/0",
    "1e999999999",
    "1e-999999999",
    "1e300000000",
    "1" * 5000,
    "9" * 400,
    "inf",
    "-inf",
    "nan",
    "NaN",
    "Infinity",
    "1_000",
    "٣",
    "0x10",
    "1/3/5",
    "null",
    "true",
    "\x00",
    "\x1b[2J",
    "\r",
    "\n",
    "\u202e",
    "\ud800",
    "../../etc/passwd",
    "=1+1",
    "[/b]",
    "{}",
    "A" * 100_000,
    "é" * 1000,
    "ed25519:" + "A" * 43 + "=",
    "f" * 64,
    "x1 ^ " * 3000,
    "(" * 3000,
    "threshold:99999999999",
    "table:" + "0," * 5000,
    "banister-channel/1",
    "-0",
    "1e5",
    "0.1",
)
HOSTILE_NUMBERS = (
    0,
    -1,
    1,
    2,
    3,
    2**31,
    2**53 + 1,
    2**63,
    2**64,
    -(2**63) - 1,
    10**18,
    10**400,
    1e308,
    -1e308,
    5e-324,
    0.5,
    -0.0,
)
RAW = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "1E+400",
    "-",
    "01",
    "1." * 3,
    "[" * 5000,
    "{" * 5000,
    '"\\ud800"',
    "'a'",
)


class Raw(str):
    """A piece of text that is put into JSON as it is."""

    __slots__ = ()


class Pairs(list[tuple[str, object]]):
    """An object whose keys may stand twice."""

    __slots__ = ()


def written(value: object) -> str:
    """JSON, with raw pieces and doubled keys."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{json.dumps(key)}: {written(one)}" for key, one in value) + "}"
    if isinstance(value, dict):
        return written(Pairs(value.items()))
    if isinstance(value, list):
        return "[" + ", ".join(written(one) for one in value) + "]"
    return json.dumps(value)


def places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The path of every value inside a value, itself included; long lists are sampled at their ends."""
    found = [path]
    if isinstance(value, dict):
        for key, one in value.items():
            found += places(one, (*path, key))
    elif isinstance(value, list):
        for place in {*range(min(len(value), 4)), *range(max(0, len(value) - 2), len(value))}:
            found += places(value[place], (*path, place))
    return found


def hostile(chance: random.Random, old: object) -> object:
    """Something else in the place of a value: near it, or of quite another kind."""
    kind = chance.randrange(8)
    if kind == 0:
        return chance.choice(HOSTILE_TEXTS)
    if kind == 1:
        return chance.choice(HOSTILE_NUMBERS)
    if kind == 2:
        return Raw(chance.choice(RAW))
    if kind == 3:
        return chance.choice([None, True, False, [], {}, [[]], {"": None}])
    if kind == 4:
        deep: object = old
        for _ in range(chance.choice([1, 3, 70, 2000])):
            deep = Raw("[" + written(deep) + "]") if chance.random() < 0.5 else [deep]
            if isinstance(deep, list) and len(str(deep)) > 10**5:
                break
        return deep if not isinstance(deep, list) else Raw("[" * 100 + "1" + "]" * 100)
    if kind == 5 and isinstance(old, list):
        return old * chance.choice([0, 2, 3]) + [chance.choice(HOSTILE_TEXTS)] * chance.randrange(2)
    if kind == 6 and isinstance(old, str) and old:
        place = chance.randrange(len(old))
        return old[:place] + chance.choice(["", "\x00", "é", "0", "/", "="]) + old[place + chance.randrange(2) :]
    if isinstance(old, int | float) and not isinstance(old, bool) and abs(old) < 1e300:
        return chance.choice([old + 1, -old, old * 2, str(old), old + 0.5, old * 10**6])
    return chance.choice(HOSTILE_TEXTS)


def mild(chance: random.Random, old: object) -> object:
    """Something of the same kind in the place of a value: what passes the reader's first look, and is wrong further in,
    or right."""
    if isinstance(old, bool) or old is None:
        return not old
    if isinstance(old, int):
        return chance.choice([old + 1, old - 1, 2 * old, 0, 1, 2, 10, chance.randrange(1000)])
    if isinstance(old, float):
        return chance.choice([old / 2, 2 * old, -old, 0.0, 1.0, math.nextafter(old, 2), chance.random()])
    if isinstance(old, list):
        return chance.choice([old[::-1], old[:-1], old + old[-1:], old[1:] + old[:1], old + old])
    if isinstance(old, dict):
        return dict(chance.sample(list(old.items()), len(old)))
    if re.fullmatch(r"-?\d+(/\d+)?(\.\d+)?", text := str(old)):
        return chance.choice(["0", "1", "1/2", "2", "-1", "1/3", "0.1", f"{text}0", text[:-1] or "7", "10000000"])
    if re.fullmatch(r"[0-9a-f]{8,}", text):
        place = chance.randrange(len(text))
        return chance.choice([text[:place] + chance.choice("0123456789abcdef") + text[place + 1 :], text[::-1]])
    words = ["a", "b", "yes", "no", "x", "ann", "é", "a b", text.upper(), text + "1", text[:-1], text + text]
    return chance.choice(words)


def change(
    chance: random.Random,
    value: object,
    path: tuple[object, ...],
    other: Callable[[random.Random, object], object] = hostile,
) -> object:
    """The value with one of its places changed, left out, or doubled."""
    if not path:
        return other(chance, value)
    key, *rest = path
    if isinstance(value, dict):
        assert isinstance(key, str)
        if not rest and other is hostile and chance.random() < 0.3:
            return chance.choice(
                [
                    {name: one for name, one in value.items() if name != key},
                    Pairs([*value.items(), (key, hostile(chance, value[key]))]),
                    Pairs([(key, hostile(chance, value[key])), *value.items()]),
                    {**value, chance.choice(HOSTILE_TEXTS): value[key]},
                ]
            )
        return {**value, key: change(chance, value[key], tuple(rest), other)}
    assert isinstance(value, list)
    assert isinstance(key, int)
    return [*value[:key], change(chance, value[key], tuple(rest), other), *value[key + 1 :]]


def broken_bytes(chance: random.Random, data: bytes) -> bytes:
    """Some bytes changed, cut, doubled, or put in."""
    found = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 8])):
        place = chance.randrange(len(found) + 1)
        match chance.randrange(6):
            case 0:
                found[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                del found[place : place + chance.choice([1, 2, 50])]
            case 2:
                found[place:place] = bytes(chance.randrange(256) for _ in range(chance.choice([1, 3])))
            case 3:
                found[place:place] = found[place : place + 60]
            case 4:
                found[place:place] = chance.choice(
                    [b"\xff\xfe", b"\xef\xbb\xbf", b"\x00", b'"', b"{", b"[", b",", b"\n"]
                )
            case 5:
                del found[place:]
    return bytes(found)


def json_mutator(valid: list[object]) -> Callable[[random.Random], bytes]:
    """Changed JSON files: by their structure, by values of the same kind, which get further, or by their bytes."""

    def make(chance: random.Random) -> bytes:
        value, kind = chance.choice(valid), chance.random()
        if kind < 0.15:
            return broken_bytes(chance, json.dumps(value).encode())
        if kind < 0.6:
            for _ in range(chance.choice([1, 1, 2, 3])):
                value = change(chance, value, chance.choice(places(value)[1:] or [()]), mild)
            return written(value).encode("utf-8", errors="surrogatepass")
        for _ in range(chance.choice([1, 1, 1, 2, 4])):
            value = change(chance, value, chance.choice(places(value))) if isinstance(value, dict | list) else value
            if not isinstance(value, dict | list) or isinstance(value, Pairs):
                break
        return written(value).encode("utf-8", errors="surrogatepass")

    return make


def text_mutator(valid: list[str]) -> Callable[[random.Random], bytes]:
    """Changed text files: lines and words left out, doubled, put in other places, or replaced by hostile ones."""

    def make(chance: random.Random) -> bytes:
        lines = chance.choice(valid).split("\n")
        if chance.random() < 0.2:
            return broken_bytes(chance, "\n".join(lines).encode())
        for _ in range(chance.choice([1, 1, 2, 5])):
            place = chance.randrange(len(lines))
            words = lines[place].replace("=", " = ").replace(",", " , ").split(" ")
            match chance.randrange(8):
                case 5 | 6 | 7:
                    some = chance.randrange(len(words))
                    words[some] = str(mild(chance, words[some]))
                    lines[place] = " ".join(words)
                case 0:
                    del lines[place]
                case 1:
                    lines.insert(place, chance.choice(lines))
                case 2:
                    words[chance.randrange(len(words))] = chance.choice(
                        [*HOSTILE_TEXTS, *map(str, HOSTILE_NUMBERS), *RAW]
                    )
                    lines[place] = " ".join(words)
                case 3:
                    lines[place] += chance.choice([",", " ", "\t", "\r", '"', "#", "]", "\x0b"]) + chance.choice(words)
                case 4:
                    lines[place] = chance.choice(HOSTILE_TEXTS)
            lines = lines or [""]
        return "\n".join(lines).encode("utf-8", errors="surrogatepass")

    return make


def bytes_mutator(valid: list[bytes]) -> Callable[[random.Random], bytes]:
    """Changed binary files."""
    return lambda chance: broken_bytes(chance, chance.choice(valid))
