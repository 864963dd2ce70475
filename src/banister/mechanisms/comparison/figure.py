"""One figure for a comparison of noises: the laws side by side, and what each costs as epsilon grows."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.mechanisms.comparison.contenders import NoiseQuestion, Over, for_one_number
from banister.mechanisms.comparison.least_noise import Comparison
from banister.mechanisms.integers.integer_noise import IntegerNoise
from banister.mechanisms.line.line_noise import LineNoise
from banister.show.canvas import checked
from banister.show.noise import NoiseCurve, NoiseFigure, save_noise_figure

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
        cost_name=question.cost.in_words,
        epsilon=epsilon,
    )
    save_noise_figure(figure, path)
    return path


def _laws(found: Comparison) -> Iterator[NoiseCurve]:
    reach = 1.5 * min(each.interval for each in found.contenders) + 2 * float(found.question.sensitivity)
    for each in found.contenders:
        if isinstance(each.noise, IntegerNoise):
            points = np.arange(-int(reach), int(reach) + 1)
            yield NoiseCurve(each.name, points.astype(float), np.array([each.noise.mass(int(i)) for i in points]))
        elif isinstance(each.noise, LineNoise):
            line = np.linspace(-reach, reach, 2001)
            yield NoiseCurve(each.name, line, each.noise.densities(line))


def _costs(question: NoiseQuestion, epsilons: list[Fraction]) -> Iterator[NoiseCurve]:
    """What each noise costs at other epsilons; those that take long to find are left out."""
    risks: dict[str, list[tuple[float, float]]] = {}
    for epsilon in epsilons:
        for each in for_one_number(question.at(Guarantee(epsilon, question.delta))):
            if each.offer.quick:
                risks.setdefault(each.name, []).append((float(epsilon), each.noise().risk_for(question.cost)))
    for name, points in risks.items():
        yield NoiseCurve(name, *np.array(points).T)
