"""The page of a look: a small picture for each column, made of noisy counts alone."""

from pathlib import Path

from banister.core.exact.written import all_apart
from banister.release.profile.profile import ColumnFound, LadderFound, Profile
from banister.release.profile.words import about, each, share, summary
from banister.show.charts import SmallBars
from banister.show.page import Block, Card, Cards, Paragraph, Stacked, write_page


def write_look(profile: Profile, path: Path) -> Path:
    """Write the page."""
    return write_page(path, "A private look", look_blocks(profile))


def look_blocks(profile: Profile) -> list[Block]:
    """What a page or a notebook shows of a look."""
    blocks: list[Block] = [Paragraph(line) for line in summary(profile)]
    cards = [_card(column) for column in profile.columns]
    if profile.rows_each is not None:
        cards.insert(0, Card("Rows a person", "", Stacked([_ladder("rows a person", profile.rows_each)])))
    blocks.append(Cards(cards))
    blocks.append(Paragraph(f"Proof of the charge: {profile.proof}. Head of the ledger: {profile.head}.", soft=True))
    return blocks


def _card(column: ColumnFound) -> Card:
    words = [Paragraph(about(column)), Paragraph(f"Missing: {share(column.missing)}.", soft=True)]
    if each(column):
        words.insert(1, Paragraph(each(column)))
    if column.outside is not None:
        words.append(Paragraph(f"Not declared: {share(column.outside)}.", soft=True))
    picture: list[Block] = [] if column.ladder is None else [_ladder(column.name, column.ladder)]
    if column.values:
        shown = column.values[:24]
        picture = [SmallBars(column.name, [str(v) for v, _ in shown], [100 * max(f.value, 0) for _, f in shown])]
    return Card(column.name, column.kind, Stacked([*picture, *words]))


def _ladder(title: str, found: LadderFound) -> SmallBars:
    """The rungs from the first to the last that stands out of the noise; below 0 nothing is drawn."""
    high = found.standing or [0]
    places = range(max(0, high[0] - 1), min(len(found.counts), high[-1] + 2))
    names = [found.ladder.name(p) for p in places]
    if not found.ladder.dated:
        names = [all_apart(name) for name in names]
    return SmallBars(title, names, [max(found.counts[p], 0) for p in places])
