"""An agenda from its file to its results: invite, commit and open where there is a coin, reply by rounds, decide."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.foreign import parse_json, parse_toml
from banister.keys import Ed25519Verifier, SigningKey
from banister.parties.games.coin import play
from banister.parties.games.game import Decision
from banister.parties.games.levels import Symbol, possible, respond
from banister.parties.meetings.agenda import Agenda, AgendaItem, BitItem, NumberItem, bit_item, number_item, read_agenda
from banister.parties.meetings.commitments import (
    SECRET_BYTES,
    all_commitments,
    coin_seed,
    commitment_body,
    fallen,
    list_hash,
    opening_body,
)
from banister.parties.meetings.conduct import read_paper, write_paper
from banister.parties.meetings.home import PartyHome
from banister.parties.meetings.papers import LONGEST_FILE, Json, canonical, checked_name
from banister.parties.numbers import SumEstimate, estimate_sum
from banister.sampling.bits import SYSTEM, BitSource

REPLY_FORMAT = "banister-agenda-reply/1"


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What one question came to: a decision about bits, or the sum and mean of numbers; and who is missing."""

    name: str
    decision: Decision | None
    estimate: SumEstimate | None
    missing: tuple[str, ...]
    openly: tuple[str, ...]
    """Parties on whom the coin fell."""


@dataclass(frozen=True, slots=True)
class AgendaResults:
    """All questions that have answers, and the files that were set aside."""

    results: tuple[ItemResult, ...]
    set_aside: tuple[tuple[str, str], ...]


def invite_agenda(
    plan: Path,
    out: Path,
    *,
    keys: Mapping[str, str],
    organiser: str = "organiser",
    home: PartyHome | None = None,
    bits: BitSource = SYSTEM,
) -> tuple[Agenda, Path]:
    """Make the agenda that every party receives, from a TOML file and the parties' public keys, and sign it.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.parties import public_key
    >>> with TemporaryDirectory() as folder:
    ...     here = Path(folder)
    ...     asked = 'party = [{name = "ann"}]\\nquestion = [{name = "age", low = 0, high = 120, epsilon = 1}]'
    ...     _ = (here / "a.toml").write_text(asked)
    ...     keys = {"ann": public_key("ann", PartyHome(here / "ann"))}
    ...     agenda, path = invite_agenda(here / "a.toml", here / "out", keys=keys, home=PartyHome(here / "org"))
    >>> agenda.items[0].name, agenda.total("ann").epsilon(delta=0)
    ('age', 1.0)
    """
    key = (home or PartyHome.default()).make_key(checked_name(organiser))
    found = parse_toml(read_paper(plan), f"'{plan}' is no agenda")
    try:
        parties, questions = found["party"], found["question"]
        if not isinstance(parties, list) or not isinstance(questions, list):
            raise TypeError("party and question are lists of tables")
        names = [str(party["name"]) for party in parties]
        members = tuple((name, str(keys.get(name, ""))) for name in names)
        items = tuple(_asked(body, len(names)) for body in questions)
    except (KeyError, TypeError, AttributeError) as error:
        raise BadValue(
            f"'{plan}' is no agenda ({type(error).__name__}: {error}). It needs one [[party]] with a name for each "
            "party, and for each [[question]] a name, a level (epsilon, or levels) and a function, or low and high."
        ) from None
    agenda = Agenda(str(found.get("title", "")), members, items, f"{bits.take(128):032x}", organiser, key.public)
    path = out / "agenda.json"
    write_paper(path, json.dumps({**agenda.document(), "signature": key.sign(agenda.signed_bytes())}, indent=1) + "\n")
    return agenda, path


def open_agenda(path: Path) -> Agenda:
    """The agenda in a file, checked, with the organiser's signature."""
    try:
        return read_agenda(read_paper(path), Ed25519Verifier())
    except BadValue as error:
        raise BadValue(f"'{path}' cannot be used: {error}") from None


