import os
from collections.abc import Callable

import pytest

from banister.forks import WATCH, ForkWatch, wiped_page
from tests.forking import CLONE

pytestmark = pytest.mark.threadless


def _child_sees(fork: Callable[[], int], look: Callable[[], bool]) -> bool:
    child = fork()
    if child == 0:
        code = 1
        try:
            code = 0 if look() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("fork", [os.fork, CLONE], ids=["fork", "raw clone"])
def test_every_child_has_a_mark_of_its_own_and_keeps_it(fork: Callable[[], int]) -> None:
    mine = WATCH.mark()
    assert _child_sees(fork, lambda: WATCH.mark() is not mine and WATCH.mark() is WATCH.mark())
    assert WATCH.mark() is mine


@pytest.mark.parametrize("first", [os.fork, CLONE], ids=["fork", "raw clone"])
@pytest.mark.parametrize("second", [os.fork, CLONE], ids=["fork", "raw clone"])
@pytest.mark.parametrize("looks", [True, False], ids=["looks between", "does not look"])
def test_a_grandchild_has_another_mark_than_both(
    first: Callable[[], int], second: Callable[[], int], looks: bool
) -> None:
    mine = WATCH.mark()

    def child() -> bool:
        between = WATCH.mark() if looks else mine
        return _child_sees(second, lambda: WATCH.mark() is not mine and WATCH.mark() is not between)

    assert _child_sees(first, child)


@pytest.mark.parametrize("fork", [os.fork, CLONE], ids=["fork", "raw clone"])
def test_without_the_page_the_process_number_tells(fork: Callable[[], int]) -> None:
    watch = ForkWatch(None)
    mine = watch.mark()
    assert watch.mark() is mine
    assert _child_sees(fork, lambda: watch.mark() is not mine)


def test_with_the_page_the_process_number_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recycled number: parent and child have the same one."""
    page = wiped_page()
    if page is None:
        pytest.skip("this kernel wipes no pages")
    monkeypatch.setattr(os, "getpid", lambda: 7)
    watch = ForkWatch(page)
    mine = watch.mark()
    assert _child_sees(CLONE, lambda: watch.mark() is not mine)


def test_a_kernel_without_such_pages_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banister.forks._WIPE_ON_FORK", 12345)
    assert wiped_page() is None
