"""What every figure shares: one library, one palette, and files that are the same for the same picture.

A figure is drawn in dark ink on white paper, as it is printed. In an .svg file and on a page a style sheet exchanges
ink, paper and colours for lighter ones where the reader's screen is dark.
"""

import io
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from banister.errors import BadValue, MissingExtra
from banister.files import folder, whole_bytes
from banister.show.narrow import is_narrow, rearrange

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf", ".html", ".csv")
"""Pictures; and, as .csv, the numbers behind one."""
COLOURS = ("#1b6ca8", "#d1495b", "#3f8f6b", "#c98a12", "#6a4c93", "#6c757d", "#0f766e", "#a3412f")
INK, SOFT, PAPER = "#1d2731", "#5d6b77", "#fffffe"
"""Ink of words and axes, of what stands back, and the paper: colours of their own, so that they can be exchanged."""
LEAST_POINTS = 9
"""The size of the smallest words: 12 pixels where a figure is shown at its own width, as pages show it."""
DARK = {
    INK: "#e6ebee",
    SOFT: "#9aa8b2",
    PAPER: "#14191d",
    **dict(
        zip(
            COLOURS,
            ("#5aa9e6", "#ff8593", "#66c79d", "#f0bd5a", "#b9a0e6", "#a6b0b8", "#4fc4b8", "#e79079"),
            strict=True,
        )
    ),
}
"""What each colour becomes on a dark screen."""


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of that many inches."""
    try:
        from matplotlib import figure
    except ImportError as error:
        raise MissingExtra.naming("matplotlib", "plot") from error
    return figure.Figure(figsize=(width, height), layout="constrained")


def tidy(axes: "Axes") -> None:
    """A light grid, and no frame on the sides where nothing is read."""
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def checked(path: Path) -> Path:
    """The path of a figure, refused early when its ending names no format that can be drawn."""
    if path.suffix.lower() not in FORMATS:
        raise BadValue(f"The figure '{path.name}' must end in one of: {', '.join(FORMATS)}.")
    return path


def save(figure: "Figure", path: Path, *, title: str = "", caption: str = "", dots: int = 160) -> None:
    """Write the figure whole or not at all, with so many dots an inch; an .html page carries its drawing inside.

    A caption stands below the picture, in small letters.
    """
    import matplotlib as mpl

    kind = checked(path).suffix.lower().removeprefix(".")
    if kind == "csv":
        from banister.show.numbers import numbers_text

        whole_bytes(folder(path.parent) / path.name, numbers_text(figure).encode("utf-8"))
        return
    if is_narrow():
        rearrange(figure, LEAST_POINTS)
    if caption:
        words = textwrap.fill(caption, int(15.5 * figure.get_figwidth()))
        figure.supxlabel(words, x=0.012, ha="left", fontsize=8.5, color=SOFT)
    _ink(figure)
    drawing = io.BytesIO()
    # Without a date and with a fixed salt the same picture is the same file.
    with mpl.rc_context({"svg.hashsalt": "banister", "svg.fonttype": "path"}):
        date = {"svg": {"Date": None}, "html": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
        figure.savefig(drawing, format="svg" if kind == "html" else kind, dpi=dots, metadata=date)
    content = drawing.getvalue()
    if kind in ("svg", "html"):
        content = _for_dark_screens(content)
    if kind == "html":
        from banister.show.page import Drawing, page_text

        svg = content.decode("utf-8")
        content = page_text(title or path.stem, [Drawing(svg[svg.index("<svg") :])]).encode("utf-8")
    folder(path.parent)
    whole_bytes(path, content)


def _ink(figure: "Figure") -> None:
    """Black words and axes in our ink and large enough to read, white paper in ours."""
    from matplotlib.axes import Axes
    from matplotlib.colors import to_hex
    from matplotlib.text import Text

    figure.patch.set_facecolor(PAPER)
    for axes in figure.findobj(Axes):
        assert isinstance(axes, Axes)
        axes.patch.set_facecolor(PAPER)
        axes.tick_params(which="both", color=SOFT, labelcolor=INK)
        for spine in axes.spines.values():
            spine.set_edgecolor(SOFT)
    for words in figure.findobj(Text):
        assert isinstance(words, Text)
        words.set_fontsize(max(words.get_fontsize(), LEAST_POINTS))
        if to_hex(words.get_color()) == "#000000":
            words.set_color(INK)


def _for_dark_screens(svg: bytes) -> bytes:
    """The drawing with a style sheet that exchanges its colours on a dark screen."""
    rules = "".join(
        f'[style*="{part}: {light}"]{{{part}:{dark}!important}}'
        for light, dark in DARK.items()
        for part in ("fill", "stroke")
    )
    sheet = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"
    start = svg.index(b"<svg")
    end = svg.index(b">", start) + 1
    return svg[:end] + sheet.encode("utf-8") + svg[end:]
