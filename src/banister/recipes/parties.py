"""Several parties, one answer. This is `bn.parties`.

    game = bn.parties.Game(function=bn.parties.xor(5), levels=[1.0] * 5)
    game.accuracy(measure="average"), game.accuracy(measure="worst")
    game.decide([1, 0, 0, 1, None])

Everything is in `parties_game` and its neighbours and is loaded when first asked for, so that `import banister` stays
quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

import banister.parties  # noqa: F401  The room is loaded before the front door puts this module under its name.

if TYPE_CHECKING:
    from banister.recipes.parties_game import *  # noqa: F403
    from banister.recipes.parties_meeting import *  # noqa: F403
    from banister.recipes.parties_numbers import *  # noqa: F403
    from banister.recipes.parties_two import *  # noqa: F403

_HOMES = ("parties_game", "parties_meeting", "parties_numbers", "parties_two")


def __getattr__(name: str) -> object:
    for home in _HOMES:
        module = import_module(f"banister.recipes.{home}")
        if name in module.__all__:
            found: object = getattr(module, name)
            return found
    raise AttributeError(f"bn.parties has no '{name}'. It has: {', '.join(__dir__())}.")


def __dir__() -> list[str]:
    return sorted(name for home in _HOMES for name in import_module(f"banister.recipes.{home}").__all__)
