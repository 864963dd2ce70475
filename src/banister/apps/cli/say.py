"""How the command line speaks: answers on standard output, one message on standard error when it cannot."""

import sys

from banister.errors import BanisterError


def fail(error: BanisterError) -> int:
    """Print the message alone and give the exit code."""
    print(f"banister: {error}", file=sys.stderr)
    return 2
