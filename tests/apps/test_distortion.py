"""`banister distortion` as a newcomer meets it."""

from pathlib import Path

import pytest

from banister.apps.cli import main


def test_it_says_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    figure = str(tmp_path / "d.png")
    monkeypatch.setattr("sys.argv", ["banister", "distortion", "--cells", "2", "--records", "40", "--figure", figure])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    out = capsys.readouterr().out
    assert "fixed total, repaired by the best remap" in out
    assert Path(figure).stat().st_size > 10_000
