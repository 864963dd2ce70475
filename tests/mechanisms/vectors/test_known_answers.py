"""Our closed forms and bisections against known answers that were computed without our code."""

import json
from pathlib import Path

import pytest

from banister.mechanisms import IntegerStaircase, Staircase

KNOWN = json.loads((Path(__file__).parents[2] / "vectors" / "noise.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("known", KNOWN["line"], ids=lambda known: f"{known['epsilon']}-{known['exponent']}")
def test_the_staircase_on_the_line(known: dict[str, str]) -> None:
    noise = Staircase(epsilon=known["epsilon"], sensitivity=1, cost=known["exponent"])
    assert noise.gamma == pytest.approx(float(known["gamma"]), abs=1e-10)
    assert noise.risk() == pytest.approx(float(known["cost"]), rel=1e-13)


@pytest.mark.parametrize(
    "known", KNOWN["integers"], ids=lambda known: f"{known['epsilon']}-{known['sensitivity']}-{known['exponent']}"
)
def test_the_staircase_on_the_integers(known: dict[str, str]) -> None:
    noise = IntegerStaircase(epsilon=known["epsilon"], sensitivity=known["sensitivity"], cost=known["exponent"])
    assert noise.risk() == pytest.approx(float(known["cost"]), rel=1e-10)
