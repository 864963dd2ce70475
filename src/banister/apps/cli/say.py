"""How the command line speaks: answers on standard output, one message on standard error when it cannot."""

import sys
from enum import Enum
from fractions import Fraction
from typing import TypeVar

from banister.core.exact.written import NO_BREAK
from banister.errors import (
    AlreadyAnswered,
    BadValue,
    BanisterError,
    BudgetExceeded,
    EngineFailed,
    LedgerFault,
    ReceiptUsed,
    Refused,
)
from banister.show.plain import plain

EXIT_CODES: tuple[tuple[type[BanisterError], int], ...] = (
    (Refused, 3),
    (AlreadyAnswered, 3),
    (ReceiptUsed, 3),
    (BudgetExceeded, 4),
    (EngineFailed, 5),
    (LedgerFault, 6),
    (BadValue, 2),
)
"""The first kind that an error is tells the code; docs/commands.md says what each means."""

Choice = TypeVar("Choice", bound=Enum)


def tell(text: object, *, err: bool = False) -> None:
    """Print a text of one or more lines, harmless for a terminal whatever names and labels are in it."""
    lines = str(text).replace(NO_BREAK, " ").split("\n")
    print("\n".join(plain(line) for line in lines), file=sys.stderr if err else sys.stdout)


def fail(error: BanisterError) -> int:
    """Print the message alone, harmless for a terminal, and give the exit code of its kind."""
    print("\n".join(plain(line) for line in f"banister: {error}".split("\n")), file=sys.stderr)
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1)


def chosen(name: str, text: str, choices: type[Choice]) -> Choice:
    """The member of an enumeration that a word on the command line names."""
    for choice in choices:
        if choice.value == text:
            return choice
    raise BadValue(f"--{name} {text[:40]} must be one of: {', '.join(choice.value for choice in choices)}.")


def share(name: str, text: str) -> Fraction:
    """A share, written as 0.95 or 95%."""
    from banister import need

    number = text.strip().removesuffix("%")
    value = need.exact(f"--{name}", number)
    if text.strip().endswith("%"):
        return value / 100
    if value >= 1:
        raise BadValue(f"--{name} {text.strip()[:40]} is no share below 1. Write {number[:40]}%, or 0.05 for 5%.")
    return value


def cost_word(text: str) -> str:
    """The word for a cost that the house uses today; for one of an earlier version it says so, and goes on."""
    from banister.core.laws.cost import OLD_WORDS

    if text in OLD_WORDS:
        print(f"banister: --cost {text} is now called {OLD_WORDS[text]}.", file=sys.stderr)
    return OLD_WORDS.get(text, text)
