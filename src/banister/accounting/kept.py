"""Answers that were paid for, kept until they are fetched: a crash after the charge loses nothing.

Each request has a key. Before the charge a file says what is about to be paid for, and holds a text that only this
place knows, the claim; the charge carries it. What was drawn is put on disk before anybody sees it, under a name that
is given once. So whoever comes again with the key finds the answer; or finds none, and then none was ever shown, and
the claim proves that the charge was made from here: it may be drawn. From any other place it may not.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banister import keys
from banister.accounting.receipt import Receipt
from banister.errors import BadValue, ReceiptUsed
from banister.files import Access, folder, new_text, whole_text
from banister.foreign import read_json

FORMAT = "banister-paid/1"
MOST_BYTES = 1 << 32
"""A kept answer may be as large as any answer; it was written by us, for ourselves."""
BEGUN, PAID = ".begun", ".paid"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRequest:
    """What is paid for under a key, so that another request under it is noticed.

    >>> KeptRequest(key="june", plan="3f", label="ages", epsilon="1/2", delta="0").key
    'june'
    """

    key: str
    plan: str
    """A hash of everything that the answer depends on."""
    label: str
    epsilon: str
    delta: str

    def __post_init__(self) -> None:
        if not (self.key and self.key.isprintable() and len(self.key) <= 200):
            raise BadValue("The key of a request must be one line of 1 to 200 characters, e.g. june-report.")


@dataclass(frozen=True, slots=True)
class Kept:
    """The folder of one ledger's answers; only its owner can read it.

    >>> from tempfile import TemporaryDirectory
    >>> asked = KeptRequest(key="june", plan="3f", label="ages", epsilon="1/2", delta="0")
    >>> with TemporaryDirectory() as place:
    ...     kept = Kept(Path(place))
    ...     claim = kept.begin(asked)
    ...     kept.keep(asked, {"count": 3})
    ...     kept.keep(asked, {"count": 4})  # The first answer is the answer.
    {'count': 3}
    {'count': 3}
    """

    place: Path

    def begin(self, asked: KeptRequest) -> str:
        """Put on disk that this is about to be paid for; gives the claim that the charge must carry."""
        folder(self.place, access=Access.OWNER)
        if self._path(asked.key, PAID).exists():
            return keys.nonce()  # Nothing begins: the answer is there, and another request must not take its key.
        path = self._path(asked.key, BEGUN)
        with suppress(FileExistsError):  # An earlier call was cut off, or another one is at it: its claim is ours too.
            body = {"format": FORMAT, "claim": keys.nonce(), **asdict(asked)}
            new_text(path, json.dumps(body) + "\n", access=Access.OWNER)
        found = _read(path)
        _check_same(_request(found, path), asked)
        claim = found.get("claim")
        if not isinstance(claim, str):
            raise _unreadable(path)
        return claim

    def keep(self, asked: KeptRequest, answer: Mapping[str, object]) -> dict[str, object]:
        """Put an answer on disk; where somebody was quicker, theirs is the answer, and this one is forgotten."""
        body = {"format": FORMAT, **asdict(asked), "answer": dict(answer)}
        with suppress(FileExistsError):
            new_text(self._path(asked.key, PAID), json.dumps(body) + "\n", access=Access.OWNER)
        found = self.fetch(asked)
        assert found is not None
        return found

    def fetch(self, asked: KeptRequest) -> dict[str, object] | None:
        """The answer that is kept under the key, or nothing; another request's is refused."""
        path = self._path(asked.key, PAID)
        if not path.exists():
            return None
        found = _read(path)
        _check_same(_request(found, path), asked)
        answer = found.get("answer")
        if answer is None:
            raise ReceiptUsed(
                f"The answer under the key '{asked.key}' ('{asked.label}') was given, and is not kept any more. "
                "Nothing was charged or drawn. Ask under a new key, which is charged anew."
            )
        if not isinstance(answer, dict):
            raise _unreadable(path)
        self._path(asked.key, BEGUN).unlink(missing_ok=True)
        return answer

    def asked(self, key: str) -> KeptRequest | None:
        """What was asked under a key, whether it was answered or cut off; nothing where nobody did."""
        for path in (self._path(key, PAID), self._path(key, BEGUN)):
            if path.exists():
                return _request(_read(path), path)
        return None

    def waiting(self) -> tuple[KeptRequest, ...]:
        """Every request that was paid for, or was about to be, and that nobody has said to be done with."""
        paths = sorted(path for path in self.place.glob("*") if path.suffix in (BEGUN, PAID))
        found = {path: _read(path) for path in paths}
        given = {path.stem for path, body in found.items() if path.suffix == PAID and body.get("answer") is None}
        open_ = {path.stem: _request(body, path) for path, body in found.items() if path.stem not in given}
        return tuple(open_.values())

    def given(self, asked: KeptRequest) -> None:
        """The answer is where it should be and need not be kept; that it was given is, so that none is drawn again."""
        body = {"format": FORMAT, **asdict(asked), "answer": None}
        whole_text(self._path(asked.key, PAID), json.dumps(body) + "\n", access=Access.OWNER)
        self._path(asked.key, BEGUN).unlink(missing_ok=True)

    def _path(self, key: str, suffix: str) -> Path:
        return self.place / (hashlib.sha256(key.encode()).hexdigest()[:40] + suffix)


