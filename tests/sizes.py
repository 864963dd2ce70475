"""How much a test does: enough to notice an error, or, with BANISTER_LONG=1 (`make long`), all that it can."""

import os

LONG = os.environ.get("BANISTER_LONG") == "1"


def sized(short: int, long: int) -> int:
    """How many runs, draws or cases; what a test demands must follow from the number."""
    return long if LONG else short
