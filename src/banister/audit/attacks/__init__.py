"""Ways to find events that tell two neighbours apart, one file each. `ALL` lists them; an audit tries all of them."""

from importlib import import_module
from typing import cast

from banister.audit.attacks.event import Attack

_SHELF = ("kinds", "counts", "gaps", "thresholds", "bins", "grid", "kernel")

# Where two events show the same, the first is told: the plainest words come first.
ALL: tuple[Attack, ...] = tuple(cast(Attack, import_module(f"{__name__}.{place}")) for place in _SHELF)
"""Every file of attacks; a new one is tried by every audit from then on."""
