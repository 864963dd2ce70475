"""A meeting by files: one plan that all receive, one signed answer from each party, and what to make of them.

A plan and an answer are JSON objects with a format version. The plan's identity is the SHA-256 of its canonical form;
each answer names that identity and is signed over all that is in it, so it fits no other plan, party or symbol.
"""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from banister import need
from banister.core.laws.cost import Cost
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.foreign import parse_json
from banister.parties.games.functions import JointFunction, function_of
from banister.parties.games.levels import ABSENT, possible

PLAN_FORMAT = "banister-meeting/2"
OLD_PLAN_FORMAT = "banister-meeting/1"
"""Plans that nobody signed: what was answered can be decided, and nothing more is answered."""
ANSWER_FORMAT = "banister-answer/1"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
KEY = re.compile(r"ed25519:[A-Za-z0-9+/]{43}=\Z")
LONGEST_FILE = 1 << 24
LONGEST_TITLE = 2000
Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


class Verifier(Protocol):
    """Somebody who knows signatures; `banister.keys` does."""

    def holds(self, key: str, message: bytes, signature: str) -> bool:
        """Whether the signature of the message is by the owner of the public key."""
        ...


def usable_key(key: str) -> bool:
    """Whether a text is a public key, in the one way of writing it: base64 leaves two bits open, in which one key
    could stand under two names."""
    if not KEY.match(key):
        return False
    raw = key.removeprefix("ed25519:")
    return base64.b64encode(base64.b64decode(raw)).decode("ascii") == raw


def checked_name(name: str) -> str:
    """The name of a party, which must also do as the name of a file."""
    if not NAME.match(name):
        raise BadValue(
            f"The party name {name[:40]!r} must be 1 to 64 letters, digits, dots, hyphens or underscores, and start "
            "with a letter or digit."
        )
    return name


@dataclass(frozen=True, slots=True)
class Member:
    """A party of a meeting: its name, its level, and the public key that its answer must be signed with."""

    name: str
    level: Guarantee
    key: str

    def __post_init__(self) -> None:
        checked_name(self.name)
        if self.level == ABSENT:
            raise BadValue(f"Party '{self.name}' has epsilon 0 and delta 0, so it can say nothing. Leave it out.")
        if not usable_key(self.key):
            raise BadValue(
                f"Party '{self.name}' has no usable key in the plan. It runs `banister parties key --party "
                f"{self.name}` and sends the line that this prints."
            )


