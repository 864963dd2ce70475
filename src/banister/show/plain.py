"""Text that others wrote, made harmless for terminals and for spreadsheets.

A group value, a label or a name in a file may hold what a terminal takes for a command (ESC and other control
characters), what a reader takes for the other direction of writing, or what a spreadsheet takes for a formula.
"""

import unicodedata
from html import escape

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Control, format (also the signs that turn the direction of writing), halves of characters, unassigned, line ends."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def plain(text: object) -> str:
    r"""The text with every character that is not seen written as its number.

    >>> plain("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    found = str(text)
    if found.isascii() and found.isprintable():
        return found
    return "".join(_spelled(character) for character in found)


def for_page(text: object, *, quote: bool = True) -> str:
    """The text as it may stand in a page: no tag, and no character that is not seen but for the ends of lines.

    >>> for_page("<b>\\x1b")
    '&lt;b&gt;\\\\x1b'
    """
    return escape("\n".join(plain(line) for line in str(text).split("\n")), quote=quote)


def _spelled(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def no_formula(cell: object) -> object:
    """The cell of a CSV file, with an apostrophe before a text that a spreadsheet would compute; numbers stay.

    >>> no_formula("=1+1"), no_formula(-3), no_formula("north")
    ("'=1+1", -3, 'north')
    """
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip(" ").startswith(_FORMULA) else cell
