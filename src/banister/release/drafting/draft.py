"""A draft of a schema, as a value: a table, what was answered so far, and what is still to be asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.release.drafting import asked
from banister.release.drafting.asked import EACH_ROW, LEAVE, UNKNOWN, DraftQuestion
from banister.release.drafting.found import FoundColumn, FoundTable, find_table
from banister.release.drafting.looked import OwnersLook
from banister.release.drafting.proposals import fitting, looks_like_a_person, propose
from banister.release.work import Physical
from banister.tables.columns import Kind

if TYPE_CHECKING:
    from banister.tables.schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A schema in the making. Nothing of the table was read but names and types, unless its owner had it looked at.

    >>> found = FoundTable.of_header("stays.csv", b"patient,age,ward")
    >>> draft = Draft(found=found, ledger="stays.ledger")
    >>> draft.next.key, draft.answer("encoding", "utf-8").next.key
    ('encoding', 'separator')
    """

    found: FoundTable
    ledger: str
    answers: Mapping[str, str] = field(default_factory=dict)
    looked: OwnersLook | None = None

    def __repr__(self) -> str:
        waiting = sum(question.key not in self.answers for question in self.questions)
        return f"Draft({self.found.location or 'frame'!r}, {len(self.found.columns)} columns, {waiting} open questions)"

    def _repr_html_(self) -> str:
        from banister.release.notebook import draft_html

        return draft_html(self)

    @property
    def questions(self) -> tuple[DraftQuestion, ...]:
        """All questions that the answers so far lead to."""
        return tuple(_questions(self))

    @property
    def next(self) -> DraftQuestion | None:
        """The first question without an answer; nothing where all have one."""
        return next((question for question in self.questions if question.key not in self.answers), None)

    def answer(self, key: str, text: str) -> "Draft":
        """The draft with one more answer; an empty text takes the proposal, or leaves a blank."""
        for question in self.questions:
            if question.key == key:
                return replace(self, answers={**self.answers, key: question.read(text)})
        near = ", ".join(question.key for question in self.questions if question.key.partition(".")[0] in key)
        raise BadValue(f"'{key[:60]}' is no question of this draft.{f' It asks: {near}.' if near else ''}")

    def with_proposals(self) -> "Draft":
        """The draft with every proposal taken, and a blank wherever only the owner can say."""
        found = self
        while (question := found.next) is not None:
            found = replace(found, answers={**found.answers, question.key: question.read("")})
        return found

    def text(self) -> str:
        """The schema, with comments; blanks are marked."""
        from banister.release.drafting.written import schema_text

        return schema_text(self)

    def schema(self) -> "Schema":
        """The schema, checked; raises where something is blank that even a private look needs."""
        from banister.tables.schema import Schema

        return Schema.of_text(self.text())

    @property
    def blanks(self) -> tuple[str, ...]:
        """The keys that the file will have blanks for."""
        return tuple(q.key for q in self.questions if q.needed and not self.answers.get(q.key, ""))

    def given(self, key: str) -> str:
        """An answer, empty where there is none yet."""
        return self.answers.get(key, "")

    def took_from_data(self, question: DraftQuestion) -> bool:
        """Whether an answer is what was proposed from the data."""
        return question.from_data and self.given(question.key) == question.read("")


def draft(place: object, *, table: str = "", out: str | Path = "", looked: OwnersLook | None = None) -> Draft:
    """Begin a schema for a table: a .csv, .parquet or .duckdb file, an address of PostgreSQL, or a frame.

    Names and stored types are read, and no value; of a CSV file only its first line. `out` is where the schema will be.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as folder:
    ...     begun = draft(write_demo(folder)[0])
    >>> [question.key for question in begun.questions][:3]
    ['person', 'neighbours', 'person_id.kind']
    """
    beside = Path(out).parent if str(out) else None
    found = find_table(place, name=table, beside=beside)
    stem = Path(out).stem if str(out) else _stem(place, found)
    return Draft(found=found, ledger=f"{stem}.ledger", looked=looked)


def _stem(place: object, found: FoundTable) -> str:
    if found.inner:
        return found.inner.rpartition(".")[2]
    return Path(place).stem if isinstance(place, str | Path) and "://" not in str(place) else "table"


def _questions(draft: Draft) -> Iterator[DraftQuestion]:
    if draft.found.csv:
        yield from _csv(draft)
    yield from _people(draft)
    for column in draft.found.columns:
        if column.name != draft.given("person"):
            yield from _column(draft, column)
    if draft.found.csv and any(draft.given(f"{name}.kind") in DATED for name in draft.found.names):
        yield _date_format(draft)
    yield DraftQuestion(
        key="epsilon",
        ask="How much may ever be given away about one person from this table (epsilon)?",
        why="All answers together are charged to this budget. 1 is a common choice; a smaller number hides more.",
        reading=asked.positive,
    )
    yield DraftQuestion(
        key="delta",
        ask="With which chance may more be given away (delta)? 0 for never.",
        why="Values that are not listed can only be shown with a delta, e.g. 1e-6: far below one over the people.",
        reading=asked.share,
    )


