"""Answers that were paid for, kept until they are fetched: a crash after the charge loses nothing.

Each request has a key. What was asked stands beside its charge, written in the same step, and what was drawn is put
there before anybody sees it, once. So whoever comes again with the key finds the answer; or finds none, and then none
was ever shown, and it may be drawn from where it was charged. From any other place it may not: charges carry a claim
that only this place can make, and what is kept is sealed, so that it is its owner's alone wherever the ledger lies.
"""

import base64
import hashlib
import hmac
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from banister import keys
from banister.accounting.receipt import Receipt
from banister.errors import BadValue, LedgerFault, ReceiptUsed
from banister.files import Access, file_hash, folder, new_text
from banister.foreign import read_json

FORMAT = "banister-paid/1"
MOST_BYTES = 1 << 32
"""A kept answer may be as large as any answer; it was written by us, for ourselves."""
LARGEST_INSIDE = 1 << 20
"""Longer answers lie in a file of their own, of which the ledger holds the hash: it is locked while it is written."""
PAID, SECRET = ".paid", "secret"
_SECRET = re.compile(rb"banister place 1 ([0-9a-f]{64})\n")
GIVEN = b""
"""What stands in place of an answer that need not be kept any more."""


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
class Begun:
    """What a charge carries for whoever keeps its answer."""

    claim: str
    """A text that only this place can make: a charge that has it already is one's own."""
    note: bytes
    """What was asked, sealed; it is written with the charge, in one step."""
    secret: bytes = field(repr=False)
    """With what the answer will be sealed."""


UNKEPT = Begun("", b"", b"")
"""Of a charge whose answer nobody keeps."""

Noted = tuple[bytes, bytes | None]
"""What stands under a key: the note, and what was drawn, sealed; nothing where nothing was yet."""


class Shelf(Protocol):
    """Where notes and answers lie, beside the charges; a ledger's store is one."""

    def noted(self, key: str) -> Noted | None:
        """What stands under a key."""
        ...

    def keep(self, key: str, note: bytes, body: bytes) -> Noted:
        """Put an answer to this note there, and give what is there once it is on disk: the first answer is the answer.

        `GIVEN` takes the place of any. Where another note stands under the key, nothing is written."""
        ...

    def notes(self) -> Iterator[tuple[str, bytes, bool]]:
        """Every key with its note, and whether its answer was given."""
        ...


