"""What a release gives, as texts and as pictures: its report, its tables and its charts, as the commands write them."""

from pathlib import Path
from tempfile import TemporaryDirectory

from banister.release.answering.answers import Answers
from banister.release.answering.picture import charts_of
from banister.show.charts import IntervalChart


def charts_given(answers: Answers) -> tuple[IntervalChart, ...]:
    """What the pictures of the report show, in their order."""
    parts = zip(answers.tables, answers.plan.parts, strict=True)
    return tuple(chart for table, part in parts for chart in charts_of(table, part, answers.plan.confidence))


def report_text(answers: Answers) -> str:
    """The page that `banister release --report` writes."""
    with TemporaryDirectory(prefix="banister-") as place:
        return answers.report(Path(place) / "answers.html").read_text(encoding="utf-8")


def table_texts(answers: Answers) -> tuple[str, ...]:
    """The files that `banister release --out` writes."""
    with TemporaryDirectory(prefix="banister-") as place:
        return tuple(path.read_text(encoding="utf-8") for path in answers.write(Path(place) / "answers.csv"))
