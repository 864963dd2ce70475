"""A party's own folder: its keys, and a durable record of every plan that it has begun to answer.

The record is on disk before anything is drawn, and is made so that only one process can make it. After a crash at any
moment the plan counts as answered: an answer may be lost, but none is ever drawn twice.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from banister.consent import Ceilings, Given
from banister.core.privacy.guarantee import Guarantee
from banister.errors import AlreadyAnswered, BadValue
from banister.files import Access, folder, home, new_text, whole_text
from banister.foreign import read_json, read_text
from banister.keys import SigningKey

RECORD_FORMAT = "banister-record/1"


@dataclass(frozen=True, slots=True)
class PartyHome:
    """The folder; by default $BANISTER_HOME, else ~/.banister."""

    folder: Path

    @classmethod
    def default(cls) -> "PartyHome":
        """The folder of this user."""
        return cls(home())

    def key(self, party: str) -> SigningKey:
        """The party's key, which must be there."""
        path = self._key_path(party)
        try:
            with path.open("rb") as file:
                return SigningKey.of_bytes(bytes.fromhex(file.read(1000).decode("ascii").strip()))
        except FileNotFoundError:
            raise BadValue(
                f"There is no key of '{party}' in '{self.folder}'. Make one with `banister parties key --party "
                f"{party}` and give its line to whoever makes the plan."
            ) from None
        except (OSError, ValueError):
            raise BadValue(f"The key of '{party}' in '{path}' cannot be read. Restore it, or delete it.") from None

    def make_key(self, party: str) -> SigningKey:
        """The party's key; made if there is none, never replaced."""
        path = self._key_path(party)
        if not path.exists():
            _make_folder(path.parent)
            with suppress(FileExistsError):  # Another process was first; its key is the key.
                _write_new(path, SigningKey.generate().raw_bytes().hex() + "\n")
        return self.key(party)

    def begin(self, party: str, plan: str, *, epsilon: Fraction, delta: Fraction) -> None:
        """Write on disk that this plan is being answered, or refuse because it was already."""
        record = self._record(party, plan)
        _make_folder(record.parent)
        body = {"format": RECORD_FORMAT, "plan": plan, "party": party, "epsilon": str(epsilon), "delta": str(delta)}
        try:
            _write_new(record, json.dumps(body) + "\n")
        except FileExistsError:
            raise self._refusal(party, plan) from None

    def has_begun(self, party: str, plan: str) -> bool:
        """Whether the party has begun to answer this plan, so that it is not asked again."""
        return self._record(party, plan).exists()

    def finish(self, party: str, plan: str, answer: str) -> Path:
        """Keep the finished answer beside its record, so that it can be sent again."""
        path = self.answer_path(party, plan)
        whole_text(path, answer, access=Access.OWNER)
        return path

    def answer_path(self, party: str, plan: str) -> Path:
        """Where the finished answer of a plan lies."""
        return self._record(party, plan).with_suffix(".answer.json")

    def given(self, party: str) -> Given:
        """How many plans the party has begun to answer, and what their epsilons and deltas add up to."""
        found = Given(0, Fraction(0), Fraction(0))
        for record in sorted(self._answered(party).glob("*.begun")):
            found = found.plus(_level_of(record))
        return found

    def secret(self, party: str, agenda: str, *, fresh: str) -> str:
        """The party's secret for an agenda: the one that is kept, or the fresh one, which is kept from now on."""
        if not fresh and not self._kept(party, f"{agenda}.secret").exists():
            raise BadValue(f"'{party}' has not committed to this agenda in '{self.folder}'. Commit first.")
        return self.note(party, f"{agenda}.secret", fresh)

    def note(self, party: str, name: str, text: str) -> str:
        """What was noted first under a name, by whichever process was first; it is on disk before it is used."""
        path = self._kept(party, name)
        _make_folder(path.parent)
        if text:
            with suppress(FileExistsError):
                _write_new(path, text + "\n")
        return read_text(path, "a note of an agenda", most_bytes=1000).strip()

    @property
    def ceilings(self) -> Ceilings:
        """What the parties of this folder may give away in all their answers."""
        return Ceilings(self.folder / "ceilings")

    def meet(self, organiser: str, key: str) -> None:
        """Remember an organiser's key, or refuse another one under the name: who asks is who asked before."""
        path = self.folder / "organisers" / f"{organiser}.pub"
        _make_folder(path.parent)
        with suppress(FileExistsError):
            _write_new(path, key + "\n")
        if read_text(path, "a public key", most_bytes=1000).strip() != key:
            raise BadValue(
                f"'{organiser}' asked before with another key than in this plan. Somebody else may be asking: compare "
                f"keys by another way, and delete '{path}' if the new one is right. Nothing was drawn."
            )

    def _refusal(self, party: str, plan: str) -> AlreadyAnswered:
        kept = self.answer_path(party, plan)
        if kept.exists():
            return AlreadyAnswered(
                f"'{party}' has answered this plan already, and answering again would spend its privacy twice. "
                f"The answer lies in '{kept}'; send that file again."
            )
        return AlreadyAnswered(
            f"'{party}' began to answer this plan, and was interrupted. Something may have been drawn, so it is not "
            "drawn again. Ask for a new plan, or be counted as missing."
        )

    def _kept(self, party: str, name: str) -> Path:
        return self.folder / "agendas" / party / name

    def _key_path(self, party: str) -> Path:
        return self.folder / "keys" / f"{party}.key"

    def _answered(self, party: str) -> Path:
        return self.folder / "answered" / party

    def _record(self, party: str, plan: str) -> Path:
        return self._answered(party) / f"{plan}.begun"


def _level_of(record: Path) -> Guarantee:
    """What a record says was given; one that cannot be read stops everything, since what was given is not known."""
    body = read_json(record, "a record of an answer", most_bytes=1 << 16)
    if not isinstance(body, dict) or not all(isinstance(body.get(name), str) for name in ("epsilon", "delta")):
        raise BadValue(f"'{record}' is not a record of an answer as banister writes it. Restore it. Nothing was drawn.")
    return Guarantee(str(body["epsilon"]), str(body["delta"]))


def _make_folder(path: Path) -> None:
    with _nothing_drawn():
        folder(path, access=Access.OWNER)


def _write_new(path: Path, text: str) -> None:
    """Write a file that must not be there yet, readable by its owner alone, and wait until it is on disk."""
    with _nothing_drawn():
        new_text(path, text, access=Access.OWNER)


@contextmanager
def _nothing_drawn() -> Iterator[None]:
    try:
        yield
    except BadValue as error:
        raise BadValue(f"{error} Nothing was drawn.") from None
