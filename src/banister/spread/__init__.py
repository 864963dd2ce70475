"""Spread without a source: protocols, adversaries and studies. What is drawn here is not charged to any ledger.

This file is the door of a public namespace, as the package's own `__init__` is: it names what stands behind it, also on
higher floors, and loads it when it is first asked for. `__init__.pyi` is the same list for type checkers.
"""

import importlib

_HOMES = {
    "adversary": ("LinkedPosts", "SnapshotAdversary", "SnapshotAndSpies", "SpyAdversary"),
    "graph": ("Graph",),
    "protocols": ("Adaptive", "Dandelion", "Diffusion", "Flooding", "Hybrid", "Line", "Preferential", "Tree"),
    "study": ("Estimate", "Row"),
    "trees": ("InfiniteTree",),
}
_ABOVE = {
    "spread": ("load_graph", "parse_adversary", "parse_protocol"),
    "spread_advise": ("Advice", "advise"),
    "spread_figures": ("draw_all",),
    "spread_locate": ("Located", "Suspect", "locate"),
    "spread_run": ("SpreadRun", "run_spread"),
    "spread_study": ("Study", "StudyResult"),
}
_MODULES = ("detection", "generators")
_PLACES = {name: f"{__name__}.{room}" for room, names in _HOMES.items() for name in names} | {
    name: f"{__name__.rpartition('.')[0]}.recipes.{room}" for room, names in _ABOVE.items() for name in names
}
__all__ = sorted([*_PLACES, *_MODULES])


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return [*__all__]
