"""What was answered from this machine: a record of every survey before anything is drawn, and the owner's ceiling."""

import json
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path

from banister.consent import Ceilings, Given
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.files import Access, check_target, folder, home, new_text
from banister.foreign import read_json
from banister.local.document import Survey
from banister.local.files import read_answers, respond_in_files
from banister.sampling.bits import SYSTEM, BitSource

FORMAT = "banister-reported/1"
OWNER = "local"
"""Whose ceiling it is: that of whoever answers surveys from this folder."""


@dataclass(frozen=True, slots=True)
class LocalHome:
    """The folder; by default $BANISTER_HOME, else ~/.banister.

    Each file of answers counts once, whatever number of people it holds: what is added up is what a person gives away
    who is in all of them.
    """

    folder: Path

    @classmethod
    def default(cls) -> "LocalHome":
        """The folder of this user."""
        return cls(home())

    @property
    def ceilings(self) -> Ceilings:
        """What may be given away in all answers."""
        return Ceilings(self.folder / "ceilings")

    def given(self) -> Given:
        """How many files of answers were randomized here, and what they give away together about one person."""
        found = Given(0, Fraction(0), Fraction(0))
        for record in sorted(self._records.glob("*.json")):
            found = found.plus(_level_of(record))
        return found

    def begin(self, survey: Survey, reports: int) -> None:
        """Write on disk that a survey is being answered."""
        folder(self._records, access=Access.OWNER)
        level = survey.channel.guarantee
        body = {
            "format": FORMAT,
            "survey": survey.identity,
            "epsilon": str(level.epsilon),
            "delta": str(level.delta),
            "reports": reports,
        }
        for number in count(1):
            try:
                new_text(
                    self._records / f"{survey.identity[:16]}-{number}.json",
                    json.dumps(body) + "\n",
                    access=Access.OWNER,
                )
                return
            except FileExistsError:
                continue

    @property
    def _records(self) -> Path:
        return self.folder / "reported"


def respond_as_agreed(
    survey: Survey,
    answers: Path,
    reports: Path,
    *,
    home: LocalHome,
    at_most: Guarantee | None = None,
    bits: BitSource = SYSTEM,
) -> int:
    """Randomize a file of answers within the owner's ceiling: record it on disk, then draw. Gives their number.

    `at_most` is kept in the folder, where it only goes down from answer to answer.
    """
    known = read_answers(survey, answers)
    check_target(reports)
    if at_most is not None:
        home.ceilings.lower(OWNER, at_most)
    home.ceilings.check(OWNER, home.given(), survey.channel.guarantee)
    home.begin(survey, len(known))
    return respond_in_files(survey, answers, reports, bits)


def _level_of(record: Path) -> Guarantee:
    body = read_json(record, "a record of answers", most_bytes=1 << 16)
    if not isinstance(body, dict) or not all(isinstance(body.get(name), str) for name in ("epsilon", "delta")):
        raise BadValue(f"'{record}' is not a record of answers as banister writes it. Restore it. Nothing was drawn.")
    return Guarantee(str(body["epsilon"]), str(body["delta"]))
