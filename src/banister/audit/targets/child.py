"""The process in which foreign code runs: it calls one function many times and writes what came out, line by line.

Run as a program. It imports nothing of the package, so that it starts quickly and the code under audit sees nothing of
ours. What that code prints goes nowhere.
"""

import importlib
import json
import os
import re
import sys
from decimal import Decimal
from fractions import Fraction
from timeit import default_timer as lap  # The clock of the house is not at hand here.
from typing import Any, TextIO


def plain(value: Any) -> Any:
    """The value as JSON can say it; what it cannot say is told as Python writes it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(each) for each in value), key=repr)
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return float(value) if isinstance(value, Fraction | Decimal) else without_addresses(repr(value))


def without_addresses(text: str) -> str:
    """Where an object lies in memory is chance of the machine, and no output.

    >>> without_addresses("<object object at 0x7f37c5d4c6b0>")
    '<object object>'
    """
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def line(function: Any, given: str, times: bool) -> str:
    """One call on a fresh copy of the input, in one line: what it gave, or how many seconds it took."""
    fresh = json.loads(given)
    begin = lap()
    try:
        told = {"gave": plain(function(fresh))}
    except BaseException as error:  # A panic of a library in Rust and an exit are outputs, too: somebody sees them.
        told = {"raised": [type(error).__name__, without_addresses(str(error))[:200]]}
    return json.dumps({"gave": lap() - begin} if times else told)


def call_in_turns(function: Any, order: dict[str, Any], answers: TextIO) -> None:
    """Call it on the inputs in the order that the turns say, in this one process."""
    given = [json.dumps(each) for each in order["given"]]
    for turn in order["turns"]:
        answers.write(line(function, given[int(turn)], order["times"]) + "\n")


def call_in_forks(function: Any, order: dict[str, Any], answers: TextIO) -> None:
    """Call it once, as a server does before it forks, and then each time in a new fork of this process."""
    given = [json.dumps(each) for each in order["given"]]
    line(function, given[0], False)
    for turn in order["turns"]:
        answers.flush()
        if (child := os.fork()) == 0:
            try:
                answers.write(line(function, given[int(turn)], False) + "\n")
                answers.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)


def main() -> None:
    """Read the order from standard input, and write to what standard output was before anybody could print."""
    order = json.loads(sys.stdin.readline())
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    sys.path[0] = os.getcwd()
    limit(order["bytes"])
    try:
        found: Any = importlib.import_module(order["module"])
        for name in order["function"].split("."):
            found = getattr(found, name)
    except BaseException as error:
        answers.write(json.dumps({"missing": f"{type(error).__name__}: {str(error)[:200]}"}) + "\n")
    else:
        (call_in_forks if order["forks"] else call_in_turns)(found, order, answers)
    answers.flush()


def limit(most_bytes: int) -> None:
    """Take no more memory than this, where the system can hold a process to it."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
    except (ImportError, ValueError, OSError):
        return


if __name__ == "__main__":
    main()
