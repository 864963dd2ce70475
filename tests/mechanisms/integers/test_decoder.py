"""Decoders for bounded counts: the numbers of the notes, brute force, and refusals."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from banister import Decoder, Geometric
from banister.core.exact.numbers import Bracket, precision
from banister.errors import BadValue
from banister.mechanisms.integers.decoder import report_law


def test_the_known_answers_for_ten_beds() -> None:
    asked: dict[str, Any] = {"epsilon": "0.2", "largest": 10}
    assert Geometric(epsilon="0.2").risk() == pytest.approx(4.967, abs=5e-4)
    assert Decoder.clamping(**asked, aim="average").risk.up == pytest.approx(2.752, abs=5e-4)
    assert Decoder.clamping(**asked, aim="worst").risk.up == pytest.approx(3.140, abs=5e-4)
    assert Decoder.best(**asked, aim="average").risk.up == pytest.approx(2.267, abs=5e-4)
    assert Decoder.best(**asked, aim="worst").risk.up == pytest.approx(2.560, abs=5e-4)


@pytest.mark.parametrize("cost", ["absolute", "squared", "1.5", 3])
@pytest.mark.parametrize("aim", ["average", "worst"])
def test_what_is_reached_is_what_is_possible(aim, cost) -> None:
    found = Decoder.best(epsilon="0.4", largest=6, aim=aim, cost=cost)
    assert found.bound <= found.risk.up
    assert found.risk.up - found.bound <= 2e-6 * found.risk.up
    usual = Decoder.clamping(epsilon="0.4", largest=6, aim=aim, cost=cost)
    assert found.risk.up < usual.risk.down


def true_risks(decoder: Decoder, reach: int = 400) -> list[float]:
    """The expected cost for each count, from the noise itself: no clamping, no report law."""
    b = np.exp(-float(decoder.epsilon))
    noise = np.arange(-reach, reach + 1)
    masses = (1 - b) / (1 + b) * b ** np.abs(noise)
    counts = range(decoder.largest + 1)
    return [float(masses @ decoder.cost.size(np.abs(decoder.decode(noise + x) - x))) for x in counts]


@pytest.mark.parametrize("aim", ["average", "worst"])
def test_the_risk_is_that_of_the_noise_itself(aim) -> None:
    found = Decoder.best(epsilon="0.3", largest=5, aim=aim)
    risks = true_risks(found)
    assert (np.mean(risks) if aim == "average" else max(risks)) == pytest.approx(found.risk.up, rel=1e-9)


def test_no_table_of_whole_numbers_beats_bayes() -> None:
    """All 4^4 tables for counts 0 to 3 with a prior of their own."""
    prior = ["1/2", "1/4", "1/8", "1/8"]
    found = Decoder.best(epsilon=1, largest=3, aim="average", prior=prior)
    with precision(100):
        law = np.array([[float(x) for x in row] for row in report_law(Fraction(1), 3)])
    believed = law * np.array([0.5, 0.25, 0.125, 0.125])[:, None]
    costs = [[believed[:, y] @ np.abs(np.arange(4) - g) for g in range(4)] for y in range(4)]
    assert found.risk.up == pytest.approx(sum(min(row) for row in costs), rel=1e-12)


def test_reports_are_laws() -> None:
    with precision(200):
        for row in report_law(Fraction(1, 3), 4):
            assert Bracket.of_ball(sum(row, arb(0))).holds(1)


def test_one_count_and_many() -> None:
    found = Decoder.best(epsilon=1, largest=4, aim="average")
    noisy = np.array([-9, 0, 2, 4, 99])
    assert found.decode(noisy).tolist() == [found.decode(int(count)) for count in noisy]


def test_an_interval_holds_with_its_chance_for_every_count() -> None:
    found = Decoder.best(epsilon="0.7", largest=8, aim="average")
    b = np.exp(-0.7)
    noise = np.arange(-200, 201)
    masses = (1 - b) / (1 + b) * b ** np.abs(noise)
    for count in range(9):
        held = [low <= count <= high for low, high in (found.interval(int(count + z), "0.9") for z in noise)]
        assert masses @ np.array(held) >= 0.9


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"cost": "zero-one"}, "is not convex"),
        ({"cost": "1/2"}, "is not convex"),
        ({"aim": "best"}, "aim"),
        ({"aim": "worst", "prior": [1, 1, 1]}, "takes no prior"),
        ({"prior": [1, 1]}, "need 3, not all 0"),
        ({"prior": [0, 0, 0]}, "need 3, not all 0"),
        ({"largest": 0}, "largest"),
        ({"aim": "worst", "largest": 61}, "largest"),
        ({"epsilon": 0}, "epsilon"),
    ],
)
def test_refusals(changed, words) -> None:
    with pytest.raises(BadValue, match=words):
        Decoder.best(**({"epsilon": 1, "largest": 2, "aim": "average"} | changed))
