"""Every kind of array, on every kind of grid: released with all of its bits, or refused before a bit is drawn."""

import warnings
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.mechanisms import Gaussian, Grid, IntegerStaircase, Laplace, Staircase
from banister.mechanisms.arrays import plain_array
from banister.mechanisms.choices.scores import Scores
from banister.mechanisms.integers.integer_noise import RANGE
from banister.mechanisms.line.line_noise import LineNoise
from banister.sampling.bits import SystemBits

WHOLE = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i8", ">u8", "<i4")
DOUBLES = ("f2", "f4", "f8", ">f8")
EXPONENTS = (-70, -61, -20, -1, 0, 1, 2, 8, 31, 53, 54, 55, 56, 60, 62, 63, 64, 65, 70)
STEPS = (Fraction(1, 100), Fraction(3, 7), Fraction(7, 2), Fraction(10**17 + 3))
LINE: tuple[LineNoise, ...] = (
    Laplace(epsilon=1, sensitivity=1, grid=1),
    Gaussian(epsilon=1, delta=1e-6, sensitivity=1, grid=1),
    Staircase(epsilon=1, sensitivity=1, grid=1),
)

if TYPE_CHECKING:
    from banister.sampling.bits import Words


def _values(kind: str) -> NDArray[np.generic]:
    """The ends of the type, powers of two and their neighbours, and halves where there are any."""
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        sizes = [0.0, 0.5, 1.5, 2.5, float(info.tiny), float(info.eps), 1 + float(info.eps), 1000.25]
        sizes += [float(x) for x in (2.0**30, 2.0**52 + 1, 2.0**60) if x < float(info.max)]
        return np.array([*sizes, *(-x for x in sizes)], dtype=dtype)
    info_whole = np.iinfo(dtype)
    near = {sign * (1 << n) + j for n in range(64) for j in (-1, 0, 1) for sign in (-1, 1)}
    near |= {0, 2**60 + 128, 2**60 + 129, int(info_whole.max), int(info_whole.min), 3 * 2**59 + 1, 5 * 2**58 - 1}
    return np.array(sorted(x for x in near if info_whole.min <= x <= info_whole.max), dtype=dtype)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("kind", [*WHOLE, *DOUBLES])
def test_every_type_splits_with_all_of_its_bits_on_every_grid(kind: str, exponent: int) -> None:
    grid = Grid(Fraction(2) ** exponent)
    values = _values(kind)
    exact = [Fraction(x) / grid.step for x in values.tolist()]
    inside = np.array([abs(x) <= RANGE for x in exact])
    if not inside.all():
        with pytest.raises(BadValue, match="An answer is beyond"):
            grid.split(values)
    values, exact = values[inside], [x for x in exact if abs(x) <= RANGE]
    whole, part = grid.split(values)
    lost = grid.inexactly_split(values)
    for place, steps in enumerate(exact):
        told = int(whole[place]) + Fraction(float(part[place]))
        assert told == steps or (lost[place] and abs(told - steps) < Fraction(1, 2**52))
        assert -0.5 <= part[place] <= 0.5
        one, rest = grid.split_one(values[place].item())
        assert one + rest == steps


@pytest.mark.parametrize("step", [*(Fraction(2) ** n for n in EXPONENTS), *STEPS], ids=str)
@pytest.mark.parametrize("kind", [*WHOLE, *DOUBLES])
def test_every_type_rounds_to_every_grid_like_its_exact_fraction(kind: str, step: Fraction) -> None:
    grid = Grid(step)
    values = np.array([x for x in _values(kind).tolist() if abs(Fraction(x) / step) <= RANGE], dtype=kind)
    exact = [(Fraction(x) / step + Fraction(1, 2)).__floor__() for x in values.tolist()]
    assert grid.units(values).tolist() == exact


class _Counted(SystemBits):
    """Bits that tell whether any were taken."""

    drawn = False

    def take(self, count: int) -> int:
        self.drawn = True
        return super().take(count)

    def words(self, count: int, width: int) -> "Words":
        self.drawn = True
        return super().words(count, width)


def _hostile() -> dict[str, object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wide = np.longdouble(2) ** 60 + 129
    kinds: dict[str, object] = {
        "bool": np.array([True, False]),
        "one bool": True,
        "object": np.array([1, 2], dtype=object),
        "beyond 63 bits": [2**70, 1],
        "unsigned and signed": [2**63, -1],
        "whole and not": [2**60 + 129, 0.5],
        "rows, whole and not": [[2**60 + 129, 1], [0.5, 1]],
        "arrays, whole and not": [np.array([2**60 + 129]), np.array([0.5])],
        "complex": np.array([1j]),
        "times": np.array([1, 2], dtype="m8[s]"),
        "dates": np.array(["2020-01-01"], dtype="M8[D]"),
        "text": np.array(["1"]),
        "nothing": None,
        "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
        "masked whole": np.ma.array([1, 2], mask=[False, True]),
        "a mask without a place": np.ma.array([1, 2]),
    }
    if np.dtype(np.longdouble).itemsize > 8:
        kinds |= {"long double": np.array([wide]), "one long double": wide, "list of long doubles": [wide, 1.0]}
    return kinds


HOSTILE = _hostile()


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "noise", [*LINE, IntegerStaircase(epsilon=1, sensitivity=1)], ids=lambda noise: type(noise).__name__
)
def test_what_would_lose_bits_or_a_mask_is_refused_before_a_bit_is_drawn(noise: object, name: str) -> None:
    bits = _Counted()
    with pytest.raises(BadValue) as refused:
        noise.release(HOSTILE[name], bits)  # type: ignore[attr-defined]
    assert not bits.drawn
    assert "1152921504606847105" not in str(refused.value)  # 2^60 + 129: no message shows an answer.


@pytest.mark.parametrize("mechanism", [Laplace, Gaussian])
@pytest.mark.parametrize("kind", ["i8", "u8"])
def test_neighbours_beyond_53_bits_are_not_told_apart(mechanism: type, kind: str) -> None:
    """As doubles 2^60 + 128 and + 129 were 256 apart, and no draw of the one could be a draw of the other."""
    extra = {"delta": 1e-6} if mechanism is Gaussian else {}
    noise = mechanism(epsilon=1, sensitivity=1, grid=1, **extra)
    one, other = (
        set(noise.draw_units(np.full(2000, 2**60 + last, dtype=kind), SystemBits()).tolist()) for last in (128, 129)
    )
    assert len(one & other) >= 5


def test_single_answers_of_any_size_are_exact_or_refused_by_the_range() -> None:
    coarse = Laplace(epsilon=1, sensitivity=1, grid=2**40)
    assert abs(coarse.release(2**90) - 2.0**90) <= 2.0**42
    assert abs(coarse.release(Fraction(1, 3))) <= 2.0**42
    for huge in (10**400, -(10**400)):
        with pytest.raises(BadValue, match="beyond"):
            coarse.release(huge)


def test_lists_and_arrays_without_loss_pass_unchanged() -> None:
    assert plain_array([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert plain_array([2**53, 0.5]).tolist() == [2.0**53, 0.5]
    assert plain_array([2**60 + 129, 1]).tolist() == [2**60 + 129, 1]
    assert plain_array((np.array([1]), np.array([0.5]))).tolist() == [[1.0], [0.5]]


def test_masked_scores_are_refused() -> None:
    with pytest.raises(BadValue, match="masked"):
        Scores.of(np.ma.array([1.0, 2.0], mask=[False, True]))
