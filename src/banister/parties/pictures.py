"""Curves of two-party questions."""

from collections.abc import Sequence
from pathlib import Path

from banister.parties.pairs import Curves
from banister.show.canvas import COLOURS, checked, new_figure, save, tidy
from banister.show.panels import name_ends

_TITLES = {"xor-or-and": "XOR or AND, as the first party says", "hamming": "Hamming distance of two pairs of bits"}
_SCORES = {"xor-or-and": "chance of the right answer", "hamming": "2 - |error|, on average"}


def draw_curves(found: Sequence[Curves], path: Path, *, caption: str = "") -> None:
    """One panel per question."""
    checked(path)
    figure = new_figure(10.6, 3.8)
    panels = figure.subplots(1, len(found), squeeze=False)[0]
    for axes, each in zip(panels, found, strict=True):
        two = ((each.best, "best second\nmessage", "-"), (each.selected, "randomized\nanswer", "--"))
        lines = (*two, (each.bitwise, "every bit\nrandomized", "-"))
        for place, (values, _, style) in enumerate(lines):
            axes.plot(each.epsilons, values, style, color=COLOURS[2 - place], linewidth=1.8)
        axes.set_title(_TITLES.get(each.name, each.name), fontsize=10)
        axes.set_xlabel("epsilon for each bit")
        axes.set_ylabel(_SCORES.get(each.name, "average score"))
        axes.set_xlim(float(each.epsilons[0]), float(each.epsilons[-1]))
        tidy(axes)
        name_ends(axes, [(label, each.epsilons, values, COLOURS[2 - i]) for i, (values, label, _) in enumerate(lines)])
    save(figure, path, title="Two parties with several bits each", caption=caption)
