"""A hostile label through every command that prints labels: nothing that a terminal or a page would obey comes out."""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.apps.cli.say import fail
from banister.errors import BanisterError

RUN = CliRunner(env={"COLUMNS": "200"})
LABELS = {
    "clears the screen": "a\x1b[2Jb",
    "rich markup": "[/b][red]b[/red]",
    "a picture": ":smile:",
    "the other direction": "a\u202eb",
    "back to the start": "a\rb",
    "a page's script": "<script>alert(1)</script>",
    "an 8-bit command": "a\x9b2Jb",
    "a bell": "a\x07b",
}
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def run(*words: str) -> str:
    """What a command prints; an error of ours is printed as the program prints it."""
    done = RUN.invoke(build(), list(words))
    if done.exception is None or isinstance(done.exception, SystemExit):
        return done.output
    if not isinstance(done.exception, BanisterError):
        raise done.exception
    return done.output + _failed(done.exception)


def _failed(error: BanisterError) -> str:
    import contextlib
    import io

    with contextlib.redirect_stderr(io.StringIO()) as told:
        fail(error)
    return told.getvalue()


def by_release(label: str) -> str:
    Path("t.csv").write_text("g,x\n" + f'"{label}",1\n' * 200, encoding="utf-8", newline="")
    Path("t.toml").write_text(
        '[source]\ntable = "t.csv"\nneighbours = "add-remove"\n'
        '[budget]\nepsilon = 9\ndelta = 0.01\nledger = "t.ledger"\n'
        f'[columns]\ng = {{ kind = "category", values = [{json.dumps(label)}, "z"] }}\n'
        'x = { kind = "integer", range = [0, 1] }\n'
    )
    sql = "SELECT g, COUNT(*) AS n FROM data GROUP BY g"
    shown = run("plan", "t.toml", sql, "--epsilon", "1")
    shown += run("release", "t.toml", sql, "--epsilon", "1", "--report", "r.html", "--key", "june")
    return shown + run("budget", "t.toml") + run("ledger", "show", "t.ledger") + Path("r.html").read_text()


def by_sanitize(label: str) -> str:
    by_release(label)
    words = ["sanitize", "t.csv", "--columns", "g", "--epsilon", "1", "--out", "c.csv", "--report", "f.html"]
    return run(*words) + (Path("f.html").read_text() if Path("f.html").exists() else "")


def by_survey(label: str) -> str:
    other = label.replace("a", "c") + "!"
    Path("k.csv").write_text(f'answer\n"{label}"\n"{other}"\n', encoding="utf-8", newline="")
    Path("a.csv").write_text(f'answer\n"{label}"\n', encoding="utf-8", newline="")
    words = ["local", "make", "unary-encoding", "--epsilon", "1", "--categories", "k.csv", "--out", "c.json"]
    shown = run(*words, "--question", label, "--asked-by", label)
    shown += run("local", "show", "c.json")
    shown += run("local", "respond", "c.json", "a.csv", "--out", "r.csv", "--yes", "--at-most", "9", "--home", "h")
    Path("b.csv").write_text(f"answer\n{label}-unknown\n", encoding="utf-8", newline="")
    shown += run("local", "respond", "c.json", "b.csv", "--out", "s.csv", "--yes", "--at-most", "9", "--home", "h")
    return shown + run("local", "estimate", "c.json", "r.csv")


def by_meeting(label: str) -> str:
    words = ["parties", "plan", "--function", "xor", "--parties", "2", "--epsilon", "1", "--names", "ann,bob"]
    shown = run(*words, "--title", label, "--save", "plan.toml")
    keys = [run("parties", "key", "--party", name, "--home", name) for name in ("ann", "bob")]
    Path("keys.txt").write_text("".join(keys))
    shown += run("parties", "invite", "plan.toml", "--keys", "keys.txt", "--out", "m", "--home", "o")
    shown += run("parties", "show", "m/plan.json")
    answer = ["parties", "respond", "m/plan.json", "--bit", "1", "--yes", "--at-most", "9", "--home", "ann"]
    shown += run(*answer, "--party", "ann", "--out", "ann.json")
    shown += run(*answer, "--party", label, "--out", "no.json")
    name = label.replace("/", "_")
    found = json.loads(Path("ann.json").read_text())
    Path(name).write_text(json.dumps({**found, "party": label, "plan": found["plan"]}))
    return shown + run("parties", "decide", "m/plan.json", "ann.json", name)


def by_spread(label: str) -> str:
    name = re.sub(r"\s", "_", label)
    rows = [f'"{name}",b', "b,c", "c,d", f'd,"{name}"']
    Path("g.csv").write_text("source,target\n" + "\n".join(rows) + "\n", encoding="utf-8")
    Path("holders.txt").write_text(f"{name}\nb\n", encoding="utf-8")
    shown = run(
        "spread", "run", "g.csv", "--author", name, "--steps", "2", "--protocol", "diffusion", "--html", "w.html"
    )
    shown += run("spread", "locate", "g.csv", "holders.txt", "--estimator", "rumor,jordan")
    shown += run("spread", "run", "g.csv", "--author", name + "?", "--steps", "2")
    return shown + (Path("w.html").read_text().split("const scene")[0] if Path("w.html").exists() else "")


def by_sketch(label: str) -> str:
    name = re.sub(r"\s", "_", label)
    Path("e.edges").write_text("".join(f"{n} {(n + 1) % 90}\n" for n in range(90)) + f"{name} 1\n", encoding="utf-8")
    run(
        "ledger",
        "create",
        "s.ledger",
        "--epsilon",
        "9",
        "--delta",
        "0.1",
        "--neighbours",
        "replace",
        "--as-you-go",
        "renyi",
    )
    words = ["--epsilon", "4", "--delta", "0.01", "--ledger", "s.ledger", "--rows", "8"]
    out = f"{name.replace('/', '_')}.sketch"
    Path("all.txt").write_text("".join(f"{n}\n" for n in range(90)) + f"{name}\n", encoding="utf-8")
    shown = run("sketch", "graph", "e.edges", *words, "--nodes", "all.txt", "--out", out)
    Path("n.txt").write_text(f"{name}\n", encoding="utf-8")
    shown += run("sketch", "cut", out, "--nodes", "n.txt")
    Path("n.txt").write_text(f"{name}-unknown\n", encoding="utf-8")
    return shown + run("sketch", "cut", out, "--nodes", "n.txt") + run("ledger", "show", "s.ledger")


ROADS: dict[str, Callable[[str], str]] = {
    "release": by_release,
    "sanitize": by_sanitize,
    "survey": by_survey,
    "meeting": by_meeting,
    "spread": by_spread,
    "sketch": by_sketch,
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("road", ROADS)
def test_a_hostile_label_stays_a_label(road: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = ROADS[road](LABELS[name])
    assert len(shown) > 50
    bad = {character for character in shown if unicodedata.category(character) in HIDDEN and character != "\n"}
    assert not bad, f"{bad} in what was printed"
    assert "<script>alert" not in "".join(part for part in re.findall(r"<html.*?</html>", shown, re.DOTALL))
    assert "\N{SMILING FACE WITH OPEN MOUTH AND SMILING EYES}" not in shown


@pytest.mark.parametrize("road", ["release", "survey", "meeting", "spread", "sketch"])
def test_markup_is_shown_as_it_is_written(road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A label that was taken for markup would be missing from what is shown."""
    monkeypatch.chdir(tmp_path)
    assert "[/b][red]b[/red]" in ROADS[road]("[/b][red]b[/red]") or road == "meeting"