@dataclass(frozen=True, slots=True)
class Kept:
    """One ledger's answers, and the folder beside it that only its owner can read.

    >>> from tempfile import TemporaryDirectory
    >>> from banister import AsYouGo, Guarantee, Ledger, Neighbours
    >>> asked = KeptRequest(key="june", plan="3f", label="ages", epsilon="1/2", delta="0")
    >>> terms = {"budget": Guarantee(1), "neighbours": Neighbours.REPLACE, "questions": AsYouGo()}
    >>> with TemporaryDirectory() as place, Ledger.create(f"{place}/a.ledger", **terms) as ledger:
    ...     begun = ledger.kept.begin(asked)
    ...     ledger.kept.keep(asked, begun, {"count": 3})
    ...     ledger.kept.keep(asked, begun, {"count": 4})  # The first answer is the answer.
    ({'count': 3}, True)
    ({'count': 3}, False)
    """

    place: Path
    shelf: Shelf

    def begin(self, asked: KeptRequest) -> Begun:
        """What the charge must carry. Nothing is written, but for the first time the secret of this place."""
        secret = self._secret() or self._new_secret()
        claim = hmac.digest(secret, _about("claim", asked.key), "sha256").hex()[:32]
        note = keys.sealed(secret, json.dumps(_texts(asked)).encode(), _about("asked", asked.key))
        return Begun(claim, note, secret)

    def keep(self, asked: KeptRequest, begun: Begun, answer: Mapping[str, object]) -> tuple[Mapping[str, object], bool]:
        """Put an answer on disk, and give the answer and whether it is this one.

        Where somebody was quicker, theirs is the answer, and this one is forgotten.
        """
        text = json.dumps({"answer": answer})
        long = len(text) > LARGEST_INSIDE
        if long:
            text = self._written(asked, answer)
        body = keys.sealed(begun.secret, text.encode(), _about("answer", asked.key))
        there = self._put(asked, begun.note, body)
        before = None if there[0] == begun.note else self._open_note(asked.key, there[0])
        if before is not None:  # It was charged by a call that was cut off, which left its note.
            _check_same(before, asked)
            there = self._put(asked, there[0], body)
        if there[1] == body and not long:
            return answer, True
        found = self._found(asked, there)
        if found is None:
            raise ReceiptUsed(
                f"'{self.place}' was taken away or replaced while what the key '{asked.key}' stands for was drawn. "
                "It is charged and not shown. Put the folder back and ask again under the key."
            )
        return found, False

    def _put(self, asked: KeptRequest, note: bytes, body: bytes) -> Noted:
        try:
            return self.shelf.keep(asked.key, note, body)
        except LedgerFault as fault:
            raise type(fault)(
                f"What was drawn under the key '{asked.key}' could not be kept, and is not shown. Its charge stands: "
                "ask again under the key when the ledger can be written, and nothing more is charged."
            ) from fault

    def fetch(self, asked: KeptRequest) -> dict[str, object] | None:
        """The answer that is kept under the key, or nothing; another request's is refused."""
        return self.look(asked)[1]

    def look(self, asked: KeptRequest) -> tuple[bool, dict[str, object] | None]:
        """Whether the request was charged from here before, and the answer that is kept; another one is refused."""
        there, path = self.shelf.noted(asked.key), self._path(asked.key)
        found = None if there is None else self._found(asked, there)
        if found is None and path.exists():  # It was cut off before the ledger was told of the file.
            found = self._read_file(asked)
            if there is not None:
                return True, dict(self.keep(asked, self.begin(asked), found)[0])
        return found is not None or (there is not None and self._open_note(asked.key, there[0]) is not None), found

    def asked(self, key: str) -> KeptRequest | None:
        """What was asked from here under a key, whether it was answered or cut off; nothing where nobody did."""
        there, path = self.shelf.noted(key), self._path(key)
        if there is not None:
            return self._open_note(key, there[0])
        return _request(_read(path), path) if path.exists() else None

    def waiting(self) -> tuple[KeptRequest, ...]:
        """Every request that was paid for from here, and that nobody has said to be done with."""
        notes = list(self.shelf.notes())
        opened = [self._open_note(key, note) for key, note, given in notes if not given]
        known = {self._path(key) for key, _, _ in notes}
        files = sorted(path for path in self.place.glob(f"*{PAID}") if path not in known)
        return (*filter(None, opened), *(_request(_read(path), path) for path in files))

    def given(self, asked: KeptRequest) -> None:
        """The answer is where it should be and need not be kept; that it was given is, so that none is drawn again."""
        there = self.shelf.noted(asked.key)
        self.shelf.keep(asked.key, self.begin(asked).note if there is None else there[0], GIVEN)
        self._path(asked.key).unlink(missing_ok=True)

    def _found(self, asked: KeptRequest, there: Noted) -> dict[str, object] | None:
        """The answer in what stands under a key; nothing where it was cut off, or was charged from elsewhere."""
        note, body = there
        before = self._open_note(asked.key, note)
        if before is None:
            return None
        _check_same(before, asked)
        if body is None:
            return None
        if body == GIVEN:
            raise ReceiptUsed(
                f"The answer under the key '{asked.key}' ('{asked.label}') was given, and is not kept any more. "
                "Nothing was charged or drawn. Ask under a new key, which is charged anew."
            )
        found = self._open(body, _about("answer", asked.key))
        if found is not None and "file" in found:
            path = self._path(asked.key)
            if not path.exists() or file_hash(path) != found["file"]:
                raise _unreadable(path)
            return self._read_file(asked)
        answer = None if found is None else found.get("answer")
        if not isinstance(answer, dict):
            raise BadValue(
                f"What the ledger keeps under the key '{asked.key}' is not an answer as banister keeps them. Nothing "
                "was charged or drawn; restore the ledger from a copy."
            )
        return answer

    def _written(self, asked: KeptRequest, answer: Mapping[str, object]) -> str:
        """What the ledger holds of a long answer: the hash of its file. One that is there was first, and stays."""
        path, body = self._path(asked.key), {"format": FORMAT, **_texts(asked), "answer": answer}
        with suppress(FileExistsError):
            new_text(path, json.dumps(body) + "\n", access=Access.OWNER)
        self._read_file(asked)
        return json.dumps({"file": file_hash(path)})

    def _read_file(self, asked: KeptRequest) -> dict[str, object]:
        path = self._path(asked.key)
        found = _read(path)
        _check_same(_request(found, path), asked)
        answer = found.get("answer")
        if not isinstance(answer, dict):
            raise _unreadable(path)
        return answer

    def _open_note(self, key: str, note: bytes) -> KeptRequest | None:
        found = self._open(note, _about("asked", key))
        return None if found is None else _request(found, self.place)

    def _open(self, box: bytes, about: bytes) -> dict[str, Any] | None:
        """What was sealed here, or nothing."""
        secret = self._secret()
        content = None if secret is None else keys.opened_box(secret, box, about)
        found = None if content is None else json.loads(content)
        return found if isinstance(found, dict) else None

    def _secret(self) -> bytes | None:
        """What only this place has, or nothing where nobody has asked from here."""
        path = os.path.join(self.place, SECRET)
        try:
            with open(path, "rb", buffering=0) as file:
                secret = _SECRET.fullmatch(file.read(200))
        except FileNotFoundError:
            return None
        if secret is None:
            raise _unreadable(Path(path))
        return bytes.fromhex(secret.group(1).decode("ascii"))

    def _new_secret(self) -> bytes:
        """Made once, and never anew while it is there."""
        folder(self.place, access=Access.OWNER)
        with suppress(FileExistsError):  # Another call was quicker: its secret is ours too.
            new_text(self.place / SECRET, f"banister place 1 {keys.secret().hex()}\n", access=Access.OWNER)
        made = self._secret()
        assert made is not None
        return made

    def _path(self, key: str) -> Path:
        return self.place / (hashlib.sha256(key.encode()).hexdigest()[:40] + PAID)


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
    charge: Callable[[Begun], Receipt],
    draw: Callable[[Receipt], Mapping[str, object]],
) -> Mapping[str, object]:
    """Charge with the claim, draw, keep; or give what was kept before, for this key, and draw nothing."""
    found = kept.fetch(asked)
    return paid_and_kept(kept, asked, charge=charge, draw=draw)[0] if found is None else found


def paid_and_kept(
    kept: Kept,
    asked: KeptRequest,
    *,
    charge: Callable[[Begun], Receipt],
    draw: Callable[[Receipt], Mapping[str, object]],
) -> tuple[Mapping[str, object], bool]:
    """The same for who has seen that nothing is kept. Whether what was drawn is the answer: else somebody was quicker,
    and this draw is forgotten."""
    begun = kept.begin(asked)
    receipt = charge(begun)
    if receipt.again:
        raise ReceiptUsed(
            f"Charge {receipt.sequence} ('{receipt.label}') was made under the key '{asked.key}', but not from here, "
            f"and its answer may have been given: '{kept.place}' does not hold it. Nothing was charged or drawn. Fetch "
            "it where it was charged, or ask under a new key, which is charged anew."
        )
    return kept.keep(asked, begun, draw(receipt))


def _texts(asked: KeptRequest) -> dict[str, str]:
    return {name: getattr(asked, name) for name in KeptRequest.__slots__}


def _about(what: str, key: str) -> bytes:
    """What a box says of itself, so that none is taken for another."""
    return f"banister {what} {key}".encode()


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
