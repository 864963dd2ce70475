"""A certificate is accepted as it was written and proves what the account says; anything changed is refused."""

import itertools
import json
import math
import random
import sqlite3
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from typer.testing import CliRunner

import banister as bn
from banister.accounting.charge import largest_finite_loss
from banister.apps.cli import build
from banister.audit import Proof, Told, certificate_beside, certify, verify
from banister.audit.checkers import envelope, release
from banister.audit.verifying import checked
from banister.core.privacy.loss import own_delta
from banister.errors import BadValue, BanisterError, LedgerDamaged
from banister.keys import SigningKey
from banister.release.answering.answers import Answers
from banister.release.demo import write_demo
from banister.release.payments.shaped import ShapedCells
from tests.contract.drawn import planned
from tests.contract.test_law_plans import CLOSED, OPEN, OPEN_SUMS, QUARTER, ROWS, SUMS, alternatives, shaped_plan

CASES = [
    (question, rows, groups, neighbours, delta)
    for question, (rows, groups), neighbours, delta in itertools.product(
        (*CLOSED, ROWS, QUARTER, OPEN, OPEN_SUMS), ((1, 1), (3, 2)), ("add-remove", "replace"), ("0", "0.02")
    )
    if delta != "0" or question not in (OPEN, OPEN_SUMS)
]


@pytest.mark.parametrize(("question", "rows", "groups", "neighbours", "delta"), CASES)
def test_the_checker_finds_the_loss_that_the_plan_states(
    question: str, rows: int, groups: int, neighbours: str, delta: str
) -> None:
    """Two roads: what the account adds up from losses, and what the checker makes of names and numbers alone."""
    whole = planned(question, rows=rows, groups=groups, neighbours=neighbours, delta=delta)
    for plan in alternatives(whole):
        stated = json.loads(json.dumps([paid.stated() for part in plan.parts for paid in part.payments]))
        given = release.draws(stated)
        largest = [(each[3], each[4], each[2]) if len(each) > 3 else each for each in given]  # Of a shape its own loss.
        epsilon, lost, mu = (sum((each[place] for each in largest), Fraction(0)) for place in range(3))
        bells = sum((square * n for law, n in plan.loss.terms if (square := law.gaussian()) is not None), Fraction(0))
        rest = bn.PrivacyLoss.of_terms((law, n) for law, n in plan.loss.terms if law.gaussian() is None)
        assert mu == bells
        assert epsilon == largest_finite_loss(rest)
        away = sum((n * own_delta(law) for law, n in rest.terms), Fraction(0))
        assert 0.9 * away <= lost <= away
        if largest == given:
            spared = math.prod((1 - own_delta(law)) ** n for law, n in rest.terms)
            assert 0 <= spared - math.prod(1 - each[1] for each in largest) < Fraction(1, 10**100)
        release.keeps(given, plan.guarantee.epsilon, plan.guarantee.delta, "here")
        if not mu:
            with pytest.raises(ValueError, match="epsilon is below what the draws give away"):
                release.keeps(largest, epsilon * Fraction(10**9 - 1, 10**9), Fraction(1), "here")


def test_normal_tails_and_exponentials_hold_the_truth_between_them() -> None:
    with mpmath.workdps(900):

        def near(value: Fraction) -> mpmath.mpf:
            return mpmath.mpf(value.numerator) / value.denominator

        for x in (Fraction(0), Fraction(1, 3), Fraction(-2), Fraction(7), Fraction(22, 3)):
            low, high = map(near, release.normal_tail(x))
            true = mpmath.erfc(near(x) / mpmath.sqrt(2)) / 2
            assert low <= true <= high < true * (1 + mpmath.mpf(10) ** -100)
        for x in (Fraction(0), Fraction(1, 7), Fraction(-31, 3), Fraction(90)):
            low, high = map(near, release.exp_up_down(x))
            assert low <= mpmath.exp(near(x)) <= high < low * (1 + mpmath.mpf(10) ** -90)
        for square, epsilon in ((Fraction(1, 100), Fraction(1, 2)), (Fraction(4), Fraction(10))):
            m, e = mpmath.sqrt(near(square)), near(epsilon)
            true = mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)
            assert true <= near(release.gaussian_delta(square, epsilon)) <= true * (1 + mpmath.mpf(10) ** -80)


