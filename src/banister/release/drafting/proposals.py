"""What a column probably is, by its name and by what it is stored as; never by a value of it.

A range that a name proposes is common knowledge (an age, a month, a percentage); every other range is the owner's.
"""

import re
from dataclasses import dataclass

from banister.release.drafting.found import FoundColumn
from banister.release.work import Physical
from banister.tables.columns import Kind

PERSON = re.compile(
    r"(person|patient|customer|user|member|client|employee|student|voter|subject|kunde|kunden|versicherte|mitglied)"
    r"([_ -]?(id|nr|no|number|key|code|nummer))?",
    re.IGNORECASE,
)
"""Names that people give to the column that says whom a row is about; it is suggested, never taken by itself."""


@dataclass(frozen=True, slots=True)
class ColumnProposal:
    """What is proposed for a column; empty where nobody but its owner can say."""

    kind: Kind | None = None
    range: str = ""
    step: str = ""
    values: str = ""


@dataclass(frozen=True, slots=True)
class _Usual:
    words: str
    proposal: ColumnProposal


USUAL = (
    _Usual("age|alter", ColumnProposal(Kind.INTEGER, "0 to 120")),
    _Usual("month|monat", ColumnProposal(Kind.INTEGER, "1 to 12")),
    _Usual("hour|stunde", ColumnProposal(Kind.INTEGER, "0 to 23")),
    _Usual("weekday|wochentag", ColumnProposal(Kind.INTEGER, "1 to 7")),
    _Usual("percent|percentage|pct|prozent", ColumnProposal(Kind.NUMBER, "0 to 100", "0.1")),
    _Usual("latitude|lat", ColumnProposal(Kind.NUMBER, "-90 to 90", "0.001")),
    _Usual("longitude|lon|lng", ColumnProposal(Kind.NUMBER, "-180 to 180", "0.001")),
    _Usual("year|jahr", ColumnProposal(Kind.INTEGER)),
    _Usual(
        "date|datum|day|tag|birthday|geburtstag|admitted|discharged|created|updated|ordered|at|on|aufnahme|entlassung|bestellt",
        ColumnProposal(Kind.DATE),
    ),
    _Usual("count|number|anzahl|visits|quantity|menge|rows|stock|kinder|children", ColumnProposal(Kind.INTEGER)),
    _Usual(
        "price|preis|amount|betrag|cost|costs|kosten|income|einkommen|salary|gehalt|total|weight|height|rate|umsatz|gewicht|größe|groesse|erlös|miete|lohn",
        ColumnProposal(Kind.NUMBER, step="0.01"),
    ),
    _Usual(
        "sex|gender|geschlecht|city|town|ort|stadt|country|land|region|ward|station|diagnosis|diagnose|status|type|typ|"
        "category|kategorie|zip|plz|postcode|code|name|plan|department|abteilung|kasse|art|site",
        ColumnProposal(Kind.CATEGORY),
    ),
)
"""What the last word of a name usually says."""

STORED = {
    Physical.INTEGER: ColumnProposal(Kind.INTEGER),
    Physical.DECIMAL: ColumnProposal(Kind.NUMBER, step="0.01"),
    Physical.FLOAT: ColumnProposal(Kind.NUMBER, step="0.01"),
    Physical.TEXT: ColumnProposal(Kind.CATEGORY),
    Physical.TRUTH: ColumnProposal(Kind.CATEGORY, values="false, true"),
    Physical.DATE: ColumnProposal(Kind.DATE),
    Physical.TIMESTAMP: ColumnProposal(Kind.TIMESTAMP),
    Physical.ZONED: ColumnProposal(Kind.TIMESTAMP),
}

FITTING = {
    Physical.INTEGER: (Kind.INTEGER, Kind.NUMBER, Kind.CATEGORY),
    Physical.DECIMAL: (Kind.NUMBER,),
    Physical.FLOAT: (Kind.NUMBER, Kind.INTEGER),
    Physical.TEXT: (Kind.CATEGORY,),
    Physical.TRUTH: (Kind.CATEGORY,),
    Physical.DATE: (Kind.DATE,),
    Physical.TIMESTAMP: (Kind.TIMESTAMP, Kind.DATE),
    Physical.ZONED: (Kind.TIMESTAMP, Kind.DATE),
}
"""The kinds that a stored type can be declared as; what is not here cannot be used."""


COMPOUND = re.compile(
    r".{3,}(datum|jahr|monat|anzahl|menge|preis|betrag|kosten|gehalt|umsatz|gewicht|größe|stadt|abteilung)"
)
"""The last parts of compounds that say what a column holds."""


def fitting(column: FoundColumn) -> tuple[Kind, ...]:
    """The kinds that a column can be declared as."""
    return tuple(Kind) if column.stored is None else FITTING.get(column.stored, ())


def propose(column: FoundColumn) -> ColumnProposal:
    """What a column probably is.

    >>> propose(FoundColumn("age_at_entry", Physical.INTEGER)).kind
    <Kind.INTEGER: 'integer'>
    >>> propose(FoundColumn("Alter", None)).range, propose(FoundColumn("Aufnahmedatum", None)).kind
    ('0 to 120', <Kind.DATE: 'date'>)
    """
    stored = ColumnProposal() if column.stored is None else STORED.get(column.stored, ColumnProposal())
    words = re.findall(r"[a-zà-ÿ]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", column.name).lower())
    for usual in USUAL if words else ():
        if any(re.fullmatch(usual.words, word) for word in (words[-1], words[0], *_last_part(words[-1]))):
            if usual.proposal.kind in fitting(column) and stored.kind in (None, usual.proposal.kind):
                return ColumnProposal(
                    usual.proposal.kind, usual.proposal.range, usual.proposal.step or stored.step, stored.values
                )
            if usual.proposal.kind is Kind.CATEGORY and Kind.CATEGORY in fitting(column):
                return ColumnProposal(Kind.CATEGORY)
    return stored


def _last_part(word: str) -> tuple[str, ...]:
    """What a German compound is, by its end: Aufnahmedatum is a date, Gesamtkosten are costs."""
    found = COMPOUND.fullmatch(word)
    return () if found is None else (found[1],)


def looks_like_a_person(name: str) -> bool:
    """Whether people often call the column so that says whom a row is about."""
    return PERSON.fullmatch(name.strip()) is not None or name.strip().lower() == "id"
