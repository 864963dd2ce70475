"""One figure for a comparison of noises: the laws side by side, and what each costs as epsilon grows."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from banister.core.laws.cost import Cost
from banister.errors import BadValue
from banister.mechanisms.comparison.contenders import Noise, Over, Question
from banister.mechanisms.comparison.least_noise import Comparison
from banister.mechanisms.integers.discrete_laplace import DiscreteLaplace
from banister.mechanisms.integers.integer_noise import IntegerNoise
from banister.mechanisms.integers.integer_staircase import IntegerStaircase
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.line.gaussian import Gaussian
from banister.mechanisms.line.laplace import Laplace
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.line.staircase import Staircase
from banister.show.canvas import checked
from banister.show.noise import Curve, NoiseFigure, save_noise_figure

_EPSILONS = [Fraction(round(1000 * 10**x), 1000) for x in np.linspace(-1, 1, 25)]


def draw_noise(found: Comparison, path: Path) -> Path:
    """Write the figure; its kind is told by the ending of the path."""
    checked(path)
    question = found.question
    if question.dimension > 1:
        raise BadValue(f"dimension = {question.dimension} cannot be drawn: the figure shows noise for one number.")
    epsilon = float(question.guarantee.epsilon)
    figure = NoiseFigure(
        title=f"{question.guarantee} privacy, sensitivity {float(question.sensitivity):g}, {question.over.value}",
        laws=tuple(_laws(found)),
        whole=question.over is Over.INTEGERS,
        costs=tuple(_costs(question, sorted({*_EPSILONS, question.guarantee.epsilon} - {Fraction(0)}))),
        cost_name=question.cost.name,
        epsilon=epsilon,
    )
    save_noise_figure(figure, path)
    return path


def _laws(found: Comparison) -> Iterator[Curve]:
    reach = 1.5 * min(each.interval for each in found.contenders) + 2 * float(found.question.sensitivity)
    for each in found.contenders:
        if isinstance(each.noise, IntegerNoise):
            points = np.arange(-int(reach), int(reach) + 1)
            yield Curve(each.name, points.astype(float), np.array([each.noise.mass(int(i)) for i in points]))
        elif isinstance(each.noise, LineNoise):
            line = np.linspace(-reach, reach, 2001)
            yield Curve(each.name, line, each.noise.densities(line))


def _costs(question: Question, epsilons: list[Fraction]) -> Iterator[Curve]:
    risks: dict[str, list[float]] = {}
    for epsilon in epsilons:
        for name, noise in _contenders(question, epsilon, question.cost):
            risks.setdefault(name, []).append(noise.risk_for(question.cost))
    for name, values in risks.items():
        yield Curve(name, np.array([float(epsilon) for epsilon in epsilons]), np.array(values))


def _contenders(question: Question, epsilon: Fraction, cost: Cost) -> Iterator[tuple[str, Noise]]:
    """The main contenders at another epsilon, those that are quick to find."""
    delta, reach = question.guarantee.delta, question.sensitivity
    if question.over is Over.INTEGERS:
        yield "staircase", IntegerStaircase(epsilon=epsilon, sensitivity=int(reach), cost=cost)
        yield "discrete Laplace", DiscreteLaplace(epsilon=epsilon, sensitivity=int(reach))
        if delta:
            yield (
                "truncated staircase",
                TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=int(reach), cost=cost),
            )
    else:
        yield "staircase", Staircase(epsilon=epsilon, sensitivity=reach, cost=cost)
        yield "Laplace", Laplace(epsilon=epsilon, sensitivity=reach)
        if 0 < delta < 1:
            yield "Gaussian", Gaussian(epsilon=epsilon, delta=delta, sensitivity=reach)