def commit(path: Path, *, party: str, out: Path, home: PartyHome | None = None, bits: BitSource = SYSTEM) -> Path:
    """Draw a secret for the coins of an agenda, keep it, and write the signed commitment. Nothing private is in it."""
    agenda, place, key = _entered(path, party, out, home)
    _needs_coin(agenda)
    secret = place.secret(party, agenda.hash, fresh=f"{bits.take(8 * SECRET_BYTES):0{2 * SECRET_BYTES}x}")
    write_paper(out, _signed(commitment_body(agenda.hash, party, bytes.fromhex(secret)), key))
    return out


def open_secret(
    path: Path,
    commitments: Sequence[Path],
    *,
    party: str,
    out: Path,
    home: PartyHome | None = None,
    at_most: Guarantee | None = None,
) -> Path:
    """Open the secret once everybody's commitment is there: for one list of commitments, never for another.

    Private:  from now on others can know on whom the coins fall, so the levels of all questions with a coin are
              charged here, before the secret is written, whether or not they come to be answered.
    """
    agenda, place, key = _entered(path, party, out, home)
    _needs_coin(agenda)
    listed = all_commitments(agenda, _texts(commitments), Ed25519Verifier())
    secret = place.secret(party, agenda.hash, fresh="")
    if listed[party] != commitment_body(agenda.hash, party, bytes.fromhex(secret))["commitment"]:
        raise BadValue(
            f"The commitment of '{party}' in the list is not the one in '{place.folder}'. Nothing was opened."
        )
    if place.note(party, f"{agenda.hash}.list", list_hash(listed)) != list_hash(listed):
        raise BadValue("This secret was opened for another list of commitments. It is opened for one list only.")
    if not place.has_begun(party, _identity(agenda, "open")):  # A lost opening of the same list may be written again.
        _charge(place, party, _identity(agenda, "open"), agenda, agenda.tossed, at_most)
    write_paper(out, _signed(opening_body(agenda.hash, party, bytes.fromhex(secret), listed), key))
    return out


def reply(
    path: Path,
    *,
    party: str,
    values: Mapping[str, Number],
    out: Path,
    round_: int = 1,
    openings: Sequence[Path] = (),
    home: PartyHome | None = None,
    at_most: Guarantee | None = None,
    bits: BitSource = SYSTEM,
) -> Path:
    """Answer all questions of a round, once: record it on disk, draw, sign, write.

    `values` has one bit or number for each question of the round, by the question's name.

    Private:  each answer is drawn exactly at the party's level in the agenda. A question with a coin says the bit
              openly where the coin fell on the party, and else at its epsilon.
    """
    agenda, place, key = _entered(path, party, out, home)
    items, number = agenda.asked_in(round_), agenda.place(party)
    if set(values) != {item.name for item in items}:
        raise BadValue(
            f"Round {round_} asks: {', '.join(i.name for i in items)}. Give one value for each; nothing was drawn."
        )
    for item in items:
        if isinstance(item, BitItem) and values[item.name] not in (0, 1):
            raise BadValue(f"Question '{item.name}' is about a bit, 0 or 1. Nothing was drawn.")
    tossed = [item for item in items if item.coin is not None]
    seed = coin_seed(agenda, _texts(openings), Ed25519Verifier()) if tossed else b""
    if tossed and not place.has_begun(party, _identity(agenda, "open")):
        raise BadValue(
            f"'{party}' has not opened its secret from '{place.folder}', so the coin is not its own. Open first."
        )
    plain = tuple(item for item in items if item.coin is None)
    _charge(place, party, _identity(agenda, f"round {round_}"), agenda, plain, at_most)
    said = {item.name: _drawn(item, number, values[item.name], seed, bits) for item in items}
    body: dict[str, Json] = {
        "format": REPLY_FORMAT,
        "agenda": agenda.hash,
        "party": party,
        "round": round_,
        "said": {**said},
    }
    text = json.dumps({**body, "signature": key.sign(canonical(body))}, indent=1) + "\n"
    place.finish(party, _identity(agenda, f"round {round_}"), text)
    write_paper(out, text)
    return out


