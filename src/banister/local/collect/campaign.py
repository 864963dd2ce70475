"""A campaign: what is asked, through which channels, by whom, until when and what is kept, as one signed file.

The file has two lines: the campaign itself, and the signature over its very bytes. Nothing has to be brought into a
canonical form before it is checked, so a browser and this package check the same bytes.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from banister import need
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.foreign import parse_json
from banister.keys import Ed25519Verifier, SigningKey
from banister.local.channels.base import Channel, Json
from banister.local.collect.repeat import Repetition, count_words, people_a_report
from banister.local.collect.series import NumberSeries
from banister.local.collect.sharing import MOST_QUESTIONS, LevelShare
from banister.local.document import LONGEST_TEXT, Survey, read_document, write_document

FORMAT = "banister-campaign/1"
SEAL = "banister-campaign-seal/1"
MOST_BYTES = 1 << 22
MOST_PEOPLE = 10**10
MOST_LAWS = 8
_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_NAME = re.compile(r"[0-9a-f]{64}")
_CHANGED = "The campaign was changed after it was signed, or the signature is not whole. Do not answer it."


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Hypotheses:
    """Which of several laws holds is the question: their names, the laws, and the power that is wanted.

    With two laws `size` is the largest chance of a false alarm, and the power the chance to find the second law. With
    more, the power is the chance to name the law that holds, whichever it is, and there is no size.
    """

    names: tuple[str, ...]
    laws: tuple[tuple[float, ...], ...]
    size: float
    power: float

    def __post_init__(self) -> None:
        if not 2 <= len(self.laws) == len(set(self.names)) <= MOST_LAWS:
            raise BadValue(f"A campaign tells 2 to {MOST_LAWS} laws apart, each with a name of its own.")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Campaign:
    """Everything that a person agrees to before she answers.

    >>> from banister.local import RandomizedResponse
    >>> from banister.local.document import Survey
    >>> asked = Survey(RandomizedResponse(1, categories=2), ["yes", "no"], "Do you smoke?")
    >>> found = Campaign.of_one(asked, title="Smoking", asked_by="A clinic", until="2030-01-01", people=1000)
    >>> found.once, found.over_all_rounds
    (Guarantee(epsilon=1, delta=0), Guarantee(epsilon=1, delta=0))
    """

    title: str
    asked_by: str
    about: str
    keeps: str
    until: str
    people: int
    repetition: Repetition
    share: LevelShare
    questions: tuple[Survey, ...]
    accuracy: float = 0.0
    """Half the width of the intervals that are wanted; 0 where nobody said."""
    hypotheses: Hypotheses | None = None
    series: tuple[NumberSeries, ...] = ()
    """Which questions ask for numbers, over time."""
    after: str = ""
    """The name of the first wave, where this is the second, for other people."""

    def __post_init__(self) -> None:
        for name in ("title", "asked_by", "about", "keeps"):
            text = getattr(self, name)
            if len(text) > LONGEST_TEXT:
                raise BadValue(f"{name} has {len(text)} characters; it may have {LONGEST_TEXT}.")
        if not (self.title.strip() and self.asked_by.strip()):
            raise BadValue("A campaign says what it is about and who asks. Give a title and who asks.")
        if not _DAY.fullmatch(self.until):
            raise BadValue(f"until = '{self.until[:20]}' must be a day such as 2030-01-31; it is the last day.")
        need.whole("people", self.people, least=1, most=MOST_PEOPLE)
        if not 0 <= self.accuracy < 1:
            raise BadValue(f"accuracy = {self.accuracy} must be a share, such as 0.02.")
        if not 1 <= len(self.questions) <= MOST_QUESTIONS:
            raise BadValue(f"A campaign has 1 to {MOST_QUESTIONS} questions, not {len(self.questions)}.")
        if self.share is LevelShare.ONE and self.repetition.rounds > 1:
            raise BadValue("One question picked by chance is for one round: in a second one another could be picked.")
        if self.hypotheses is not None and (len(self.questions) > 1 or self.repetition.rounds > 1):
            raise BadValue("A campaign that tests which law holds has one question and one round.")
        if self.after and not _NAME.fullmatch(self.after):
            raise BadValue("A second wave names its first wave by 64 digits from 0 to f.")
        for one in self.series:
            _check_series(one, self.questions)
        for question in self.questions:
            self.repetition.check(question.channel, self.people)

    @classmethod
    def of_one(cls, question: Survey, *, title: str, asked_by: str, until: str, people: int) -> "Campaign":
        """A campaign of one question, answered once."""
        return cls(
            title=title,
            asked_by=asked_by,
            about="",
            keeps=KEEPS,
            until=until,
            people=people,
            repetition=Repetition("once"),
            share=LevelShare.ALL,
            questions=(question,),
        )

    @property
    def once(self) -> Guarantee:
        """What one round gives away at most."""
        return self._together([question.channel.guarantee for question in self.questions])

    @property
    def over_all_rounds(self) -> Guarantee:
        """What is written into a person's ledger before the first round: all questions, all rounds."""
        return self._together([self.repetition.charge(question.channel) for question in self.questions])

    def _together(self, each: list[Guarantee]) -> Guarantee:
        if self.share is LevelShare.ONE:  # The largest of each: whichever is picked is covered.
            return Guarantee(max(one.epsilon for one in each), max(one.delta for one in each))
        epsilon = sum((one.epsilon for one in each), Fraction(0))
        return Guarantee(epsilon, min(Fraction(1), sum((one.delta for one in each), Fraction(0))))

    @property
    def body(self) -> str:
        """The campaign as one line of JSON; its hash is the campaign's name."""
        found: dict[str, Json] = {
            "format": FORMAT,
            "title": self.title,
            "asked_by": self.asked_by,
            "about": self.about,
            "keeps": self.keeps,
            "until": self.until,
            "people": self.people,
            "repeat": self.repetition.kind.value,
            "rounds": self.repetition.rounds,
            "second": "" if self.repetition.second is None else str(self.repetition.second),
            "share": self.share.value,
            "accuracy": repr(self.accuracy),
            "epsilon": str(self.over_all_rounds.epsilon),
            "delta": str(self.over_all_rounds.delta),
            "shared_by": [_shared(question.channel, self.people) for question in self.questions],
            "questions": [_without_proof(question) for question in self.questions],
        }
        if self.hypotheses is not None:
            found["hypotheses"] = {
                "names": list(self.hypotheses.names),
                "laws": [[repr(share) for share in law] for law in self.hypotheses.laws],
                "size": repr(self.hypotheses.size),
                "power": repr(self.hypotheses.power),
            }
        if self.series:
            found["numbers"] = [
                {
                    "first": one.first,
                    "times": one.times,
                    "least": str(one.least),
                    "most": str(one.most),
                    "classes": one.classes,
                    "unit": one.unit,
                }
                for one in self.series
            ]
        if self.after:
            found["after"] = self.after
        return json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

    @property
    def name(self) -> str:
        """SHA-256 of the body: reports, links and ledgers name a campaign by it."""
        return name_of(self.body)

    def signed(self, key: SigningKey) -> str:
        """The two lines of the file."""
        body = self.body
        seal = {"format": SEAL, "key": key.public, "signature": key.sign(body.encode("ascii"))}
        return f"{body}\n{json.dumps(seal)}\n"


