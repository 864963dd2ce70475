"""Planted people: the bound against all mechanisms there are, pipelines that keep their word, and some that do not."""

import itertools
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from banister.audit import attack_pipeline, judge_canaries
from banister.audit.canaries.bound import _peaks, chance_of_guesses, epsilon_of_guesses
from banister.audit.canaries.planting import Planting
from banister.errors import BadValue


def most_right(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The largest chance of so many right guesses over all (epsilon, delta)-private mechanisms: a linear program."""
    tables = list(itertools.product((-1, 1), repeat=canaries))
    outputs = [t for t in itertools.product((-1, 0, 1), repeat=canaries) if sum(map(abs, t)) == guesses]
    pairs = [(a, b) for a, s in enumerate(tables) for b, u in enumerate(tables) if sum(map(int.__ne__, s, u)) == 1]
    width = len(outputs)
    chances = len(tables) * width
    slack = {pair: chances + place * width for place, pair in enumerate(pairs)}
    total = chances + len(pairs) * width
    above, limits = np.zeros((len(pairs) * (width + 1), total)), []
    line = 0
    for (a, b), start in slack.items():
        for t in range(width):
            above[line, a * width + t], above[line, b * width + t] = 1, -math.exp(epsilon)
            above[line, start + t] = -1
            limits.append(0.0)
            line += 1
        above[line, start : start + width] = 1
        limits.append(delta)
        line += 1
    equal = np.zeros((len(tables), total))
    gain = np.zeros(total)
    for a, s in enumerate(tables):
        equal[a, a * width : (a + 1) * width] = 1
        for t, guess in enumerate(outputs):
            gain[a * width + t] = -(sum(g == x for g, x in zip(guess, s, strict=True) if g) >= right) / len(tables)
    done = linprog(gain, above, limits, equal, np.ones(len(tables)), bounds=(0, 1), method="highs")
    assert done.status == 0
    assert done.fun is not None
    return float(-done.fun)


@pytest.mark.parametrize(("guesses", "right"), [(3, 3), (3, 2), (2, 2), (1, 1)])
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_no_private_mechanism_guesses_better_than_the_bound(guesses: int, right: int, epsilon: float) -> None:
    """Against every mechanism on three canaries there is; without delta the bound is attained."""
    pure = most_right(3, guesses, right, epsilon, 0.0)
    assert pure == pytest.approx(chance_of_guesses(right, guesses, 3, epsilon=epsilon, delta=0.0), abs=1e-7)
    for delta in (0.01, 0.1):
        most = most_right(3, guesses, right, epsilon, delta)
        bound = chance_of_guesses(right, guesses, 3, epsilon=epsilon, delta=delta)
        assert pure < most <= bound + 1e-9
        assert bound - pure <= 3 * (most - pure), "the bound is not wasteful"


def test_the_peaks_are_those_of_the_binomial_law() -> None:
    for likely in (0.5, 0.731, 0.99):
        every = sum(binom.pmf(np.arange(k + 1), k, likely).max() for k in range(40))
        assert _peaks(40, likely) == pytest.approx(every, rel=1e-8)
        assert _peaks(40, likely) >= every


def test_what_is_refuted_is_refuted_at_the_risk() -> None:
    for delta in (0.0, 1e-5):
        shown = epsilon_of_guesses(180, 200, 200, delta=delta, risk=0.01)
        at = [chance_of_guesses(180, 200, 200, epsilon=shown + x, delta=delta) for x in (0.0, 1e-6)]
        assert at[0] <= 0.01 < at[1]
    assert epsilon_of_guesses(100, 200, 200, delta=0.0, risk=0.01) == 0
    assert epsilon_of_guesses(180, 200, 200, delta=1e-2, risk=0.01) == 0


def test_it_never_cries_wolf_and_is_near() -> None:
    """Geometric noise at epsilon 1 in a cell for each canary: 200 audits at 0.9 raise few alarms, and show much."""
    chance = np.random.default_rng(3)
    audits, canaries = 200, 600
    shown = []
    for _ in range(audits):
        present = chance.random(canaries) < 0.5
        noise = chance.geometric(1 - math.exp(-1), (2, canaries))
        shown.append(judge_canaries(present, {"x": present + noise[0] - noise[1]}, epsilon=1, confidence="0.9").shown)
    assert sum(each > 1 for each in shown) <= binom.ppf(0.9999, audits, 0.1)
    assert 0.7 < float(np.median(shown)) < 1


PIPELINE = """
import csv, math, random, sys
chance = random.SystemRandom()
def noise(e):
    one, two = (int(math.log(1 - chance.random()) / -e) for _ in range(2))
    return one - two
level, known = float(sys.argv[1]), sys.argv[2] == "known"
towns = {f"t{i}": 0 for i in range(100)} if known else {}
for row in csv.DictReader(open("people.csv")):
    towns[row["town"]] = towns.get(row["town"], 0) + 1
with open("answers.csv", "w") as out:
    out.write("town,people\\n")
    for town, count in sorted(towns.items()):
        out.write(f"{town},{count + noise(level)}\\n")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people = "".join(f"p{i},t{i % 10}\n" for i in range(200))
    work = tmp_path / "work"
    work.mkdir()
    (work / "people.csv").write_text("who,town\n" + people, encoding="utf-8")
    (work / "questions.sql").write_text("SELECT town, COUNT(*) AS people FROM data GROUP BY town;\n", encoding="utf-8")
    (work / "pipeline.py").write_text(PIPELINE, encoding="utf-8")
    (tmp_path / "canaries.csv").write_text("who,town\n" + "".join(f"c{i},t{i}\n" for i in range(100)), encoding="utf-8")
    return work


def audited(folder: Path, line: str, **given: object) -> object:
    told = {"epsilon": 1, "seconds": 60, "confidence": "0.999999", "answers": ["answers.csv"], **given}
    return attack_pipeline(
        line, folder=folder, table="people.csv", canaries=folder.parent / "canaries.csv", person="who",
        questions="questions.sql", **told,  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("level", "cells", "score"),
    [("1", "known", ""), ("6", "known", "the numbers"), ("0.1", "found", "which cells appear")],
)
def test_a_pipeline_is_audited_in_one_run(folder: Path, level: str, cells: str, score: str) -> None:
    """Right; too little noise; and cells that appear because somebody is in them."""
    sure = "0.9999" if score else "0.999999"
    found = audited(folder, f"{sys.executable} pipeline.py {level} {cells}", confidence=sure)
    assert found.broken is bool(score), str(found)  # type: ignore[attr-defined]
    assert not score or found.score == score  # type: ignore[attr-defined]
    assert not (folder / "answers.csv").exists()


@pytest.mark.parametrize(
    ("line", "given", "words"),
    [
        ("exit 3", {}, "exit code 3"),
        ("sleep 9", {"seconds": 0.2}, r"within 0\.2 seconds"),
        ("true", {}, r"did not write answers\.csv"),
        ("echo town,n > answers.csv", {}, "no column 'people'"),
        ("true", {"answers": ["../a.csv"]}, "name of a file"),
        ("cp people.csv answers.csv; touch b.csv", {"answers": ["answers.csv", "b.csv"]}, "2 files of answers"),
    ],
)
def test_what_cannot_be_audited_is_said(folder: Path, line: str, given: dict[str, object], words: str) -> None:
    with pytest.raises(BadValue, match=words):
        audited(folder, line, **given)


def test_a_canary_is_nobody_else(folder: Path) -> None:
    (folder.parent / "canaries.csv").write_text("who,town\n" + "".join(f"p{i},t{i}\n" for i in range(100)))
    with pytest.raises(BadValue, match=r"canaries\.csv has people who are in the table already"):
        audited(folder, "true")


def test_who_was_planted_is_kept_and_read(tmp_path: Path) -> None:
    found = Planting.drawn(tuple(f"c{i}" for i in range(64)))
    assert 8 < sum(found.present) < 56
    assert Planting.load(found.save(tmp_path / "who.json")) == found
    (tmp_path / "bad.json").write_text('{"format": "banister canaries 1", "people": ["a"], "present": [1]}')
    with pytest.raises(BadValue, match="not a list of canaries"):
        Planting.load(tmp_path / "bad.json")
    with pytest.raises(BadValue, match="canaries = 3"):
        Planting.drawn(("a", "b", "c"))
    with pytest.raises(BadValue, match="a score for each"):
        judge_canaries([True] * 20, {"x": [1.0]}, epsilon=1)
