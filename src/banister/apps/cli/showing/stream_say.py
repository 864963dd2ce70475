"""How streams look in a terminal, and the files of their answers."""

from dataclasses import dataclass
from pathlib import Path

from banister import clock
from banister.apps.cli.say import tell
from banister.apps.cli.showing.certificates import certificate_of, save_beside, schema_text, signing_key
from banister.apps.cli.showing.release_say import show_table
from banister.audit import certify_stream
from banister.errors import BadValue
from banister.files import check_target
from banister.release import Dataset, Stream, StreamAnswer
from banister.release.streams.report import WRITTEN, write_answers, write_stream_report


def check_ended(stream: Stream, period: int) -> None:
    """Refuse a period that goes on: what comes after its answer would count in the next one only."""
    days = stream.plan.periods
    if not 1 <= period <= days.periods:
        return  # The stream itself says what is wrong with it.
    last, today = days.days(period)[1].isoformat(), clock.now()[:10]
    if today <= last:
        raise BadValue(
            f"Period {period} of stream '{stream.name}' goes on until {last}, and today is {today}. Nothing was drawn. "
            "Wait for its end; or say --early, and what comes after that counts in the next period."
        )


def show_period(stream: Stream, answer: StreamAnswer) -> None:
    """Print the answer for one period."""
    first, last = answer.days
    tell(f"Period {answer.period} of {stream.plan.periods.periods}, {first} to {last}")
    show_table(answer.table)
    if answer.again:
        tell("It was released before: this is the answer that was drawn then. Nothing was drawn or charged.")


@dataclass(frozen=True, slots=True)
class StreamFiles:
    """Files that were asked for."""

    out: str
    page: str
    sign: str = ""
    """The file of the owner's key, where the certificate is to be signed."""

    def check(self, dataset: Dataset) -> None:
        """Refuse places that cannot be written to, before anything is drawn."""
        for path, endings in ((self.out, WRITTEN), (self.page, (".html",))):
            if path:
                check_target(Path(path), endings)
                dataset.check_output(path)
        if (certificate := certificate_of((self.out, self.page), self.sign)) is not None:
            check_target(certificate)
            dataset.check_output(certificate)

    def write(self, stream: Stream) -> None:
        """Write them with their certificate, and say so."""
        written = [write_answers(stream, Path(self.out))] if self.out else []
        written += [write_stream_report(stream, Path(self.page))] if self.page else []
        if written:
            schema, key = schema_text(stream.dataset), signing_key(self.sign)
            with stream.dataset.ledger() as book:
                proof = certify_stream(stream, book, files=written, schema=schema, key=key)
            written.append(save_beside(proof, written))
        for path in written:
            tell(f"Wrote {path}")
