"""Curves of two-party questions."""

from collections.abc import Sequence
from pathlib import Path

from banister.parties.pairs import Curves
from banister.show.canvas import COLOURS, checked, new_figure, save, tidy

_TITLES = {"xor-or-and": "XOR or AND, as the first party says", "hamming": "Hamming distance of two pairs of bits"}
_SCORES = {"xor-or-and": "chance of the right answer", "hamming": "2 - |error|, on average"}


def draw_curves(found: Sequence[Curves], path: Path) -> None:
    """One panel a question."""
    checked(path)
    figure = new_figure(9.2, 3.8)
    panels = figure.subplots(1, len(found), squeeze=False)[0]
    for axes, each in zip(panels, found, strict=True):
        lines = ((each.best, "best second message", "-"), (each.selected, "randomized answer", "--"))
        for place, (values, label, style) in enumerate((*lines, (each.bitwise, "every bit randomized", "-"))):
            axes.plot(each.epsilons, values, style, color=COLOURS[2 - place], label=label, linewidth=1.8)
        axes.set_title(_TITLES.get(each.name, each.name), fontsize=10)
        axes.set_xlabel("epsilon for each bit")
        axes.set_ylabel(_SCORES.get(each.name, "average score"))
        axes.set_xlim(float(each.epsilons[0]), float(each.epsilons[-1]))
        axes.legend(frameon=False, fontsize=9, loc="lower right")
        tidy(axes)
    save(figure, path, title="Two parties with several bits each")
