"""An agenda: several questions to the same parties in one signed plan, about bits and numbers, in rounds.

Each party holds one value for each question, which is an attribute of its own. All questions, levels, channels and laws
of coins are in the agenda before anybody answers, so what a party gives away in all of it is composed exactly.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from banister import need
from banister.accounting.totals.total import Total, compose
from banister.core.exact.numbers import Number
from banister.core.laws.cost import Cost
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.foreign import parse_json
from banister.parties.games.coin import PublicCoin, public_coin
from banister.parties.games.functions import function_of
from banister.parties.games.game import Game
from banister.parties.games.levels import ABSENT
from banister.parties.meetings.papers import (
    LONGEST_FILE,
    LONGEST_TITLE,
    Json,
    Verifier,
    canonical,
    checked_name,
    usable_key,
)
from banister.parties.numbers import NumberReport, number_report, report_of
from banister.sampling.rows import PrivateRows

AGENDA_FORMAT = "banister-agenda/1"
MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class BitItem:
    """A question about one bit of each party, decided as a meeting decides it.

    >>> item = BitItem("flu", 1, "Cases?", (Guarantee(1),) * 3, "majority", "average", "zero-one", Fraction(1, 2), None)
    >>> round(item.game().accuracy(), 6), item.given(2)
    (0.68563, Guarantee(epsilon=1, delta=0))
    """

    name: str
    round: int
    title: str
    levels: tuple[Guarantee, ...]
    function: str
    measure: Literal["average", "worst"]
    cost: str
    prior: Fraction
    coin: PublicCoin | None
    """Who says its bit openly is drawn together, where there is a coin; else each party draws on its own."""

    def __post_init__(self) -> None:
        need.one_of("measure", self.measure, ("average", "worst"))
        Cost.of(self.cost)
        need.between("prior", self.prior, 0, 1)
        function_of(self.function, len(self.levels))
        if self.coin is None:
            return
        if self.measure == "worst":
            raise BadValue(f"Question '{self.name}' has a coin, which is best on average. Ask for measure = 'average'.")
        chances = [chance for _, chance in self.coin.reveals]
        if min(chances) < 0 or sum(chances, Fraction(0)) != 1:
            raise BadValue(f"The coin of question '{self.name}' has chances that do not add up to 1.")
        for party, level in enumerate(self.levels, 1):
            if self.coin.chance(party) > level.delta:
                raise BadValue(
                    f"The coin of question '{self.name}' makes party {party} say its bit openly with chance "
                    f"{float(self.coin.chance(party)):g}, above its delta. Do not answer."
                )

    def game(self) -> Game:
        """The joint question with everybody's level."""
        function = function_of(self.function, len(self.levels))
        return Game(function, self.levels, cost=self.cost, prior=self.prior)

    def given(self, party: int) -> Guarantee:
        """What a party (from 1) gives away by answering: with a coin, delta is the chance that it falls on her."""
        level = self.levels[party - 1]
        return level if self.coin is None else Guarantee(level.epsilon, self.coin.chance(party))


@dataclass(frozen=True, slots=True, eq=False)
class NumberItem:
    """A question about one number of each party, of which the sum and the mean are told.

    >>> item = NumberItem("age", 1, "Age?", (number_report(0, 120, 1),) * 2)
    >>> item.levels[0]
    Guarantee(epsilon=1, delta=0)
    """

    name: str
    round: int
    title: str
    reports: tuple[NumberReport, ...]

    @property
    def levels(self) -> tuple[Guarantee, ...]:
        return tuple(report.channel.guarantee for report in self.reports)

    @property
    def coin(self) -> None:
        """No coin is needed: numbers have pure levels."""
        return None

    def given(self, party: int) -> Guarantee:
        """What a party (from 1) gives away by answering."""
        return self.levels[party - 1]


AgendaItem = BitItem | NumberItem


