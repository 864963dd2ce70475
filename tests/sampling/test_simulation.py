import pytest

from banister.errors import BadValue
from banister.sampling.simulation import seeded


def test_a_branch_has_draws_of_its_own_that_come_back() -> None:
    one, again, other = (seeded(7, k).random(4).tolist() for k in (1, 1, 2))
    assert one == again != other


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(BadValue, match="seed = -1 must be a whole number, 0 or above"):
        seeded(-1)
