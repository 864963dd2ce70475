"""Whom a ledger protects, and in which tables. A total says nothing if its charges speak about different things."""

from dataclasses import dataclass

from banister.errors import BadValue

LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Protects:
    """The unit that one charge hides, the tables that hold it, and the schema under which it was hidden.

    >>> print(Protects(unit="person patient_id", tables=("visits.csv",)))
    person patient_id in visits.csv
    """

    unit: str
    """Such as 'row', 'edge', or 'person patient_id': the column that tells people apart belongs to it."""
    tables: tuple[str, ...] = ()
    """The tables' names, in any order; none where the charge does not know them."""
    schema: str = ""
    """A hash of what is declared about columns and ranges, or nothing. It may change; each line says which it was."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", tuple(sorted(self.tables)))
        for text in (self.unit, self.schema, *self.tables):
            if not (isinstance(text, str) and text.isprintable() and len(text) <= LONGEST):
                raise BadValue(
                    f"What a charge protects is said in texts of one line and at most {LONGEST} characters, such as "
                    f"Protects(unit='person patient_id', tables=('visits.csv',))."
                )
        if not self.unit.strip():
            raise BadValue(
                "The unit that a charge protects needs a name, such as 'row', 'edge' or 'person patient_id'."
            )

    @classmethod
    def of_person(cls, column: str | None, *, tables: tuple[str, ...] = (), schema: str = "") -> "Protects":
        """One person, told by a column, upper or lower case alike; or one row where there is no such column."""
        return cls(unit="row" if column is None else f"person {column.lower()}", tables=tables, schema=schema)

    def __str__(self) -> str:
        return f"{self.unit} in {', '.join(self.tables)}" if self.tables else self.unit

    def document(self) -> dict[str, object]:
        """As it stands in a line of a ledger."""
        return {"unit": self.unit, "tables": list(self.tables), "schema": self.schema}

    @classmethod
    def of_document(cls, document: object) -> "Protects | None":
        """Read it from a line; nothing where the line does not state it."""
        if document is None:
            return None
        if not isinstance(document, dict):
            raise TypeError("what a line protects is a table of texts")
        return cls(unit=document["unit"], tables=tuple(document["tables"]), schema=document["schema"])


def alike(before: Protects, stated: Protects) -> bool:
    """Whether the two speak about one unit and about the same tables, as far as both name them."""
    return stated.unit == before.unit and (not stated.tables or not before.tables or stated.tables == before.tables)


def bound(before: Protects | None, stated: Protects | None, label: str) -> Protects | None:
    """What a ledger protects after a charge; one about anything else than before is refused, with both named."""
    if before is None:
        return stated
    if stated is None:
        raise BadValue(
            f"The ledger protects {before}, and the charge '{label}' does not say whom it protects. Say so with "
            f"protects=ledger.protects, if that is what it hides; or keep a ledger of its own."
        )
    if not alike(before, stated):
        raise BadValue(
            f"The ledger protects {before}, the charge '{label}' is about {stated}. Their losses do not add up to "
            f"anything: keep a ledger of its own for it."
        )
    return Protects(unit=stated.unit, tables=stated.tables or before.tables, schema=stated.schema or before.schema)
