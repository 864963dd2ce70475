"""A meeting from plan to decision: each party answers once, with its own key, in its own folder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from banister import need
from banister.consent import Given
from banister.core.exact.numbers import Number, ball
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.files import folder, new_text
from banister.foreign import parse_toml, read_text
from banister.keys import Ed25519Verifier
from banister.parties.games.functions import function_of
from banister.parties.games.game import Decision, Game, Measure
from banister.parties.games.levels import Symbol, respond
from banister.parties.meetings.home import PartyHome
from banister.parties.meetings.papers import (
    LONGEST_FILE,
    Hearing,
    Meeting,
    Member,
    SignedAnswer,
    checked_name,
    hear,
    read_signed_meeting,
)
from banister.parties.request import MeetingRequest
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.table import ExactTable


@dataclass(frozen=True, slots=True)
class Outcome:
    """A party's answer, where it was written, and what the party has given away in all its answers so far."""

    answer: SignedAnswer
    path: Path
    level: Guarantee
    answered: int
    total: Guarantee


@dataclass(frozen=True, slots=True)
class MeetingVerdict:
    """The decision of a meeting: the answer, its accuracy, and which answers counted."""

    answer: Number
    decision: Decision
    hearing: Hearing
    accuracy: float
    """Before anything was said, with those parties that are present."""
    planned: float
    """Before anything was said, had all parties answered."""


Verdict = MeetingVerdict
"""The name at the door."""


def write_plan(path: Path, asked: MeetingRequest) -> None:
    """A plan for people to complete: TOML, with room for each party's key."""
    function_of(asked.function, len(asked.levels))
    lines = [
        f"{key} = {json.dumps(str(getattr(asked, key)))}" for key in ("title", "function", "measure", "cost", "prior")
    ]
    for name, level in zip(asked.names, asked.levels, strict=True):
        lines += ["", "[[party]]", f"name = {json.dumps(name)}", f'epsilon = "{level.epsilon}"']
        lines += [f'delta = "{level.delta}"', 'key = ""']
    write_paper(path, "\n".join(lines) + "\n")


