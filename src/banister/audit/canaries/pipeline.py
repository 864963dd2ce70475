"""One run of a whole pipeline in a copy of its folder, with planted people in its table."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from banister import need
from banister.audit.canaries.duckdb import plant, scores
from banister.audit.canaries.judging import CanaryFinding, judge_canaries
from banister.audit.targets.bounded import run_within
from banister.core.exact.numbers import Number
from banister.errors import BadValue
from banister.foreign import read_text


def attack_pipeline(
    line: str,
    *,
    folder: str | Path,
    table: str,
    canaries: str | Path,
    person: str,
    questions: str,
    answers: Sequence[str],
    epsilon: Number,
    delta: Number = 0,
    confidence: Number = "0.99",
    seconds: float = 600.0,
) -> CanaryFinding:
    """Run a command line once in a copy of a folder whose table has planted people, and guess from its answers who.

    `table`, `questions` and `answers` are names of files in the folder; the questions, in SQL about `data`, say what
    the answers are about. Whatever else the folder holds (a schema, a ledger, a script) is copied as it is.

    >>> import tempfile
    >>> work = Path(tempfile.mkdtemp())
    >>> _ = (work / "t.csv").write_text("who,town\\n" + "".join(f"p{i},{i % 200}\\n" for i in range(400)))
    >>> _ = (work / "c.csv").write_text("who,town\\n" + "".join(f"c{i},{i}\\n" for i in range(200)))
    >>> _ = (work / "q.sql").write_text("SELECT who, town AS seen FROM data")
    >>> line = "sed '1s/town/seen/' t.csv > a.csv"
    >>> found = attack_pipeline(
    ...     line, folder=work, table="t.csv", canaries=work / "c.csv", person="who", questions="q.sql",
    ...     answers=["a.csv"], epsilon=1,
    ... )
    >>> found.broken
    True
    """
    need.positive("seconds", seconds)
    home = Path(folder)
    for name in (table, questions, *answers):
        if Path(name).name != name:
            raise BadValue(f"{name} must be the name of a file in the folder, without a way to it.")
    if not home.is_dir():
        raise BadValue(f"{folder} is not a folder.")
    asked = [each for each in read_text(home / questions, "questions in SQL").split(";") if each.strip()]
    with tempfile.TemporaryDirectory() as place:
        work = Path(place) / "work"
        shutil.copytree(home, work)
        for name in answers:
            (work / name).unlink(missing_ok=True)
        base = Path(place) / f"base{Path(table).suffix}"
        shutil.move(work / table, base)
        found = plant(base, Path(canaries), person, work / table)
        _run(line, work, answers, seconds)
        read = scores(base, Path(canaries), person, found, asked, [work / name for name in answers])
    return judge_canaries(found.present, read, epsilon=epsilon, delta=delta, confidence=confidence)


def _run(line: str, work: Path, answers: Sequence[str], seconds: float) -> None:
    done = run_within(line, "", seconds=seconds, folder=str(work))
    if done is None:
        raise BadValue(f"The pipeline did not end within {seconds:g} seconds; allow more --seconds.")
    if done.code:
        raise BadValue(f"The pipeline ended with exit code {done.code}: {done.err.strip()[-300:]}")
    for name in answers:
        if not (work / name).is_file():
            raise BadValue(f"The pipeline ended well and did not write {name}.")
