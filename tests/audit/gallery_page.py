"""The gallery as a page of the docs: each broken mechanism in words, the event that breaks it, and a picture.

    python -m tests.audit.gallery_page

writes docs/guide/audit-gallery.md, a figure for each and what was found; the tests notice when they are stale.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

from tests.audit.gallery import BROKEN, RIGHT, audited

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "guide" / "audit-gallery.md"
FIGURES = DOCS / "figures" / "audit"
FOUND = FIGURES / "found.json"
SEED, DRAWS = 11, 20_000

WHY = {
    "no noise": "The count is given as it is. Whoever knows all others knows the last one.",
    "textbook Laplace in doubles": "The inverse of the distribution function in doubles: near 0 there are more "
    "doubles than "
    "near 1, so the low bits of the sum tell which number the noise was added to.",
    "staircase that begins at 1": "The number of steps is drawn from 1 on instead of 0, as in a released "
    "library: the noise is "
    "never near 0, and an answer near the true one is impossible for it and likely for its neighbour.",
    "wrong sensitivity": "The sum counts everybody twice, and the noise is for a sensitivity of 1.",
    "noise reused": "Two answers have the same noise, so their difference has none.",
    "clamped to the data's own range": "The noisy sum is cut off at the smallest and largest value of the very "
    "table: an answer "
    "at the edge names it.",
    "unclipped mean": "The noise is for values up to 1, and nothing keeps a value from being 90.",
    "empty groups dropped": "A group with nobody in it is left out, so that it is there tells that somebody is.",
    "unknown keys without a threshold": "Groups are found in the data and shown with noise. A value that one "
    "person has shows her.",
    "sparse vector without noise": "Only the threshold is noisy, and the answers are compared with it as they "
    "are (variant 5 of "
    "Lyu, Su and Li, who collected six).",
    "sparse vector tells its noise": "The first answer above the threshold is given with the very noise that "
    "was compared, "
    "which is charged once and used twice (their variant 3).",
    "seeded generator": "The generator starts from a fixed seed: the noise is the same each time, and can be "
    "taken off.",
    "split epsilon forgotten": "Two answers, each with all of the epsilon.",
    "bounded noise": "Uniform noise has an end, and beyond it only the neighbour can be.",
    "rounded to a private step": "The noisy total is rounded to a multiple of the largest value, which is private.",
    "error on an empty table": "An exception is an answer, and only an empty table gives this one.",
    "choice without the half": "The exponential mechanism with twice the exponent that it may have.",
    "response beyond its level": "Randomized response that keeps four answers in five, which is epsilon 1.39.",
    "no number on zero": "A special case for a count of 0 gives 'not a number'.",
    "many rows of a person through a join": "Noise for one row a person, and a join that gives her seven.",
    "noise only above zero": "A count of 0 is given without noise, because there is nothing to protect, it was "
    "thought.",
    "noise cut off": "Noise beyond 2 is set to 2, so far answers are impossible for one of two neighbours.",
    "negative answers drawn again": "A count below 0 is drawn again: what is left is scaled up more the smaller "
    "the count is.",
    "scale from the data": "The noise is as wide as the values of this very table lie apart.",
    "Gaussian without its logarithm": "A deviation of sensitivity/epsilon, without the factor that delta asks for.",
}


def slug(name: str) -> str:
    """A name for files.

    >>> slug("clamped to the data's own range")
    'clamped-to-the-data-s-own-range'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def page(found: dict[str, dict[str, object]]) -> str:
    """The page from what was found."""
    parts = [
        "# The gallery of broken mechanisms",
        f"{len(BROKEN)} mechanisms that claim to be private and are not, each in a way in which somebody's was, "
        f"and what "
        "`banister audit` says of them. In the pictures a point on the diagonal is a blind guess, the upper "
        "line is what the "
        "claim allows, the lower one what is shown at a confidence of 0.99, and the dot the event's two errors. "
        "Made by "
        "`python -m tests.audit.gallery_page`; their code is `tests/audit/gallery.py`.",
        "| mechanism | claimed | shown | by | draws |\n|---|---|---|---|---|\n"
        + "\n".join(
            f"| [{each.name}](#{slug(each.name)}) | {each.epsilon:g} | {_shown(found[each.name])} | "
            f"{found[each.name]['attack']} | {found[each.name]['draws']:,} |"
            for each in BROKEN
        ),
    ]
    for each in BROKEN:
        told = found[each.name]
        event = str(told["event"])
        parts += [
            f"## {each.name[0].upper()}{each.name[1:]}",
            WHY[each.name],
            f"**The event:** {event[0].lower()}{event[1:]}. One neighbour gave it {told['hits']:,} times in "
            f"{told['tested']:,}, the other {told['others']:,} times, which shows an epsilon of {_shown(told)} "
            f"or more.",
            f"![{each.name}: the region claimed and the region shown](../figures/audit/{slug(each.name)}.svg)",
        ]
    parts += [
        "## Right ones",
        "None of these is accused, and each is audited in the tests: "
        + ", ".join(each.name for each in RIGHT)
        + ". `python -m tests.audit.alarms` counts false alarms over 10,000 audits of them.",
    ]
    return "\n\n".join(parts) + "\n"


def _shown(told: dict[str, object]) -> str:
    return f"{float(str(told['shown'])):.2f}"


def stored() -> dict[str, dict[str, object]]:
    """What was found when the page was made."""
    told: dict[str, dict[str, object]] = json.loads(FOUND.read_text(encoding="utf-8"))
    return told


def main() -> None:
    FIGURES.mkdir(parents=True, exist_ok=True)
    found = {}
    for each in BROKEN:
        finding = replace(audited(each, seed=SEED, draws=DRAWS), target=each.name)
        finding.draw(FIGURES / f"{slug(each.name)}.svg")
        found[each.name] = finding.as_record()
    FOUND.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
