"""An output that is an exception: its text is seen by whoever asks, so it is an output as any other."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RaisedError:
    """The kind and the text of an exception.

    >>> print(RaisedError("ValueError", "the table is empty"))
    ValueError: the table is empty
    """

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"
