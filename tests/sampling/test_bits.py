import os

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


def test_long_requests_are_not_periodic() -> None:
    words = SystemBits().words(1 << 17, 64)
    assert np.unique(words).size == words.size


def test_the_key_is_renewed_before_it_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banister.sampling.bits._RESEED_BYTES", 64)
    bits = SystemBits()
    assert np.unique(np.concatenate([bits.words(4, 64) for _ in range(50)])).size == 200
