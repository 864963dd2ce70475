"""How the values of a CSV file are written: declared by its owner, never guessed from the rows."""

import codecs
from dataclasses import dataclass

from banister.errors import BadValue
from banister.tables.reading import Section

KEYS = ("encoding", "separator", "decimal", "thousands", "quote", "date_format", "trim", "ignore_case")

THOUSANDS = ".,' "
"""The signs that may stand between thousands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvRules:
    """The rules by which a file is read. What cannot be read by them is missing, or no row; nothing fails.

    >>> CsvRules(separator=";", decimal=",", date_format="%d.%m.%Y").decimal
    ','
    """

    encoding: str = "utf-8"
    separator: str = ","
    decimal: str = "."
    thousands: str = ""
    """What stands between the thousands of a number, as in 1.234,56; empty where nothing does."""
    quote: str = '"'
    date_format: str = ""
    """Empty for dates as in ISO 8601, else as %d.%m.%Y."""
    trim: bool = False
    """Whether blanks around a value are none of it."""
    ignore_case: bool = False
    """Whether the values of a category are known by their letters, upper or lower case."""


USUAL = CsvRules()
"""What holds where nothing is declared."""


def read_rules(section: Section) -> CsvRules:
    """The rules that [source], or the section of another table, declares."""
    rules = CsvRules(
        encoding=_encoding(section.maybe("encoding") or USUAL.encoding),
        separator=_sign(section, "separator", USUAL.separator),
        decimal=_sign(section, "decimal", USUAL.decimal),
        thousands=_sign(section, "thousands", ".") if section.maybe("thousands") else "",
        quote=_sign(section, "quote", USUAL.quote),
        date_format=section.maybe("date_format") or "",
        trim=section.flag("trim") if "trim" in section.content else False,
        ignore_case=section.flag("ignore_case") if "ignore_case" in section.content else False,
    )
    if rules.decimal not in (".", ","):
        raise BadValue(f"decimal = {rules.decimal!r} in {section.title} must be '.' or ','.")
    if rules.thousands and (rules.thousands == rules.decimal or rules.thousands not in THOUSANDS):
        raise BadValue(
            f"thousands = {rules.thousands!r} in {section.title} must be one of . , ' and a blank, and not what stands "
            f"before decimals ({rules.decimal!r})."
        )
    if rules.separator == rules.quote:
        raise BadValue(f"separator and quote in {section.title} are the same sign, {rules.quote!r}. Choose two.")
    if rules.date_format and not {"%d", "%m"} <= {rules.date_format[i : i + 2] for i in range(len(rules.date_format))}:
        raise BadValue(f"date_format = {rules.date_format!r} in {section.title} must be a form such as '%d.%m.%Y'.")
    return rules


def _sign(section: Section, key: str, usual: str) -> str:
    value = section.maybe(key) or usual
    if len(value) != 1 or not (value.isascii() and (value.isprintable() or value == "\t")) or value.isalnum():
        raise BadValue(f"{key} = {value!r} in {section.title} must be one sign, such as ',', ';', '|' or a tab.")
    return value


def _encoding(name: str) -> str:
    """The encoding by its common name; only such in which each byte, or each line of UTF-8, stands for itself.

    In others one wrong byte of one row would change how the rows behind it are read.
    """
    try:
        common = codecs.lookup(name).name
        single = _one_byte_each(common)
    except (LookupError, ValueError, TypeError):
        single, common = False, ""
    if common != "utf-8" and not single:
        raise BadValue(
            f"encoding = {name!r} in [source] must be 'utf-8', or one in which a letter is a byte, such as 'cp1252' or "
            "'latin-1'. Save the file as UTF-8."
        )
    return common


def _one_byte_each(name: str) -> bool:
    if bytes(range(128)).decode(name) != bytes(range(128)).decode("ascii"):
        return False
    pairs = (bytes((first, second)) for first in range(128, 256) for second in (48, 64, 97, 128, 161, 200, 255))
    return all(len(pair.decode(name, "replace")) == 2 for pair in pairs)
