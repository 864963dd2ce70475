"""How the command line ends, and that hostile values do nothing to a terminal or a spreadsheet."""

import csv
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.apps.cli.ending import run
from banister.apps.cli.say import EXIT_CODES, fail
from banister.errors import (
    BadValue,
    BudgetExceeded,
    EngineFailed,
    LedgerDamaged,
    LedgerLocked,
    MissingExtra,
    Refused,
)

HOSTILE = ["[/b]", "[red]x[/red]", "\x1b[2J\x1b]0;owned\x07", "=1+1", "@SUM(A1)", "a\nb", "\u202eabc", "\\[x]"]


@pytest.mark.parametrize(
    ("kind", "code"),
    [(BadValue, 2), (Refused, 3), (BudgetExceeded, 4), (EngineFailed, 5), (LedgerDamaged, 6), (LedgerLocked, 6)],
)
def test_each_kind_of_error_has_its_code(kind: type[Exception], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(kind("It is \x1b[31m so.")) == code  # type: ignore[arg-type]
    assert capsys.readouterr().err == "banister: It is \\x1b[31m so.\n"


def test_other_errors_end_with_one_and_all_codes_are_documented() -> None:
    assert fail(MissingExtra("No.")) == 1
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    for code in (0, 1, 130, *(code for _, code in EXIT_CODES)):
        assert f"| {code} |" in page


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["g", "x"])
        writer.writerows([value, 1] for value in HOSTILE if "\n" not in value for _ in range(40))
    quoted = ", ".join(_toml(value) for value in HOSTILE)
    (tmp_path / "t.toml").write_text(
        f"""
[source]
table = "t.csv"
neighbours = "add-remove"
[budget]
epsilon = 50
ledger = "t.ledger"
[columns]
g = {{ kind = "category", values = [{quoted}] }}
""",
        encoding="utf-8",
    )
    return tmp_path


def _toml(value: str) -> str:
    return '"' + "".join(c if c.isalnum() or c in "[]/=+@() " else f"\\u{ord(c):04x}" for c in value) + '"'


def test_hostile_group_values_are_shown_and_harmless(hostile: Path) -> None:
    words = ["release", "t.toml", "SELECT g, COUNT(*) AS n FROM data GROUP BY g", "--epsilon", "20"]
    done = CliRunner().invoke(build(), [*words, "--out", "plain.csv"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "\x1b" not in done.output
    assert "\u202e" not in done.output
    for shown in ("[/b]", "[red]x[/red]", "\\x1b[2J", "\\u202eabc", "\\[x]", "a\\x0ab"):
        assert shown in done.output
    again = CliRunner().invoke(build(), [*words, "--out", "safe.csv", "--for-spreadsheets"], catch_exceptions=False)
    assert again.exit_code == 0
    for name, formulas in (("plain.csv", True), ("safe.csv", False)):
        with (hostile / name).open(encoding="utf-8", newline="") as file:
            cells = [row[0] for row in csv.reader(file)]
        assert any(cell.startswith(("=", "@")) for cell in cells) == formulas


DEEP = """
import ctypes, sys
from banister.apps.cli.ending import run
def engine():
    print("ready", flush=True)
    ctypes.CDLL(None).usleep.argtypes = [ctypes.c_uint]
    while True:  # C code that goes on after a signal, as an engine does.
        ctypes.CDLL(None).poll(None, 0, 900) if {hears} else [ctypes.CDLL(None).usleep(900000) for _ in range(1)]
run(engine)
"""


@pytest.mark.parametrize("hears", [True, False], ids=["hears it late", "sleeps in C"])
def test_ctrl_c_ends_within_a_second_in_one_line(hears: bool) -> None:
    """The quickest of five: a busy machine may hold any one of them up."""
    assert any(seconds_to_end(hears) < 1 for _ in range(5))


def seconds_to_end(hears: bool) -> float:
    program = [sys.executable, "-c", DEEP.format(hears=hears)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        start = time.monotonic()
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
        took = time.monotonic() - start
    assert running.returncode == 130
    assert told.decode().splitlines() == ["banister: Interrupted. What the ledger was charged stays charged."]
    return took


def test_a_command_run_inside_a_program_leaves_signals_and_threads_as_they_were() -> None:
    """A wakeup descriptor that stays behind after its socket is closed makes every later signal an error."""
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    first = signal.set_wakeup_fd(writer.fileno())
    threads = set(threading.enumerate())
    try:
        for _ in range(3):
            run(lambda: None)
        with pytest.raises(SystemExit):
            run(lambda: sys.exit(3))
        assert set(threading.enumerate()) == threads
        assert signal.set_wakeup_fd(first) == writer.fileno()
    finally:
        signal.set_wakeup_fd(first)
        reader.close()
        writer.close()
