"""Reading a section of a settings file, with messages that name the section and the key."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Protocol, runtime_checkable

from banister import need
from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue
from banister.foreign import parse_toml

Value = str | int | bool
"""One value of a category."""


EPOCH = 719163
"""The ordinal of 1 January 1970."""


@runtime_checkable
class Day(Protocol):
    """A day as TOML reads it."""

    def isoformat(self) -> str: ...
    def toordinal(self) -> int: ...


@runtime_checkable
class Moment(Day, Protocol):
    """A day with a time."""

    @property
    def hour(self) -> int: ...
    @property
    def minute(self) -> int: ...
    @property
    def second(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Section:
    """A table of settings and the name by which messages call it."""

    title: str
    content: Mapping[str, object]

    def only(self, *known: str) -> None:
        """Refuse a key that is none of these."""
        for key in self.content:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                hint = f" Did you mean '{near[0]}'?" if near else ""
                raise BadValue(f"'{key}' in {self.title} is not known; it may hold {', '.join(known)}.{hint}")

    def names(self, key: str) -> tuple[str, ...]:
        """The names in a section that may be absent."""
        return tuple(self.section(key, "").content) if key in self.content else ()

    def optional(self, key: str) -> "Section":
        """The section under a key, empty where it is absent."""
        return self.section(key, "") if key in self.content else Section(f"[{key}]", {})

    def section(self, key: str, holds: str) -> "Section":
        """The section under a key."""
        value = self.content.get(key)
        if not isinstance(value, Mapping):
            raise BadValue(
                f"{self.title[0].upper()}{self.title[1:]} needs a section [{key}]{' with ' + holds if holds else ''}."
            )
        inner = key if self.title == "the schema" else f"{self.title.strip('[]')}.{key}"
        return Section(f"[{inner}]", value)

    def text(self, key: str) -> str:
        """A text that has to be there."""
        value = self.maybe(key)
        if value is None:
            raise BadValue(f"{self.title} needs {key}, a text in quotes.")
        return value

    def maybe(self, key: str) -> str | None:
        """A text, or None where it is absent."""
        value = self.content.get(key)
        if value is not None and not isinstance(value, str):
            raise BadValue(f"{key} in {self.title} must be a text in quotes.")
        if value == "":
            raise BadValue(f"{key} in {self.title} is an empty text. Say what it is, or leave it out.")
        return value

    def number(self, key: str, default: int | None = None) -> Fraction:
        """An exact number; a decimal in the file is the decimal that is written."""
        value = self.content.get(key, default)
        if value is None:
            raise BadValue(f"{self.title} needs {key}, a number.")
        return _exact(f"{key} in {self.title}", value)

    def whole(self, key: str) -> int | None:
        """A whole number from 1 on, or None where it is absent."""
        if key not in self.content:
            return None
        return need.whole(f"{key} in {self.title}", _exact(f"{key} in {self.title}", self.content[key]), least=1)

    def pair(self, key: str) -> tuple[Fraction, Fraction]:
        """Two numbers."""
        numbers = self.numbers(key)
        if len(numbers) != 2:
            raise BadValue(f"{key} in {self.title} must be two numbers, such as [0, 100].")
        return numbers[0], numbers[1]

    def days(self, key: str) -> tuple[int, int] | None:
        """Two dates, in days since 1970; nothing where they are no dates."""
        value = self.content.get(key)
        if not isinstance(value, list) or len(value) != 2 or not all(isinstance(day, Day) for day in value):
            return None
        return value[0].toordinal() - EPOCH, value[1].toordinal() - EPOCH

    def numbers(self, key: str) -> tuple[Fraction, ...]:
        """A list of numbers, empty where it is absent."""
        value = self.content.get(key, [])
        if not isinstance(value, list):
            raise BadValue(f"{key} in {self.title} must be a list of numbers, such as [0, 100].")
        return tuple(_exact(f"{key} in {self.title}", item) for item in value)

    def values(self, key: str) -> tuple[Value, ...] | None:
        """A list of category values, or None where it is absent."""
        value = self.content.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str | int) for item in value):
            raise BadValue(f"{key} in {self.title} must be a list of texts, whole numbers or truth values.")
        return tuple(value)

    def value(self, key: str) -> Value | None:
        """One value of a category, or None where it is absent."""
        value = self.content.get(key)
        if value is not None and not isinstance(value, str | int):
            raise BadValue(f"{key} in {self.title} must be a text, a whole number or a truth value.")
        return value

    def flag(self, key: str) -> bool:
        """true or false; true where it is absent."""
        value = self.content.get(key, True)
        if not isinstance(value, bool):
            raise BadValue(f"{key} in {self.title} must be true or false.")
        return value


def read_toml(text: str) -> Section:
    """The content of a schema file; decimals are the decimals that are written."""
    return Section("the schema", parse_toml(text, "The schema cannot be read"))


def relation(source: Section) -> Neighbours | None:
    """The neighbouring relation that [source] names, or nothing where it names none."""
    value = source.maybe("neighbours")
    choices = {one.value: one for one in Neighbours}
    if value is not None and value not in choices:
        raise BadValue(
            f"neighbours = {value!r} in [source] must be 'add-remove' (one person more or less) or 'replace' "
            "(one person exchanged for another). The guarantee means nothing without it."
        )
    return None if value is None else choices[value]


def _exact(name: str, value: object) -> Fraction:
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        raise BadValue(f"{name} must be a number.")
    if isinstance(value, Decimal) and not value.is_finite():
        raise BadValue(f"{name} = {value} must be a finite number.")
    return need.exact(name, value)
