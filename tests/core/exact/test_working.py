"""The precision of certified arithmetic under threads and forks."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import pytest
from flint import arb, ctx

import banister as bn
from banister.core.exact.numbers import precision
from tests.forking import CLONE


@pytest.fixture
def hasty() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _all_at_once(jobs: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.usefixtures("hasty")
def test_each_thread_computes_with_the_bits_that_it_asked_for() -> None:
    usual, wrong = ctx.prec, []

    def job(bits: int) -> None:
        for _ in range(1500):
            with precision(bits):
                inner = arb(1) / 3
                with precision(2 * bits):
                    if ctx.prec != 2 * bits:
                        wrong.append(bits)
                if ctx.prec != bits or inner.rel_accuracy_bits() < bits - 8:
                    wrong.append(bits)

    _all_at_once([partial(job, bits) for bits in (64, 100, 300, 1000)])
    assert wrong == []
    assert ctx.prec == usual


def _built(k: int) -> tuple[object, ...]:
    epsilon = Fraction(k, 10)
    return (
        bn.Gaussian(epsilon=epsilon, delta=1e-9, sensitivity=1).sigma,
        bn.TruncatedStaircase(epsilon=epsilon, delta=1e-6, sensitivity=3).risk(),
        bn.Geometric(epsilon=epsilon).mass(50),
        bn.Staircase(epsilon=epsilon, sensitivity=1, cost=3).gamma,
    )


@pytest.mark.usefixtures("hasty")
def test_mechanisms_built_by_many_threads_are_those_built_by_one() -> None:
    """Two of 700 constructions under 4 threads raised, and the precision stayed wrong."""
    alone = {k: _built(k) for k in range(3, 9)}
    usual = ctx.prec
    wrong: list[object] = []

    def job(first: int) -> None:
        for turn in range(12):
            k = 3 + (first + turn) % 6
            try:
                if _built(k) != alone[k]:
                    wrong.append(k)
            except Exception as error:
                wrong.append(repr(error))

    _all_at_once([partial(job, first) for first in range(4)])
    assert wrong == []
    assert ctx.prec == usual


def _works_in_child(fork: Callable[[], int], expected: int) -> bool:
    child = fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(10)
        right = True
        with precision(200):
            right = ctx.prec == 200
        os._exit(0 if right and ctx.prec == expected else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.threadless
@pytest.mark.parametrize("fork", [os.fork, CLONE], ids=["fork", "raw clone"])
def test_a_child_waits_for_no_thread_that_it_has_not_and_inherits_no_precision(fork: Callable[[], int]) -> None:
    usual, inside, leave = ctx.prec, threading.Event(), threading.Event()

    def hold() -> None:
        with precision(777):
            inside.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    try:
        assert _works_in_child(fork, usual)
    finally:
        leave.set()
        thread.join()
    assert ctx.prec == usual


@pytest.mark.threadless
@pytest.mark.parametrize("fork", [os.fork, CLONE], ids=["fork", "raw clone"])
def test_a_child_forked_inside_a_block_goes_on_inside_it(fork: Callable[[], int]) -> None:
    usual = ctx.prec
    with precision(300):
        child = fork()
        if child == 0:
            code = 1
            try:
                with precision(400):
                    pass
                code = 0 if ctx.prec == 300 else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert ctx.prec == usual


def test_an_error_inside_a_block_frees_it() -> None:
    usual = ctx.prec
    with pytest.raises(ZeroDivisionError), precision(300):
        raise ZeroDivisionError
    assert ctx.prec == usual
    done = threading.Event()

    def other() -> None:
        with precision(100):
            done.set()

    threading.Thread(target=other, daemon=True).start()
    assert done.wait(5)