def array_text(numbers: NDArray[np.generic]) -> str:
    """An array as a text that keeps every bit: its kind, its shape, and its bytes in base64.

    >>> array_text(np.array([1, 2]))
    '<i8:2:AQAAAAAAAAACAAAAAAAAAA=='
    """
    plain = np.ascontiguousarray(numbers, dtype=numbers.dtype.newbyteorder("<"))
    shape = ",".join(map(str, numbers.shape))
    return f"{plain.dtype.str}:{shape}:{base64.b64encode(plain.tobytes()).decode('ascii')}"


def array_of(text: object) -> NDArray[Any]:
    """The array that `array_text` wrote; raises ValueError where it is none.

    >>> array_of("<i8:2:AQAAAAAAAAACAAAAAAAAAA==").tolist()
    [1, 2]
    """
    kind, shape, body = str(text).split(":")
    if kind not in ("<i8", "<f8", "<f4"):
        raise ValueError("no kind of array that is kept")
    flat = np.frombuffer(base64.b64decode(body, validate=True), dtype=kind)
    return flat.reshape([int(size) for size in shape.split(",") if size])


def paid_once(
    kept: Kept,
    asked: KeptRequest,
    *,
    charge: Callable[[str], Receipt],
    draw: Callable[[Receipt], Mapping[str, object]],
) -> dict[str, object]:
    """Charge with the claim, draw, keep; or give what was kept before, for this key, and draw nothing."""
    receipt = charge(kept.begin(asked))
    found = kept.fetch(asked)
    if found is not None:
        return found
    if receipt.again:
        raise ReceiptUsed(
            f"Charge {receipt.sequence} ('{receipt.label}') was made under the key '{asked.key}', but not from here, "
            f"and its answer may have been given: '{kept.place}' does not hold it. Nothing was charged or drawn. Fetch "
            "it where it was charged, or ask under a new key, which is charged anew."
        )
    return kept.keep(asked, draw(receipt))


def _read(path: Path) -> dict[str, object]:
    found = read_json(path, "a kept answer", most_bytes=MOST_BYTES)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _unreadable(path)
    return found


def _request(found: Mapping[str, object], path: Path) -> KeptRequest:
    texts = {name: found.get(name) for name in KeptRequest.__slots__}
    if not all(isinstance(text, str) for text in texts.values()):
        raise _unreadable(path)
    return KeptRequest(**{name: str(text) for name, text in texts.items()})


def _check_same(before: KeptRequest, asked: KeptRequest) -> None:
    if before != asked:
        raise BadValue(
            f"The key '{asked.key}' belongs to another request ('{before.label}', epsilon {before.epsilon}) than this "
            f"one ('{asked.label}', epsilon {asked.epsilon}). Nothing was charged. Give each request a key of its own."
        )


def _unreadable(path: Path) -> BadValue:
    return BadValue(f"'{path}' is not an answer as banister keeps them. Nothing was charged or drawn; restore it.")