@dataclass(frozen=True, slots=True, eq=False)
class Agenda:
    """All that a party must know before it answers anything.

    >>> from banister.keys import SigningKey
    >>> keys = tuple((name, SigningKey.generate().public) for name in ("ann", "bob"))
    >>> one = BitItem("flu", 1, "", (Guarantee(1),) * 2, "xor", "average", "zero-one", Fraction(1, 2), None)
    >>> two = NumberItem("age", 2, "", (number_report(0, 120, 1),) * 2)
    >>> agenda = Agenda("A survey", keys, (one, two), "0" * 32, "org", SigningKey.generate().public)
    >>> agenda.total("ann").epsilon(delta=0), round(agenda.total("ann").epsilon(delta="0.1"), 6)
    (2.0, 1.792841)
    """

    title: str
    members: tuple[tuple[str, str], ...]
    """Names and public keys."""
    items: tuple[AgendaItem, ...]
    nonce: str
    organiser: str
    organiser_key: str

    def __post_init__(self) -> None:
        names = [name for name, _ in self.members]
        for who, key in (*self.members, (self.organiser, self.organiser_key)):
            checked_name(who)
            if not usable_key(key):
                raise BadValue(f"'{who}' has no usable key in the agenda. `banister parties key --party {who}` has it.")
        questions = [item.name for item in self.items]
        keys = [key for _, key in self.members]
        for what, values in (("party", names), ("question", questions), ("key", keys)):
            (double, times), *_ = [*Counter(values).most_common(1), ("", 0)]
            if times > 1:
                raise BadValue(f"The agenda has the {what} {double!r} twice. Each needs its own.")
        if not self.items or not self.members:
            raise BadValue("An agenda needs at least one question and one party.")
        if max(len(self.title), *(len(item.title) for item in self.items)) > LONGEST_TITLE:
            raise BadValue(f"A title of the agenda is longer than {LONGEST_TITLE} characters.")
        for item in self.items:
            checked_name(item.name)
            need.whole(f"round of '{item.name}'", item.round, least=1, most=MOST_ROUNDS)
            if len(item.levels) != len(self.members) or ABSENT in item.levels:
                raise BadValue(f"Question '{item.name}' needs a level above (0, 0) for each party.")

    @property
    def hash(self) -> str:
        """The identity of the agenda: SHA-256 of its canonical form."""
        return hashlib.sha256(self.signed_bytes()).hexdigest()

    def signed_bytes(self) -> bytes:
        """What the organiser signs: all of it."""
        return canonical(self.document())

    def place(self, party: str) -> int:
        """The number of a party, from 1."""
        for number, (name, _) in enumerate(self.members, 1):
            if name == party:
                return number
        raise BadValue(f"The agenda has no party '{party}'. It has: {', '.join(n for n, _ in self.members[:20])}.")

    def asked_in(self, round_: int) -> tuple[AgendaItem, ...]:
        """The questions of a round."""
        found = tuple(item for item in self.items if item.round == round_)
        if not found:
            raise BadValue(f"The agenda has no round {round_}. Its rounds: {sorted({i.round for i in self.items})}.")
        return found

    @property
    def tossed(self) -> tuple[BitItem, ...]:
        """The questions with a coin."""
        return tuple(item for item in self.items if isinstance(item, BitItem) and item.coin is not None)

    def total(self, party: str) -> Total:
        """What a party gives away in all rounds together.

        Exact:  all levels are fixed in the agenda, so the composition theorem holds for it, also where the answers to
                a later round are decided after the results of an earlier one ([KOV15] Thm 3.3).
        """
        number = self.place(party)
        return compose([item.given(number) for item in self.items])

    def document(self) -> dict[str, Json]:
        """The agenda as a JSON object."""
        channels: dict[str, Json] = {}
        for item in self.items:
            for report in item.reports if isinstance(item, NumberItem) else ():
                channels[str(report.channel.guarantee.epsilon)] = _channel(report)
        return {
            "format": AGENDA_FORMAT,
            "title": self.title,
            "parties": [{"name": name, "key": key} for name, key in self.members],
            "questions": [_item(item) for item in self.items],
            "channels": channels,
            "nonce": self.nonce,
            "organiser": {"name": self.organiser, "key": self.organiser_key},
        }


def bit_item(
    name: str,
    round_: int,
    title: str,
    levels: tuple[Guarantee, ...],
    function: str,
    *,
    coin: bool,
    measure: str = "average",
    cost: str = "zero-one",
    prior: Number = "1/2",
) -> BitItem:
    """A question about bits; with a coin, the best one for it is found.

    >>> bit_item("flu", 1, "", (Guarantee(0, "0.1"),) * 2, "xor", coin=True).coin.chance(1)
    Fraction(1, 10)
    """
    worst = need.one_of("measure", measure, ("average", "worst")) == "worst"
    odds = need.between("prior", prior, 0, 1)
    plain = BitItem(name, round_, title, levels, function, "worst" if worst else "average", cost, odds, None)
    if not coin:
        return plain
    if all(level.delta == 0 for level in levels):
        raise BadValue(f"Question '{name}' has a coin and no delta above 0, so the coin could never fall on anybody.")
    return replace(plain, coin=public_coin(plain.game()))


def number_item(
    name: str, round_: int, title: str, levels: tuple[Guarantee, ...], bounds: tuple[str, str]
) -> NumberItem:
    """A question about numbers between two bounds; equal levels share one channel.

    >>> number_item("age", 1, "", (Guarantee(1),) * 3, ("0", "120")).reports[2].high
    Fraction(120, 1)
    """
    if any(level.delta for level in levels):
        raise BadValue(f"Question '{name}' is about numbers, whose levels are pure. Leave delta out.")
    made = {level: number_report(*bounds, level.epsilon) for level in dict.fromkeys(levels)}
    return NumberItem(name, round_, title, tuple(made[level] for level in levels))


