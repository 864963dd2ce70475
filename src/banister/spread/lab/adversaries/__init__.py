"""Adversaries, one file each: what they see of a spread, and whom they suspect.

An adversary is offered everywhere once it is imported here, by one line: `ALL` is every adversary of this list.
"""

from dataclasses import is_dataclass
from typing import cast

from banister.spread.lab.adversaries.base import Adversary as Adversary
from banister.spread.lab.adversaries.linked_posts import LinkedPosts as LinkedPosts
from banister.spread.lab.adversaries.snapshot import SnapshotAdversary as SnapshotAdversary
from banister.spread.lab.adversaries.snapshot_and_spies import SnapshotAndSpies as SnapshotAndSpies
from banister.spread.lab.adversaries.spies import SpyAdversary as SpyAdversary

ALL = cast(tuple[type[Adversary], ...], tuple(kind for kind in list(globals().values()) if is_dataclass(kind)))
