"""The process in which foreign code runs: it calls one function many times and writes what came out, line by line.

Run as a program. It imports nothing of the package, so that it starts quickly and the code under audit sees nothing of
ours. What that code prints goes nowhere.
"""

import importlib
import json
import os
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any


def plain(value: Any) -> Any:
    """The value as JSON can say it; what it cannot say is told as Python writes it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return float(value) if isinstance(value, Fraction | Decimal) else repr(value)


def line(function: Any, given: str) -> str:
    """One call on a fresh copy of the input, in one line."""
    try:
        return json.dumps({"gave": plain(function(json.loads(given)))})
    except Exception as error:
        return json.dumps({"raised": [type(error).__name__, str(error)[:200]]})


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
        given = json.dumps(order["given"])
        for _ in range(order["count"]):
            answers.write(line(found, given) + "\n")
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
