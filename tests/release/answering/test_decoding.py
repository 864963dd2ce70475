"""Counts of a release, decoded within the schema's number of people: better on average, told, and intervals hold."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.errors import BadValue
from tests.seeded import SeededBits

SCHEMA = """
[source]
table = "beds.csv"
person = "id"
neighbours = "add-remove"
{people}
rows = 1

[columns]
ward = {{ kind = "category", values = ["east", "west"] }}
age = {{ kind = "integer", range = [0, 99] }}

[budget]
epsilon = 50
delta = 1e-6
ledger = "beds.ledger"
"""


def hospital(folder: Path, *, people: str = "people = 10") -> bn.Dataset:
    (folder / "beds.csv").write_text("id,ward,age\n" + "".join(f"{i},east,{40 + i}\n" for i in range(3)))
    (folder / "beds.toml").write_text(SCHEMA.format(people=people))
    return bn.open(folder / "beds.toml")


def test_decoded_counts_are_better_and_their_intervals_hold(tmp_path: Path) -> None:
    beds = hospital(tmp_path)
    plan = beds.plan("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward", epsilon="0.2")
    book, bits, truth = beds.create_ledger(), SeededBits(2), np.array([3, 0])
    plain, said, held = [], [], []
    for _ in range(60):
        answers = beds.release(plan, ledger=book, bits=bits)
        clever = answers.decoded("worst")
        plain.append([row["n"] for row in answers.table])
        said.append([row["n"] for row in clever.table])
        low, high = np.array([row["n"] for row in clever[0].intervals], dtype=float).T
        held.append((low <= truth) & (truth <= high))
        assert np.all((low >= 0) & (high <= 10))
    # At its worst count a decoder errs by 2.56 on average, the noisy count by 4.97: 120 draws tell them apart.
    assert np.abs(np.array(said) - truth).mean() < 3.3 < np.abs(np.array(plain) - truth).mean()
    assert np.mean(held) > 0.9
    assert clever.tables[0].adjusted(0) == "decoded"
    assert answers.tables[0].adjusted(0) == ""
    book.close()


def test_means_and_the_like_stay_as_they_are(tmp_path: Path) -> None:
    beds = hospital(tmp_path)
    plan = beds.plan("SELECT COUNT(*) AS n, AVG(age) AS a FROM data", epsilon=2)
    answers = beds.release(plan, bits=SeededBits(1))
    clever = answers.decoded("average")
    assert clever.tables[0].decoded == {"n"}
    assert clever.table[0]["a"] == answers.table[0]["a"]
    assert clever.table[0]["n"] == int(clever.table[0]["n"])  # type: ignore[arg-type]


def test_what_cannot_be_decoded_is_refused_before_the_charge(tmp_path: Path) -> None:
    beds = hospital(tmp_path, people="")
    plan = beds.plan("SELECT COUNT(*) AS n FROM data", epsilon=1)
    answers = beds.release(plan)
    with pytest.raises(BadValue, match="does not say how many people"):
        answers.decoded("average")
    with pytest.raises(BadValue, match="decode = 'best' must be one of"):
        answers.decoded("best")  # type: ignore[arg-type]
    schema = str(tmp_path / "beds.toml")
    words = ["release", schema, "SELECT COUNT(*) FROM data", "--epsilon", "1", "--decode", "worst"]
    refused = CliRunner().invoke(build(), words)
    assert "does not say how many people" in str(refused.exception)
    (tmp_path / "beds.ledger").unlink()
    hospital(tmp_path)
    refused = CliRunner().invoke(build(), [*words[:2], "SELECT SUM(age) FROM data", *words[3:]])
    assert "nothing to decode" in str(refused.exception)
    assert not (tmp_path / "beds.ledger").exists()
    done = CliRunner().invoke(build(), words)
    assert "Counts were decoded after the noise was drawn" in done.output, done.output