def decide_agenda(path: Path, replies: Sequence[Path], *, openings: Sequence[Path] = ()) -> AgendaResults:
    """What every question came to, from the replies that count; the others are set aside with their reason."""
    agenda = open_agenda(path)
    seed = coin_seed(agenda, _texts(openings), Ed25519Verifier()) if agenda.tossed and openings else b""
    said: dict[tuple[str, int], dict[str, int] | None] = {}
    aside: list[tuple[str, str]] = []
    for file, text in _texts(replies):
        try:
            party, when, answers = _heard(agenda, text, seed)
        except BadValue as error:
            aside.append((file, str(error)))
            continue
        if (party, when) in said:
            if said[party, when] != answers:
                said[party, when] = None
            aside.append(
                (file, f"'{party}' answered round {when} more than once; a copy counts once, two answers as none")
            )
        else:
            said[party, when] = answers
    heard = {(party, item): x for (party, _), found in said.items() if found for item, x in found.items()}
    return AgendaResults(tuple(_result(agenda, item, heard, seed) for item in agenda.items), tuple(aside))


def read_values(pairs: Sequence[str]) -> dict[str, Number]:
    """Values as they are typed, name=value.

    >>> read_values(["flu=1", "age=40.5"])
    {'flu': Fraction(1, 1), 'age': Fraction(81, 2)}
    """
    found: dict[str, Number] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name in found:
            raise BadValue("Each value is written once, as name=value, such as --value flu=1. Nothing was drawn.")
        try:
            found[name] = need.exact("value", value)
        except BadValue:  # The value is private, so it is not shown.
            raise BadValue(f"The value of '{name}' is no number. Nothing was drawn.") from None
    return found


def _asked(body: Mapping[str, object], parties: int) -> AgendaItem:
    levels = body.get("levels", [body["epsilon"]] * parties if "levels" not in body else None)
    if not isinstance(levels, list) or len(levels) != parties:
        raise TypeError(f"levels are {parties} texts such as '1' or '1:1e-6'")
    each = tuple(_level(x, body.get("delta", 0)) for x in levels)
    name, when, title = (
        str(body["name"]),
        need.whole("round", _number(body.get("round", 1)), least=1),
        str(body.get("title", "")),
    )
    if "low" in body:
        return number_item(name, when, title, each, (str(body["low"]), str(body["high"])))
    return bit_item(
        name,
        when,
        title,
        each,
        str(body["function"]),
        coin=body.get("coin", False) is True,
        measure=str(body.get("measure", "average")),
        cost=str(body.get("cost", "zero-one")),
        prior=_number(body.get("prior", "1/2")),
    )


def _level(written: object, delta: object) -> Guarantee:
    epsilon, colon, own = str(written).partition(":")
    return Guarantee(epsilon, own if colon else _number(delta))


def _number(value: object) -> Number:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise TypeError("levels, rounds and bounds are numbers")
    return value


def _entered(path: Path, party: str, out: Path, home: PartyHome | None) -> tuple[Agenda, PartyHome, SigningKey]:
    """The agenda, the party's folder and its key, if all fit together and the answer has a place."""
    agenda, place = open_agenda(path), home or PartyHome.default()
    key = place.key(party)
    if dict(agenda.members).get(party) != key.public:
        raise BadValue(f"The agenda has no '{party}' with the key in '{place.folder}'. Nothing was drawn.")
    if out.exists() or not out.parent.is_dir():
        raise BadValue(f"'{out}' must be a new file in a folder that is there. Nothing was drawn.")
    place.meet(agenda.organiser, agenda.organiser_key)
    return agenda, place, key


def _charge(
    place: PartyHome, party: str, identity: str, agenda: Agenda, items: Sequence[AgendaItem], at_most: Guarantee | None
) -> None:
    """Write down what these questions give away together at most, before anything is drawn; refuse a second time."""
    given = [item.given(agenda.place(party)) for item in items]
    epsilon = sum((level.epsilon for level in given), Fraction(0))
    delta = min(Fraction(1), sum((level.delta for level in given), Fraction(0)))
    if at_most is not None:
        place.ceilings.lower(party, at_most)
    if not place.has_begun(party, identity):
        place.ceilings.check(party, place.given(party), Guarantee(epsilon, delta))
    place.begin(party, identity, epsilon=epsilon, delta=delta)


