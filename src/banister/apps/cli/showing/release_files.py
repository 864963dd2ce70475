"""Where the answers of `banister release` go: checked before the charge, and kept until all of it is written."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from banister.apps.cli.showing.release_say import show_answers
from banister.errors import BadValue
from banister.release.answering.decoding import aim_of

if TYPE_CHECKING:
    from banister.release.answering.answers import Answers
    from banister.release.dataset import Dataset
    from banister.release.planning.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The files that were asked for, and the key under which their content is kept."""

    dataset: "Dataset"
    key: str
    once: bool
    """Whether the key was made for this one run, so that nobody will fetch the answers once they are written."""
    out: str
    report: str
    sign: str = ""
    """The file of the owner's key, where the certificate is to be signed."""
    json: bool = False
    """Whether the answers are printed as one document."""

    def check(self, plan: "Plan") -> None:
        """Refuse names, folders and types that cannot be written, and disks without room."""
        from banister.files import check_space, check_target
        from banister.release.answering.keeping import answer_bytes
        from banister.tables.frames.write import check_tables, table_paths

        size = answer_bytes(plan)
        if self.out:
            check_tables(Path(self.out), len(plan.parts), size=size)
        if self.report:
            check_target(Path(self.report), (".html",))
            check_space(Path(self.report), size)
        if self._certificate is not None:
            check_target(self._certificate)
            self.dataset.check_output(self._certificate)
        elif self.sign:
            raise BadValue("--sign signs a certificate, which stands beside the answers. Give --out or --report too.")
        for name, count in ((self.out, len(plan.parts)), (self.report, 1)):
            for path in table_paths(Path(name), count) if name else ():
                self.dataset.check_output(path)

    def deliver(self, answers: "Answers", *, for_spreadsheets: bool, decode: str = "") -> None:
        """Write and show the answers. What fails here costs nothing more: the answers are kept."""
        try:
            answers = answers.decoded(aim_of(decode)) if decode else answers
            files = answers.write(self.out, for_spreadsheets=for_spreadsheets) if self.out else []
            written = files + ([answers.report(self.report)] if self.report else [])
            written += self._certify(answers, written)
        except (BadValue, OSError) as error:
            raise BadValue(f"{error} The answers are paid for and kept: fetch them with --key {self.key}.") from None
        show_answers(answers, written, json=self.json)
        if self.once:
            self.dataset.given(answers, self.key)

    @property
    def _certificate(self) -> Path | None:
        """Where the certificate goes: beside the first file of answers."""
        from banister.audit.certifying import certificate_beside

        return certificate_beside(self.out or self.report) if self.out or self.report else None

    def _certify(self, answers: "Answers", files: "list[Path]") -> "list[Path]":
        from banister.audit.certifying import certify
        from banister.local.collect.files import own_key

        if self._certificate is None:
            return []
        schema = self.dataset.path
        with self.dataset.ledger() as book:
            proof = certify(
                answers,
                book,
                files=files,
                schema="" if schema is None else schema.read_text(encoding="utf-8"),
                key=own_key(Path(self.sign)) if self.sign else None,
            )
        return [proof.save(self._certificate)]
