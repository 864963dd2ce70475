"""Checks a proof of kind "domination": whether one pair of laws gives away at least as much as another.

Claim:    first and second, each two lists of chances; dominates, "yes" or "no".
Witness:  for "yes" a matrix with one row for each output of the first pair and one column for each of the second: rows
          are laws, and the matrix turns both laws of the first pair into those of the second. So whatever can be told
          from the second can be told from the first. For "no" a weight w: Σ max(0, q₀ - w q₁) > Σ max(0, p₀ - w p₁),
          so a test on the second pair beats every test on the first.

This file imports nothing of the package: it can be read, and run, alone.
"""

from fractions import Fraction
from typing import Any


def fraction(value: Any, place: str) -> Fraction:
    """An exact number: a whole one, or a text such as "3/7"."""
    text = str(value)  # An exponent could stand for more digits than a memory has.
    if isinstance(value, bool) or not isinstance(value, int | str) or len(text) > 4000 or "e" in text.lower():
        raise ValueError(f"{place} is not a whole number or a fraction in quotes")
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{place} is not a whole number or a fraction in quotes") from None


def fractions(value: Any, place: str, *, count: int | None = None) -> list[Fraction]:
    """A list of exact numbers, none below 0."""
    if not isinstance(value, list) or (count is not None and len(value) != count):
        raise ValueError(f"{place} is not a list" + ("" if count is None else f" of {count} numbers"))
    found = [fraction(each, f"{place}[{i}]") for i, each in enumerate(value)]
    for i, each in enumerate(found):
        if each < 0:
            raise ValueError(f"{place}[{i}] is below 0")
    return found


MOST_OUTPUTS = 2000


def check(claim: dict[str, Any], witness: dict[str, Any]) -> str:
    """What is proven, in words; ValueError with the place where something is not."""
    first, second = (pair(claim.get(name), f"claim.{name}") for name in ("first", "second"))
    if claim.get("dominates") == "no":
        weight = fraction(witness.get("weight"), "witness.weight")
        if weight < 0 or not stick(*second, weight) > stick(*first, weight):
            raise ValueError("witness.weight does not show a test on the second pair that beats all on the first")
        return f"the first pair does not dominate the second: at weight {weight} a test on the second tells more"
    if claim.get("dominates") != "yes":
        raise ValueError('claim.dominates is not "yes" or "no"')
    rows = witness.get("matrix")
    if not isinstance(rows, list) or len(rows) != len(first[0]):
        raise ValueError(f"witness.matrix is not a list of {len(first[0])} rows")
    matrix = [fractions(row, f"witness.matrix[{i}]", count=len(second[0])) for i, row in enumerate(rows)]
    for i, row in enumerate(matrix):
        if sum(row) != 1:
            raise ValueError(f"witness.matrix[{i}] does not add up to 1")
    for side in (0, 1):
        for j, wanted in enumerate(second[side]):
            if sum((p * row[j] for p, row in zip(first[side], matrix, strict=True)), Fraction(0)) != wanted:
                raise ValueError(f"witness.matrix does not turn the first pair into claim.second[{side}][{j}]")
    return "the first pair dominates the second: the matrix turns its outputs into those of the second"


def pair(value: Any, place: str) -> tuple[list[Fraction], list[Fraction]]:
    """Two laws of equally many outputs."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], list):
        raise ValueError(f"{place} is not a list of two lists")
    if not 0 < len(value[0]) <= MOST_OUTPUTS:
        raise ValueError(f"{place}[0] does not have between 1 and {MOST_OUTPUTS} chances")
    first, second = (fractions(law, f"{place}[{i}]", count=len(value[0])) for i, law in enumerate(value))
    for i, law in enumerate((first, second)):
        if sum(law) != 1:
            raise ValueError(f"{place}[{i}] does not add up to 1")
    return first, second


def stick(p: list[Fraction], q: list[Fraction], weight: Fraction) -> Fraction:
    """Σ max(0, p - weight · q)."""
    return sum((a - weight * b for a, b in zip(p, q, strict=True) if a > weight * b), Fraction(0))
