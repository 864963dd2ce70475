"""The price of trust as a picture: the measure over epsilon, one curve for each kind of trust."""

from fractions import Fraction
from pathlib import Path

from banister.compare.trust import Trust, price_of_trust
from banister.core.exact.numbers import Number
from banister.show.canvas import COLOURS, new_figure, save, tidy

LEVELS = ("1/10", "1/5", "2/5", "7/10", "1", "3/2", "2", "3", "4", "5")


def draw_trust(question: str, path: str | Path, *, people: Number) -> Path:
    """Draw what a question costs under each kind of trust, for epsilons from 0.1 to 5.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     draw_trust("xor", Path(folder) / "xor.svg", people=3).name
    'xor.svg'
    """
    target = Path(path)
    levels = [Fraction(level) for level in LEVELS]
    prices = [price_of_trust(question, epsilon=level, people=people) for level in levels]
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    for place, trust in enumerate(Trust):
        values = [found[place].value for found in prices]
        axes.plot([float(level) for level in levels], values, color=COLOURS[place], marker="o", markersize=3)
        axes.annotate(
            f"trust in {trust.value}",
            (float(levels[place + 4]), values[place + 4]),
            color=COLOURS[place],
            xytext=(6, 6),
            textcoords="offset points",
        )
    axes.set_xlabel("epsilon")
    axes.set_ylabel(prices[0][0].measure)
    axes.set_ylim(bottom=0)
    axes.set_title(f"{question} of {people} people")
    tidy(axes)
    save(figure, target, title=f"The price of trust: {question}")
    return target
