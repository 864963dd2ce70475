"""`banister sanitize` as a newcomer meets it."""

import stat
from pathlib import Path

import pytest

from banister.apps.cli import main

SCHEMA = """
[source]
neighbours = "replace"
[budget]
ledger = "t.ledger"
[columns]
sex = { kind = "category", values = ["f", "m"], nulls = false }
age = { kind = "integer", range = [0, 99], bins = [0, 18, 65] }
"""


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["banister", *words])
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stopped:
        main()
    shown = capsys.readouterr()
    return int(stopped.value.code or 0), shown.out, shown.err


def test_from_nothing_to_a_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{'fm'[i % 2]},{i % 90}" for i in range(500)]
    Path("t.csv").write_text("sex,age\n" + "\n".join(rows) + "\n", encoding="utf-8")
    Path("t.toml").write_text(SCHEMA, encoding="utf-8")
    code, _, err = run(capsys, monkeypatch, "sanitize", "t.csv", "--epsilon", "1", "--out", "public.csv")
    assert code == 6
    assert err.startswith("banister: The ledger 't.ledger' is not there. Make it once with: banister ledger create")
    made = (
        "ledger",
        "create",
        "t.ledger",
        "--epsilon",
        "4",
        "--delta",
        "1e-6",
        "--neighbours",
        "replace",
        "--as-you-go",
        "renyi",
    )
    assert run(capsys, monkeypatch, *made)[0] == 0
    code, out, _ = run(capsys, monkeypatch, "sanitize", "t.csv", "--epsilon", "1", "--plan")
    assert code == 0
    assert "8 (sex 2 × age 4)" in out
    assert "records" not in out
    words = ("sanitize", "t.csv", "--epsilon", "1", "--out", "public.csv", "--report", "report.html")
    code, out, _ = run(capsys, monkeypatch, *words)
    assert code == 0
    assert "public.csv: 500 records" in out
    assert max(map(len, out.splitlines())) <= 80
    assert len(Path("public.csv").read_text(encoding="utf-8").splitlines()) == 501
    # The report shows true counts, so that nobody but its owner may read it, whatever the mask.
    assert stat.S_IMODE(Path("report.html").stat().st_mode) == 0o600
    code, _, err = run(capsys, monkeypatch, "sanitize", "t.csv", "--epsilon", "1", "--out", "p.csv", "--columns", "zip")
    assert (code, err[:45]) == (2, "banister: Column 'zip' has no declaration. Ad")


def test_the_readme_on_the_bundled_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys, monkeypatch, "demo", "health")[0] == 0
    monkeypatch.chdir(tmp_path / "health")
    level = ("--epsilon", "1", "--delta", "1e-6", "--neighbours", "add-remove", "--as-you-go", "renyi")
    assert run(capsys, monkeypatch, "ledger", "create", "health.ledger", *level)[0] == 0
    what = ("--schema", "health.toml", "--columns", "plan,health,limited", "--epsilon", "1/2")
    where = ("--out", "public.parquet", "--report", "report.html")
    code, out, _ = run(capsys, monkeypatch, "sanitize", "randhie.parquet", *what, *where)
    assert code == 0
    assert "60 (plan 4 × health 5 × limited 3)" in out
    # There are 5 764 people; the copy's number is noisy by ± 22 (standard deviation), six of them are allowed.
    records = int(out.split("public.parquet: ")[1].split(" records")[0].replace(",", ""))
    assert abs(records - 5764) < 6 * 22
    assert "For the owner of the table only" in Path("report.html").read_text(encoding="utf-8")
