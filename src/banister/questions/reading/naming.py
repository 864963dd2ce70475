"""The names of the columns of an answer: each once, also beside the ends of intervals that a file holds."""

from collections.abc import Sequence

from sqlglot import exp

from banister.errors import Refused

ADJUSTED = "_adjusted"
"""The column of a file that says what was done to a row after the draw; there only where that was asked for."""


def ends(name: str) -> tuple[str, str]:
    """The columns of a file that hold the two ends of an answer's interval.

    >>> ends("visits")
    ('visits_low', 'visits_high')
    """
    return f"{name}_low", f"{name}_high"


def check_names(keys: Sequence[str], outputs: Sequence[str]) -> None:
    """Refuse a question of which two columns would have one name, upper and lower case alike.

    Rows and files are read by names, so the second column would take the place of the first, after both were paid for.
    """
    taken: dict[str, str] = {ADJUSTED: "what was done to a row after the draw"}
    for name, what in [
        *((key, f"the group '{key}'") for key in keys),
        *((output, f"the answer '{output}'") for output in outputs),
        *((end, f"an end of the interval of '{output}'") for output in outputs for end in ends(output)),
    ]:
        if name.lower() in taken:
            raise Refused(
                f"Two columns of the answer would be called '{name}': {taken[name.lower()]} and {what}. "
                "Rename one of them with AS."
            )
        taken[name.lower()] = what


def default_name(node: exp.Expr) -> str:
    """The name of an answer for which the question has none: its own text, with what is no letter or digit as _."""
    text = "".join(letter if letter.isalnum() else "_" for letter in node.sql().lower())
    while "__" in text:
        text = text.replace("__", "_")
    return text.strip("_") or "answer"


def free_name(name: str, taken: Sequence[str]) -> str:
    """A name like the one that is wanted, whose own columns are free of those that are taken.

    >>> free_name("count", ["count", "count_2"])
    'count_3'
    """
    used = {column.lower() for one in taken for column in (one, *ends(one))}
    place = 1
    found = name
    while not used.isdisjoint(column.lower() for column in (found, *ends(found))):
        place += 1
        found = f"{name}_{place}"
    return found
