"""A map of what the node knows: its links, which of them are up, and how many posts came over each first."""

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup, escape

from banister.apps.wildfire.messenger import Seen

WIDTH, ROW, LEFT = 340, 46, 118
LONGEST = 20
"""Letters of a name that are drawn."""
STATES = {
    "here": "here",
    "away": "away",
    "asked": "has asked",
    "waiting": "not yet",
    "strange": "another key",
    "blocked": "blocked",
}


def link_map(friends: Sequence[Seen], came: Counter[int]) -> Markup:
    """The node at the left, a line to each friend; full where the link is up."""
    height = ROW * max(len(friends), 1) + 8
    middle = height / 2
    parts = [f'<svg class="map" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(_said(friends, came))}">']
    for place, friend in enumerate(friends):
        y = 4 + ROW * (place + 0.5)
        up = friend.state == "here"
        parts.append(
            f'<path class="{"up" if up else "down"}" d="M84 {middle:g}C{LEFT - 14} {middle:g} 96 {y:g} {LEFT} {y:g}"/>'
        )
        parts.append(f'<circle class="{"up" if up else "down"}" cx="{LEFT + 5}" cy="{y:g}" r="5"/>')
        parts.append(f'<text x="{LEFT + 18}" y="{y - 3:g}">{escape(_short(friend.name))}</text>')
        more = f"{STATES[friend.state]} · {_posts(came[friend.link])}"
        parts.append(f'<text class="soft" x="{LEFT + 18}" y="{y + 15:g}">{more}</text>')
    parts.append(f'<rect x="2" y="{middle - 16:g}" width="82" height="32" rx="6"/>')
    parts.append(f'<text x="43" y="{middle + 5:g}" text-anchor="middle">your node</text></svg>')
    return Markup("".join(parts))  # Names are escaped above; the rest are numbers and words of ours.


def _said(friends: Sequence[Seen], came: Counter[int]) -> str:
    rows = [f"{friend.name}: {STATES[friend.state]}, {_posts(came[friend.link])}" for friend in friends]
    return "Your node and its links. " + "; ".join(rows)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _posts(count: int) -> str:
    return "1 post" if count == 1 else f"{count} posts"
