"""A claim with its witness, as a value and as one file."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from banister.audit.checkers import envelope
from banister.audit.verifying import checked
from banister.files import whole_text

Json = int | str | list["Json"] | dict[str, "Json"]
"""What a proof is made of: exact numbers only."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What is claimed, and the witness with which anybody can check it.

    >>> from banister.audit import prove_noise
    >>> proof = prove_noise(epsilon=1, delta="1e-3", sensitivity=1)
    >>> proof.kind, proof.says().split(", ")[-1]
    ('noise', 'costs at most 0.842984044; none costs less than 0.842984043')
    """

    kind: str
    claim: dict[str, Json]
    witness: dict[str, Json]

    def says(self) -> str:
        """What the checker of this kind says is proven."""
        return checked(self.text())

    def text(self) -> str:
        """The proof as it stands in a file."""
        return envelope.sealed(self.kind, self.claim, self.witness)

    def save(self, path: str | Path) -> Path:
        """Write it; a reader sees all of the file or none."""
        target = Path(path)
        whole_text(target, self.text())
        return target


def exact(value: Fraction) -> str:
    """A fraction as text."""
    return str(value)


def rounded_down(value: Fraction, bits: int = 60) -> Fraction:
    """A short fraction at or below."""
    return Fraction((value.numerator << bits) // value.denominator, 1 << bits)


def rounded_up(value: Fraction, bits: int = 60) -> Fraction:
    """A short fraction at or above."""
    return -rounded_down(-value, bits)


def as_law(weights: list[float], bits: int = 60) -> list[Fraction]:
    """Numbers in doubles, 0 or above, as fractions that add up to exactly 1."""
    parts = [max(0, int(weight * 2.0**bits)) for weight in weights]
    total = sum(parts)
    return [Fraction(part, total) for part in parts]


def texts(values: list[Fraction]) -> list[Json]:
    """Fractions as a list of texts."""
    return [str(value) for value in values]
