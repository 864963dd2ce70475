"""A question of a guideline, and what answers it: evidence from files, or the owner's own words."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from banister.audit.conformity.facts import ConformFacts

OWNER = "The owner must say."


class ReplyStanding(Enum):
    """How a question stands."""

    EVIDENCE = "answered from the files"
    OPEN = "against: to be settled"
    OWNER = "the owner must say"


@dataclass(frozen=True, slots=True)
class Replied:
    """What is said, and on what evidence."""

    text: str
    evidence: str = ""
    standing: ReplyStanding = ReplyStanding.EVIDENCE


def owner(hint: str = "") -> Replied:
    """No file can answer it."""
    return Replied(f"{OWNER} {hint}".strip(), "", ReplyStanding.OWNER)


@dataclass(frozen=True, slots=True)
class GuidelineQuestion:
    """One question, in our own words, under the part of the guideline that it belongs to."""

    part: str
    question: str
    reply: Callable[[ConformFacts], Replied]


@dataclass(frozen=True, slots=True)
class Guideline:
    """A list of questions, and of what text they were made."""

    title: str
    source: str
    questions: tuple[GuidelineQuestion, ...]
