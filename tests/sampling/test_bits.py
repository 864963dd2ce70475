import ctypes
import os
from collections.abc import Callable

import numpy as np
import pytest

from banister.sampling.bits import SystemBits


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


@pytest.mark.parametrize("fork", [os.fork, _raw_fork], ids=["fork", "raw fork"])
@pytest.mark.parametrize("before", ["take", "words"])
def test_parent_and_child_share_no_part_of_the_stream(fork: Callable[[], int], before: str) -> None:
    """Not one of the next 16 KiB is in both, wherever either stands in its pool."""
    bits = SystemBits()
    _ = bits.take(64) if before == "take" else bits.words(1, 64)
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        os.write(writer, bits.words(1024, 64).tobytes() + bits.take(8 << 13).to_bytes(1 << 13, "little"))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        theirs = pipe.read()
    os.waitpid(child, 0)
    mine = bits.words(1024, 64).tobytes() + bits.take(8 << 13).to_bytes(1 << 13, "little")
    assert len(theirs) == len(mine) == 1 << 14
    assert not np.intersect1d(np.frombuffer(theirs, dtype=np.uint64), np.frombuffer(mine, dtype=np.uint64)).size


def test_long_requests_are_not_periodic() -> None:
    words = SystemBits().words(1 << 17, 64)
    assert np.unique(words).size == words.size


def test_the_key_is_renewed_before_it_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banister.sampling.bits._RESEED_BYTES", 64)
    bits = SystemBits()
    assert np.unique(np.concatenate([bits.words(4, 64) for _ in range(50)])).size == 200


def test_a_key_gives_no_more_than_its_share_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entropy is asked for again as soon as the next request would go beyond what one key may give."""
    keys: list[int] = []
    entropy = os.urandom

    def recorded(size: int) -> bytes:
        keys.append(size)
        return entropy(size)

    monkeypatch.setattr("banister.sampling.bits._RESEED_BYTES", 64)
    monkeypatch.setattr(os, "urandom", recorded)
    bits, made = SystemBits(), []
    for _ in range(6):
        bits.words(4, 64)  # 32 bytes: two requests a key.
        made.append(keys.count(32))
    assert made == [1, 1, 2, 2, 3, 3]
