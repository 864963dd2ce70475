"""Figures about regions and composition, from [KOV15] and the second chapter of [K16]."""

from pathlib import Path

from banister.accounting.totals.figures import draw_composition, draw_region, draw_theorems
from banister.papers.entry import Effort, PaperFigure
from banister.show.diagrams import Arrow, Box, draw_boxes


def region(path: Path, caption: str, effort: Effort) -> None:
    """The region of (1, 0.1)."""
    draw_region(path, caption)


def growth(path: Path, caption: str, effort: Effort) -> None:
    """One to five releases."""
    draw_composition(path, caption)


def theorems(path: Path, caption: str, effort: Effort) -> None:
    """Theorems compared, and tangents."""
    draw_theorems(path, caption)


def experiment(path: Path, caption: str, effort: Effort) -> None:
    """What depends on what when questions follow each other: the hidden bit reaches all else through symbols."""
    boxes = [Box("b", 0.5, 5.0, "b: which of the\nneighbours", accent=True)]
    arrows = []
    for k in range(1, 5):
        boxes.append(Box(f"x{k}", 2.3 * k - 1.8, 3.0, f"symbol {k}\n(dominating pair)", accent=False))
        boxes.append(Box(f"y{k}", 2.3 * k - 1.8, 1.0, f"answer {k}"))
        arrows += [Arrow("b", f"x{k}"), Arrow(f"x{k}", f"y{k}")]
        arrows += [Arrow(f"y{j}", f"y{k}", soft=True) for j in range(1, k) if j == k - 1]
    draw_boxes(boxes, arrows, path, caption=caption, size=(9.2, 4.4))


FIGURES = (
    PaperFigure(
        "region",
        ("KOV15 1", "K16 2.1", "K16 4.1"),
        "The region of (1, 0.1), with the two lines that bound it. Mirror symmetric for symmetric pairs only.",
        region,
    ),
    PaperFigure("composition", ("KOV15 2", "K16 2.4"), "The exact region of k releases, k = 1 to 5.", growth),
    PaperFigure(
        "theorems",
        ("KOV15 3", "K16 2.5"),
        "Thirty releases at (0.1, 0.001) by four theorems; and a region as what its tangents leave.",
        theorems,
    ),
    PaperFigure(
        "experiment",
        ("KOV15 4", "K16 A.1"),
        "Adaptive questions: given the symbols of the dominating pairs, answers tell nothing more about b. Grey: each "
        "question may depend on all answers before it.",
        experiment,
    ),
)
