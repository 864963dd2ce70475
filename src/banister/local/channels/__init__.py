"""Channels, one file each.

A kind is offered everywhere once it is imported here, by one line: `ALL` is every channel of this list, and files of
channels, the comparison, the command line and the contract tests read it. A kind knows its name, its examples, how it
is written and read, and, where its reports are counted, how it is made at a level for so many categories.
"""

from dataclasses import is_dataclass
from typing import cast

from banister.local.channels.base import Channel, Maker
from banister.local.channels.every_set import EverySet as EverySet
from banister.local.channels.hadamard import HadamardResponse as HadamardResponse
from banister.local.channels.matrix import MatrixChannel as MatrixChannel
from banister.local.channels.response import RandomizedResponse as RandomizedResponse
from banister.local.channels.subset import SubsetSelection as SubsetSelection
from banister.local.channels.support import SupportChannel
from banister.local.channels.unary import UnaryEncoding as UnaryEncoding

ALL = cast(tuple[type[Channel], ...], tuple(kind for kind in list(globals().values()) if is_dataclass(kind)))


def for_frequencies() -> tuple[type[SupportChannel], ...]:
    """The kinds whose reports are counted: those that can be compared without data."""
    return tuple(kind for kind in ALL if issubclass(kind, SupportChannel))


def makers() -> dict[str, Maker]:
    """Every way to make a channel without data, by name."""
    return {name: make for kind in ALL for name, make in kind.makers().items()}