@dataclass(frozen=True, slots=True)
class Meeting:
    """Everything that a party must know before it answers. The nonce makes each meeting its own.

    >>> from banister.keys import SigningKey
    >>> members = tuple(Member(name, Guarantee(1), SigningKey.generate().public) for name in ("ann", "bob"))
    >>> meeting = Meeting("Agreed?", "xor", "average", "zero-one", Fraction(1, 2), members, "0" * 32)
    >>> meeting.member("ann").level, len(meeting.hash)
    (Guarantee(epsilon=1, delta=0), 64)
    """

    title: str
    function: str
    measure: Literal["average", "worst"]
    cost: str
    prior: Fraction
    """The chance that a bit is 1, for decisions on average."""
    members: tuple[Member, ...]
    nonce: str
    organiser: str = ""
    """Who asks; nobody in a plan of the first format."""
    organiser_key: str = ""

    def __post_init__(self) -> None:
        need.one_of("measure", self.measure, ("average", "worst"))
        Cost.of(self.cost)
        need.between("prior", self.prior, 0, 1)
        if len(self.title) > LONGEST_TITLE:
            raise BadValue(f"The question has {len(self.title)} characters; it may have {LONGEST_TITLE}.")
        self._check_organiser()
        names = [member.name for member in self.members]
        for what, values in (("name", names), ("key", [member.key for member in self.members])):
            (double, times), *_ = [*Counter(values).most_common(1), ("", 0)]
            if times > 1:
                raise BadValue(f"Two parties of the plan have the {what} {double!r}. Each party needs its own.")
        self.joint_function()

    def _check_organiser(self) -> None:
        if not self.organiser and not self.organiser_key:
            return
        checked_name(self.organiser)
        if not usable_key(self.organiser_key):
            raise BadValue(f"The organiser '{self.organiser}' has no usable key in the plan.")
        for member in self.members:
            if (member.key == self.organiser_key) != (member.name == self.organiser):
                raise BadValue(
                    f"The organiser '{self.organiser}' and the party '{member.name}' must be the same in name and key, "
                    "or in neither: one key cannot stand under two names."
                )

    def joint_function(self) -> JointFunction:
        """The function that is to be decided."""
        return function_of(self.function, len(self.members))

    def member(self, name: str) -> Member:
        """The party of that name."""
        for member in self.members:
            if member.name == name:
                return member
        raise BadValue(f"The plan has no party '{name}'. It has: {', '.join(m.name for m in self.members[:20])}.")

    def document(self) -> dict[str, Json]:
        """The plan as a JSON object."""
        parties: list[Json] = [
            {"name": m.name, "epsilon": str(m.level.epsilon), "delta": str(m.level.delta), "key": m.key}
            for m in self.members
        ]
        asks: dict[str, Json] = (
            {"organiser": {"name": self.organiser, "key": self.organiser_key}} if self.organiser else {}
        )
        return {
            "format": PLAN_FORMAT if self.organiser else OLD_PLAN_FORMAT,
            "title": self.title,
            "function": self.function,
            "measure": self.measure,
            "cost": self.cost,
            "prior": str(self.prior),
            "parties": parties,
            "nonce": self.nonce,
            **asks,
        }

    def signed_bytes(self) -> bytes:
        """What the organiser signs: all of the plan."""
        return canonical(self.document())

    @property
    def hash(self) -> str:
        """The identity of the plan: SHA-256 of its canonical form, whatever the file's spaces and order."""
        return hashlib.sha256(canonical(self.document())).hexdigest()


@dataclass(frozen=True, slots=True)
class SignedAnswer:
    """What one party said to one plan, with its signature."""

    plan: str
    party: str
    symbol: int
    signature: str

    def signed_bytes(self) -> bytes:
        """What the signature covers: the format, the plan, the party and the symbol."""
        return canonical({"format": ANSWER_FORMAT, "plan": self.plan, "party": self.party, "symbol": self.symbol})

    def document(self) -> dict[str, Json]:
        """The answer as a JSON object."""
        return {
            "format": ANSWER_FORMAT,
            "plan": self.plan,
            "party": self.party,
            "symbol": self.symbol,
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True)
class Hearing:
    """Which answers count, and why the others do not."""

    transcript: tuple[int | None, ...]
    missing: tuple[str, ...]
    set_aside: tuple[tuple[str, str], ...]
    """Pairs of a file and what is wrong with it."""


