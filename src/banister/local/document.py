"""Surveys as plain documents: a channel and the words that people read, checked before anybody answers.

The second format carries weights as texts, since readers of JSON with doubles for numbers change what is above 2^53.
Its hash covers labels, question and asker: whoever answers has answered those words.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.local.channels import ALL
from banister.local.channels.base import FORMAT as FIRST
from banister.local.channels.base import Certificate, Channel, Json

FORMAT = "banister-channel/2"
LONGEST_TEXT = 2000
"""Characters of a question, of who asks, and of a label."""
MOST_LABELS = 1 << 20
UNBOUNDED = "unbounded"
"""The level of a channel that says some answers openly, with a small chance."""
WEIGHTS = "weights"
"""The field whose numbers are beyond what every reader of JSON keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """A channel, the words for its categories, what is asked, and who asks."""

    channel: Channel
    labels: list[str]
    question: str = ""
    asked_by: str = ""
    format: str = FORMAT

    def __post_init__(self) -> None:
        if len(self.labels) != self.channel.categories or len(set(self.labels)) != len(self.labels):
            raise BadValue(f"The channel has {self.channel.categories} categories; it needs as many different labels.")
        for text in (self.question, self.asked_by, *self.labels):
            if len(text) > LONGEST_TEXT:
                raise BadValue(f"A text of the survey has {len(text)} characters; it may have {LONGEST_TEXT}.")

    @property
    def identity(self) -> str:
        """The hash that files and reports carry: of all that was asked; in the first format, of the channel alone."""
        if self.format == FIRST:
            return self.channel.hash
        text = json.dumps(self.asked(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    def asked(self) -> dict[str, Json]:
        """Everything that a person answers: the channel's numbers, the labels, the question, and who asks."""
        found = cast("dict[str, Json]", self.channel.definition())
        fields = dict(cast("dict[str, Json]", found["fields"]))
        if WEIGHTS in fields:
            rows = cast("list[list[int]]", fields[WEIGHTS])
            fields[WEIGHTS] = [[str(weight) for weight in row] for row in rows]
        words: dict[str, Json] = {"labels": list(self.labels), "question": self.question, "asked_by": self.asked_by}
        return {**found, "format": FORMAT, "fields": fields, **words}


def write_document(survey: Survey) -> dict[str, Json]:
    """The survey with its true level and its hash, in the second format."""
    level: Json = survey.channel.level if math.isfinite(survey.channel.level) else UNBOUNDED
    document = {**survey.asked(), "level": level, "hash": replace(survey, format=FORMAT).identity}
    proof = survey.channel.certificate
    if proof is not None:
        document["certificate"] = {
            "utility_name": proof.utility_name,
            "method": proof.method,
            "utility": proof.utility,
            "upper_bound": proof.upper_bound,
            "dual": proof.dual.tolist(),
        }
    return document


def read_document(document: Json) -> Survey:
    """The survey, if the hash and the level are those of what is in the document.

    A client calls this before it answers: a channel that is weaker than it says is refused.
    """
    if not isinstance(document, dict) or document.get("format") not in (FIRST, FORMAT):
        raise BadValue(f"This is not a channel file of the format {FORMAT} or {FIRST}.")
    try:
        survey = _survey(document)
        stated, level = document["hash"], document["level"]
    except BadValue:
        raise
    except (KeyError, TypeError, ValueError, OverflowError):
        raise BadValue("The channel file lacks a field or has one of the wrong kind. Ask for it again.") from None
    if stated != survey.identity:
        raise BadValue(
            "The hash in the channel file is not that of what it holds: it was changed. Do not answer with it."
        )
    if isinstance(level, bool) or (math.inf if level == UNBOUNDED else level) != survey.channel.level:
        raise BadValue(
            f"The channel file claims the level {str(level)[:40]}; its numbers have {survey.channel.level}. Do not "
            "answer with it."
        )
    return survey


def _survey(document: Mapping[str, Json]) -> Survey:
    new = document["format"] == FORMAT
    kind = {each.kind: each for each in ALL}[_text(document["kind"])]
    guarantee = Guarantee(_text(document["epsilon"]), _text(document["delta"]))
    labels = document["labels"]
    if not isinstance(labels, list) or len(labels) > MOST_LABELS:
        raise TypeError
    names = [_text(label) for label in labels]
    fields = _fields(document["fields"], len(names), new=new)
    channel = kind.of_fields(guarantee, fields, _certificate(document.get("certificate")))
    if len(names) != channel.categories:
        raise BadValue(f"The channel file has {len(names)} labels for {channel.categories} categories.")
    question, asked_by = (_text(document[name]) if new else "" for name in ("question", "asked_by"))
    return Survey(channel, names, question, asked_by, FORMAT if new else FIRST)


def _fields(given: Json, labels: int, *, new: bool) -> dict[str, Json]:
    """The channel's own fields, none of which can ask for more room than there are labels."""
    if not isinstance(given, dict):
        raise TypeError
    fields = dict(given)
    for name, value in fields.items():
        if isinstance(value, int) and not 0 <= value <= (labels if name == "categories" else 1 << 20):
            raise BadValue(f"The channel file says {name} = {str(value)[:20]}, with {labels} labels. Ask for it again.")
    weights = fields.get(WEIGHTS)
    if weights is not None:
        if not isinstance(weights, list) or not all(isinstance(row, list) for row in weights):
            raise TypeError
        fields[WEIGHTS] = [[_weight(one, new=new) for one in cast("list[Json]", row)] for row in weights]
    return fields


def _weight(value: Json, *, new: bool) -> int:
    """A weight, written in the one way that its format writes it."""
    if new:
        text = _text(value)
        if not (text.isascii() and text.isdigit() and len(text) <= 19 and str(int(text)) == text):
            raise TypeError
        return int(text)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value


def _certificate(given: Json) -> Certificate | None:
    if given is None:
        return None
    if not isinstance(given, dict) or not isinstance(given["dual"], list):
        raise TypeError
    return Certificate(
        utility_name=_text(given["utility_name"]),
        method=_text(given["method"]),
        utility=_number(given["utility"]),
        upper_bound=_number(given["upper_bound"]),
        dual=np.array([_number(one) for one in given["dual"]], dtype=np.float64),
    )


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
