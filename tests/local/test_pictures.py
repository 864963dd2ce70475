from pathlib import Path

import numpy as np
import pytest

from banister.errors import BadValue
from banister.local import pictures
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection
from banister.local.pictures import draw_channel, draw_estimate


def test_a_channel_is_drawn_with_its_labels(tmp_path: Path) -> None:
    draw_channel(RandomizedResponse(1, 3), ["yes", "no", "maybe"], tmp_path / "new" / "c.svg")
    assert "<svg" in (tmp_path / "new" / "c.svg").read_text()


def test_large_channels_and_estimates_are_drawn(tmp_path: Path) -> None:
    channel = SubsetSelection.least_variance(1, 100)
    draw_channel(channel, [str(x) for x in range(100)], tmp_path / "c.png")
    estimate = channel.estimate(channel.respond(np.arange(100).repeat(5)))
    draw_estimate(estimate, [str(x) for x in range(100)], 0.95, tmp_path / "e.png")
    assert (tmp_path / "c.png").read_bytes()[1:4] == (tmp_path / "e.png").read_bytes()[1:4] == b"PNG"


def test_whiskers_run_from_bound_to_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whisker once reached to twice an estimate whose interval was cut at 0."""
    channel = RandomizedResponse(1, 3)
    estimate = channel.estimate(np.array([0] * 580 + [1] * 370 + [2] * 50))
    figures = []
    monkeypatch.setattr(pictures, "save", lambda figure, path, dots: figures.append(figure))
    draw_estimate(estimate, ["a", "b", "c"], 0.95, tmp_path / "e.png")
    held = estimate.intervals(0.95)
    assert estimate.frequencies[2] < held.lower[2] == 0
    ends = np.array([segment[:, 0] for segment in figures[0].axes[0].collections[0].get_segments()])
    assert np.allclose(ends, np.stack((held.lower, held.upper), axis=1))


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"'c.xyz' must end in one of: .svg, .png, .pdf"):
        draw_channel(RandomizedResponse(1, 3), ["a", "b", "c"], tmp_path / "c.xyz")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadValue, match="cannot be made"):
        draw_channel(RandomizedResponse(1, 3), ["a", "b", "c"], tmp_path / "file" / "c.svg")
