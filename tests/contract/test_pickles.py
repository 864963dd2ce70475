"""Whatever makes noise can be sent to another process, and is the same there."""

import copy
import multiprocessing
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from banister.core.laws.cost import Cost
from banister.local.channels import ALL as CHANNELS
from banister.mechanisms import ALL, IntegerStaircase, Laplace
from banister.sampling.bits import SYSTEM
from tests.seeded import SeededBits

MECHANISMS = [example for shelf in ALL for example in shelf.examples()]


@pytest.mark.parametrize("noise", MECHANISMS, ids=lambda noise: type(noise).__name__)
def test_a_mechanism_comes_back_equal_and_draws_the_same(noise: Any) -> None:
    for other in (pickle.loads(pickle.dumps(noise)), copy.deepcopy(noise)):
        assert other == noise
        assert hash(other) == hash(noise)
        size = getattr(noise, "dimension", 3)
        answer = np.arange(size, dtype=np.int64)
        drawn, again = (which.release(answer, SeededBits(7)) for which in (noise, other))
        assert drawn.tolist() == again.tolist()


@pytest.mark.parametrize("channel", [example for shelf in CHANNELS for example in shelf.examples()], ids=repr)
def test_a_channel_comes_back_with_the_same_kernel(channel: object) -> None:
    other = pickle.loads(pickle.dumps(channel))
    assert type(other) is type(channel)
    assert other.loss() == channel.loss() or repr(other.loss()) == repr(channel.loss())  # type: ignore[attr-defined]


def _absolute_then_flat(x: float) -> float:
    return min(abs(x), 5.0)


@pytest.mark.parametrize(
    "cost",
    [Cost.of("absolute"), Cost.of(1.5), Cost.zero_one(), Cost.beyond(3), Cost.of_function(_absolute_then_flat)],
    ids=lambda cost: cost.name,
)
def test_a_cost_comes_back_equal_also_in_other_units(cost: Cost) -> None:
    errors = np.array([-7.0, 0.0, 0.5, 3.0, 4.0])
    for mine in (cost, cost.in_units(cost.exponent or Fraction(2))):
        other = pickle.loads(pickle.dumps(mine))
        assert other == mine
        assert other.of_errors(errors).tolist() == mine.of_errors(errors).tolist()
    assert Cost.of("squared") == Cost.of(2)


def _releases(noise: Laplace | IntegerStaircase) -> list[float]:
    return [float(noise.release(0, SYSTEM)) for _ in range(20)]


@pytest.mark.slow
@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_worker_processes_draw_noise_of_their_own(start: str) -> None:
    noise = Laplace(epsilon=1, sensitivity=1)
    mine = _releases(noise)
    with multiprocessing.get_context(start).Pool(3) as workers:
        theirs = workers.map(_releases, [noise] * 6, chunksize=1)
    seen = [x for drawn in (mine, *theirs) for x in drawn]
    assert len(set(seen)) > len(seen) - 3  # Values are on a grid of 2^-20; a few may meet by chance.
