"""What every proof on disk looks like, whatever it proves: the text is canonical, and each part carries its digest.

A proof is one JSON object with the keys "format", "kind", "claim", "witness" and "digests". There is one way to write
it (sorted keys, no spaces, one line feed at the end), and "digests" holds for each part of the claim and of the witness
the SHA-256 of its text. So a changed byte is found, with its place. The digests are no signature: whoever changes a
number and its digest is answered by the mathematics, in the file of the kind.

This file imports nothing of the package: it can be read, and run, alone.
"""

import hashlib
import json
from typing import Any

FORMAT = "banister proof 1"
MOST_BYTES = 1 << 25
PARTS = ("claim", "witness")


def sealed(kind: str, claim: dict[str, Any], witness: dict[str, Any]) -> str:
    """The text of a proof."""
    body: dict[str, Any] = {"claim": claim, "format": FORMAT, "kind": kind, "witness": witness}
    return _text(body | {"digests": _digests(body)}) + "\n"


def opened(text: str) -> dict[str, Any]:
    """The proof in a text that is as it was written; ValueError with the place where it is not."""
    if len(text) > MOST_BYTES:
        raise ValueError(f"the file is longer than {MOST_BYTES:,} characters")
    try:
        body = json.loads(text, parse_float=_no_float, parse_constant=_no_float)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON at character {error.pos}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise ValueError(f'"format" is not "{FORMAT}"')
    if set(body) != {"claim", "digests", "format", "kind", "witness"}:
        raise ValueError("it must have the keys claim, digests, format, kind and witness, and no others")
    for part in (*PARTS, "digests"):
        if not isinstance(body[part], dict):
            raise ValueError(f'"{part}" is not an object')
    told, found = body["digests"], _digests(body)
    for place in sorted(set(told) | set(found)):
        if told.get(place) != found.get(place):
            raise ValueError(f'"{place}" does not have the digest that was written with it')
    canonical = _text(body) + "\n"
    if canonical != text:
        place = next((i for i, (a, b) in enumerate(zip(canonical, text, strict=False)) if a != b), len(canonical))
        raise ValueError(f"the text is not in its one form from character {place} on")
    return body


def _digests(body: dict[str, Any]) -> dict[str, str]:
    found = {"kind": _digest(body["kind"])}
    for part in PARTS:
        for name, value in body[part].items():
            if isinstance(value, list) and value and isinstance(value[0], list):
                found |= {f"{part}.{name}[{row}]": _digest(line) for row, line in enumerate(value)}
            else:
                found[f"{part}.{name}"] = _digest(value)
    return found


def _digest(value: Any) -> str:
    return hashlib.sha256(_text(value).encode("utf-8")).hexdigest()[:16]


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _no_float(word: str) -> Any:
    raise ValueError(f"a number is written as {word[:40]}; only whole numbers and fractions in quotes are exact")
