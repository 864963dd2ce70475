"""Lines that hold on to one another: each carries the hash of the one before.

    hash(0) = SHA-256(version, 0, body(0)),   hash(n) = SHA-256(version, n, hash(n - 1), body(n))

Whoever changes, drops, adds or swaps a line breaks every hash after it. Someone who may write the whole ledger can
make all of them anew; only a hash kept elsewhere, such as on a receipt, shows that (docs/limits.md).
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from banister.errors import LedgerDamaged

FORMAT = 1
"""Version of the ledger's lines. A ledger of another version is refused, never guessed at."""


@dataclass(frozen=True, slots=True)
class ChainLine:
    """One line of a ledger: its number, what it says, and the hash that ties it to all lines before."""

    sequence: int
    body: str
    hash: str

    @classmethod
    def first(cls, body: str) -> "ChainLine":
        """The line that opens a ledger.

        >>> ChainLine.first("terms").sequence
        0
        """
        return cls(0, body, digest(0, "", body))

    def follow(self, body: str) -> "ChainLine":
        """The line after this one.

        >>> ChainLine.first("terms").follow("a charge").sequence
        1
        """
        return ChainLine(self.sequence + 1, body, digest(self.sequence + 1, self.hash, body))


def digest(sequence: int, previous: str, body: str) -> str:
    """The hash of a line, given the hash of the line before it."""
    return hashlib.sha256(f"banister ledger {FORMAT}\n{sequence}\n{previous}\n{body}".encode()).hexdigest()


def check_link(previous: ChainLine | None, line: ChainLine) -> None:
    """Raise `LedgerDamaged` unless the line follows the one before, word for word."""
    expected = 0 if previous is None else previous.sequence + 1
    if line.sequence != expected:
        raise LedgerDamaged(
            f"Line {expected} of the ledger is missing (line {line.sequence} stands in its place). "
            f"Restore the ledger from a copy; do not charge it."
        )
    if line.hash != digest(line.sequence, "" if previous is None else previous.hash, line.body):
        raise LedgerDamaged(
            f"Line {line.sequence} of the ledger was changed after it was written: its hash does not fit. "
            f"Restore the ledger from a copy; do not charge it."
        )


def check_head(last: ChainLine | None, head: tuple[int, str]) -> None:
    """Raise `LedgerDamaged` unless the last line is the one that the ledger's head names."""
    if last is None or (last.sequence, last.hash) != head:
        found = "none" if last is None else f"line {last.sequence}"
        raise LedgerDamaged(
            f"The ledger should end with line {head[0]}, but the last that is there is {found}, or another one. "
            f"Lines were removed or added by hand. Restore the ledger from a copy; do not charge it."
        )


def check(lines: Iterable[ChainLine]) -> ChainLine | None:
    """Walk the whole chain and give its last line; the first break raises `LedgerDamaged`."""
    previous: ChainLine | None = None
    for line in lines:
        check_link(previous, line)
        previous = line
    return previous
