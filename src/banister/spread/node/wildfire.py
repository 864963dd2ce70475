"""How the messenger's node is set: the tree's counter up to a common deadline, then gossip, and an embargo behind it.

The counter and not the token: at one frame a tick and link a wave of the token's would cross the whole tree in every
step (about 79 ticks to 10 000 people, where the counter takes 16), and spies learn as much from the one as from the
other (docs/wildfire-threats.md).
"""

from banister import need
from banister.core.exact.written import Number
from banister.spread.node.rules import HybridRules
from banister.spread.node.state import Settings

SWITCH = 8
"""The deadline, in steps: until then a post climbs and falls, from then on it is told to everybody."""
QUIET = 1
"""Steps between: clocks of a crowd agree to less than that."""
CAP = 3
"""How many a holder tells until then."""
STEP_TICKS = 2
"""A copy and its answer. A copy to somebody else, where it was not new, comes a step late and has the next one."""
PAUSE = 1
"""Ticks from a copy that comes after the deadline to telling it on."""
REST = 16
"""Steps from the deadline until embargoes begin, by when everybody should have it."""
EMBARGO = 16
DAY_SECONDS = 86_400
LIFE_DAYS = 3
"""So long a post is kept, and offered to friends who were away."""
PACE = 16
"""A friend may bring one frame of new posts in so many ticks, and up to four times as many after approvals."""
BURST = 4
"""So many of them at once: a flood of whoever has many friends fills no queue before they know her."""


def wildfire_settings(*, tick_seconds: Number) -> Settings:
    """The one way in which all nodes behave: whoever chose another cap, deadline or embargo could be told apart.

    >>> wildfire_settings(tick_seconds=5).epoch
    17280
    """
    tick = need.positive("tick_seconds", tick_seconds)
    day = max(int(DAY_SECONDS / tick), 1)
    return Settings(
        rules=HybridRules(SWITCH, 1, CAP, quiet=QUIET, pause=PAUSE),
        step_ticks=STEP_TICKS,
        retry=8,
        tries=320,
        horizon=SWITCH + REST,
        embargo=EMBARGO,
        lifetime=max(LIFE_DAYS * day // STEP_TICKS, 1),
        memory=256,
        epoch=day,
        quota=max(day // PACE, 1),
        burst=BURST,
    )
