"""A private table as a value: where it is, whose its rows are, its columns, and how much of a person counts in it."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from banister.tables.columns import Column
from banister.tables.csv_rules import USUAL, CsvRules


@dataclass(frozen=True, slots=True)
class Through:
    """How the person of a row is found: by the rows of a parent whose `key` equals this table's column `own`.

    A key that several people hold in the parent gives the row to each of them; one that nobody holds, to nobody.
    """

    parent: "Table"
    key: str
    own: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table: where it is (empty where the file does not say), who a row belongs to, and its declared columns."""

    name: str
    location: str
    inner: str | None
    person: str | None
    """The person's column; where there is a `through`, its name in the table that has it."""
    columns: tuple[Column, ...]
    rules: CsvRules = USUAL
    """How the values of a CSV file are written."""
    rows: int | None = None
    """The most rows of one person that count in one group; None where this table does not say."""
    groups: int | None = None
    """The most groups in which one person counts; None where this table does not say."""
    through: Through | None = None
    links: tuple[str, ...] = ()
    """The columns that tie it to its parent and to its children."""

    def column(self, name: str) -> Column | None:
        """The declared column of that name, upper or lower case alike."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)

    @property
    def owner(self) -> str | None:
        """The column of this very table that holds the person; None where there is none, or a parent has it."""
        return None if self.through is not None else self.person

    @property
    def needed(self) -> tuple[str, ...]:
        """The stored columns that work can ask for: the person, the links, and those that are declared."""
        owner = () if self.owner is None else (self.owner,)
        return tuple(dict.fromkeys((*owner, *self.links, *(column.name for column in self.columns))))

    @property
    def own_names(self) -> tuple[str, ...]:
        """What its owner calls it: its name inside a database, or its file's without the ending.

        >>> Table(name="data", location="clinic/stays.csv", inner=None, person=None, columns=()).own_names
        ('stays',)
        """
        if self.inner is not None:
            return (self.inner.split(".")[-1],)
        if "://" in self.location or not self.location:
            return ()
        return (PurePosixPath(self.location.replace("\\", "/").removeprefix("spark:")).stem.split(".")[-1],)