def _drawn(item: AgendaItem, number: int, value: Number, seed: bytes, bits: BitSource) -> int:
    if isinstance(item, NumberItem):
        return item.reports[number - 1].respond(value, bits)
    bit, level = int(value), item.levels[number - 1]
    if item.coin is None:
        return int(respond(level, bit, bits))
    # Both are always drawn, so that neither time nor bits used tell on whom the coin fell.
    kept = int(respond(Guarantee(level.epsilon), bit, bits))
    sure = Symbol.SURE_ONE if bit else Symbol.SURE_ZERO
    return int(sure) if number in fallen(item.coin, seed, item.name) else kept


def _heard(agenda: Agenda, text: str, seed: bytes) -> tuple[str, int, dict[str, int]]:
    body = parse_json(text, "it is no reply", most_bytes=LONGEST_FILE)
    if not isinstance(body, dict) or body.get("format") != REPLY_FORMAT or body.get("agenda") != agenda.hash:
        raise BadValue("it is no reply to this agenda")
    party, when, said = body.get("party"), body.get("round"), body.get("said")
    signature = body.pop("signature", None)
    key = dict(agenda.members).get(party if isinstance(party, str) else "")
    if key is None or not isinstance(signature, str) or not Ed25519Verifier().holds(key, canonical(body), signature):
        raise BadValue("its signature is not that of a party of the agenda: it was forged or changed")
    if not isinstance(when, int) or not isinstance(said, dict):
        raise BadValue("it lacks a field")
    items = agenda.asked_in(when)
    if set(said) != {item.name for item in items}:
        raise BadValue(f"it does not answer the questions of round {when}")
    for item in items:
        _check_said(item, agenda.place(str(party)), said[item.name], seed)
    return str(party), when, said


def _check_said(item: AgendaItem, number: int, said: object, seed: bytes) -> None:
    """Refuse what the party cannot have said at its level."""
    if not isinstance(said, int) or isinstance(said, bool):
        raise BadValue(f"its answer to '{item.name}' is no whole number")
    if isinstance(item, NumberItem):
        able = 0 <= said < item.reports[number - 1].values.size
    elif item.coin is None:
        able = possible(item.levels[number - 1], said)
    else:
        if not seed:
            raise BadValue(f"'{item.name}' has a coin, and the openings of all parties are needed to read its answers")
        sure = number in fallen(item.coin, seed, item.name)
        able = said in ((Symbol.SURE_ZERO, Symbol.SURE_ONE) if sure else (Symbol.ZERO, Symbol.ONE))
    if not able:
        raise BadValue(f"its answer to '{item.name}' is not one that the level, or the coin, allows")


def _result(agenda: Agenda, item: AgendaItem, heard: Mapping[tuple[str, str], int], seed: bytes) -> ItemResult:
    said = tuple(heard.get((name, item.name)) for name, _ in agenda.members)
    missing = tuple(name for (name, _), x in zip(agenda.members, said, strict=True) if x is None)
    if len(missing) == len(said):
        return ItemResult(item.name, None, None, missing, ())
    if isinstance(item, NumberItem):
        pairs = [(report, x) for report, x in zip(item.reports, said, strict=True) if x is not None]
        return ItemResult(item.name, None, estimate_sum(pairs), missing, ())
    if item.coin is None:
        return ItemResult(item.name, item.game().decide(said, item.measure), None, missing, ())
    who = fallen(item.coin, seed, item.name)
    openly = tuple(agenda.members[number - 1][0] for number in who)
    return ItemResult(item.name, play(who, item.game(), said).decide(said), None, missing, openly)


def _needs_coin(agenda: Agenda) -> None:
    if not agenda.tossed:
        raise BadValue("No question of this agenda has a coin, so nothing is committed to. Reply at once.")


def _identity(agenda: Agenda, what: str) -> str:
    return hashlib.sha256(canonical({"agenda": agenda.hash, "what": what})).hexdigest()


def _signed(body: Mapping[str, str], key: SigningKey) -> str:
    return json.dumps({**body, "signature": key.sign(canonical({**body}))}, indent=1) + "\n"


def _texts(paths: Sequence[Path]) -> list[tuple[str, str]]:
    return [(path.name, read_paper(path)) for path in paths]
