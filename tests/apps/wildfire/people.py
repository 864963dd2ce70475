"""People with nodes on the loopback, and ways to wait for what must happen."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from banister.apps.wildfire.messenger import Messenger

WORDS = "correct horse battery"
TICK = 0.05
PATIENCE_SECONDS = 60


def until(happened: Callable[[], object]) -> None:
    """Wait for something that must happen; how long it takes says nothing."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


@contextmanager
def people(folder: Path, count: int) -> Iterator[list[Messenger]]:
    """So many nodes, not yet friends."""
    with ExitStack() as stack:
        made = []
        for k in range(count):
            made.append(Messenger(folder / str(k), WORDS, tick_seconds=TICK))
            stack.callback(made[-1].close)
        yield made


def befriend(one: Messenger, other: Messenger) -> None:
    """An invitation, used and accepted, and the link up at both ends."""
    before = {friend.link for friend in one.friends()}
    other.join(one.invite(), friend="one")
    (asked,) = (friend for friend in one.friends() if friend.link not in before)
    assert asked.state == "asked"
    assert asked.safety in {friend.safety for friend in other.friends()}
    one.accept(asked.link)
    until(lambda: here(one) and all(friend.state != "waiting" for friend in other.friends()))


def here(one: Messenger) -> list[int]:
    return [friend.link for friend in one.friends() if friend.state == "here"]


def heard(one: Messenger) -> set[str]:
    return {post.words for post in one.feed()}