def _csv(draft: Draft) -> Iterator[DraftQuestion]:
    looked, german = draft.looked, draft.found.separator == ";"
    yield DraftQuestion(
        key="encoding",
        ask="In which encoding is the file saved?",
        why="utf-8 is usual today; older programs on Windows write cp1252.",
        proposal=draft.found.encoding or (looked.encoding if looked else "utf-8"),
        from_data=looked is not None and not draft.found.encoding,
    )
    yield DraftQuestion(
        key="separator",
        ask="Which sign stands between two values?",
        why="It is the sign between the names in the first line.",
        proposal="tab" if draft.found.separator == "\t" else draft.found.separator,
        reading=lambda text: "tab" if text in ("\t", "\\t") else text,
    )
    yield DraftQuestion(
        key="decimal",
        ask="Which sign stands before decimals, a point or a comma?",
        why="12.5 has a point. Where values are separated by ';' it is often a comma.",
        choices=(".", ","),
        proposal=(looked.decimal if looked else "") or ("," if german else "."),
        from_data=bool(looked and looked.decimal),
    )
    if german or (looked and looked.thousands):
        yield DraftQuestion(
            key="thousands",
            ask="Which sign stands between thousands, as the point in 1.234,56? Nothing if none does.",
            why="A number with another sign in it than these two is not understood, and counts as missing.",
            proposal=looked.thousands if looked else "",
            from_data=bool(looked and looked.thousands),
            needed=False,
        )


def _people(draft: Draft) -> Iterator[DraftQuestion]:
    likely = [name for name in draft.found.names if looks_like_a_person(name)]
    hint = f" '{likely[0]}' may be it." if likely else ""
    yield DraftQuestion(
        key="person",
        ask=f"Which column says whom a row is about? '{EACH_ROW}' if every row is another person.",
        why=f"The guarantee hides one person with all of their rows, so it has to know which rows are theirs.{hint}",
        choices=(EACH_ROW, *draft.found.names),
    )
    yield DraftQuestion(
        key="neighbours",
        ask="Is it secret whether somebody is in the table at all (add-remove), or only what is said there (replace)?",
        why="add-remove hides both. With replace the number of people is public knowledge.",
        choices=tuple(one.value for one in Neighbours),
    )
    if draft.given("person") not in ("", EACH_ROW):
        yield DraftQuestion(
            key="rows",
            ask="How many rows of one person may count in one group?",
            why="Who has more counts with so many. A small number means little noise, a large one leaves nothing out.",
            reading=asked.whole,
            needed=False,
        )
        yield DraftQuestion(
            key="groups",
            ask="In how many groups of an answer may one person count?",
            why="1 if people are in one group each, such as a home town; more where they come again and again.",
            reading=asked.whole,
            needed=False,
        )


RANGES = {
    "integer": asked.two_whole_numbers,
    "number": asked.two_numbers,
    "date": asked.two_dates,
    "timestamp": asked.two_dates,
}
"""The kinds that have a range, with how it is read."""

DATED = ("date", "timestamp")


def _column(draft: Draft, column: FoundColumn) -> Iterator[DraftQuestion]:
    kinds = fitting(column)
    if not kinds:
        return
    seen = None if draft.looked is None else draft.looked.columns.get(column.name)
    proposed = propose(column)
    guess = seen or proposed
    stored = "" if column.stored is None else f" It is stored as {column.stored.value}."
    yield DraftQuestion(
        key=f"{column.name}.kind",
        ask=f"What does '{column.name}' hold: {', '.join(kind.value for kind in kinds)}? Or '{LEAVE}'.",
        why=f"Whole numbers, decimals, one of some values, dates, or dates with a time.{stored}",
        choices=(*(kind.value for kind in kinds), LEAVE),
        proposal="" if guess.kind is None else guess.kind.value,
        from_data=seen is not None,
    )
    kind = draft.given(f"{column.name}.kind")
    if kind in RANGES:
        fits = guess.kind is not None and guess.kind.value == kind
        yield DraftQuestion(
            key=f"{column.name}.range",
            ask=f"Between which values does '{column.name}' lie, as everybody knows without looking?",
            why="Values outside are moved to the nearer end. A narrow range means little noise.",
            proposal=guess.range if fits else "",
            from_data=seen is not None and fits,
            reading=RANGES[kind],
        )
    if kind in DATED and column.stored is Physical.ZONED:
        yield DraftQuestion(
            key=f"{column.name}.zone",
            ask=f"By which time zone do days and hours of '{column.name}' count? E.g. Europe/Berlin, or UTC.",
            why="Moments are stored, and on which day one falls depends on where one is.",
            reading=asked.zone,
        )
    if kind == "number":
        yield DraftQuestion(
            key=f"{column.name}.step",
            ask=f"How finely is '{column.name}' read?",
            why="0.01 for cents. Everything is added up in whole steps, so that it is the same on every engine.",
            proposal=guess.step or proposed.step or "0.01",
            reading=asked.positive,
        )
    if kind == "category":
        yield DraftQuestion(
            key=f"{column.name}.values",
            ask=f"Which values can '{column.name}' have? List them between commas, or say {UNKNOWN}.",
            why="Listed values are always answered. Unknown ones appear only where enough people stand behind them.",
            proposal=guess.values if guess.kind is Kind.CATEGORY and guess.values else UNKNOWN,
            from_data=bool(seen and guess.kind is Kind.CATEGORY and guess.values),
            reading=asked.listed,
        )


def _date_format(draft: Draft) -> DraftQuestion:
    looked = draft.looked.date_format if draft.looked else ""
    return DraftQuestion(
        key="date_format",
        ask=f"How are dates written? {asked.ISO} for 2024-12-31, %d.%m.%Y for 31.12.2024.",
        why="%d is the day, %m the month, %Y the year.",
        proposal=looked or ("%d.%m.%Y" if draft.found.separator == ";" else asked.ISO),
        from_data=bool(looked),
        reading=asked.date_format,
    )
