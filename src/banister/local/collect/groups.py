"""Shares within groups, where the group goes through the channel together with the answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from banister.local.estimates import Estimate

PART = " · "
"""What stands between a group and an answer where both go through the channel together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupShare:
    """Of one group, the share of one answer, with an interval; all intervals of a question hold at once."""

    group: str
    answer: str
    share: float
    low: float
    high: float


def shares_in_groups(labels: Sequence[str], found: Estimate, confidence: float) -> list[GroupShare]:
    """The share of each answer within each group; nothing where the answers are not in groups.

    With l ≤ share of (group, answer) ≤ h for all of them at once, the share within the group lies between
    l/(l + Σ h of its other answers) and h/(h + Σ l of its other answers).
    """
    parts = [label.split(PART) for label in labels]
    if not all(len(part) == 2 for part in parts):
        return []
    groups = list(dict.fromkeys(group for group, _ in parts))
    if len(groups) * len({answer for _, answer in parts}) != len(labels):
        return []
    held, law = found.simultaneous_intervals(confidence), found.on_simplex()
    shares = []
    for group in groups:
        places = [place for place, (name, _) in enumerate(parts) if name == group]
        whole = float(law[places].sum())
        for place in places:
            rest = [other for other in places if other != place]
            low, high = max(0.0, float(held.lower[place])), min(1.0, float(held.upper[place]))
            most, least = float(held.upper[rest].clip(0, 1).sum()), float(held.lower[rest].clip(0, 1).sum())
            shares.append(
                GroupShare(
                    group=group,
                    answer=parts[place][1],
                    share=float(law[place]) / whole if whole else 0.0,
                    low=low / (low + most) if low else 0.0,
                    high=high / (high + least) if high else 1.0,
                )
            )
    return shares