KEEPS = (
    "Reports are counted by question, report and hour. No address, no browser and no account is kept, and no two "
    "reports are kept together."
)
"""What the service of this house keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class SignedCampaign:
    """A campaign whose signature holds, its own text, and the key that signed it.

    >>> from banister.local.examples import signed_example
    >>> found = signed_example()
    >>> found.name == found.campaign.name, found.key[:8]
    (True, 'ed25519:')
    """

    campaign: Campaign
    text: str
    key: str

    @property
    def name(self) -> str:
        """The hash of the campaign."""
        return name_of(self.text.split("\n", 1)[0])


def name_of(body: str) -> str:
    """The hash by which a campaign is named."""
    return hashlib.sha256(body.encode("utf-8")).hexdigest()


def read_campaign(text: str) -> SignedCampaign:
    """The campaign, if signature, channels and levels are what the file says; called before anybody answers.

    >>> from banister.local.examples import signed_example
    >>> read_campaign(signed_example().text).campaign.title
    'Smoking'
    """
    lines = text.split("\n")
    if len(text) > MOST_BYTES or len(lines) != 3 or lines[2]:
        raise BadValue("This is not a campaign file: it has two lines, the campaign and its signature.")
    seal = parse_json(lines[1], "This is not a campaign file", most_bytes=4096)
    if not isinstance(seal, dict) or seal.get("format") != SEAL:
        raise BadValue(f"This is not a campaign file: its second line is not a seal of the format {SEAL}.")
    key, signature = seal.get("key"), seal.get("signature")
    if not (isinstance(key, str) and isinstance(signature, str) and len(seal) == 3):
        raise BadValue(_CHANGED)
    if not Ed25519Verifier().holds(key, lines[0].encode("utf-8"), signature):
        raise BadValue(_CHANGED)
    body = parse_json(lines[0], "This is not a campaign file", most_bytes=MOST_BYTES)
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise BadValue(f"This is not a campaign of the format {FORMAT}.")
    try:
        campaign = _campaign(cast("dict[str, Json]", body))
    except BadValue:
        raise
    except (KeyError, TypeError, ValueError, OverflowError):
        raise BadValue("The campaign lacks a field or has one of the wrong kind. Ask for it again.") from None
    if campaign.body != lines[0]:
        raise BadValue(
            "The campaign says something else than its channels have, or is written in another way. Do not answer it."
        )
    return SignedCampaign(campaign, text, key)


def _check_series(series: NumberSeries, questions: Sequence[Survey]) -> None:
    """Questions about numbers have the classes as answers, and reports that stand for one class each."""
    asked = questions[series.first : series.first + series.times]
    if len(asked) != series.times:
        raise BadValue("A campaign asks for numbers in questions that it does not have.")
    for one in asked:
        plain = one.channel.kind == "randomized-response" and one.channel.outputs == series.classes
        if one.labels != series.labels or not plain:
            raise BadValue("Questions about numbers have classes as answers, through randomized response.")


def _campaign(body: dict[str, Json]) -> Campaign:
    questions, rounds, people = body["questions"], body["rounds"], body["people"]
    if not isinstance(questions, list) or not isinstance(rounds, int) or not isinstance(people, int):
        raise TypeError
    second = _text(body["second"])
    return Campaign(
        title=_text(body["title"]),
        asked_by=_text(body["asked_by"]),
        about=_text(body["about"]),
        keeps=_text(body["keeps"]),
        until=_text(body["until"]),
        people=people,
        repetition=Repetition(_text(body["repeat"]), rounds=rounds, second=second or None),
        share=LevelShare(_text(body["share"])),
        questions=tuple(read_document(question) for question in questions),
        accuracy=float(_text(body["accuracy"])),
        hypotheses=_hypotheses(body.get("hypotheses")),
        series=tuple(_series(one) for one in cast("list[Json]", body.get("numbers", []))),
        after=_text(body.get("after", "")),
    )


def _series(given: Json) -> NumberSeries:
    if not isinstance(given, dict):
        raise TypeError
    whole = [given[name] for name in ("first", "times", "classes")]
    if not all(isinstance(one, int) for one in whole):
        raise TypeError
    first, times, classes = cast("list[int]", whole)
    least, most = _text(given["least"]), _text(given["most"])
    return NumberSeries(first, times=times, least=least, most=most, classes=classes, unit=_text(given["unit"]))


def _hypotheses(given: Json) -> Hypotheses | None:
    if given is None:
        return None
    if not isinstance(given, dict) or not isinstance(given["names"], list) or not isinstance(given["laws"], list):
        raise TypeError
    return Hypotheses(
        names=tuple(_text(name) for name in given["names"]),
        laws=tuple(tuple(float(_text(share)) for share in cast("list[Json]", law)) for law in given["laws"]),
        size=float(_text(given["size"])),
        power=float(_text(given["power"])),
    )


def _without_proof(question: Survey) -> dict[str, Json]:
    """The channel document without its certificate, which is for who designs: a client needs what is drawn."""
    return {name: value for name, value in write_document(question).items() if name != "certificate"}


def _shared(channel: Channel, people: int) -> str:
    """How many people share a report, in words; where reports outnumber people, how many there are for each."""
    shared = people_a_report(channel, people)
    if shared >= 1:
        return f"{float(shared):.3g} people a report"
    return f"{count_words(-(-channel.outputs // people))} reports a person"


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
