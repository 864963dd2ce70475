"""Wide tables: what the budget buys, and that the copy keeps what was joined."""

from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest

from banister.accounting.filters import AsYouGo
from banister.accounting.ledger import Ledger
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.publish.fitting.choosing import shares_of
from banister.publish.job import Wish, publish
from banister.publish.wide import COLUMNS, ROUNDS, plan_wide, sanitize_wide
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain


def column(name: str, size: int) -> Attribute:
    return Attribute(name=name, kind=Kind.INTEGER, edges=range(size + 1), nulls=False)


DOMAIN = Domain((*(column(f"c{i}", 20) for i in range(7)), column("flag", 2)))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """c0 and c1 move together; the rest is independent."""
    rng = np.random.default_rng(7)
    rows = rng.integers(0, 20, (4000, 8))
    rows[:, 1] = (rows[:, 0] + rng.integers(0, 2, 4000)) % 20
    rows[:, 7] = rows[:, 7] % 2
    lines = [",".join(DOMAIN.names), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "wide.csv"


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_all_releases_together_cost_the_guarantee(neighbours: Neighbours) -> None:
    plan = plan_wide(DOMAIN, epsilon=1, delta=1e-6, neighbours=neighbours)
    moved = 1 if neighbours is Neighbours.ADD_REMOVE else 2
    # Columns: `moved` cells by 1 each. Scores: 28 numbers by `moved` each, so moved² · 28.
    spent = 8 * moved / Fraction(plan.noise(COLUMNS, 8).sigma) ** 2
    for scoring, measuring in ROUNDS:
        spent += 28 * moved**2 / Fraction(plan.noise(scoring, 28 * moved).sigma) ** 2
        for share in shares_of([(0, 1), (0, 7), (2, 3, 7)], DOMAIN.shape, measuring):
            spent += moved / Fraction(plan.noise(share, 1).sigma) ** 2
    assert COLUMNS + sum(scoring + measuring for scoring, measuring in ROUNDS) == 1
    assert spent <= plan.mu_squared
    assert PrivacyLoss.gaussian(spent).delta_at(1).up <= 1e-6
    assert plan.loss().delta_at(1).up <= 1e-6


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_the_joined_pair_is_found_and_kept(table: Path, neighbours: Neighbours) -> None:
    ledger = Ledger.create("memory:", budget=Guarantee(9, 1e-5), neighbours=neighbours, questions=AsYouGo())
    plan = plan_wide(DOMAIN, epsilon=2, delta=1e-6, neighbours=neighbours)
    copy, fidelity = sanitize_wide(plan, table, ledger=ledger)
    assert copy.joined[0] == (0, 1)
    assert ledger.remaining().charges == 1
    if neighbours is Neighbours.REPLACE:
        assert copy.codes[0].size == 4000
    first = next(m for m in fidelity.two_way if m.name == "c0 × c1")
    # Independence would be off by about 0.9; groups of values cost some of the closeness.
    assert first.variation < 0.6
    assert fidelity.mean_variation(fidelity.one_way) < 0.06


def test_from_the_command_to_files(table: Path) -> None:
    folder = table.parent
    lines = "".join(
        f'{a.name} = {{ kind = "integer", range = [0, {a.size - 1}], nulls = false }}\n' for a in DOMAIN.attributes
    )
    (folder / "wide.toml").write_text(f'[source]\nneighbours = "replace"\n[columns]\n{lines}', encoding="utf-8")
    Ledger.create(folder / "l", budget=Guarantee(3, 1e-5), neighbours=Neighbours.REPLACE, questions=AsYouGo()).close()
    wish = Wish(
        table=table,
        epsilon="1",
        delta="1e-6",
        out=folder / "public.parquet",
        columns=(),
        schema=None,
        neighbours="",
        ledger=str(folder / "l"),
        wide=True,
        histogram=None,
        report=folder / "report.html",
        prior=None,
        raw=False,
    )
    assert dict(publish(wish, plan_only=True))["columns"] == "8, with 2.56e+09 combinations"
    rows = dict(publish(wish, plan_only=False))
    assert "c0–c1" in rows["joined"]
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT count(*), max(c0) FROM '{folder / 'public.parquet'}'").fetchall()
    assert found[0][0] == 4000
    assert found[0][1] <= 19
    assert "up to a chance of 1e-06" in (folder / "report.html").read_text(encoding="utf-8")


def test_an_empty_table_is_a_secret_only_where_it_is_one(tmp_path: Path) -> None:
    empty = tmp_path / "wide.csv"
    empty.write_text(",".join(DOMAIN.names) + "\n", encoding="utf-8")
    for neighbours in Neighbours:
        ledger = Ledger.create("memory:", budget=Guarantee(9, 1e-5), neighbours=neighbours, questions=AsYouGo())
        plan = plan_wide(DOMAIN, epsilon=1, delta=1e-6, neighbours=neighbours)
        if neighbours is Neighbours.ADD_REMOVE:
            assert sanitize_wide(plan, empty, ledger=ledger)[0].codes[0].size >= 1
        else:
            with pytest.raises(BadValue, match="The table has no records"):
                sanitize_wide(plan, empty, ledger=ledger)


def test_a_circle_of_pairs_and_a_triple_are_found(tmp_path: Path) -> None:
    """Three columns are joined in a ring. Of three more, one is mostly the others' parity, which pairs hardly show."""
    rng = np.random.default_rng(9)
    ring = rng.integers(0, 4, (3, 60_000))
    ring[1] = np.where(rng.random(60_000) < 0.6, ring[0], ring[1])
    ring[2] = np.where(rng.random(60_000) < 0.4, ring[0], np.where(rng.random(60_000) < 0.5, ring[1], ring[2]))
    parity = rng.integers(0, 2, (3, 60_000))
    # A hint in each pair, so that the three come into one clique and can be scored together.
    parity[1] = np.where(rng.random(60_000) < 0.3, parity[0], parity[1])
    hint = np.where(rng.random(60_000) < 0.5, parity[0], parity[1])
    parity[2] = np.where(rng.random(60_000) < 0.7, parity[0] ^ parity[1], hint)
    domain = Domain(tuple(column(f"r{i}", 4) for i in range(3)) + tuple(column(f"p{i}", 2) for i in range(3)))
    rows = np.vstack([ring, parity]).T
    np.savetxt(tmp_path / "t.csv", rows, fmt="%d", delimiter=",", header=",".join(domain.names), comments="")
    ledger = Ledger.create("memory:", budget=Guarantee(9, 1e-5), neighbours=Neighbours.REPLACE, questions=AsYouGo())
    plan = plan_wide(domain, epsilon=4, delta=1e-6, neighbours=Neighbours.REPLACE)
    copy, _ = sanitize_wide(plan, tmp_path / "t.csv", ledger=ledger)
    assert {(0, 1), (0, 2), (1, 2)} <= set(copy.joined)
    assert (3, 4, 5) in copy.joined
    agree = np.mean(copy.codes[5] == (copy.codes[3] ^ copy.codes[4]))
    assert abs(agree - np.mean(parity[2] == (parity[0] ^ parity[1]))) < 0.01


def test_what_the_owner_names_counts_more() -> None:
    plan = plan_wide(
        DOMAIN, epsilon=1, delta=1e-6, neighbours=Neighbours.REPLACE, target="flag", workload=[("c1", "c0", "c5")]
    )
    assert plan.counts((3, 7)) == plan.counts((0, 5)) == plan.counts((0, 1, 5)) == 2
    assert plan.counts((2, 3)) == plan.counts((0, 2)) == plan.counts((0, 1, 2)) == 1
    assert dict(plan.rows())["for"].startswith("flag: ")
    assert dict(plan.rows())["workload"] == "c0*c1*c5: counts double"
    assert plan.key() != plan_wide(DOMAIN, epsilon=1, delta=1e-6, neighbours=Neighbours.REPLACE).key()
    with pytest.raises(BadValue, match=r"'c9' is no column that is published\. Those are: c0, c1"):
        plan_wide(DOMAIN, epsilon=1, delta=1e-6, neighbours=Neighbours.REPLACE, target="c9")
