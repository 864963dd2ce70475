"""`banister stream` from plan to report, as somebody runs it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.errors import BadValue
from banister.release.streams.example import write_visits

SQL = "SELECT COUNT(*) AS visits FROM data"


def run(*words: str) -> str:
    done = CliRunner().invoke(build(), ["stream", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_stream_from_plan_to_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_visits(tmp_path)
    schema = str(tmp_path / "visits.toml")
    figure = tmp_path / "error.svg"
    planned = run("plan", schema, SQL, "--epsilon", "1", "--delta", "1e-6", "--figure", str(figure))
    assert "one charge for 12 periods" in planned
    assert figure.exists()
    assert not (tmp_path / "visits.ledger").exists()
    assert "is paid for" in run("start", schema, SQL, "--name", "weekly", "--epsilon", "1", "--delta", "1e-6")
    out, page = tmp_path / "weekly.csv", tmp_path / "weekly.html"
    monkeypatch.setattr("banister.clock.now", lambda: "2026-01-18T09:00:00.000000Z")
    first = run("release", schema, "--name", "weekly", "--out", str(out), "--page", str(page))
    assert "Period 1 of 12, 2026-01-05 to 2026-01-11" in first
    with pytest.raises(BadValue, match=r"Period 2 .* goes on until 2026-01-18, and today is 2026-01-18\. Nothing was"):
        run("release", schema, "--name", "weekly")
    run("release", schema, "--name", "weekly", "--early")
    assert "It was released before" in run("release", schema, "--name", "weekly", "--period", "1")
    run("release", schema, "--name", "weekly", "--period", "4", "--leave-out", "--early")
    shown = run("show", schema, "--name", "weekly", "--out", str(out), "--page", str(page))
    assert shown.count("Period ") == 3
    rows = out.read_text().splitlines()
    assert rows[0].startswith("period,from,to,visits,")
    assert [row.split(",")[0] for row in rows[1:]] == ["1", "2", "4"]
    assert "typical error of visits" in page.read_text()


def test_files_of_the_dataset_are_not_written_over(tmp_path: Path) -> None:
    write_visits(tmp_path)
    schema = str(tmp_path / "visits.toml")
    run("start", schema, SQL, "--name", "weekly", "--epsilon", "0.5")
    with pytest.raises(BadValue, match=r"is the table 'data' itself"):
        run("show", schema, "--name", "weekly", "--out", str(tmp_path / "visits.csv"))
