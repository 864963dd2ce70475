"""The picture of numbers over time."""

import re

import numpy as np

from banister.apps.collect.profiles import _chart
from banister.local.collect.series import NumberSeries, SeriesEstimate


def test_no_interval_is_drawn_where_no_mean_can_be() -> None:
    """With few reports intervals are wider than all that can be measured."""
    series = NumberSeries(0, times=4, least=0, most=4, classes=8, unit="kW")
    told = SeriesEstimate(mean=np.array([0.3, 1.0, 2.0, 4.4]), half=np.array([5.0, 0.2, 0.1, 5.0]))
    text = str(_chart(series, told, "words"))
    assert "0 kW" in text
    assert "3.8 kW" in text
    assert "-" not in "".join(re.findall(r"<text[^>]*>([^<]*)", text))
    drawn = [tuple(map(float, one)) for one in re.findall(r'class="area".*? y="([-\d.]+)" height="([-\d.]+)"', text)]
    assert len(drawn) == 4
    assert all(top >= 0 and height > 0 and top + height <= 160 for top, height in drawn)
    assert drawn[0] == drawn[3] == (0, 149.3)
