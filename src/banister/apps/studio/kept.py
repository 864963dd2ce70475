"""Answers that were paid for, kept beside the schema before anybody sees them: `health.answers/<key>.json`.

The order makes one payment one answer, whatever ends in between. What is asked is written first; then it is released
under the same key, which charges once and gives the same answer however often it is called; then the page is kept where
there is none yet, and what is kept is shown. Where two do so at once, the first to keep wins, and both show that one.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from banister import clock
from banister.accounting.ledger import Ledger
from banister.apps.studio.given import charts_given, report_text, table_texts
from banister.apps.studio.workbench import AskForm
from banister.audit.certifying import certify
from banister.errors import BadValue
from banister.files import Access, folder, new_text, whole_bytes
from banister.release.answering.answers import Answers
from banister.show.charts import IntervalChart

FORMAT = 1
REPORT = "report.html"
PREFIX = "studio-"
_NAME = re.compile(r"[0-9a-f]{32}")


def checked_key(key: str) -> str:
    """The name of a form, as a file may have it; nothing else becomes a part of a path."""
    if not _NAME.fullmatch(key):
        raise BadValue("There is no answer under this name.")
    return key


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """A page and the files of a release, as they were first drawn."""

    question: str
    at: str
    proof: str
    report: str
    tables: tuple[str, ...]
    """The answers of each question, as the text of a CSV file."""
    certificate: str = ""
    """By which laws they were drawn and what paid for them, with the hashes of these files; older answers have none."""
    charts: tuple[IntervalChart, ...] = ()
    """What the pictures of the report show, to be drawn as files; older answers have none."""


class KeptAnswers:
    """The folder of answers beside a schema."""

    __slots__ = ("place",)

    def __init__(self, schema: Path) -> None:
        self.place = schema.with_suffix(".answers")

    def asks(self, key: str, asked: AskForm) -> None:
        """Write down what is about to be asked under a key; the same again is no harm, something else is refused."""
        folder(self.place, access=Access.OWNER)
        write_wish(self._file(key, "asked"), asdict(asked))

    def asked(self, key: str) -> AskForm | None:
        """What was asked under a key, or nothing."""
        found = read_wish(self._file(key, "asked"))
        return None if found is None else AskForm(**found)

    def keep(self, key: str, asked: AskForm, answers: Answers, *, ledger: Ledger, schema: str) -> KeptAnswer:
        """Keep an answer, unless one is kept under the key; give the one that is kept, which alone may be shown."""
        report, tables = report_text(answers), table_texts(answers)
        made = KeptAnswer(
            question=asked.question,
            at=clock.now(),
            proof=answers.proof,
            report=report,
            tables=tables,
            certificate=_certificate(answers, {REPORT: report, **table_names(tables)}, ledger, schema),
            charts=charts_given(answers),
        )
        try:
            text = json.dumps({"format": FORMAT, "answer": asdict(made)}, indent=1)
            new_text(self._file(key, "answer"), text, access=Access.OWNER)
        except FileExistsError:
            found = self.find(key)
            assert found is not None
            return found
        return made

    def find(self, key: str) -> KeptAnswer | None:
        """The answer that is kept under a key, or nothing."""
        found = _read(self._file(key, "answer"))
        if found is None:
            return None
        charts = tuple(IntervalChart(**chart) for chart in found["answer"].get("charts", ()))
        texts = {name: str(value) for name, value in found["answer"].items() if name not in ("tables", "charts")}
        return KeptAnswer(**texts, tables=tuple(found["answer"]["tables"]), charts=charts)

    def _file(self, key: str, kind: str) -> Path:
        return self.place / f"{checked_key(key)}.{kind}.json"


def write_wish(path: Path, wish: Mapping[str, object]) -> None:
    """Write down what is about to be asked; the same again is no harm, something else is refused."""
    try:
        new_text(path, json.dumps({"format": FORMAT, "asked": wish}, indent=1), access=Access.OWNER)
    except FileExistsError:
        if read_wish(path) != json.loads(json.dumps(wish)):
            raise BadValue(
                "Another question was asked by this form before. Nothing was paid. Go back and ask anew."
            ) from None


def read_wish(path: Path) -> dict[str, Any] | None:
    """What was asked, or nothing where nobody wrote it down."""
    found = _read(path)
    return None if found is None else found["asked"]


def _read(path: Path) -> dict[str, dict[str, Any]] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise BadValue(f"The kept answer '{path}' cannot be read. Restore it from a copy.") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadValue(f"The kept answer '{path}' is of another version, or not ours.")
    return found


def table_names(tables: Sequence[str]) -> dict[str, str]:
    """The names under which tables are downloaded, each with its text."""
    return {f"answers-{place}.csv": text for place, text in enumerate(tables, start=1)}


def _certificate(answers: Answers, files: Mapping[str, str], ledger: Ledger, schema: str) -> str:
    """The certificate that `banister release` writes, of files as they are downloaded here."""
    with TemporaryDirectory(prefix="banister-") as place:
        for name, text in files.items():
            whole_bytes(Path(place) / name, text.encode("utf-8"), access=Access.OWNER)
        return certify(answers, ledger, files=[Path(place) / name for name in files], schema=schema).text()