QUESTION = "SELECT plan, COUNT(*) AS n, AVG(visits) AS m, MEDIAN(visits) AS q FROM data GROUP BY plan"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A released table with its certificate, and its answers in a file."""
    place = tmp_path_factory.mktemp("released")
    dataset = bn.open(write_demo(place)[1])
    answers = dataset.release(dataset.plan(QUESTION, epsilon="1/2"))
    save(dataset, answers, place / "answers.csv")
    return place


def save(dataset: bn.Dataset, answers: Answers, out: Path, key: SigningKey | None = None) -> Path:
    files = answers.write(out)
    with dataset.ledger() as book:
        assert dataset.path is not None
        schema = dataset.path.read_text(encoding="utf-8")
        return certify(answers, book, files=files, schema=schema, key=key).save(certificate_beside(out))


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    for name in ("answers.csv", "answers.certificate", "health.toml"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    return tmp_path


def test_answers_are_verified_by_the_certificate_beside_them(folder: Path) -> None:
    said = verify(folder / "answers.csv")
    assert "keeps epsilon 1/2, and line 1 of a ledger charges epsilon 1/2" in said
    assert "answers.csv is as it was certified." in said
    assert "Taken on trust" in said
    assert verify(folder / "answers.certificate") == said


def test_the_ledger_is_walked_where_it_is_given(folder: Path, tmp_path: Path) -> None:
    with bn.Ledger.open(folder / "health.ledger") as book:
        assert "The ledger holds that line" in verify(folder / "answers.csv", ledger=book)
    guarantee, relation = bn.Guarantee(1), bn.Neighbours.ADD_REMOVE
    with bn.Ledger.create(
        tmp_path / "other", budget=guarantee, neighbours=relation, questions=[(guarantee, 1)]
    ) as other:
        other.charge(guarantee, label="another", neighbours=relation)
        with pytest.raises(LedgerDamaged, match="does not hold charge 1"):
            verify(folder / "answers.csv", ledger=other)


def command(out: Path, ledger: Path) -> str:
    """What `banister verify answers.csv --ledger health.ledger` says."""
    done = CliRunner().invoke(build(), ["verify", str(out), "--ledger", str(ledger)], catch_exceptions=False)
    return done.output


def test_one_byte_changed_in_the_ledger_file_is_refused(copied: Path, folder: Path) -> None:
    """In the line that paid, wherever in it; the chain's hash names the line."""
    body = envelope.opened((copied / "answers.certificate").read_text())["witness"]["line"]["body"].encode()
    path = copied / "copy.ledger"
    with sqlite3.connect(folder / "health.ledger") as source, sqlite3.connect(path) as target:
        source.backup(target)
    content = path.read_bytes()
    start = content.index(body)
    assert "The ledger holds that line" in command(copied / "answers.csv", path)
    for place in range(start, start + len(body), len(body) // 8):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(BanisterError, match=r"line 1|charge 1|Line 1|ledger"):
            command(copied / "answers.csv", path)


def test_a_witness_that_is_attached_is_consulted(copied: Path, folder: Path) -> None:
    """A ledger put back to an older copy holds the line, and every hash of it: its witness alone knows better."""
    path, older = copied / "copy.ledger", copied / "older.ledger"
    with sqlite3.connect(folder / "health.ledger") as source, sqlite3.connect(path) as target:
        source.backup(target)
    with bn.Ledger.open(path, witness=copied / "second.witness") as book:
        relation, protects = book.terms.neighbours, book.protects
        book.charge(bn.Guarantee("1/100"), label="one", neighbours=relation, protects=protects)
        with sqlite3.connect(path) as source, sqlite3.connect(older) as target:
            source.backup(target)
        book.charge(bn.Guarantee("1/100"), label="two", neighbours=relation, protects=protects)
    assert "all of its 3 charges" in command(copied / "answers.csv", path)
    with pytest.raises(BanisterError, match="witness"):
        command(copied / "answers.csv", older)


def test_every_changed_byte_of_a_certificate_is_refused_with_its_place(copied: Path) -> None:
    path = copied / "answers.certificate"
    text = path.read_text(encoding="utf-8")
    chance = random.Random(7)
    for place in chance.sample(range(len(text)), 300):
        other = chr((ord(text[place]) - 31) % 94 + 32)
        path.write_text(text[:place] + other + text[place + 1 :], encoding="utf-8")
        with pytest.raises(BadValue, match="is refused: "):
            verify(path)


def test_every_changed_byte_of_the_answers_is_refused(copied: Path) -> None:
    path = copied / "answers.csv"
    content = path.read_bytes()
    for place in range(0, len(content), 7):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(BadValue, match=r"answers.csv was changed after it was certified"):
            verify(path)
    path.write_bytes(content)
    verify(path)


def forged(path: Path, change: dict[str, object]) -> str:
    """The certificate with parts of it replaced, and every digest made anew."""
    body = envelope.opened(path.read_text(encoding="utf-8"))
    for where, value in change.items():
        part, *names = where.split(".")
        inner = body[part]
        for name in names[:-1]:
            inner = inner[int(name) if name.isdigit() else name]
        inner[names[-1]] = value
    return envelope.sealed(body["kind"], body["claim"], body["witness"])


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"claim.guarantee.epsilon": "49/100"}, "claim.guarantee.epsilon is below what the draws give away, 1/2"),
        ({"claim.guarantee.epsilon": "-1"}, "claim.guarantee.epsilon is below 0"),
        ({"claim.plan": "0" * 64}, "witness.line.body is not the charge for claim.plan"),
        ({"claim.plan": ""}, "witness.line.body is not the charge for claim.plan"),
        ({"claim.answers": []}, "claim.answers is not an object"),
        ({"witness.draws": []}, "witness.draws is not a list of draws"),
        ({"witness.draws.0.cells": 2}, "claim.guarantee.epsilon is below what the draws give away"),
        ({"witness.draws.0.cells": 0}, r"witness.draws\[0\].cells is not a whole number from 1 on"),
        ({"witness.draws.0.noise.law": "Laplace"}, r"witness.draws\[0\].noise.law is not one of"),
        ({"witness.draws.0.noise.epsilon": "2"}, "below what the draws give away"),
        ({"witness.draws.0.sensitivity": 10**9}, r"witness.draws\[0\].sensitivity is above that of the noise"),
        ({"witness.draws.0.noise.step_width": 0}, "step_width is not a whole number"),
        ({"witness.line.sequence": 2}, "witness.line.hash is not the hash of the line"),
        ({"witness.line.previous": "0"}, "witness.line.hash is not the hash of the line"),
        ({"witness.line.body": "{}"}, "witness.line.hash is not the hash of the line"),
    ],
)
def test_a_forger_who_makes_the_digests_anew_is_answered(folder: Path, change: dict[str, object], place: str) -> None:
    with pytest.raises(BadValue, match=place):
        checked(forged(folder / "answers.certificate", change))


