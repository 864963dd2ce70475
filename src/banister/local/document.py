"""Channels as plain documents: written, read back, and checked before anybody answers."""

import numpy as np

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.local.channels import ALL
from banister.local.channels.base import FORMAT, Certificate, Channel, Json


def write_document(channel: Channel, labels: list[str]) -> dict[str, Json]:
    """The channel with its labels, its true level and its hash."""
    if len(labels) != channel.categories or len(set(labels)) != len(labels):
        raise BadValue(f"The channel has {channel.categories} categories; it needs as many different labels.")
    proof = channel.certificate
    document: dict[str, Json] = {**channel.definition()}  # type: ignore[dict-item]
    document |= {"level": channel.level, "hash": channel.hash, "labels": list(labels)}
    if proof is not None:
        document["certificate"] = {
            "utility_name": proof.utility_name,
            "method": proof.method,
            "utility": proof.utility,
            "upper_bound": proof.upper_bound,
            "dual": proof.dual.tolist(),
        }
    return document


def read_document(document: Json) -> tuple[Channel, list[str]]:
    """The channel and its labels, if the hash and the level are those of the numbers in the document.

    A client calls this before it answers: a channel that is weaker than it says is refused.
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadValue(f"This is not a channel file of the format {FORMAT}.")
    try:
        kind = {each.kind: each for each in ALL}[_text(document["kind"])]
        guarantee = Guarantee(_text(document["epsilon"]), _text(document["delta"]))
        fields, labels = document["fields"], document["labels"]
        proof = _certificate(document.get("certificate"))
        if not isinstance(fields, dict) or not isinstance(labels, list):
            raise TypeError
        channel = kind.of_fields(guarantee, fields, proof)
        stated, level, names = document["hash"], document["level"], [_text(label) for label in labels]
    except (KeyError, TypeError, OverflowError):
        raise BadValue("The channel file lacks a field or has one of the wrong kind. Ask for it again.") from None
    if stated != channel.hash:
        raise BadValue(
            "The hash in the channel file is not that of its numbers: it was changed. Do not answer with it."
        )
    if level != channel.level:
        raise BadValue(
            f"The channel file claims the level {level}; its numbers have {channel.level}. Do not answer with it."
        )
    if len(names) != channel.categories:
        raise BadValue(f"The channel file has {len(names)} labels for {channel.categories} categories.")
    return channel, names


def _certificate(given: Json) -> Certificate | None:
    if not isinstance(given, dict):
        return None
    return Certificate(
        utility_name=_text(given["utility_name"]),
        method=_text(given["method"]),
        utility=float(given["utility"]),  # type: ignore[arg-type]
        upper_bound=float(given["upper_bound"]),  # type: ignore[arg-type]
        dual=np.array(given["dual"], dtype=np.float64),
    )


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
