"""The mechanisms that can answer a question about noise, as they say themselves on the shelf `ALL`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import cast

from banister.core.privacy.guarantee import Guarantee
from banister.mechanisms import ALL
from banister.mechanisms.integers.integer_noise import IntegerNoise
from banister.mechanisms.line.grid import Grid
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.line.on_grid import OnGrid
from banister.mechanisms.line.staircase import default_grid
from banister.mechanisms.offers import AnyNoise, NoiseQuestion, Offer, Over, Serves, Touches
from banister.mechanisms.vectors.independent import Independent, MoveBound
from banister.mechanisms.vectors.integer_vector_staircase import IntegerVectorStaircase
from banister.mechanisms.vectors.truncated_vector_staircase import TruncatedVectorStaircase
from banister.mechanisms.vectors.uniform_cube import UniformCube
from banister.mechanisms.vectors.vector_staircase import VectorStaircase

__all__ = ["Entrant", "Noise", "NoiseQuestion", "Over", "Touches", "VectorNoise", "entrants", "for_one_number"]

Noise = IntegerNoise | LineNoise
VectorNoise = Independent | VectorStaircase | IntegerVectorStaircase | TruncatedVectorStaircase | UniformCube

_FINE = Fraction(1, 1 << 27)
"""From this epsilon on, the usual grid is a millionth of the sensitivity and has room for all tails."""
_ENDS = 256
"""A grid for tails has room for a thousand times sensitivity/epsilon; noise that ends needs less of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """An offer that fits a question."""

    name: str
    question: NoiseQuestion
    offer: Offer[AnyNoise]
    optimal: str = ""
    adds_up: type[AnyNoise] | None = None
    """The noise on whole numbers that is put on a grid: whether moves add up is its matter."""

    def noise(self) -> Noise | VectorNoise:
        """The mechanism itself."""
        return cast("Noise | VectorNoise", self.offer.make(self.question))

    @property
    def moves_add_up(self) -> bool:
        """For noise of one number: whether it is as private where several numbers move by the sensitivity in total."""
        return cast("type[Noise]", self.adds_up or self.offer.kind).moves_add_up

    def bound(self) -> float | None:
        """A lower bound that holds for any noise, where the mechanism proves one."""
        return None if self.offer.bound is None else self.offer.bound(self.question)


def entrants(question: NoiseQuestion) -> Iterator[Entrant]:
    """Every noise that gives the guarantee."""
    yield from for_one_number(question) if question.dimension == 1 else _for_vectors(question)


def for_one_number(question: NoiseQuestion) -> Iterator[Entrant]:
    """Every noise for one number that gives the guarantee."""
    if question.over is Over.INTEGERS:
        yield from _offered(question, Serves.INTEGERS)
    else:
        yield from _offered(question, Serves.LINE)
        yield from _on_a_grid(question)


def _offered(question: NoiseQuestion, serves: Serves) -> Iterator[Entrant]:
    for offer in (offer for module in ALL for offer in module.OFFERS):
        if offer.serves is serves and offer.fits(question):
            yield Entrant(name=offer.name, question=question, offer=offer, optimal=offer.optimal(question))


def _on_a_grid(question: NoiseQuestion) -> Iterator[Entrant]:
    """Noise on the whole numbers that has no twin on the line, counted in steps of a fine grid."""
    reach = question.sensitivity
    # What ends at about sensitivity/(2 delta) needs no room for the tails of a tiny epsilon.
    grid = default_grid(max(question.epsilon, min(_ENDS * question.delta, _FINE)), reach)
    steps = replace(
        question,
        over=Over.INTEGERS,
        sensitivity=Fraction(grid.units_of_sensitivity(reach) + _rounded(question) - 1),
        cost=question.cost if question.cost.exponent is not None else question.cost.in_units(grid.step),
    )
    for offer in (offer for module in ALL for offer in module.OFFERS):
        if offer.serves is Serves.INTEGERS and offer.on_grid and offer.fits(steps):
            made = partial(_placed, offer, steps, grid)
            yield Entrant(
                name=offer.name,
                question=question,
                offer=replace(offer, serves=Serves.LINE, kind=OnGrid, make=made, bound=None),
                adds_up=offer.kind,
            )


def _placed(offer: Offer[AnyNoise], steps: NoiseQuestion, grid: Grid, asked: NoiseQuestion) -> LineNoise:
    return OnGrid(cast(IntegerNoise, offer.make(steps)), grid, cost=asked.cost, sensitivity=asked.sensitivity)


def _rounded(question: NoiseQuestion) -> int:
    """How many coordinates are rounded together: each but one may add a step to what a neighbour moves in total."""
    return question.dimension if question.touches is Touches.ALL else 1


def _for_vectors(question: NoiseQuestion) -> Iterator[Entrant]:
    if question.touches is Touches.ONE:
        # Each coordinate must be private by itself and costs add up, so what is optimal for one is so for all.
        for one in for_one_number(question):
            yield _each_alone(one, question, one.name, one.optimal)
        return
    whole = question.over is Over.INTEGERS
    joint = tuple(_offered(question, Serves.INTEGER_VECTORS if whole else Serves.VECTORS))
    yield from joint
    already = {each.offer.instead_of for each in joint}
    # Whole moves that add up to the sensitivity are at most as many as it.
    moved = min(question.dimension, question.steps) if whole else question.dimension
    share = Guarantee(question.epsilon / moved, question.delta / moved)
    for one in for_one_number(question):
        # What jumps by all of its epsilon at the smallest move must be private in each coordinate that may move.
        if one.offer.kind not in already and (one.moves_add_up or moved == 1):
            yield _each_alone(one, question, one.name, one.optimal if moved == 1 else "")
    if moved > 1:
        for one in for_one_number(question.at(share)):
            if one.offer.quick and not one.moves_add_up:
                yield _each_alone(one, question, f"{one.name} at epsilon/{moved}")


def _each_alone(one: Entrant, question: NoiseQuestion, name: str, optimal: str = "") -> Entrant:
    """The noise of one number on every coordinate."""

    def make(asked: NoiseQuestion) -> Independent:
        noise, size = cast(Noise, one.noise()), asked.dimension
        if asked.touches is Touches.ONE:
            return Independent(noise=noise, dimension=size, touches=1)
        return Independent(noise=noise, dimension=size, touches=size, bound=MoveBound.TOTAL)

    offer = replace(one.offer, kind=Independent, make=make, bound=None)
    return Entrant(name=f"{name}, each alone", question=question, offer=offer, optimal=optimal)
