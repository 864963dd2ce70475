"""What is asked of several parties, as one value: the question, everybody's level, and how it will be decided."""

from collections.abc import Sequence
from dataclasses import dataclass

from banister import need
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.parties.games.levels import LevelLike, level_of
from banister.parties.meetings.papers import checked_name


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetingRequest:
    """A joint question before anyone takes part. It is checked when it is made, and handed on whole.

    >>> asked = MeetingRequest.of("majority", [1, 1, 0.5])
    >>> asked.names, asked.measure
    (('party-1', 'party-2', 'party-3'), 'average')
    """

    function: str
    levels: tuple[Guarantee, ...]
    names: tuple[str, ...]
    cost: str = "zero-one"
    prior: str = "1/2"
    measure: str = "average"
    title: str = ""

    def __post_init__(self) -> None:
        need.one_of("measure", self.measure, ("average", "worst"))
        need.between("prior", self.prior, 0, 1)
        if len(self.names) != len(self.levels):
            raise BadValue(
                f"{len(self.names)} names were given for {len(self.levels)} parties. Give one name for each party."
            )
        for name in self.names:
            checked_name(name)

    @classmethod
    def of(cls, function: str, levels: Sequence[LevelLike]) -> "MeetingRequest":
        """The question with the usual cost and prior, and parties that are called party-1, party-2 and so on."""
        exact = tuple(level_of(level) for level in levels)
        return cls(function=function, levels=exact, names=names_of(None, len(exact)))


def names_of(names: str | None, parties: int) -> tuple[str, ...]:
    """The names a user wrote, or party-1, party-2 and so on."""
    if names is None:
        return tuple(f"party-{number}" for number in range(1, parties + 1))
    return tuple(name.strip() for name in names.split(","))


def read_levels(parties: int | None, epsilon: str | None, delta: str, levels: str | None) -> tuple[Guarantee, ...]:
    """One level for each party: `parties` times (epsilon, delta), or a list such as 1,1,0.5 or 1:1e-6,0.5."""
    if levels is not None:
        if epsilon is not None:
            raise BadValue("Give --levels (one per party), or --parties and --epsilon (the same for all), not both.")
        found = tuple(_level(part, delta) for part in levels.split(","))
        if parties is not None and parties != len(found):
            raise BadValue(f"--levels has {len(found)} levels and --parties is {parties}. Give one level per party.")
        return found
    if epsilon is None or parties is None:
        raise BadValue("Give --parties and --epsilon (the same for all), or --levels 1,1,0.5 (one for each party).")
    if not 1 <= parties <= 100_000:
        raise BadValue(f"parties = {parties} must be a whole number from 1 to 100000.")
    return (Guarantee(epsilon, delta),) * parties


def _level(text: str, delta: str) -> Guarantee:
    epsilon, colon, own = text.strip().partition(":")
    return Guarantee(epsilon, own if colon else delta)
