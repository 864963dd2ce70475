"""What an audit asks of whatever it attacks."""

from typing import Protocol

from banister.audit.attacks.event import Outputs


class Target(Protocol):
    """Something that is run on an input and gives an output."""

    @property
    def starts_afresh(self) -> bool:
        """Whether every call of `draw` starts a new process, so that noise from a fixed seed comes again."""

    def draw(self, given: object, count: int) -> Outputs:
        """So many outputs on one input, each drawn for itself."""
