"""What every figure shares: one library, one palette, and files that are the same for the same picture."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

from banister.errors import BadValue, MissingExtra
from banister.files import folder, whole_bytes
from banister.show.page import Drawing, page_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf", ".html")
COLOURS = ("#1b6ca8", "#d1495b", "#3f8f6b", "#edae49", "#6a4c93", "#6c757d")


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


def save(figure: "Figure", path: Path, *, title: str = "", dots: int = 160) -> None:
    """Write the figure whole or not at all, with so many dots an inch; an .html page carries its drawing inside."""
    import matplotlib as mpl

    kind = checked(path).suffix.lower().removeprefix(".")
    drawing = io.BytesIO()
    # Without a date and with a fixed salt the same picture is the same file.
    with mpl.rc_context({"svg.hashsalt": "banister", "svg.fonttype": "path"}):
        date = {"svg": {"Date": None}, "html": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
        figure.savefig(drawing, format="svg" if kind == "html" else kind, dpi=dots, metadata=date)
    content = drawing.getvalue()
    if kind == "html":
        svg = content.decode("utf-8")
        content = page_text(title or path.stem, [Drawing(svg[svg.index("<svg") :])]).encode("utf-8")
    folder(path.parent)
    whole_bytes(path, content)
