"""Answers from a table that get finer: each rung's noise is what its plan says, and only the finest is paid."""

import json
import stat
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.errors import BadValue, BudgetExceeded
from banister.release.demo import write_demo
from banister.release.finer import RungPlan, drawn_rungs
from banister.release.run import Exact
from banister.release.work import Totals
from tests.seeded import SeededBits

ASKED = "SELECT plan, COUNT(*) AS n, AVG(visits) AS v FROM data GROUP BY plan"


@pytest.fixture
def health(tmp_path: Path) -> bn.Dataset:
    return bn.open(write_demo(tmp_path / "health")[1])


def rungs(health: bn.Dataset, sql: str = ASKED, epsilons: tuple[str, ...] = ("0.1", "0.5")) -> RungPlan:
    return health.plan_rungs(sql, epsilons=epsilons)


def test_only_the_finest_rung_is_paid_and_the_table_is_read_once(health: bn.Dataset) -> None:
    first = health.release_rungs(rungs(health, epsilons=("0.1", "0.3", "0.5")))
    assert (first.epsilon, first.finer) == (Fraction(1, 10), (Fraction(3, 10), Fraction(1, 2)))
    assert stat.S_IMODE(first.sealed.stat().st_mode) == 0o600
    (health.folder / "randhie.parquet").unlink()
    second, third = health.refine(first.sealed), health.refine(first.sealed)
    assert (second.epsilon, third.finer) == (Fraction(3, 10), ())
    assert health.remaining().largest_epsilon == Fraction(1, 2)
    assert [row["plan"] for row in third.table] == ["free", "shared", "deductible"]
    wide = [float(np.ptp(one[0].intervals[0]["n"])) for one in (first, second, third)]  # type: ignore[arg-type]
    assert wide == sorted(wide, reverse=True)
    with pytest.raises(BadValue, match="has no finer rung"):
        health.refine(first.sealed)


def test_every_rung_keeps_its_epsilon_and_is_drawn_as_its_plan_says(health: bn.Dataset) -> None:
    plan = rungs(health)
    for rung, epsilon in zip(plan.rungs, plan.epsilons, strict=True):
        assert rung.loss.epsilon_at(0).up == pytest.approx(float(epsilon), rel=1e-12)
    cells, measures = 20_000, len(plan.finest.parts[0].measured)
    nothing = Exact(Totals(values=np.zeros((measures, cells), dtype=np.int64), labels=None), ())
    drawn = drawn_rungs(plan, 0, nothing, SeededBits(7))
    for rung, noisy in zip(plan.rungs, drawn, strict=True):
        for paid, row in zip(rung.parts[0].measured, noisy, strict=True):
            # The fourth moment of Laplace noise is 6 times its squared variance: 5 % is over three deviations.
            assert np.mean(row.astype(float) ** 2) == pytest.approx(paid.noise.risk_for("squared"), rel=0.05)


def test_a_finer_rung_is_the_coarser_one_without_some_noise(health: bn.Dataset) -> None:
    """Given the fine answer, the coarse one says nothing more: their difference does not depend on it."""
    plan = rungs(health, "SELECT COUNT(*) FROM data", ("0.5", "1"))
    nothing = Exact(Totals(values=np.zeros((1, 40_000), dtype=np.int64), labels=None), ())
    coarse, fine = (one[0].astype(float) for one in drawn_rungs(plan, 0, nothing, SeededBits(3)))
    assert abs(np.corrcoef(coarse - fine, fine)[0, 1]) < 0.02
    assert abs(np.corrcoef((coarse - fine) ** 2, fine**2)[0, 1]) < 0.03


def test_a_finer_rung_that_does_not_fit_stays_sealed(health: bn.Dataset) -> None:
    first = health.release_rungs(rungs(health, epsilons=("0.1", "2")))
    before = first.sealed.read_bytes()
    with pytest.raises(BudgetExceeded, match=r"takes 1\.9 of epsilon more"):
        health.refine(first.sealed)
    assert first.sealed.read_bytes() == before


def test_what_has_no_rungs_is_refused_before_anything_is_charged(health: bn.Dataset, tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="asks for a quantile"):
        rungs(health, "SELECT MEDIAN(visits) FROM data")
    with pytest.raises(BadValue, match="each larger than the one before"):
        rungs(health, epsilons=("1", "0.1"))
    taken = tmp_path / "taken.rungs"
    taken.write_text("{}")
    with pytest.raises(BadValue, match="never written over"):
        health.release_rungs(rungs(health), sealed=taken)
    with pytest.raises(BadValue, match="the schema"):
        health.release_rungs(rungs(health), sealed=health.folder / "health.toml")
    health.create_ledger().close()
    with pytest.raises(BadValue, match="not a file of sealed rungs from a table"):
        health.refine(taken)
    assert health.remaining().charges == 0


def test_the_command_releases_and_refines(tmp_path: Path) -> None:
    schema = str(write_demo(tmp_path / "health")[1])
    run, sealed = CliRunner(), str(tmp_path / "plans.rungs")
    first = run.invoke(build(), ["release", schema, ASKED, "--rungs", "0.1, 0.5", "--sealed", sealed])
    assert first.exit_code == 0, first.output
    assert "Still sealed: epsilon 0.5." in first.output
    out = str(tmp_path / "fine.csv")
    fine = run.invoke(build(), ["release", schema, "--refine", sealed, "--json", "--out", out])
    found = json.loads(fine.stdout)
    assert (found["epsilon"], found["finer"], len(found["answers"][0])) == ("1/2", [], 3)
    assert Path(out).read_text().startswith("plan,n,")
    for words, said in (
        (["release", schema, ASKED, "--rungs", "0.1,1", "--epsilon", "1"], "--epsilon does not go with --rungs"),
        (["release", schema, ASKED, "--refine", sealed], "leave the question and --rungs out"),
        (["release", schema, "--rungs", "0.1,1"], "The question is missing"),
        (["release", schema, "--epsilon", "1"], "The question is missing"),
    ):
        refused = run.invoke(build(), words)
        assert said in " ".join((refused.output + str(refused.exception)).split())


def test_refine_alone_knows_both_kinds_of_files(health: bn.Dataset) -> None:
    first = health.release_rungs(rungs(health))
    ledger = str(health.folder / "health.ledger")
    found = CliRunner().invoke(build(), ["refine", str(first.sealed), "--ledger", ledger])
    assert "deductible" in found.output
    assert "cost epsilon 0.5 together" in " ".join(found.output.split())
