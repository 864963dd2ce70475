import copy
import ctypes
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

from banister.forks import WATCH
from banister.sampling.bits import SystemBits
from tests.forking import CLONE, NEW_PROCESS_NAMESPACE, raw_clone, raw_clone_is_refused


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_words_have_the_asked_width_and_count(width: int) -> None:
    words = SystemBits().words(1000, width)
    assert words.size == 1000
    assert words.dtype == np.dtype(f"uint{width}")
    assert words.max() > (1 << width) * 3 // 4


def test_take_stays_below_its_power_of_two_and_reaches_every_value() -> None:
    bits = SystemBits()
    assert {bits.take(3) for _ in range(2000)} == set(range(8))
    assert bits.take(0) == 0
    assert bits.take(100_000).bit_length() > 99_000


def test_two_sources_and_two_calls_never_give_the_same_stream() -> None:
    one, other = SystemBits(), SystemBits()
    seen = {one.take(128), one.take(128), other.take(128), one.words(2, 64).tobytes(), other.words(2, 64).tobytes()}
    assert len(seen) == 5


def test_a_forked_child_draws_other_bits_than_its_parent() -> None:
    bits = SystemBits()
    bits.take(64)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, bits.take(256).to_bytes(32, "little") + bits.words(4, 64).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reader, 64)
    assert theirs[:32] != bits.take(256).to_bytes(32, "little")
    assert theirs[32:] != bits.words(4, 64).tobytes()


def _raw_fork() -> int:
    """A fork as C code makes it: nothing that Python does before or after a fork is done."""
    return int(ctypes.PyDLL(None).fork())


def _sixteen_kib(bits: SystemBits) -> bytes:
    """By small requests, which come out of the pool, and by large ones, which do not."""
    few = b"".join(bits.words(16, 64).tobytes() for _ in range(32))
    return few + bits.words(512, 64).tobytes() + bits.take(8 << 13).to_bytes(1 << 13, "little")


@pytest.mark.threadless
@pytest.mark.parametrize("fork", [os.fork, _raw_fork, CLONE], ids=["fork", "raw fork", "raw clone"])
@pytest.mark.parametrize("before", ["take", "words"])
def test_parent_and_child_share_no_part_of_the_stream(fork: Callable[[], int], before: str) -> None:
    """Not one of the next 16 KiB is in both, wherever either stands in its pool."""
    bits = SystemBits()
    _ = bits.take(64) if before == "take" else bits.words(1, 64)
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        os.write(writer, _sixteen_kib(bits))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        theirs = pipe.read()
    os.waitpid(child, 0)
    mine = _sixteen_kib(bits)
    assert len(theirs) == len(mine) == 1 << 14
    assert not np.intersect1d(np.frombuffer(theirs, dtype=np.uint64), np.frombuffer(mine, dtype=np.uint64)).size


@pytest.mark.threadless
def test_processes_with_the_same_number_in_nested_namespaces_draw_other_bits() -> None:
    """Both are process 1 of their own namespace, as in a container in a container; recycled numbers are the same."""
    if raw_clone_is_refused():
        pytest.skip("making a process namespace is not allowed here")
    bits = SystemBits()

    def draw() -> bytes:
        return os.getpid().to_bytes(4, "little") + bits.take(256).to_bytes(32, "little") + bits.words(8, 64).tobytes()

    def outer() -> bytes:
        bits.take(64)
        inner = _in_child(lambda: raw_clone(NEW_PROCESS_NAMESPACE), draw)
        return inner + draw()

    told = _in_child(lambda: raw_clone(NEW_PROCESS_NAMESPACE), outer)
    inner, mine = told[:100], told[100:]
    assert inner[:4] == mine[:4] == (1).to_bytes(4, "little")
    assert inner[4:36] != mine[4:36]
    assert inner[36:] != mine[36:]


def test_long_requests_are_not_periodic() -> None:
    words = SystemBits().words(1 << 17, 64)
    assert np.unique(words).size == words.size


def test_the_key_is_renewed_before_it_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banister.sampling.bits._KEY_BYTES", 1 << 13)
    bits = SystemBits()
    assert np.unique(np.concatenate([bits.words(512, 64) for _ in range(50)])).size == 512 * 50


