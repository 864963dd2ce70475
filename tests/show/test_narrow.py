"""Narrow figures: panels under each other, names above them, marks and numbers that do not run into each other."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from banister.show.canvas import LEAST_POINTS, new_figure, save
from banister.show.narrow import NARROW_INCHES, is_narrow, narrowed, rearrange
from banister.show.panels import CurvePanel, PanelLine, draw_panels


def two_panels() -> Figure:
    figure = new_figure(10.0, 3.0)
    for axes in figure.subplots(1, 2):
        axes.plot([0, 1], [0, 1], color="#112233")
        axes.annotate("the name\nof the curve", (1.015, 0.5), xycoords="axes fraction", color="#112233")
        axes.set_title("what is shown", loc="left")
    return figure


def test_panels_stand_under_each_other_with_their_names_above() -> None:
    figure = two_panels()
    rearrange(figure, LEAST_POINTS)
    figure.draw_without_rendering()
    assert figure.get_figwidth() == NARROW_INCHES
    upper, lower = (axes.get_position() for axes in figure.axes)
    assert upper.y0 > lower.y1
    assert upper.x0 == lower.x0
    assert upper.width * NARROW_INCHES > 2.4, "names take nothing from the width"
    for axes in figure.axes:
        legend = axes.get_legend()
        assert legend is not None
        assert [words.get_text() for words in legend.get_texts()] == ["the name of the curve"]
        assert legend.get_title().get_text() == "what is shown"
        box = legend.get_window_extent()
        assert box.x1 <= NARROW_INCHES * figure.dpi
        assert not axes.texts


def test_scales_go_below_and_numbers_and_marks_stand_upright() -> None:
    figure = new_figure(8.0, 3.0)
    axes = figure.subplots()
    image = axes.imshow(np.eye(8))
    for place in range(8):
        axes.text(place, place, "0.125")
    axes.set_xticks(range(8), ["a long name"] * 8)
    figure.colorbar(image, ax=axes, label="chance")
    rearrange(figure, LEAST_POINTS)
    figure.draw_without_rendering()
    assert {words.get_rotation() for words in axes.texts} == {90.0}
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {90.0}
    (scale,) = (each for each in figure.axes if each is not axes)
    assert scale.get_xlabel() == "chance"
    assert scale.get_position().y1 < axes.get_position().y0


def test_the_wish_ends_with_its_block_and_numbers_are_the_same(tmp_path: Path) -> None:
    panel = CurvePanel(title="t", x_label="x", y_label="y", lines=(PanelLine("line", [0, 1], [1, 2]),))
    with narrowed():
        assert is_narrow()
        draw_panels([panel, panel], tmp_path / "narrow.svg", caption="words " * 30)
        draw_panels([panel], tmp_path / "narrow.csv")
    assert not is_narrow()
    draw_panels([panel], tmp_path / "wide.csv")
    assert 'width="244.8pt"' in (tmp_path / "narrow.svg").read_text()
    assert (tmp_path / "narrow.csv").read_bytes() == (tmp_path / "wide.csv").read_bytes()
    save(two_panels(), tmp_path / "wide.svg")
    assert 'width="720pt"' in (tmp_path / "wide.svg").read_text()
