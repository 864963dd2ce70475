"""The price of trust: brute force over mechanisms, known limits, order, refusals, and the command."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.compare import Trust, draw_trust, price_of_test, price_of_trust
from banister.compare.testing import curator_test_people
from banister.compare.trust import curator_majority_error
from banister.core.programs.highs import HighsSolver
from banister.core.programs.linear import LinearProgram
from banister.errors import BadValue


def least_error(epsilon: float, answers: list[int], weights: list[float]) -> float:
    """The least average error of an epsilon-private bit given a count, by linear program over its chances q(c)."""
    n, l = len(answers), math.exp(epsilon)  # noqa: E741
    rows, low, high = [], [], []
    for c in range(n - 1):
        for a, b in ((c, c + 1), (c + 1, c)):
            row = np.zeros(n)  # q(a) ≤ l q(b)
            row[a], row[b] = 1, -l
            rows.append(row)
            low.append(-np.inf)
            high.append(0.0)
            row = np.zeros(n)  # 1 - q(a) ≤ l (1 - q(b))
            row[a], row[b] = -1, l
            rows.append(row)
            low.append(-np.inf)
            high.append(l - 1)
    matrix = np.array(rows)
    sign = np.array([1.0 if answer == 0 else -1.0 for answer in answers])
    program = LinearProgram(
        cost=sign * np.array(weights),
        lower=np.zeros(n),
        upper=np.ones(n),
        row_lower=np.array(low),
        row_upper=np.array(high),
        starts=np.arange(n + 1) * len(rows),
        rows=np.tile(np.arange(len(rows)), n),
        values=matrix.T.ravel(),
    )
    return HighsSolver().solve(program).objective + sum(w for a, w in zip(answers, weights, strict=True) if a == 1)


@pytest.mark.parametrize("people", [1, 3, 5, 9])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_a_curators_majority_is_the_best_by_program(people: int, epsilon: float) -> None:
    weights = [math.comb(people, c) / 2**people for c in range(people + 1)]
    answers = [int(c > people // 2) for c in range(people + 1)]
    found = curator_majority_error(Fraction(epsilon), people)
    assert found == pytest.approx(least_error(epsilon, answers, weights), abs=1e-9)


def test_a_curators_xor_is_the_best_by_program() -> None:
    weights = [math.comb(4, c) / 16 for c in range(5)]
    price = price_of_trust("xor", epsilon=1, people=4)[0]
    assert price.value == pytest.approx(least_error(1.0, [c % 2 for c in range(5)], weights), abs=1e-9)


@pytest.mark.parametrize("question", ["count", "mean", "xor", "majority"])
@pytest.mark.parametrize("epsilon", ["1/10", 1, 4])
def test_nobody_is_never_better(question, epsilon) -> None:
    """A party may be better off than a curator's audience: at a small epsilon its own bit tells it more."""
    curator, parties, nobody = price_of_trust(question, epsilon=epsilon, people=7)
    assert [price.trust for price in (curator, parties, nobody)] == list(Trust)
    assert curator.value <= nobody.value + 1e-12
    assert parties.value <= nobody.value + 1e-12


def test_a_mean_is_a_count_divided() -> None:
    counts, means = (price_of_trust(question, epsilon=1, people=9) for question in ("count", "mean"))
    for count, mean in zip(counts, means, strict=True):
        assert mean.value == pytest.approx(count.value / 9)
        assert mean.people == count.people


def test_the_people_needed_by_hand() -> None:
    """Standard errors of 1 % at epsilon 1, from the variances of geometric noise and of responses."""
    curator, _, nobody = price_of_trust("count", epsilon=1, people=3)
    assert curator.people == math.ceil(100 * math.sqrt(2 * math.exp(-1)) / (1 - math.exp(-1))) == 136
    assert nobody.people == math.ceil(10_000 * math.e / (math.e - 1) ** 2) == 9207


def test_a_test_takes_more_people_the_less_is_trusted() -> None:
    curator, parties, nobody = price_of_test([0.5, 0.3, 0.2], [0.2, 0.3, 0.5], epsilon=1)
    assert curator.people is not None
    assert parties.people is not None
    assert curator.value <= curator.people <= parties.people == nobody.people


def test_the_number_for_a_curator_is_enough_and_one_less_is_not() -> None:
    """Ten thousand noisy counts at the number found, by another road: simulation with a seed."""
    asked = {"epsilon": 1.0, "power": 0.9, "size": 0.05}
    people = curator_test_people([0.5, 0.5], [0.2, 0.8], **asked)
    chance = np.random.default_rng(3)
    noise = chance.geometric(1 - math.exp(-1), 200_000) - chance.geometric(1 - math.exp(-1), 200_000)
    null = np.sort(chance.binomial(people, 0.5, 200_000) + noise)
    threshold = null[int(0.95 * 200_000)] + 1
    power = np.mean(chance.binomial(people, 0.8, 200_000) + noise >= threshold)
    assert power > 0.88


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: price_of_trust("median", epsilon=1, people=3), "question"),
        (lambda: price_of_trust("majority", epsilon=1, people=4), "must be odd"),
        (lambda: price_of_trust("xor", epsilon=0, people=4), "epsilon"),
        (lambda: price_of_trust("xor", epsilon=1, people=1), "people"),
        (lambda: curator_test_people([0.5, 0.5], [0.5, 0.5], epsilon=1, power=0.9, size=0.05), "are the same"),
        (lambda: curator_test_people([0.5, 0.5], [0.499, 0.501], epsilon=1, power=0.9, size=0.05), "More than 16384"),
    ],
)
def test_refusals(call, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        call()


def test_the_command_and_the_picture(tmp_path: Path) -> None:
    run = CliRunner().invoke
    picture = tmp_path / "xor.svg"
    done = run(build(), ["trust", "xor", "--epsilon", "1", "--people", "3", "--figure", str(picture)])
    assert done.exit_code == 0
    assert "0.268941" in done.stdout
    assert "Thm 4.4.1" in done.stdout
    drawn = picture.read_bytes()
    draw_trust("xor", picture, people=3)
    assert picture.read_bytes() == drawn
    done = run(build(), ["trust", "test", "--epsilon", "1", "--first", "0.5,0.5", "--second", "0.2,0.8"])
    assert "122" in done.stdout
