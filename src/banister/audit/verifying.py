"""Which checker a proof goes to, and what it says; the checkers themselves import nothing of ours."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from banister.audit.checkers import channel, domination, envelope, line, noise, rule
from banister.errors import BadValue

CHECKERS: dict[str, Callable[[dict[str, Any], dict[str, Any]], str]] = {
    "channel": channel.check,
    "domination": domination.check,
    "line": line.check,
    "noise": noise.check,
    "rule": rule.check,
}


def verify(path: str | Path) -> str:
    """What the proof in a file proves, in words; `BadValue` with the place where it does not hold.

    No solver is asked and nothing is rounded: the checkers work in fractions (docs/guide/proofs.md).

    >>> import tempfile
    >>> from banister.audit import prove_domination
    >>> file = Path(tempfile.mkdtemp()) / "pair.proof"
    >>> path = prove_domination((("3/4", "1/4"), ("1/4", "3/4")), (("1/2", "1/2"), ("1/2", "1/2"))).save(file)
    >>> verify(path)
    'the first pair dominates the second: the matrix turns its outputs into those of the second'
    """
    source = Path(path)
    try:
        with source.open("rb") as file:
            data = file.read(envelope.MOST_BYTES + 1)
        text = data.decode("utf-8")
    except FileNotFoundError:
        raise BadValue(f"{path} does not exist.") from None
    except OSError:
        raise BadValue(f"{path} cannot be read as a file.") from None
    except UnicodeDecodeError as error:
        raise BadValue(f"{path} is refused: byte {error.start} is not text in UTF-8.") from None
    try:
        return checked(text)
    except BadValue as error:
        raise BadValue(f"{path} is refused: {error}") from None


def checked(text: str) -> str:
    """What a proof given as text proves."""
    try:
        body = envelope.opened(text)
        kind = body["kind"]
        if not isinstance(kind, str) or kind not in CHECKERS:
            raise ValueError(f'"kind" is not one of {", ".join(CHECKERS)}')
        return CHECKERS[kind](body["claim"], body["witness"])
    except ValueError as error:
        raise BadValue(f"{error}.") from None
