"""A person's own store: which reports were drawn and are kept, what was given away to whom, and what may still be.

What is about to be given away is on disk before a bit is drawn; a kept report is on disk before it is sent.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import cast

import numpy as np

from banister.consent import Given
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.files import Access, alone, folder, whole_text
from banister.foreign import read_json
from banister.keys import nonce
from banister.local.channels.base import Json
from banister.local.collect.campaign import Campaign, SignedCampaign
from banister.local.collect.repeat import Repeat
from banister.local.collect.sharing import LevelShare
from banister.local.collect.tally import read_values, write_value
from banister.local.document import Survey
from banister.local.home import OWNER, LocalHome
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.uniform import uniform_below

FORMAT = "banister-answered/1"
KEPT = "banister-kept/1"
WHATEVER = -1
"""Under it stands the one report that is sent whatever is said, so that the true answer is not kept beside it."""
Report = int | str


@dataclass(frozen=True, slots=True)
class ReportSending:
    """What leaves the machine in one round: a key that names the request, and reports by question."""

    campaign: str
    key: str
    reports: dict[str, list[Report]]

    @property
    def wire(self) -> bytes:
        """The bytes themselves."""
        return json.dumps({"key": self.key, "reports": self.reports}, separators=(",", ":")).encode("ascii")


@dataclass(frozen=True, slots=True)
class Answered:
    """A campaign in the ledger: who asked, what it cost, the rounds that were sent, and what is still to be sent."""

    campaign: str
    title: str
    asked_by: str
    charge: Guarantee
    rounds: tuple[int, ...] = ()
    waiting: dict[int, ReportSending] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Person:
    """The folder of somebody who answers campaigns; its ceiling is that of `banister local ceiling`."""

    home: LocalHome

    def ledger(self) -> tuple[Answered, ...]:
        """All campaigns that were answered, by name."""
        return tuple(_answered(path) for path in sorted(self._place("answered").glob("*.json")))

    def given(self) -> Given:
        """What all answers gave away together: files of answers, and campaigns."""
        found = self.home.given()
        for one in self.ledger():
            found = found.plus(one.charge)
        return found

    def cost(self, signed: SignedCampaign) -> Guarantee:
        """What answering would add: nothing where it was paid for, or where only kept reports would be sent."""
        if self._record(signed.name).exists():
            return Guarantee(0)
        campaign = signed.campaign
        if campaign.share is LevelShare.ONE:
            return campaign.over_all_rounds
        epsilon = delta = Fraction(0)
        for question in campaign.questions:
            known = campaign.repetition.takes_kept(question.channel, campaign.people)
            if known and WHATEVER in self.kept(question):
                # Whatever is made of a kept report tells no more than the report, which was paid for. A memoised one
                # was not: its campaign paid for what passes the second step. One that is a name tag is drawn anew.
                continue
            charge = campaign.repetition.charge(question.channel)
            epsilon, delta = epsilon + charge.epsilon, delta + charge.delta
        return Guarantee(epsilon, min(Fraction(1), delta))

    def answer(
        self, signed: SignedCampaign, answers: Sequence[int], *, round_number: int = 0, bits: BitSource = SYSTEM
    ) -> ReportSending:
        """Draw what is sent in a round, within the ceiling; the same round always gives the same again."""
        campaign = signed.campaign
        if not 0 <= round_number < campaign.repetition.rounds:
            raise BadValue(
                f"Round {round_number + 1} is beyond the {campaign.repetition.rounds} rounds of the campaign."
            )
        _check_answers(campaign, answers)
        folder(self._place("answered"), access=Access.OWNER)
        with alone(self._place("answered")):
            return self._answered_once(signed, answers, round_number, bits)

    def _answered_once(
        self, signed: SignedCampaign, answers: Sequence[int], round_number: int, bits: BitSource
    ) -> ReportSending:
        """While nobody else answers from this folder: two draws would be paid for once."""
        campaign = signed.campaign
        if campaign.after and self._record(campaign.after).exists():
            raise BadValue(
                "This is the second wave of a campaign whose first wave you answered. It is for other people. Nothing "
                "was drawn."
            )
        path = self._record(signed.name)
        before = _answered(path) if path.exists() else None
        if before is not None and round_number in before.waiting:
            return before.waiting[round_number]
        if before is not None and round_number in before.rounds:
            raise BadValue("This round was answered and taken. A second answer to it would add; nothing was drawn.")
        if before is None:
            cost = self.cost(signed)
            self.home.ceilings.check(OWNER, self.given(), cost)
            before = Answered(signed.name, campaign.title, campaign.asked_by, cost)
            self._write(before)  # On disk before anything is drawn.
        sending = ReportSending(signed.name, nonce(), self._drawn(campaign, answers, bits))
        self._write(_with(before, {**before.waiting, round_number: sending}, before.rounds))
        return sending

    def taken(self, campaign: str, round_number: int) -> None:
        """Write down that the collector has acknowledged a round."""
        with alone(self._place("answered")):
            before = _answered(self._record(campaign))
            left = {number: sending for number, sending in before.waiting.items() if number != round_number}
            self._write(_with(before, left, (*before.rounds, round_number)))

    def kept(self, question: Survey) -> dict[int, Report]:
        """The reports that are kept for a question, memoised ones by answer, a permanent one under `WHATEVER`.

        The same question of another asker has the same.
        """
        path = self._kept_path(question)
        if not path.exists():
            return {}
        body = read_json(path, "a kept report", most_bytes=1 << 24)
        if not isinstance(body, dict) or body.get("format") != KEPT or not isinstance(body.get("reports"), dict):
            raise BadValue(f"'{path}' is not a kept report as banister writes it. Restore it. Nothing was drawn.")
        found = cast("dict[str, Report]", body["reports"])
        for report in found.values():
            read_values(question.channel, [report])
        return {int(answer): report for answer, report in found.items()}

    def _drawn(self, campaign: Campaign, answers: Sequence[int], bits: BitSource) -> dict[str, list[Report]]:
        places = range(len(campaign.questions))
        if campaign.share is LevelShare.ONE:
            picked = uniform_below(len(campaign.questions), bits)
            places = range(picked, picked + 1)
        return {str(place): [self._sent(campaign, place, answers[place], bits)] for place in places}

    def _sent(self, campaign: Campaign, place: int, answer: int, bits: BitSource) -> Report:
        """The report of one question: drawn or found, kept, and passed through the second step."""
        question, repetition = campaign.questions[place], campaign.repetition
        channel = question.channel
        if repetition.kind is Repeat.FRESH:
            return write_value(channel, channel.draw(np.array([answer]), bits))[0]
        kept = self.kept(question)
        named = answer if repetition.kind is Repeat.MEMOISED else WHATEVER
        if named not in kept:
            kept[named] = write_value(channel, channel.draw(np.array([answer]), bits))[0]
            self._keep(question, kept)
        elif repetition.kind is Repeat.ONCE and not repetition.takes_kept(channel, campaign.people):
            return write_value(channel, channel.draw(np.array([answer]), bits))[0]  # Paid for, and not kept.
        if repetition.second is None:
            return kept[named]
        return int(repetition.step(channel).draw(np.array([int(kept[named])]), bits)[0])

    def _keep(self, question: Survey, kept: dict[int, Report]) -> None:
        body = {"format": KEPT, "reports": {str(answer): report for answer, report in kept.items()}}
        folder(self._place("kept"), access=Access.OWNER)
        whole_text(self._kept_path(question), json.dumps(body) + "\n", access=Access.OWNER)

    def _write(self, answered: Answered) -> None:
        waiting: dict[str, Json] = {
            str(number): {"key": one.key, "reports": cast(Json, one.reports)}
            for number, one in answered.waiting.items()
        }
        body = {
            "format": FORMAT,
            "campaign": answered.campaign,
            "title": answered.title,
            "asked_by": answered.asked_by,
            "epsilon": str(answered.charge.epsilon),
            "delta": str(answered.charge.delta),
            "rounds": list(answered.rounds),
            "waiting": waiting,
        }
        folder(self._place("answered"), access=Access.OWNER)
        whole_text(self._record(answered.campaign), json.dumps(body) + "\n", access=Access.OWNER)

    def _place(self, name: str) -> Path:
        return self.home.folder / "collect" / name

    def _record(self, campaign: str) -> Path:
        return self._place("answered") / f"{campaign}.json"

    def _kept_path(self, question: Survey) -> Path:
        return self._place("kept") / f"{matter(question)}.json"


def matter(question: Survey) -> str:
    """What a kept report answers: the question, its answers and the channel's numbers, whoever asks."""
    asked = {name: value for name, value in question.asked().items() if name != "asked_by"}
    return hashlib.sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def _with(before: Answered, waiting: dict[int, ReportSending], rounds: tuple[int, ...]) -> Answered:
    return Answered(before.campaign, before.title, before.asked_by, before.charge, rounds, waiting)


def _check_answers(campaign: Campaign, answers: Sequence[int]) -> None:
    if len(answers) != len(campaign.questions):
        raise BadValue(f"The campaign has {len(campaign.questions)} questions, and {len(answers)} answers were given.")
    for place, (question, answer) in enumerate(zip(campaign.questions, answers, strict=True), start=1):
        if not 0 <= answer < question.channel.categories:
            raise BadValue(f"Question {place} has {question.channel.categories} answers. Choose one of them.")


def _answered(path: Path) -> Answered:
    body = read_json(path, "a record of a campaign", most_bytes=1 << 24)
    try:
        if not isinstance(body, dict) or body.get("format") != FORMAT:
            raise TypeError
        name = str(body["campaign"])
        waiting = {int(at): ReportSending(name, str(one["key"]), one["reports"]) for at, one in body["waiting"].items()}
        charge = Guarantee(str(body["epsilon"]), str(body["delta"]))
        rounds = tuple(int(number) for number in body["rounds"])
        return Answered(name, str(body["title"]), str(body["asked_by"]), charge, rounds, waiting)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise BadValue(f"'{path}' is not a record as banister writes it. Restore it. Nothing was drawn.") from None