def invite(
    plan: Path,
    folder: Path,
    *,
    keys: Mapping[str, str],
    organiser: str = "organiser",
    home: PartyHome | None = None,
    bits: BitSource = SYSTEM,
) -> tuple[Meeting, Path]:
    """Make the plan that every party receives, from a TOML file and the parties' public keys, and sign it.

    The organiser's key lies in `home`, as that of a party does; it is made where there is none.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     here = Path(folder)
    ...     write_plan(here / "plan.toml", MeetingRequest.of("xor", [1, 1]))
    ...     keys = {name: public_key(name, PartyHome(here / name)) for name in ("party-1", "party-2")}
    ...     meeting, path = invite(here / "plan.toml", here / "meeting", keys=keys, home=PartyHome(here / "mine"))
    >>> meeting.function, [member.name for member in meeting.members], meeting.organiser
    ('xor', ['party-1', 'party-2'], 'organiser')
    """
    key = (home or PartyHome.default()).make_key(checked_name(organiser))
    try:
        found = parse_toml(read_paper(plan), f"'{plan}' is no plan")
        parties = found["party"]
        if not isinstance(parties, list):
            raise TypeError("party is a list of tables")
        members = tuple(_member(party, keys) for party in parties)
        measure: Measure = "worst" if found.get("measure", "average") == "worst" else "average"
        need.one_of("measure", found.get("measure", "average"), ("average", "worst"))
        meeting = Meeting(
            title=str(found.get("title", "")),
            function=str(found["function"]),
            measure=measure,
            cost=str(found.get("cost", "zero-one")),
            prior=need.between("prior", _number(found.get("prior", "1/2")), 0, 1),
            members=members,
            nonce=f"{bits.take(128):032x}",
            organiser=organiser,
            organiser_key=key.public,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadValue(
            f"'{plan}' is no plan ({type(error).__name__}: {error}). It needs `function` and one [[party]] with name, "
            "epsilon and key for each party; `banister parties plan --save plan.toml` writes one."
        ) from None
    path = folder / "plan.json"
    document = {**meeting.document(), "signature": key.sign(meeting.signed_bytes())}
    write_paper(path, json.dumps(document, indent=1) + "\n")
    return meeting, path


def public_key(party: str, home: PartyHome | None = None) -> str:
    """The party's public key, for the plan; a key is made where there is none.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     key = public_key("ann", PartyHome(Path(folder)))
    >>> key[:8]
    'ed25519:'
    """
    return (home or PartyHome.default()).make_key(checked_name(party)).public


def open_meeting(path: Path) -> Meeting:
    """The plan in a file, checked, with the organiser's signature."""
    try:
        return read_signed_meeting(read_paper(path), Ed25519Verifier())
    except BadValue as error:
        raise BadValue(f"'{path}' cannot be used: {error}") from None


@dataclass(frozen=True, slots=True)
class PlanRequested:
    """What a party is asked, before it agrees: the plan, its own place in it, and what it gave before.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     here = Path(folder)
    ...     write_plan(here / "plan.toml", MeetingRequest.of("xor", [1, 1]))
    ...     homes = {name: PartyHome(here / name) for name in ("party-1", "party-2")}
    ...     keys = {name: public_key(name, home) for name, home in homes.items()}
    ...     _, path = invite(here / "plan.toml", here / "meeting", keys=keys, home=PartyHome(here / "mine"))
    ...     asked = PlanRequested.of(path, party="party-1", home=homes["party-1"])
    >>> asked.level, asked.given.answers
    (Guarantee(epsilon=1, delta=0), 0)
    """

    meeting: Meeting
    level: Guarantee
    given: Given
    ceiling: Guarantee | None

    @classmethod
    def of(cls, path: Path, *, party: str, home: PartyHome) -> "PlanRequested":
        """Read the plan as the party that it asks."""
        meeting = open_meeting(path)
        return cls(meeting, meeting.member(party).level, home.given(party), home.ceilings.of(party))


def answer_plan(
    path: Path,
    *,
    party: str,
    bit: int,
    out: Path,
    home: PartyHome | None = None,
    at_most: Guarantee | None = None,
    bits: BitSource = SYSTEM,
) -> Outcome:
    """Answer a plan once: record it on disk, draw, sign, write.

    `at_most` is all that the party agrees to give away in all its answers; it is kept in the party's folder, where it
    only goes down from answer to answer, and refuses every plan above it.

    Private:  the symbol is drawn exactly at the party's level in the plan; a plan is never answered twice, also not
              after a crash between the record and the answer.
    """
    meeting = open_meeting(path)
    member, place = meeting.member(party), home or PartyHome.default()
    key = place.key(party)
    if not meeting.organiser:
        raise BadValue(
            f"Nobody has signed '{path}', so anybody can have written its levels. Ask the organiser to invite with "
            "this version of banister. Nothing was drawn."
        )
    if key.public != member.key:
        raise BadValue(
            f"The plan has another key for '{party}' than the one in '{place.folder}'. Tell whoever made the plan; "
            "nothing was drawn."
        )
    if bit not in (0, 1) or isinstance(bit, float):
        raise BadValue("The bit must be 0 or 1. Nothing was drawn.")
    if out.exists():
        raise BadValue(f"'{out}' is there already, and answers are never overwritten. Choose another name.")
    if not out.parent.is_dir():
        raise BadValue(f"There is no folder '{out.parent}' for the answer. Make it first.")
    place.meet(meeting.organiser, meeting.organiser_key)
    if at_most is not None:
        place.ceilings.lower(party, at_most)
    identity = meeting.hash
    if not place.has_begun(party, identity):
        place.ceilings.check(party, place.given(party), member.level)
    place.begin(party, identity, epsilon=member.level.epsilon, delta=member.level.delta)
    unsigned = SignedAnswer(identity, party, int(respond(member.level, bit, bits)), "")
    answer = SignedAnswer(identity, party, unsigned.symbol, key.sign(unsigned.signed_bytes()))
    text = json.dumps(answer.document(), indent=1) + "\n"
    place.finish(party, identity, text)
    write_paper(out, text)
    given = place.given(party)
    return Outcome(answer, out, member.level, given.answers, Guarantee(given.epsilon, min(given.delta, Fraction(1))))


def decide_meeting(path: Path, answers: Sequence[Path], *, bits: BitSource = SYSTEM) -> MeetingVerdict:
    """Check all answers and decide. A rule that is random (worst case) is drawn from here."""
    meeting = open_meeting(path)
    files = [(file.name, _read_answer(file)) for file in answers]
    hearing = hear(meeting, files, Ed25519Verifier())
    if all(symbol is None for symbol in hearing.transcript):
        reasons = "".join(f"\n  {file}: {reason}" for file, reason in hearing.set_aside)
        raise BadValue(f"No answer counts, so there is nothing to decide.{reasons}")
    levels = [member.level for member in meeting.members]
    game = Game(meeting.joint_function(), levels, cost=meeting.cost, prior=meeting.prior)
    gone = [number for number, symbol in enumerate(hearing.transcript, 1) if symbol is None]
    decision = game.decide(hearing.transcript, meeting.measure)
    planned = game.accuracy(meeting.measure)
    present = game.without(*gone).accuracy(meeting.measure) if gone else planned
    return MeetingVerdict(_say(decision, bits), decision, hearing, present, planned)


def home_of(folder: Path | None) -> PartyHome:
    """The party's folder: the one that was named, or that of this user."""
    return PartyHome.default() if folder is None else PartyHome(folder)


def symbol_name(symbol: int) -> str:
    """What a symbol means, for people."""
    return Symbol(symbol).name.lower().replace("_", " ")


def _say(decision: Decision, bits: BitSource) -> Number:
    """The answer, drawn where the rule is random."""
    if len(decision.chances) == 1:
        return decision.answer
    exact = [need.exact("chance", chance) for _, chance in decision.chances]
    whole = sum(exact, Fraction(0))
    table = ExactTable(lambda: [ball(sum(exact[: n + 1], Fraction(0)) / whole) for n in range(len(exact) - 1)])
    return decision.chances[table.draw(bits)][0]


def _member(party: Mapping[str, object], keys: Mapping[str, str]) -> Member:
    name = str(party["name"])
    level = Guarantee(_number(party["epsilon"]), _number(party.get("delta", 0)))
    return Member(name, level, str(keys.get(name) or party.get("key") or ""))


def _number(value: object) -> Number:
    """A number as TOML has it, or a text that says one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise TypeError("epsilon, delta and prior are numbers")
    return value


def read_keys(path: Path) -> dict[str, str]:
    """Public keys, one line per party, as `banister parties key` prints them: the name, then the key."""
    found: dict[str, str] = {}
    for number, line in enumerate(read_paper(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split()
        if len(parts) != 2 or parts[0] in found:
            raise BadValue(f"Line {number} of '{path}' must be one new party's name and its key.")
        found[parts[0]] = parts[1]
    return found


def _read_answer(path: Path) -> str:
    try:
        return read_paper(path)
    except BadValue:
        return ""  # `hear` then says that it is no answer.


def read_paper(path: Path) -> str:
    """The text of a file of a meeting."""
    return read_text(path, "a file of a meeting", most_bytes=LONGEST_FILE)


def write_paper(path: Path, text: str) -> None:
    """Write a file that must not be there yet."""
    try:
        folder(path.parent)
        new_text(path, text)
    except FileExistsError:
        raise BadValue(f"'{path}' is there already, and is not overwritten. Choose another name.") from None