def read_agenda(text: str, verifier: Verifier) -> Agenda:
    """The agenda in a JSON text, if its organiser signed all of it and every channel and coin keeps its level."""
    found = parse_json(text, "it is no agenda", most_bytes=LONGEST_FILE)
    if not isinstance(found, dict) or found.get("format") != AGENDA_FORMAT:
        raise BadValue(f"it is no agenda of the format {AGENDA_FORMAT}")
    try:
        channels = {_text(level): body for level, body in _dict(found["channels"]).items()}
        members = tuple((_text(_dict(p)["name"]), _text(_dict(p)["key"])) for p in _list(found["parties"]))
        items = tuple(_read_item(_dict(body), channels, len(members)) for body in _list(found["questions"]))
        asks = _dict(found["organiser"])
        agenda = Agenda(
            _text(found["title"]), members, items, _text(found["nonce"]), _text(asks["name"]), _text(asks["key"])
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, BadValue):
            raise
        raise BadValue("the agenda lacks a field or has one of the wrong kind. Ask for it again") from None
    signature = found.get("signature")
    if not isinstance(signature, str) or not verifier.holds(agenda.organiser_key, agenda.signed_bytes(), signature):
        raise BadValue(
            f"its signature is not that of the organiser '{agenda.organiser}': it was changed, or made by somebody "
            "else. Do not answer it"
        )
    return agenda


def _item(item: AgendaItem) -> Json:
    shared: dict[str, Json] = {
        "name": item.name,
        "round": item.round,
        "title": item.title,
        "levels": [[str(level.epsilon), str(level.delta)] for level in item.levels],
    }
    if isinstance(item, NumberItem):
        return {**shared, "low": str(item.reports[0].low), "high": str(item.reports[0].high)}
    coin: Json = None
    if item.coin is not None:
        reveals: list[Json] = [[list(who), str(chance)] for who, chance in item.coin.reveals]
        coin = {"reveals": reveals, "shuffled": item.coin.shuffled}
    asked: dict[str, Json] = {"function": item.function, "measure": item.measure, "cost": item.cost}
    return {**shared, **asked, "prior": str(item.prior), "coin": coin}


def _read_item(body: dict[str, object], channels: dict[str, object], parties: int) -> AgendaItem:
    name, title, when = _text(body["name"]), _text(body["title"]), _int(body["round"])
    levels = tuple(Guarantee(*(_text(x) for x in _list(pair))) for pair in _list(body["levels"]))
    if "low" in body:
        low, high = (need.exact(end, _text(body[end])) for end in ("low", "high"))
        made = {level: _read_channel(_dict(channels[str(level.epsilon)]), level, low, high) for level in set(levels)}
        return NumberItem(name, when, title, tuple(made[level] for level in levels))
    measure = need.one_of("measure", _text(body["measure"]), ("average", "worst"))
    prior = need.between("prior", _text(body["prior"]), 0, 1)
    coin = None if body["coin"] is None else _read_coin(_dict(body["coin"]), parties)
    by: Literal["average", "worst"] = "worst" if measure == "worst" else "average"
    return BitItem(name, when, title, levels, _text(body["function"]), by, _text(body["cost"]), prior, coin)


def _read_coin(body: dict[str, object], parties: int) -> PublicCoin:
    """The law of a coin; what it is worth was for the organiser to know."""
    reveals = []
    for pair in _list(body["reveals"]):
        who, chance = _list(pair)
        members = tuple(sorted(need.whole("a party of the coin", _int(x), least=1, most=parties) for x in _list(who)))
        if len(set(members)) != len(members):
            raise TypeError
        reveals.append((members, need.between("a chance of the coin", _text(chance), 0, 1)))
    if not reveals or not isinstance(body["shuffled"], bool):
        raise TypeError
    return PublicCoin(tuple(reveals), body["shuffled"], parties, accuracy=float("nan"), independent=float("nan"))


def _channel(report: NumberReport) -> Json:
    weights: list[Json] = [[int(x) for x in row] for row in report.channel.weights]
    values: list[Json] = [float(x) for x in report.unit]
    return {"weights": weights, "values": values}


def _read_channel(body: dict[str, object], level: Guarantee, low: Fraction, high: Fraction) -> NumberReport:
    rows = [
        [need.whole("a weight", _int(x), least=0, most=1 << 62) for x in _list(row)] for row in _list(body["weights"])
    ]
    values: Floats = np.array([float(need.exact("a value", x)) for x in _list(body["values"])])  # type: ignore[arg-type]
    return report_of(low, high, PrivateRows(np.array(rows, dtype=np.int64), level), values)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _int(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _dict(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError
    return value
