import numpy as np
import pytest

from banister.errors import BadValue
from banister.sampling.bits import SYSTEM
from banister.sampling.uniform import uniform_below, uniform_below_many
from tests.tape import Tape, exact_mass


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7])
def test_every_value_has_the_same_exact_mass(n: int) -> None:
    mass, undecided = exact_mass(lambda bits: uniform_below(n, bits), depth=12)
    assert len(set(mass.values())) == 1
    assert sum(mass.values(), undecided) == 1
    assert set(mass) == set(range(n))


@pytest.mark.parametrize(("n", "width"), [(3, 16), (1000, 16), (1 << 20, 32), (10**6 + 3, 32), (10**15 + 37, 64)])
def test_words_of_the_incomplete_last_multiple_are_drawn_again(n: int, width: int) -> None:
    limit = (1 << width) // n * n
    last_good = [int(digit) for digit in f"{limit - 1:0{width}b}"]
    assert uniform_below_many(n, 1, Tape(last_good))[0] == n - 1
    if limit < 1 << width:
        first_bad = [int(digit) for digit in f"{limit:0{width}b}"]
        assert uniform_below_many(n, 1, Tape(first_bad + last_good))[0] == n - 1


def test_a_vector_reaches_every_value_and_no_other() -> None:
    values = uniform_below_many(10, 10_000, SYSTEM)
    assert set(values.tolist()) == set(range(10))
    wide = uniform_below_many(2**61 + 1, 1000, SYSTEM)
    assert wide.min() >= 0
    assert wide.max() <= 2**61
    assert not uniform_below_many(1, 10, Tape([])).any()


def test_too_many_values_are_refused() -> None:
    with pytest.raises(BadValue, match=r"number of values = 9\.22.* must be a whole number from 1 to"):
        uniform_below_many(2**63, 1, SYSTEM)


@pytest.mark.slow
def test_means_lie_within_five_sigma() -> None:
    for n in (7, 1000, 10**12 + 39):
        values = uniform_below_many(n, 10**6, SYSTEM) / n
        assert abs(np.mean(values) - 0.5 * (1 - 1 / n)) < 5 * np.sqrt(1 / 12 / 10**6)
