"""`banister sketch` as a newcomer meets it."""

from pathlib import Path

import pytest

from banister.apps.cli import main


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["banister", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    shown = capsys.readouterr()
    return int(stopped.value.code or 0), shown.out, shown.err


def test_graph_and_matrix_from_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    edges = [f"{i} {(i + step) % 200}" for i in range(200) for step in range(1, 20)]
    Path("friends.edges").write_text("\n".join(edges), encoding="utf-8")
    Path("group.txt").write_text("\n".join(str(i) for i in range(100)), encoding="utf-8")
    Path("all.txt").write_text("\n".join(str(i) for i in range(200)), encoding="utf-8")
    Path("m.csv").write_text("a,b\n" + "\n".join("0.6,0.8" for _ in range(900)) + "\n", encoding="utf-8")
    made = ("ledger", "create", "l", "--epsilon", "20", "--delta", "0.1", "--neighbours", "replace")
    assert run(capsys, monkeypatch, *made, "--as-you-go", "basic", "--reserve", "9/10")[0] == 0
    level = ("--epsilon", "4", "--delta", "1e-3", "--ledger", "l", "--rows", "50")
    code, out, _ = run(capsys, monkeypatch, "sketch", "graph", "friends.edges", *level, "--nodes", "all.txt")
    assert code == 0
    assert "Wrote friends.sketch: 200 nodes, 50 rows" in out
    code, out, _ = run(capsys, monkeypatch, "sketch", "cut", "friends.sketch", "--nodes", "group.txt")
    assert code == 0
    assert out.startswith("cut ")
    assert "(confidence 0.95)" in out
    more = ("--neighbours", "replace", "--row-length", "1", "--header")
    code, _, err = run(capsys, monkeypatch, "sketch", "matrix", "m.csv", *level, *more)
    assert code != 0  # Edges and rows never share a total.
    assert "protects edge" in " ".join(err.split())
    made = ("ledger", "create", "r", *made[3:])
    assert run(capsys, monkeypatch, *made, "--as-you-go", "basic", "--reserve", "9/10")[0] == 0
    level = ("--epsilon", "4", "--delta", "1e-3", "--ledger", "r", "--rows", "50")
    code, out, _ = run(capsys, monkeypatch, "sketch", "matrix", "m.csv", *level, *more)
    assert code == 0
    code, out, _ = run(capsys, monkeypatch, "sketch", "variance", "m.sketch", "--direction", "3,4")
    assert out.startswith("variance ")
    code, _, err = run(capsys, monkeypatch, "sketch", "variance", "m.sketch", "--direction", "x")
    assert (code, err) == (2, "banister: --direction x must be numbers separated by commas, e.g. 1,0,-1.\n")
    code, _, err = run(capsys, monkeypatch, "sketch", "cut", "friends.sketch", "--nodes", "none.txt")
    assert (code, err) == (2, "banister: none.txt does not exist.\n")
