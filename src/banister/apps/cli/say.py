"""How the command line speaks: answers on standard output, one message on standard error when it cannot."""

import sys
from enum import Enum
from fractions import Fraction
from typing import TypeVar

from banister import need
from banister.errors import BadValue, BanisterError

Choice = TypeVar("Choice", bound=Enum)


def fail(error: BanisterError) -> int:
    """Print the message alone and give the exit code."""
    print(f"banister: {error}", file=sys.stderr)
    return 2


def chosen(name: str, text: str, choices: type[Choice]) -> Choice:
    """The member of an enumeration that a word on the command line names."""
    for choice in choices:
        if choice.value == text:
            return choice
    raise BadValue(f"--{name} {text[:40]} must be one of: {', '.join(choice.value for choice in choices)}.")


def share(name: str, text: str) -> Fraction:
    """A share, written as 0.95 or 95%."""
    number = text.strip().removesuffix("%")
    value = need.exact(f"--{name}", number)
    return value / 100 if text.strip().endswith("%") else value


def cost_word(text: str) -> str:
    """The word for a cost that the house uses today; for one of an earlier version it says so, and goes on."""
    from banister.core.laws.cost import OLD_WORDS

    if text in OLD_WORDS:
        print(f"banister: --cost {text} is now called {OLD_WORDS[text]}.", file=sys.stderr)
    return OLD_WORDS.get(text, text)
