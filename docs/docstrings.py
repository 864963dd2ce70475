"""Docstrings as they are written in this house, turned into what Sphinx reads.

They are plain text with formulas in Unicode: a bar or an asterisk is mathematics, and the lines after "Private:" are
indented to be read in an editor. Paragraphs are kept, signs are taken as they are, examples stay examples.
"""

import re
from collections.abc import Iterator
from itertools import groupby

LABEL = re.compile(r"^(\w[\w /-]*):  +(?=\S)")
SIGNS = re.compile(r"([\\*|_])")
CODE = re.compile(r"(`[^`]+`)")


def paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """What stands between empty lines."""
    for filled, group in groupby(lines, key=lambda line: bool(line.strip())):
        if filled:
            yield list(group)


def escaped(text: str) -> str:
    """The same text for Sphinx: code in backticks is code, and no other sign means anything."""
    pieces = CODE.split(text)
    return "".join(f"``{piece[1:-1]}``" if CODE.fullmatch(piece) else SIGNS.sub(r"\\\1", piece) for piece in pieces)


def drawn(lines: list[str]) -> bool:
    """Whether the paragraph is a picture or an indented piece of code rather than sentences."""
    return any(sign in line for line in lines for sign in "├└│") or all(line.startswith("    ") for line in lines)


def sentences(lines: list[str]) -> Iterator[str]:
    """A paragraph for each labelled part ("Private:", "Optimal:"), and one for what stands before."""
    part: list[str] = []
    for line in lines:
        if LABEL.match(line) and part:
            yield " ".join(part)
            part = []
        part.append(line.strip())
    yield " ".join(part)


def turned(lines: list[str]) -> list[str]:
    """The whole docstring."""
    result: list[str] = []
    for paragraph in paragraphs(lines):
        if paragraph[0].lstrip().startswith(">>>"):
            result += [*paragraph, ""]
        elif drawn(paragraph):
            result += ["::", "", *(f"    {line}" for line in paragraph), ""]
        else:
            for spoken in sentences(paragraph):
                label = LABEL.match(spoken)
                start = f"**{label[1]}:** " if label else ""
                result += [start + escaped(spoken[label.end() :] if label else spoken), ""]
    return result
