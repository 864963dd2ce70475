from pathlib import Path

import numpy as np
import pytest

from banister.errors import BadValue
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


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"'c.xyz' must end in one of: .svg, .png, .pdf"):
        draw_channel(RandomizedResponse(1, 3), ["a", "b", "c"], tmp_path / "c.xyz")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadValue, match="cannot be made"):
        draw_channel(RandomizedResponse(1, 3), ["a", "b", "c"], tmp_path / "file" / "c.svg")
