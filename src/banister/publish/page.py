"""The fidelity report: bars before and after, error bars, plain words. It shows the truth, for the owner alone."""

from collections.abc import Sequence

from banister.publish.fidelity import Fidelity, Marginal
from banister.show.charts import PairedBars
from banister.show.page import Block, Card, Cards, Heading, Legend, Notice, PageTable, Paragraph

Facts = Sequence[tuple[str, str]]
_NORMAL = 1.96
"""So many deviations hold 95 of 100 releases."""


def fidelity_blocks(fidelity: Fidelity, *, facts: Facts, cost: Facts, meaning: str) -> list[Block]:
    """The page. `facts` say what was done, `cost` what the ledger says, `meaning` what the guarantee means."""
    one, two = (fidelity.mean_variation(m) for m in (fidelity.one_way, fidelity.two_way))
    blocks: list[Block] = [
        Paragraph(f"How close the published copy is to the {fidelity.records:,} records it was made of.", soft=True),
        Notice(
            "For the owner of the table only.",
            "This page shows true counts next to published ones, and nothing protects them here. The published copy is "
            "safe to share; this page is not.",
        ),
        Paragraph(
            f"On average a single column is off by {one:.2%} of the records and a pair of columns by {two:.2%}: so "
            "many records would have to be changed to turn one into the other."
        ),
        Heading("What the guarantee means"),
        Paragraph(meaning),
        Heading("What was done"),
        PageTable((), facts, 2),
        Heading("What it cost"),
        PageTable((), cost, 2),
        Heading("Farthest off"),
        _worst(fidelity.worst(6)),
        *_alternatives(fidelity),
        Heading("Column by column"),
        Legend(
            "Records in each group:",
            (
                ("--before", "before"),
                ("--bar", "published, with the range in which 95 of 100 releases would be before repair."),
            ),
        ),
        Cards([_card(marginal) for marginal in fidelity.one_way]),
    ]
    if fidelity.two_way:
        blocks += [Heading("Pairs of columns"), _pairs(fidelity.two_way)]
    return blocks


def _worst(marginals: Sequence[Marginal]) -> PageTable:
    rows = []
    for marginal in marginals:
        label, before, after = marginal.worst()
        rows.append((marginal.name, label, f"{marginal.variation:.2%}", f"{before:,}", f"{after:,}"))
    return PageTable(("columns", "group farthest off", "off by", "before", "published"), rows, 2)


def _alternatives(fidelity: Fidelity) -> list[Block]:
    if len(fidelity.alternatives) < 2:
        return []
    ours = fidelity.alternatives[0][1] or 1
    rows = [(name, f"{error:,.6g}", f"{error / ours:.3f}") for name, error in fidelity.alternatives]
    return [
        Heading("Other ways at the same guarantee"),
        Paragraph("Expected sum of all errors in all groups of records, before repair, and how many times ours it is."),
        PageTable(("mechanism", "error in records", "times"), rows, 1),
    ]


def _card(marginal: Marginal) -> Card:
    bars = PairedBars(
        f"{marginal.name}, before and after",
        [marginal.attributes[0].label(code) for code in range(marginal.before.size)],
        marginal.before.tolist(),
        marginal.after.tolist(),
        _NORMAL * (marginal.deviation or 0.0),
    )
    return Card(marginal.name, f"off by {marginal.variation:.2%}", bars)


def _pairs(marginals: Sequence[Marginal]) -> PageTable:
    ordered = sorted(marginals, key=lambda m: -m.variation)
    rows = [
        (
            m.name,
            f"{m.before.size:,}",
            "" if m.deviation is None else f"± {_NORMAL * m.deviation:,.3g}",
            f"{m.variation:.2%}",
        )
        for m in ordered
    ]
    shares = [3 * m.variation for m in ordered]
    return PageTable(("columns", "groups", "one group", "off by"), rows, 1, shares=shares)
