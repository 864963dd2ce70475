"""What a payment draws, as others can check it: the law's name and its exact parameters."""

from dataclasses import fields
from fractions import Fraction

from banister.mechanisms.integers.integer_noise import IntegerNoise

Stated = dict[str, "int | str | list[str] | Stated"]
"""A statement made of whole numbers and exact fractions as text."""


def law_of(noise: IntegerNoise) -> Stated:
    """A noise by its name and its parameters; what it was made to be best for is no part of its law.

    >>> from banister.mechanisms import IntegerStaircase
    >>> law_of(IntegerStaircase(epsilon="1/2", sensitivity=5))
    {'law': 'IntegerStaircase', 'epsilon': '1/2', 'sensitivity': 5, 'step_width': 3}
    """
    stated: Stated = {"law": type(noise).__name__}
    for field in fields(noise):  # type: ignore[arg-type]  # Every noise is a dataclass.
        value = getattr(noise, field.name)
        if isinstance(value, int):
            stated[field.name] = value
        elif isinstance(value, Fraction | float):
            stated[field.name] = str(Fraction(value))
        elif isinstance(value, tuple) and all(isinstance(each, int) for each in value):
            stated[field.name] = [str(each) for each in value]
    return stated
