"""Answer a campaign from a terminal: load it, check it, draw on this machine, send."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from banister.consent import read_level
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.files import Access, whole_bytes
from banister.local.collect.campaign import MOST_BYTES, SignedCampaign, read_campaign
from banister.local.collect.files import campaign_file
from banister.local.collect.person import Person, ReportSending
from banister.local.home import OWNER, LocalHome

_SECONDS = 30
_HOST = re.compile(r"[A-Za-z0-9.\-:\[\]]+")
_AGENT = {"User-Agent": "", "Content-Type": "text/plain"}
"""Nothing that tells one machine from another."""


@dataclass(frozen=True, slots=True)
class AnswerSession:
    """A campaign that a person is about to answer."""

    signed: SignedCampaign
    person: Person
    address: str

    @classmethod
    def begin(cls, campaign: str, *, to: str, home: Path | None, at_most: str) -> "AnswerSession":
        """The campaign, checked, and the person's own store."""
        place = LocalHome.default() if home is None else LocalHome(home)
        if at_most:
            place.ceilings.lower(OWNER, read_level(at_most))
        if campaign.startswith(("http://", "https://")):
            address, name = _parts(campaign)
            signed = read_campaign(_get(f"{address}/c/{name}"))
            if signed.name != name:
                raise BadValue("The collector sent another campaign than the address names. Do not answer it.")
            return cls(signed, Person(place), address)
        return cls(campaign_file(Path(campaign)), Person(place), collector_address(to) if to else "")

    @property
    def cost(self) -> Guarantee:
        """What answering adds."""
        return self.person.cost(self.signed)

    def answer(self, answers: Sequence[str], out: Path | None) -> str:
        """Draw the next round and send it; gives a sentence."""
        asked = self.signed.campaign
        if out is None and not self.address:
            raise BadValue("Say where to send it with --to, or write it into a file with --out. Nothing was drawn.")
        if len(answers) != len(asked.questions):
            raise BadValue(
                f"The campaign has {len(asked.questions)} questions; give an answer to each. Nothing was drawn."
            )
        places = []
        for place, (question, given) in enumerate(zip(asked.questions, answers, strict=True)):
            series = next((one for one in asked.series if one.first <= place < one.first + one.times), None)
            if series is not None and given not in question.labels:
                places.append(series.class_of(given))
                continue
            if given not in question.labels:
                raise BadValue(
                    f"'{given[:40]}' is none of the answers: {', '.join(question.labels[:8])}. Nothing was drawn."
                )
            places.append(question.labels.index(given))
        before = next((one for one in self.person.ledger() if one.campaign == self.signed.name), None)
        taken = () if before is None else before.rounds
        number = next((n for n in range(asked.repetition.rounds) if n not in taken), asked.repetition.rounds)
        sending = self.person.answer(self.signed, places, round_number=number)
        if out is not None:
            whole_bytes(out, sending.wire, access=Access.OWNER)
            return f"Drawn and kept; {out} holds what would be sent: {len(sending.wire)} bytes."
        send(self.address, sending)
        self.person.taken(self.signed.name, number)
        return f"Sent and counted: {sending.wire.decode()}"


def send(address: str, sending: ReportSending) -> None:
    """Send a report; whatever goes wrong, it stays kept and can be sent again as it is."""
    request = urllib.request.Request(f"{address}/c/{sending.campaign}/reports", data=sending.wire, headers=_AGENT)
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            code = answer.status
    except urllib.error.HTTPError as error:
        try:
            words = str(json.loads(error.read(10_000))["refused"])
        except (ValueError, KeyError, TypeError):
            words = f"The collector answered {error.code}."
        raise BadValue(f"{words} Your report is kept, and stays the same.") from None
    except (OSError, ValueError):
        raise BadValue("The collector cannot be reached. Your report is kept; run the command again later.") from None
    if code != 204:  # A portal or a page that was led to instead: nothing was counted.
        raise BadValue(f"No collector answered there, but a page ({code}). Your report is kept; try again elsewhere.")


def _parts(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    path = parts.path.rstrip("/").split("/")
    if len(path) < 3 or path[-2] not in ("a", "c") or len(path[-1]) != 64:
        raise BadValue(f"'{address[:80]}' is no address to answer at; it ends in /a/ and the campaign's name.")
    return collector_address(f"{parts.scheme}://{parts.netloc}"), path[-1]


def collector_address(address: str) -> str:
    """Where a collector is, if nobody on the way can read or change what is sent there."""
    try:
        parts = urlsplit(address)
        local = parts.hostname in ("127.0.0.1", "localhost", "::1")
        plain = bool(parts.netloc) and not (parts.path.strip("/") or parts.query or parts.fragment or parts.username)
    except ValueError:
        plain = False
    if not plain or not _HOST.fullmatch(parts.netloc):
        raise BadValue(f"'{address[:80]}' is no collector's address; it is like https://ask.example.org.")
    if parts.scheme != "https" and not (local and parts.scheme == "http"):
        raise BadValue("The address must begin with https: others on the way could see that you answer, and what.")
    return f"{parts.scheme}://{parts.netloc}"


def _get(address: str) -> str:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=_AGENT), timeout=_SECONDS) as answer:
            return str(answer.read(MOST_BYTES + 1).decode("utf-8"))
    except (OSError, ValueError):
        raise BadValue("The campaign cannot be loaded from there. Check the address. Nothing was drawn.") from None