def rewritten(body: dict[str, object]) -> dict[str, object]:
    """A line of a ledger that says something else, with its own right hash."""
    from banister.accounting.chain import digest

    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    line: dict[str, object] = {"sequence": 1, "previous": "ab", "body": text, "hash": digest(1, "ab", text)}
    return {f"witness.line.{name}": value for name, value in line.items()}


@pytest.mark.parametrize(
    ("epsilon", "delta", "place"),
    [
        ("49/100", "0", "witness.line.body.epsilon is below what the draws give away"),
        ("inf", "0", "witness.line.body charges less than the draws give away"),
        ("1e", "0", "witness.line.body.epsilon is not a whole number"),
    ],
)
def test_a_line_that_charges_too_little_is_refused(folder: Path, epsilon: str, delta: str, place: str) -> None:
    plan = envelope.opened((folder / "answers.certificate").read_text())["claim"]["plan"]
    line = rewritten({"kind": "charge", "plan": plan, "epsilon": epsilon, "delta": delta})
    with pytest.raises(BadValue, match=place):
        checked(forged(folder / "answers.certificate", line))


def test_a_line_whose_stated_guarantee_is_too_little_is_refused() -> None:
    given: list[tuple[Fraction, ...]] = [(Fraction(0), Fraction(0), Fraction(1, 10))]
    body = {"kind": "charge", "plan": "p", "epsilon": "inf", "delta": "0"}

    def asked(keeps: object) -> tuple[int, str]:
        named = rewritten(body | ({} if keeps is None else {"keeps": keeps}))
        return release.line({name.removeprefix("witness.line."): value for name, value in named.items()}, "p", given)

    assert asked(None) == asked({"epsilon": "2", "delta": "1/100000"}) == (1, "the Gaussian loss")
    with pytest.raises(ValueError, match=r"line.body.keeps is below what the Gaussian draws give away"):
        asked({"epsilon": "1/2", "delta": "1/100000"})


