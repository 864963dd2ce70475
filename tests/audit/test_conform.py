"""Pages to sign: what they say follows from the files, and nothing is said that no file says."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.audit import certify, conform
from banister.audit.conformity.asked import OWNER, ReplyStanding
from banister.errors import BadValue
from banister.keys import SigningKey
from banister.release.demo import write_demo


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """The demo with one release, certified and signed."""
    path = write_demo(tmp_path)[1]
    dataset = bn.open(path)
    answers = dataset.release(dataset.plan("SELECT plan, COUNT(*) FROM data GROUP BY plan", epsilon="1/10"))
    files = answers.write(tmp_path / "counts.csv")
    with dataset.ledger() as book:
        certify(answers, book, files=files, key=SigningKey.generate()).save(tmp_path / "counts.certificate")
    return path


def said(page: bn.audit.ConformPage, question: str) -> tuple[str, ReplyStanding]:
    return next((reply.text, reply.standing) for asked, reply in page.replies if question in asked.question)


def test_every_question_is_answered_with_evidence_or_left_to_the_owner(schema: Path) -> None:
    for to in ("nist-800-226", "dpia"):
        page = conform(schema, to=to)
        for _, reply in page.replies:
            assert bool(reply.evidence) or reply.standing is not ReplyStanding.EVIDENCE
            assert (OWNER in reply.text) == (reply.standing is ReplyStanding.OWNER)
        assert page.count(ReplyStanding.OWNER) >= 5
        assert "Section" not in page.guideline.source


def test_what_is_said_follows_from_the_files(schema: Path) -> None:
    page = conform(schema, to="nist-800-226")
    assert said(page, "mechanisms")[0].startswith("Drawn by: Geometric") or "Staircase" in said(page, "mechanisms")[0]
    assert said(page, "used up")[0].startswith("Charges so far: 1; 10.0% used")
    assert "in at most 73.2 % of cases" in said(page, "leave somebody")[0], "e/(1 + e) and a little delta, rounded up"
    assert said(page, "vouches")[1] is ReplyStanding.EVIDENCE
    text = schema.read_text(encoding="utf-8").replace(
        'kind = "integer", range = [0, 50]', 'kind = "integer", from_data = true, range = [0, 50]'
    )
    schema.write_text(text, encoding="utf-8")
    assert said(conform(schema, to="nist-800-226"), "learnt from the data") == (
        "The bounds or values of visits were taken from the data, which no guarantee covers.",
        ReplyStanding.OPEN,
    )


def test_a_changed_certificate_and_a_missing_ledger_are_told(schema: Path) -> None:
    path = schema.with_name("counts.certificate")
    path.write_text(path.read_text().replace('"plan":"', '"plan":"0', 1))
    assert said(conform(schema, to="dpia"), "checked it")[1] is ReplyStanding.OPEN
    path.unlink()
    next(schema.parent.glob("*.ledger")).unlink()
    page = conform(schema, to="dpia")
    assert "cannot be read" in said(page, "limit is used up")[0]
    assert said(page, "protected?")[1] is ReplyStanding.OPEN
    with pytest.raises(BadValue, match="is not a folder"):
        conform(schema, to="dpia", releases=schema.parent / "nowhere")
    with pytest.raises(BadValue, match="nist-800-226"):
        conform(schema, to="iso")


def test_the_command_writes_a_page_to_sign(schema: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = CliRunner().invoke(build(), ["conform", str(schema), "--to", "nist-800-226", "--out", str(out)])
    assert done.exit_code == 0, done.output
    page = out.read_text(encoding="utf-8")
    assert "Signature" in page
    assert "no section of it is cited" in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    done = CliRunner().invoke(build(), ["conform", str(schema), "--to", "dpia", "--json"])
    assert len(json.loads(done.output)["replies"]) == 18
