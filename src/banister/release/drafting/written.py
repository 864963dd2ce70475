"""A draft as a .toml file: every line with what it is for, blanks marked, and what was taken from the data said so."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from banister.release.drafting.asked import EACH_ROW, LEAVE, UNKNOWN, split_values
from banister.release.drafting.found import FoundColumn
from banister.release.work import Physical
from banister.tables.blanks import BLANK
from banister.tables.csv_rules import USUAL

if TYPE_CHECKING:
    from banister.release.drafting.draft import Draft

WARNING = (
    "# WARNING: what is marked from_data was taken from the data. A range that is fitted to the data gives away its",
    "# most extreme person, and a list of values whoever has a rare one; the guarantee does not cover that. Put what",
    "# is public knowledge in its place, and delete the mark.",
)


def schema_text(draft: "Draft") -> str:
    """The whole file."""
    lines = [
        "# What is protected, and what about it is public knowledge. Nothing in here should be learnt from the data.",
        f'# "{BLANK}" marks what only you can say.' if draft.blanks else "# Every line may be changed by hand.",
        *_warning(draft),
        "",
        "[source]",
        *_source(draft),
        "",
        "[budget]",
        "# All answers together never give away more than this.",
        f"epsilon = {_number(draft.given('epsilon'))}",
        f"delta = {_number(draft.given('delta'))}",
        f"ledger = {quoted(draft.ledger)}  # every charge, on disk before anything is drawn",
        "",
        "[columns]",
        "# One line for each column that questions may use; delete the others.",
        *_columns(draft),
    ]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """A text as TOML writes it."""
    signs = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(signs.get(s) or (s if s.isprintable() else f"\\U{ord(s):08x}") for s in text) + '"'


def key(name: str) -> str:
    """A name as a key of TOML."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def _warning(draft: "Draft") -> tuple[str, ...]:
    return WARNING if any(draft.took_from_data(question) for question in draft.questions) else ()


def _source(draft: "Draft") -> Iterator[str]:
    found = draft.found
    if found.location:
        yield f"table = {quoted(found.location)}"
    if found.inner:
        yield f"name = {quoted(found.inner)}"
    if found.csv:
        yield from _rules(draft)
    if draft.given("person") != EACH_ROW:
        person = draft.given("person")
        yield f"person = {quoted(person or BLANK)}  # whom a row is about; without this line each row is another person"
    yield f"neighbours = {quoted(draft.given('neighbours') or BLANK)}  # add-remove, or replace"
    for bound, words in (("rows", "rows of one person that count in one group"), ("groups", "groups of one person")):
        if draft.given(bound):
            yield f"{bound} = {draft.given(bound)}  # the most {words}"
        elif draft.given("person") not in ("", EACH_ROW):
            yield f"# {bound} = 1  # the most {words}: `banister look` tells how many there are"


def _rules(draft: "Draft") -> Iterator[str]:
    """Those rules of a CSV file that are not the usual ones."""
    separator = draft.given("separator").replace("tab", "\t")
    if (draft.given("encoding") or USUAL.encoding) != USUAL.encoding:
        yield f"encoding = {quoted(draft.given('encoding'))}"
    if separator and separator != USUAL.separator:
        yield f"separator = {quoted(separator)}"
    if (draft.given("decimal") or USUAL.decimal) != USUAL.decimal:
        yield f"decimal = {quoted(draft.given('decimal'))}"
    if draft.given("thousands"):
        yield f"thousands = {quoted(draft.given('thousands'))}"
    if draft.given("date_format") not in ("", "%Y-%m-%d"):
        yield f"date_format = {quoted(draft.given('date_format'))}"


def _columns(draft: "Draft") -> Iterator[str]:
    names = [key(column.name) for column in draft.found.columns]
    width = min(max((len(name) for name in names), default=0), 24)
    for column, name in zip(draft.found.columns, names, strict=True):
        if column.name == draft.given("person") or draft.given(f"{column.name}.kind") == LEAVE:
            continue
        if not any(question.key == f"{column.name}.kind" for question in draft.questions):
            held = column.stored.value if column.stored else "nothing"
            yield f"# {name} holds {held}: it may say who a person is or tie tables, and cannot be asked about."
            continue
        yield f"{name.ljust(width)} = {{ {', '.join(_parts(draft, column))} }}"


def _parts(draft: "Draft", column: FoundColumn) -> Iterator[str]:
    name = column.name
    kind, given = draft.given(f"{name}.kind"), draft.given(f"{name}.range")
    yield f"kind = {quoted(kind or BLANK)}"
    if kind in ("integer", "number", "date", "timestamp"):
        yield f"range = {'[' + ', '.join(given.split(' to ')) + ']' if given else quoted(BLANK)}"
    if kind in ("date", "timestamp") and column.stored is Physical.ZONED:
        yield f"zone = {quoted(draft.given(f'{name}.zone') or BLANK)}"
    if kind == "number":
        yield f"step = {_number(draft.given(f'{name}.step'))}"
    values = draft.given(f"{name}.values")
    if kind == "category" and values not in ("", UNKNOWN):
        yield f"values = [{', '.join(_value(value, column.stored) for value in split_values(values))}]"
    marked = [q for q in draft.questions if q.key in (f"{name}.range", f"{name}.values")]
    if any(draft.took_from_data(question) for question in marked):
        yield "from_data = true"


def _value(text: str, stored: Physical | None) -> str:
    """A value as what the column is stored as."""
    if stored is Physical.TRUTH and text.lower() in ("true", "false"):
        return text.lower()
    if stored in (Physical.INTEGER, Physical.FLOAT) and re.fullmatch(r"-?\d+", text):
        return text
    return quoted(text)


def _number(text: str) -> str:
    return text if text else quoted(BLANK)
