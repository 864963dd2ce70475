"""How the words of a command line become values.

Typer asks pydantic for that, whose loading takes longer than many a command. A text that is asked for as a text, a
path that nothing is asked of, and a plain whole number become themselves without it; all else goes Typer's way.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args, get_origin

from typer import Context
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.models import ParameterInfo

_PLAIN = re.compile(r"-?[0-9]{1,15}")
_ELSE = object()
"""No value: what has to go Typer's way."""


def read_plainly(command: object) -> None:
    """Make all parameters of a command, and of those below it, read plain words by themselves."""
    if not isinstance(command, TyperCommand | TyperGroup):
        return
    for parameter in command.get_params(Context(command, **command.context_settings)):  # With --help, made here.
        if isinstance(parameter, TyperArgument | TyperOption):
            parameter._runtime_param = _Plainly()  # type: ignore[assignment]
    if isinstance(command, TyperGroup):
        for below in command.commands.values():
            read_plainly(below)


class _Plainly:
    """What Typer keeps for each parameter, to make values of words with."""

    def coerce(self, value: object, param: TyperArgument | TyperOption, ctx: object) -> object:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        kind = param.type_descriptor
        read = _read(value, kind.annotation, kind.parameter_info)
        if read is not _ELSE:
            return read
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)  # type: ignore[arg-type]


def _read(value: object, kind: object, asked: ParameterInfo) -> object:
    if get_origin(kind) is list and isinstance(value, list | tuple):
        of = get_args(kind)[0]
        items = list(_each(value, of, asked))
        return _ELSE if any(item is _ELSE for item in items) else items
    if asked.parser is not None or not isinstance(value, str | int):
        return _ELSE
    if kind is str and isinstance(value, str):
        return value
    if kind is Path and isinstance(value, str) and not _checked(asked):
        # Typer refuses one that is there and cannot be read.
        return Path(value) if not os.path.exists(value) or os.access(value, os.R_OK) else _ELSE
    if kind is int and not isinstance(value, bool) and not asked.clamp:
        return _whole(value, asked)
    return _ELSE


def _each(values: Iterable[object], kind: object, asked: ParameterInfo) -> Iterator[object]:
    return (_read(value, kind, asked) for value in values)


def _whole(value: str | int, asked: ParameterInfo) -> object:
    if isinstance(value, str) and not _PLAIN.fullmatch(value):
        return _ELSE
    number = int(value)
    low = asked.min is None or number >= asked.min
    high = asked.max is None or number <= asked.max
    return number if low and high else _ELSE


def _checked(asked: ParameterInfo) -> bool:
    """Whether anything is asked of a path besides being one."""
    free = asked.file_okay and asked.dir_okay and asked.path_type is None
    return not free or asked.exists or asked.writable or asked.resolve_path or asked.allow_dash
