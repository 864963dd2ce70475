"""A guideline's questions with their answers: as a page to sign, as lines, or for programs."""

from dataclasses import dataclass
from pathlib import Path

from banister import need
from banister.audit.conformity.asked import Guideline, GuidelineQuestion, Replied, ReplyStanding
from banister.audit.conformity.facts import ConformFacts, gather
from banister.audit.conformity.guidelines import GUIDELINES
from banister.show.page import Block, Heading, Notice, PageTable, Paragraph, write_page


@dataclass(frozen=True, slots=True)
class ConformPage:
    """Every question of a guideline and what the files say.

    >>> import tempfile
    >>> from banister.audit import conform
    >>> from banister.release.demo import write_demo
    >>> page = conform(write_demo(tempfile.mkdtemp())[1], to="nist-800-226")
    >>> page.replies[0][1].text
    'All releases together keep epsilon 1, delta 1e-06; the ledger refuses what would exceed it.'
    """

    guideline: Guideline
    facts: ConformFacts
    replies: tuple[tuple[GuidelineQuestion, Replied], ...]

    def count(self, standing: ReplyStanding) -> int:
        """How many questions stand so."""
        return sum(reply.standing is standing for _, reply in self.replies)

    def summary(self) -> str:
        """One line of counts."""
        parts = [f"{self.count(each)} {each.value}" for each in ReplyStanding]
        return f"{self.guideline.title}: {len(self.replies)} questions; {'; '.join(parts)}."

    def __str__(self) -> str:
        lines = [self.summary(), self.guideline.source]
        part = ""
        for asked, reply in self.replies:
            lines += [f"\n{asked.part}"] if asked.part != part else []
            part = asked.part
            lines.append(f"- {asked.question}\n  {reply.text}" + (f" [{reply.evidence}]" if reply.evidence else ""))
        return "\n".join(lines)

    def as_record(self) -> dict[str, object]:
        """For programs."""
        rows = [
            {"part": asked.part, "question": asked.question, "reply": reply.text, "evidence": reply.evidence,
             "standing": reply.standing.value}
            for asked, reply in self.replies
        ]  # fmt: skip
        return {"guideline": self.guideline.title, "source": self.guideline.source, "replies": rows}

    def write(self, path: str | Path) -> Path:
        """A page of HTML that needs nothing from outside, with room for words and a signature."""
        blocks: list[Block] = [Paragraph(self.summary()), Paragraph(self.guideline.source, soft=True)]
        if self.count(ReplyStanding.OPEN):
            open_ones = [asked.question for asked, reply in self.replies if reply.standing is ReplyStanding.OPEN]
            blocks.append(Notice("To be settled:", " ".join(open_ones)))
        for part in dict.fromkeys(asked.part for asked, _ in self.replies):
            rows = [
                (asked.question, reply.text, reply.evidence or ("…" if reply.standing is ReplyStanding.OWNER else ""))
                for asked, reply in self.replies
                if asked.part == part
            ]
            blocks += [Heading(part), PageTable(("Question", "Answer", "Evidence"), rows, 3)]
        blocks += [
            Heading("Signed"),
            PageTable((), [("Name and office", ""), ("Place and date", ""), ("Signature", "")], 1),
            Paragraph(
                f"Made by banister {self.facts.version} from {self.facts.schema_name} (sha256 "
                f"{self.facts.schema_hash}). "
                "The files are evidence of what they say; that they are the right ones, and all of them, is for "
                "whoever "
                "signs.",
                soft=True,
            ),
        ]
        return write_page(Path(path), self.guideline.title, blocks)


def conform(schema: str | Path, *, to: str, releases: str | Path | None = None) -> ConformPage:
    """The questions of a guideline, 'nist-800-226' or 'dpia', answered from a schema, its ledger and its certificates.

    >>> import tempfile
    >>> from banister.release.demo import write_demo
    >>> print(conform(write_demo(tempfile.mkdtemp())[1], to="dpia").summary().split(";")[0])
    Data protection impact assessment: the technical part: 18 questions
    """
    guideline = GUIDELINES[need.one_of("to", to, tuple(GUIDELINES))]
    facts = gather(schema, releases)
    return ConformPage(guideline, facts, tuple((asked, asked.reply(facts)) for asked in guideline.questions))