def _recorded_entropy(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    asked: list[int] = []
    entropy = os.urandom

    def recorded(size: int) -> bytes:
        asked.append(size)
        return entropy(size)

    monkeypatch.setattr(os, "urandom", recorded)
    return asked


def test_a_key_gives_no_more_than_its_share_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new key is asked for as soon as the next request would go beyond what one key may give."""
    monkeypatch.setattr("banister.sampling.bits._KEY_BYTES", 1 << 14)
    asked = _recorded_entropy(monkeypatch)
    bits, made = SystemBits(), []
    for _ in range(6):
        bits.words(1 << 10, 64)  # 8 KiB: two requests a key.
        made.append(asked.count(32))
    assert made == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("draw", ["take", "words", "many words"])
def test_the_systems_entropy_is_asked_for_at_every_refill(draw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, bits = _recorded_entropy(monkeypatch), SystemBits()
    for _ in range(1 << 10):
        _ = bits.take(64) if draw == "take" else bits.words(8 if draw == "words" else 512, 64)
    pool = 1 << 12
    drawn = {"take": 1 << 13, "words": 1 << 16, "many words": 1 << 22}[draw]
    assert sum(asked) >= 16 * drawn // pool


def _in_child(fork: Callable[[], int], draw: Callable[[], bytes]) -> bytes:
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        try:
            os.write(writer, draw())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        theirs = pipe.read()
    os.waitpid(child, 0)
    return theirs


def test_a_copy_that_nothing_can_notice_repeats_no_more_than_the_rest_of_the_pool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a machine that is woken twice from one image: neither fork, nor clone, nor another process number."""
    blind = type("Blind", (), {"mark": lambda self: "always the same"})()
    monkeypatch.setattr("banister.sampling.bits.WATCH", blind)
    bits = SystemBits()
    bits.take(64)
    theirs = _in_child(os.fork, lambda: bits.take(8 << 12).to_bytes(1 << 12, "little") + bits.words(1024, 64).tobytes())
    mine = bits.take(8 << 12).to_bytes(1 << 12, "little") + bits.words(1024, 64).tobytes()
    assert not np.intersect1d(np.frombuffer(theirs, dtype=np.uint64), np.frombuffer(mine, dtype=np.uint64)).size


def test_a_fork_in_the_middle_of_a_draw_gives_both_other_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal handler forks after the bits were read and before they are handed on."""
    bits = SystemBits()
    bits.take(64)
    stream = bits._stream()
    bits._shelf.append(stream)
    state: dict[str, int] = {}
    reader, writer = os.pipe()

    class Forking:
        def mark(self) -> object:
            if "child" not in state:
                state["child"] = os.fork()
            return WATCH.mark()

    monkeypatch.setattr("banister.sampling.bits.WATCH", Forking())
    drawn = bits.take(256)
    if state["child"] == 0:
        os.write(writer, drawn.to_bytes(32, "little"))
        os._exit(0)
    os.waitpid(state["child"], 0)
    assert os.read(reader, 32) != drawn.to_bytes(32, "little")
    os.close(reader)
    os.close(writer)


def test_children_of_a_process_that_draws_in_other_threads_do_not_hang() -> None:
    """With a lock, 30 of 30 children waited for ever for a thread that they did not have."""
    bits, stop = SystemBits(), threading.Event()

    def spin() -> None:
        while not stop.is_set():
            bits.words(1 << 18, 64)

    threads = [threading.Thread(target=spin, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(15):
            child = os.fork()
            if child == 0:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(5)
                bits.take(64)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_signal_handler_may_draw_in_the_middle_of_a_draw() -> None:
    bits, seen, mine = SystemBits(), [], []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(bits.take(128)))
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        for _ in range(30_000):
            mine.append(bits.take(128))
            if len(seen) > 50:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen
    assert len({*mine, *seen}) == len(mine) + len(seen)


IMPORTED_ANEW = """
import sys
from banister.sampling.bits import SystemBits
bits, seen = SystemBits(), []

class Handler:
    def find_spec(self, name, path, target=None):
        if name.startswith("cryptography"):  # As a handler would whose signal comes now.
            seen.append((bits.take(128), *bits.words(3, 64).tolist(), bits.words(1024, 64).tolist()[0]))

sys.meta_path.insert(0, Handler())
mine = bits.take(128)
print(len(seen), len({mine, *(number for drawn in seen for number in drawn)}))
"""


def test_a_signal_handler_may_draw_while_the_first_draw_loads_what_it_needs() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED_ANEW], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    times, different = map(int, done.stdout.split())
    assert times > 5
    assert different == 1 + 5 * times


def test_threads_never_draw_the_same_bits() -> None:
    bits = SystemBits()
    drawn: list[list[int]] = [[] for _ in range(4)]

    def run(mine: list[int]) -> None:
        for _ in range(3000):
            mine.append(bits.take(96))
            mine.extend(bits.words(2, 64).tolist())

    threads = [threading.Thread(target=run, args=(mine,)) for mine in drawn]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    together = [x for mine in drawn for x in mine]
    assert len(set(together)) == len(together)
    assert len(bits._shelf) <= len(threads)


def test_a_copy_and_a_pickle_of_a_source_are_sources_of_their_own() -> None:
    bits = SystemBits()
    bits.take(64)
    others = [copy.copy(bits), copy.deepcopy(bits), pickle.loads(pickle.dumps(bits))]
    assert len({source.take(128) for source in (bits, *others)}) == 4