@pytest.mark.parametrize("question", [SUMS, OPEN])
def test_gaussian_draws_beyond_their_guarantee_are_refused(question: str) -> None:
    whole = planned(question, rows=3, groups=2, delta="0.02", epsilon="1")
    plan = next(each for each in alternatives(whole) if any(part.joint for part in each.parts))
    stated = json.loads(json.dumps([paid.stated() for part in plan.parts for paid in part.payments]))
    release.keeps(release.draws(stated), plan.guarantee.epsilon, plan.guarantee.delta, "here")
    for draw in (each for each in stated if "squares" in each):
        draw["noise"]["sigma"] = str(Fraction(draw["noise"]["sigma"]) * Fraction(999, 1000))
    with pytest.raises(ValueError, match=r"here is below|is exceeded by what one person alone has"):
        release.keeps(release.draws(stated), plan.guarantee.epsilon, plan.guarantee.delta, "here")


def test_shaped_draws_are_added_up_and_refused_beyond_their_level() -> None:
    """The account's composition and the checker's, in long whole numbers, are two roads to one delta."""
    paid = shaped_plan("add-remove").parts[0].measured[0]
    assert isinstance(paid, ShapedCells)
    stated = json.loads(json.dumps(paid.stated()))
    ((epsilon, delta, mu, top, beyond),) = release.draws([stated])
    assert (epsilon, delta, mu) == (paid.level.epsilon, paid.level.delta, Fraction(0))
    assert top == largest_finite_loss(paid.loss())
    assert float(beyond) == pytest.approx(float(sum(n * own_delta(law) for law, n in paid.loss().terms)), rel=1e-3)
    heights = [int(each) for each in stated["noise"]["heights"]]
    found = release.shaped_delta(heights, Fraction(stated["noise"]["unit"]), stated["cells"], epsilon, delta)[0]
    assert float(found) == pytest.approx(paid.loss().delta_at(epsilon).up, rel=1e-9)
    for change in ({"epsilon": "1"}, {"cells": stated["cells"] + 1}, {"delta": "1/1000"}, {"sensitivity": 2}):
        with pytest.raises(ValueError, match=r"delta is below what so many cells give away|sensitivity is above"):
            release.draws([stated | change])


def test_of_a_law_that_is_added_up_both_ends_are_cut_to_the_safe_side() -> None:
    """Cutting moves a few losses up or counts them whole: the delta grows, by next to nothing."""
    heights, unit = [round(64 * (n + n * n / 9)) for n in range(12)], Fraction(1, 64)
    step = max(b - a for a, b in itertools.pairwise(heights))
    first = [Fraction(0)] * (2 * step + 1)
    whole = sum(math.exp(-heights[abs(n)] / 64) for n in range(-11, 12))
    for n in range(-11, 11):
        first[heights[abs(n + 1)] - heights[abs(n)] + step] += Fraction(math.exp(-heights[abs(n)] / 64) / whole)
    law, one = [1.0], [float(each) for each in first]
    for _ in range(6):
        law = list(np.convolve(law, one))
    lost = -math.expm1(6 * math.log1p(-math.exp(-heights[-1] / 64) / whole))
    for epsilon in (1, 5, 12):
        true = lost + sum(p * max(0, 1 - math.exp(epsilon - (i - 6 * step) / 64)) for i, p in enumerate(law))
        for asked in ("1e-3", "1e-9"):
            found = float(release.shaped_delta(heights, unit, 6, Fraction(epsilon), Fraction(asked))[0])
            assert true * (1 - 1e-9) < found < true * (1 + 1e-7) + 1e-7 * float(asked)
        coarse = float(release.shaped_delta(heights, unit, 6, Fraction(epsilon), Fraction(10**8))[0])
        assert coarse > true


