"""Local privacy, ready to use: design a channel for your question, draw from it, decode, test. This is `bn.local`.

    channel = bn.local.design(epsilon=1, prior=p, utility="mutual-information")
    reports = channel.respond(answers)
    estimate = channel.estimate(reports)

Everything is in `local_design` and is loaded when first asked for, so that `import banister` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

import banister.local  # noqa: F401  The room is loaded before the front door puts this module under its name.

if TYPE_CHECKING:
    from banister.recipes.local_design import *  # noqa: F403


def __getattr__(name: str) -> object:
    design = import_module("banister.recipes.local_design")
    if name not in design.__all__:
        raise AttributeError(f"bn.local has no '{name}'. It has: {', '.join(design.__all__)}.")
    found: object = getattr(design, name)
    return found


def __dir__() -> list[str]:
    names: list[str] = list(import_module("banister.recipes.local_design").__all__)
    return names
