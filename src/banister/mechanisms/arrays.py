"""Answers as arrays, taken only where each number arrives with all of its bits.

NumPy turns lists, masked arrays and wide numbers into something near, without a word. What is near is not what a
sensitivity speaks of, so whatever would be changed on the way in is refused here, for every mechanism.
"""

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue

_DOUBLE_BYTES = 8
_WHOLE_IN_DOUBLES = 1 << 53


def plain_array(answer: object) -> NDArray[np.generic]:
    """The answers as an array of integers or of doubles at most, each exactly as it was given.

    Raises ValueError, as NumPy does, where rows have different lengths. No message shows an answer.

    >>> plain_array([1, 2]).tolist()
    [1, 2]
    """
    if isinstance(answer, np.ma.MaskedArray):
        raise BadValue(
            "The answers are a masked array. Decide what a masked answer stands for, and give a plain array; "
            "nothing was drawn."
        )
    answers = np.asarray(answer)
    _refuse_kind(answers.dtype)
    if isinstance(answer, list | tuple) and answers.dtype.kind == "f" and _loses_a_whole_number(answer):
        raise BadValue(
            "The answers are a list in which whole numbers beyond 2^53 and others would become doubles and lose "
            "their last digits. Give an array of integers, or the answers one by one."
        )
    return answers


def _refuse_kind(kind: np.dtype[np.generic]) -> None:
    if kind.kind == "O":
        raise BadValue(
            "The answers are of type object: some are beyond 64 bits, or not numbers. Give numbers: an array of "
            "integers or of doubles."
        )
    if kind.kind not in "iuf":
        raise BadValue(f"The answers are of type {kind}. Give numbers: an array of integers or of doubles.")
    if kind.kind == "f" and kind.itemsize > _DOUBLE_BYTES:
        raise BadValue(
            f"The answers are of type {kind}, which is finer than the doubles that are released exactly. Round them "
            "to float64 yourself, where it can be seen, and count that in the sensitivity."
        )


def _loses_a_whole_number(answers: list[object] | tuple[object, ...]) -> bool:
    for answer in answers:
        if isinstance(answer, list | tuple):
            if _loses_a_whole_number(answer):
                return True
        elif (
            (isinstance(answer, int | np.integer) and abs(int(answer)) > _WHOLE_IN_DOUBLES)
            or (isinstance(answer, np.ndarray) and _array_loses(answer))
            or (isinstance(answer, np.longdouble) and answer.dtype.itemsize > _DOUBLE_BYTES)
        ):
            return True
    return False


def _array_loses(row: NDArray[np.generic]) -> bool:
    """Whether an array that became a row of doubles had whole numbers that doubles do not hold, or a mask."""
    if isinstance(row, np.ma.MaskedArray):
        return True
    if not np.issubdtype(row.dtype, np.integer):
        return False
    return bool(row.size) and not -_WHOLE_IN_DOUBLES <= int(row.min()) <= int(row.max()) <= _WHOLE_IN_DOUBLES