def canonical(document: Mapping[str, Json]) -> bytes:
    """One byte string for one object, whatever the order of its fields."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def read_signed_meeting(text: str, verifier: Verifier) -> Meeting:
    """The plan in a JSON text, if its organiser signed all of it; a plan of the first format has no organiser."""
    meeting, signature = read_meeting(text), _object(text, "plan", PLAN_FORMAT, OLD_PLAN_FORMAT).get("signature")
    if not meeting.organiser:
        return meeting
    held = isinstance(signature, str) and verifier.holds(meeting.organiser_key, meeting.signed_bytes(), signature)
    if not held:
        raise BadValue(
            f"its signature is not that of the organiser '{meeting.organiser}': the plan was changed, or made by "
            "somebody else. Do not answer it"
        )
    return meeting


def read_meeting(text: str) -> Meeting:
    """The plan in a JSON text; whether its organiser signed it is for `read_signed_meeting` to say."""
    found = _object(text, "plan", PLAN_FORMAT, OLD_PLAN_FORMAT)
    try:
        asks = found["organiser"] if found["format"] == PLAN_FORMAT else {"name": "", "key": ""}
        if not isinstance(asks, dict):
            raise TypeError
        if found["format"] == PLAN_FORMAT and not asks["name"]:
            raise KeyError
        parties = found["parties"]
        if not isinstance(parties, list):
            raise TypeError
        members = tuple(_member(party) for party in parties)
        measure = need.one_of("measure", _text(found["measure"]), ("average", "worst"))
        return Meeting(
            title=_text(found["title"]),
            function=_text(found["function"]),
            measure="worst" if measure == "worst" else "average",
            cost=_text(found["cost"]),
            prior=need.between("prior", _text(found["prior"]), 0, 1),
            members=members,
            nonce=_text(found["nonce"]),
            organiser=_text(asks["name"]),
            organiser_key=_text(asks["key"]),
        )
    except (KeyError, TypeError):
        raise BadValue("The plan lacks a field or has one of the wrong kind. Ask for it again.") from None


def read_answer(text: str) -> SignedAnswer:
    """The answer in a JSON text; whether it holds is for `hear` to say."""
    found = _object(text, "answer", ANSWER_FORMAT)
    try:
        symbol = found["symbol"]
        if not isinstance(symbol, int) or isinstance(symbol, bool):
            raise TypeError
        return SignedAnswer(_text(found["plan"]), _text(found["party"]), symbol, _text(found["signature"]))
    except (KeyError, TypeError):
        raise BadValue("it lacks a field or has one of the wrong kind") from None


def hear(meeting: Meeting, files: Sequence[tuple[str, str]], verifier: Verifier) -> Hearing:
    """Check every answer: format, plan, party, symbol, signature, and that nobody speaks twice.

    The same answer twice counts once. Two different answers that are both signed by one party count as none: whoever
    can choose which to send could steer the result, so that party is treated as missing.
    """
    identity = meeting.hash
    levels = {member.name: member for member in meeting.members}
    heard: dict[str, SignedAnswer] = {}
    first_file: dict[str, str] = {}
    torn: set[str] = set()
    aside: list[tuple[str, str]] = []
    for file, text in files:
        try:
            answer = _checked(read_answer(text), identity, levels, verifier)
        except BadValue as error:
            aside.append((file, str(error)))
            continue
        before = heard.get(answer.party)
        if before is None:
            heard[answer.party], first_file[answer.party] = answer, file
        elif before.symbol == answer.symbol:
            aside.append(
                (file, f"a copy of the answer of '{answer.party}' in {first_file[answer.party]}; counted once")
            )
        else:
            torn.add(answer.party)
            aside.append((file, f"'{answer.party}' signed two different answers; neither is counted"))
    said = {name: answer.symbol for name, answer in heard.items() if name not in torn}
    aside.extend(
        (first_file[name], f"'{name}' signed two different answers; neither is counted") for name in sorted(torn)
    )
    transcript = tuple(said.get(member.name) for member in meeting.members)
    missing = tuple(member.name for member in meeting.members if member.name not in said)
    return Hearing(transcript, missing, tuple(aside))


def _checked(answer: SignedAnswer, identity: str, members: Mapping[str, Member], verifier: Verifier) -> SignedAnswer:
    if answer.plan != identity:
        raise BadValue(f"it answers another plan ({answer.plan[:12]}, this one is {identity[:12]})")
    member = members.get(answer.party)
    if member is None:
        raise BadValue(f"'{answer.party[:64]}' is a stranger: the plan has no such party")
    if not verifier.holds(member.key, answer.signed_bytes(), answer.signature):
        raise BadValue(f"its signature is not that of '{answer.party}': it was forged or changed")
    if not possible(member.level, answer.symbol):
        raise BadValue(f"'{answer.party}' cannot say {answer.symbol} at its level {member.level}")
    return answer


def _object(text: str, what: str, *wanted: str) -> dict[str, Json]:
    found = parse_json(text, f"it is no {what}", most_bytes=LONGEST_FILE)
    if not isinstance(found, dict):
        raise BadValue(f"it is no {what}: not a JSON object")
    if found.get("format") not in wanted:
        raise BadValue(f"it is no {what} of the format {' or '.join(wanted)}")
    return found


def _member(party: Json) -> Member:
    if not isinstance(party, dict):
        raise TypeError
    level = Guarantee(_text(party["epsilon"]), _text(party["delta"]))
    return Member(_text(party["name"]), level, _text(party["key"]))


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
