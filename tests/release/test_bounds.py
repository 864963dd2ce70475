"""Intervals say what they are about, and for a share of epsilon how many people have more than counts."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import banister as bn
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.release.answering.wording import about_intervals
from banister.release.planning.request import PlanRequest
from banister.release.run import _add_up, _draw
from tests.seeded import SeededBits

SCHEMA = """
[source]
table = "t.parquet"
person = "who"
rows = 2
groups = 1
neighbours = "{neighbours}"
[budget]
epsilon = 2000
delta = 1e-6
ledger = "here.ledger"
[columns]
x = {{ kind = "integer", range = [0, 20], nulls = false }}
g = {{ kind = "category", values = ["a", "b"] }}
s = {{ kind = "category" }}
"""
QUESTION = "SELECT g, COUNT(*) AS n, AVG(x) AS m FROM data GROUP BY g"


def dataset(folder: Path, *, heavy: int, neighbours: str = "add-remove") -> bn.Dataset:
    """500 people with one row, and some with five in each of two groups."""
    (folder / "here.toml").write_text(SCHEMA.format(neighbours=neighbours))
    who = [*range(500), *(p for p in range(500, 500 + heavy) for _ in range(10))]
    groups = ["ab"[p % 2] for p in range(500)] + ["aaaaabbbbb"[i % 10] for i in range(10 * heavy)]
    frame = pd.DataFrame({"who": who, "x": np.arange(len(who)) % 21, "g": groups, "s": groups})
    return bn.open(folder / "here.toml", data=frame)


@pytest.mark.parametrize(
    "question", [QUESTION, "SELECT s, COUNT(*) AS n FROM data GROUP BY s", "SELECT MEDIAN(x) FROM data"]
)
def test_how_many_people_have_more_is_told(question: str, tmp_path: Path) -> None:
    here = dataset(tmp_path, heavy=120)
    plan = here.plan(question, epsilon=400, delta=1e-7, check_bounds="0.1")
    answers = here.release(plan)
    assert answers.tables[0].cut is not None
    assert answers.tables[0].cut.values[0] == 120
    words = about_intervals(answers.tables[0], plan.parts[0], 0.95)
    assert "WARNING: about 120 people" in words
    assert "Declare more rows or groups in [source]" in words
    page = answers.report(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "WARNING: about 120 people" in page


def test_the_sentence_says_what_the_interval_is_about(tmp_path: Path) -> None:
    here = dataset(tmp_path, heavy=0)
    known = here.release(here.plan(QUESTION, epsilon=400, check_bounds="0.1"))
    assert "From 0 to 0 people have more (95% sure)." in about_intervals(known.tables[0], known.plan.parts[0], 0.95)
    plain = here.release(here.plan(QUESTION, epsilon=1))
    words = about_intervals(plain.tables[0], plain.plan.parts[0], 0.95)
    assert "from what counts of a person, 2 rows a group in 1 group at most." in words
    assert "How many people have more is not known; --check-bounds 5% would tell." in words
    single = "SELECT COUNT(*) FROM (SELECT who, COUNT(*) AS n FROM data GROUP BY who) q"
    one = here.release(here.plan(single, epsilon=1, check_bounds="0.1"))
    assert one.tables[0].cut is None  # Nobody can have more than one row there, so nothing is paid for it.
    words = about_intervals(one.tables[0], one.plan.parts[0], 0.95)
    assert words == "In brackets: 95% intervals around the exact answers."


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("share", ["0.05", "1/2"])
def test_the_share_is_paid_for_and_the_whole_is_kept(share: str, neighbours: str, tmp_path: Path) -> None:
    here = dataset(tmp_path, heavy=3, neighbours=neighbours)
    part = here.plan(QUESTION, epsilon=1, check_bounds=share).parts[0]
    assert part.beyond is not None
    rest = sum((paid.epsilon for paid in part.measured), Fraction(0))
    assert part.beyond.epsilon == Fraction(share)
    assert rest + part.beyond.epsilon == part.epsilon == 1
    loss = part.beyond.loss()
    assert loss.delta_at(Fraction(share)).up == 0
    assert PrivacyLoss.nothing().with_(loss).delta_at(Fraction(share) * 9 / 10).down > 0
    assert part.loss().delta_at(1).up <= 1e-12


def test_a_share_is_a_share() -> None:
    with pytest.raises(BadValue, match=r"check_bounds = 5 must be a number from 0 to 0\.5\. It is a share of epsilon"):
        PlanRequest.of((), epsilon=1, check_bounds=5)


@pytest.mark.slow
def test_the_estimate_holds_at_its_rate(tmp_path: Path) -> None:
    here = dataset(tmp_path, heavy=40)
    part = here.plan(QUESTION, epsilon=2, check_bounds="0.1").parts[0]
    bits = SeededBits(8)
    exact = _add_up(part, here.source(), bits)
    inside = 0
    for _ in range(300):
        cut = _draw(part, exact, 0.95, bits).cut
        assert cut is not None
        inside += int(cut.low[0] <= 40 <= cut.high[0])
    assert inside >= 0.91 * 300  # Three deviations below 95 %.