@pytest.mark.parametrize(
    ("question", "groups", "epsilon"),
    [
        ("SELECT plan, COUNT(*), SUM(visits) FROM data GROUP BY plan", 3, "1/2"),
        ("SELECT visits, COUNT(*) FROM data GROUP BY visits", 40, "12"),
    ],
    ids=["truncated", "shaped"],
)
def test_the_ledgers_line_pays_for_several_cells_with_a_delta(
    tmp_path: Path, question: str, groups: int, epsilon: str
) -> None:
    """The ledger charges 1 - (1 - delta)^3 for three cells, and a shape for forty has losses up to thousands."""
    schema = write_demo(tmp_path)[1]
    text = (
        schema.read_text().replace(', values = ["free", "shared", "deductible"]', "").replace("rows = 5 ", "rows = 1 ")
    )
    schema.write_text(text.replace("groups = 1 ", f"groups = {groups} ").replace("epsilon = 1.0", "epsilon = 100"))
    dataset = bn.open(schema)
    answers = dataset.release(dataset.plan(question, epsilon=epsilon, delta="1e-7"))
    with dataset.ledger() as book:
        proof = certify(answers, book)
    assert "of a ledger charges epsilon" in proof.says()


def test_a_bar_that_is_too_low_is_refused() -> None:
    for plan in alternatives(planned(OPEN, rows=1, groups=2, delta="0.02", epsilon="1")):
        stated = json.loads(json.dumps(plan.parts[0].measured[0].stated()))
        release.draws([stated])
        stated["bar"] -= 1
        with pytest.raises(ValueError, match=r"bar (can be|is) exceeded"):
            release.draws([stated])


def test_a_signature_holds_for_what_was_signed_alone(folder: Path, tmp_path: Path) -> None:
    dataset = bn.open(write_demo(tmp_path)[1])
    key, other = SigningKey.generate(), SigningKey.generate()
    answers = dataset.release(dataset.plan(QUESTION, epsilon="1/4"))
    path = save(dataset, answers, tmp_path / "signed.csv", key)
    assert f"Signed by {key.public}." in verify(tmp_path / "signed.csv", by=key.public)
    assert "Compare that key" in verify(path)
    with pytest.raises(BadValue, match=r"is signed by .* and not by"):
        verify(path, by=other.public)
    with pytest.raises(BadValue, match="nobody has signed it"):
        verify(folder / "answers.certificate", by=key.public)
    path.write_text(forged(path, {"claim.schema": "[source]"}), encoding="utf-8")
    with pytest.raises(BadValue, match=r"witness.signature does not hold"):
        verify(path)


def test_hashes_take_the_place_of_texts_where_asked(folder: Path, tmp_path: Path) -> None:
    dataset = bn.open(write_demo(tmp_path)[1])
    answers = dataset.release(dataset.plan(QUESTION, epsilon="1/4"))
    with dataset.ledger() as book:
        proof = certify(answers, book, told=Told.HASHES)
    assert isinstance(proof, Proof)
    assert "visits" not in json.dumps([proof.claim["questions"], proof.claim["schema"]])
    assert str(proof.claim["schema"]).startswith("sha256:")
    assert "Proven" in proof.says()


def test_an_address_loses_its_password(tmp_path: Path) -> None:
    dataset = bn.open(write_demo(tmp_path)[1])
    answers = dataset.release(dataset.plan("SELECT COUNT(*) FROM data", epsilon="1/4"))
    with dataset.ledger() as book:
        proof = certify(answers, book, schema='table = "postgresql://ann:secret@db/stays"')
    assert proof.claim["schema"] == 'table = "postgresql://db/stays"'


def test_files_that_have_no_certificate_are_refused(tmp_path: Path) -> None:
    (tmp_path / "lone.csv").write_text("a\n1\n")
    with pytest.raises(BadValue, match=r"lone.csv is refused: there is no certificate beside it .* lone.certificate"):
        verify(tmp_path / "lone.csv")
    with pytest.raises(BadValue, match="does not exist"):
        verify(tmp_path / "gone.csv")
