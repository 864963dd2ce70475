"""Who is planted: a fair coin for each canary, kept in a file that the audited pipeline must not see."""

import json
from dataclasses import dataclass
from pathlib import Path

from banister import need
from banister.errors import BadValue
from banister.files import Access, whole_text
from banister.foreign import read_json
from banister.sampling.bits import SYSTEM, BitSource

_FORMAT = "banister canaries 1"
LEAST = 10
MOST = 100_000


@dataclass(frozen=True, slots=True)
class Planting:
    """The canaries by name, and whether each of them is in the table.

    >>> Planting(("ann", "bob"), (True, False)).words()
    '1 of 2 canaries are in the table'
    """

    people: tuple[str, ...]
    present: tuple[bool, ...]

    @classmethod
    def drawn(cls, people: tuple[str, ...], bits: BitSource = SYSTEM) -> "Planting":
        """A fair coin for each; what a run may depend on is only which of them are in the table."""
        need.whole("canaries", len(people), least=LEAST, most=MOST)
        return cls(people, tuple(bool(bits.take(1)) for _ in people))

    def words(self) -> str:
        return f"{sum(self.present)} of {len(self.people)} canaries are in the table"

    def save(self, path: str | Path) -> Path:
        """Write the secret; whoever runs the pipeline must not read it."""
        body = {"format": _FORMAT, "people": list(self.people), "present": list(self.present)}
        whole_text(Path(path), json.dumps(body) + "\n", access=Access.OWNER)
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> "Planting":
        """Read what `save` wrote."""
        told = read_json(Path(path), "a list of canaries")
        people, present = (told.get(name) if isinstance(told, dict) else None for name in ("people", "present"))
        right = (
            isinstance(told, dict)
            and told.get("format") == _FORMAT
            and isinstance(people, list)
            and isinstance(present, list)
            and len(people) == len(present) == len(set(map(str, people)))
            and all(isinstance(each, str) for each in people)
            and all(isinstance(each, bool) for each in present)
        )
        if not right:
            raise BadValue(f"{path} is not a list of canaries as `banister canaries plant` writes it.")
        assert isinstance(people, list)
        assert isinstance(present, list)
        need.whole("canaries", len(people), least=LEAST, most=MOST)
        return cls(tuple(people), tuple(present))
