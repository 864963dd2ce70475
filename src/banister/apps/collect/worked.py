"""Two worked campaigns, each from end to end by one command: patients, and smart meters."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from banister.apps.collect.book import Batch, Heap
from banister.apps.collect.days import CONFIDENCE
from banister.apps.collect.store import ReportStore
from banister.apps.collect.writer import this_hour
from banister.core.programs.linear import Ints
from banister.errors import BadValue
from banister.files import folder, whole_text
from banister.keys import nonce
from banister.local.collect import meters
from banister.local.collect.campaign import SignedCampaign
from banister.local.collect.files import own_key, write_campaign
from banister.local.collect.making import read_request
from banister.local.collect.sharing import LevelShare
from banister.local.collect.tally import estimate, write_value
from banister.local.examples import stream
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.uniform import uniform_below_many

PATIENTS = """title = "How are our patients?"
asked_by = "The clinics of a small town"
about = "Three questions about the last month. Nobody sees your own answers, not even we."
until = "2999-12-31"
people = {people}
epsilon = 2
accuracy = 0.05

[[question]]
text = "How is your health?"
answers = {{ "excellent" = 0.5, "good" = 0.35, "fair" = 0.1, "poor" = 0.05 }}

[[question]]
text = "Do you live with a chronic condition?"
answers = {{ "yes" = 0.3, "no" = 0.7 }}

[[question]]
text = "How often were you in pain?"
answers = {{ "never" = 0.4, "rarely" = 0.3, "weekly" = 0.2, "daily" = 0.1 }}
"""
METERS = """title = "When do you need electricity?"
asked_by = "A local grid"
about = "One of {shapes} shapes says how yesterday went. Your meter finds the nearest one by itself."
until = "2999-12-31"
people = {people}
epsilon = 4
answered = "permanent"
rounds = 30
second = 4

[[question]]
text = "Which shape did your day have?"
answers = [{answers}]
channel = "randomized-response"
"""
TRUE_SHARES = ((0.546, 0.362, 0.077, 0.015), (0.27, 0.73), (0.46, 0.27, 0.17, 0.10))


@dataclass(frozen=True, slots=True)
class Worked:
    """What a worked campaign came to, in lines."""

    lines: list[str]


def worked(name: str, out: Path, people: int, bits: BitSource = SYSTEM) -> Worked:
    """Run one of them into a new folder."""
    if name not in ("patients", "meters"):
        raise BadValue(f"'{name[:40]}' is no worked campaign. There are: patients, meters.")
    if out.exists():
        raise BadValue(f"'{out}' is there already. Give a new folder.")
    folder(out)
    return patients(out, people, bits) if name == "patients" else smart_meters(out, people, bits)


def patients(out: Path, people: int, bits: BitSource) -> Worked:
    """Three questions to patients; truth is generated, so that the estimates can be compared with it."""
    signed = _campaign(out, "patients", PATIENTS.format(people=people))
    uniform = stream("patients collect", 3 * people).reshape(3, people)
    answers = [
        np.minimum(np.searchsorted(np.cumsum(shares), uniform[place]), len(shares) - 1)
        for place, shares in enumerate(TRUE_SHARES)
    ]
    lines = [f"{people:,} patients answer {signed.campaign.share.in_words}; epsilon 2 each, in all."]
    return Worked(lines + _collected(out, signed, answers, bits))


def smart_meters(out: Path, people: int, bits: BitSource) -> Worked:
    """Shapes of days against readings, at the same total, and a month of one household."""
    book = meters.code_book()
    names = ", ".join(f'"shape {place + 1}"' for place in range(len(book)))
    signed = _campaign(out, "meters", METERS.format(people=people, answers=names, shapes=len(book)))
    days = meters.households(people)[:, 0]
    lines = [f"{people:,} households, one day of 48 half hours; generated, no meter was read. Epsilon 4 a household:"]
    for make in (meters.by_shapes, meters.by_one_reading, meters.by_readings):
        found = make(days, Fraction(4), bits)
        load, _, place = found.peak
        lines.append(
            f"  {found.name}: error of the mean day {found.error:.3f} kW, intervals ± {found.half:.2f} kW; peak "
            f"{load:.2f} kW at {place // 2:02d}:{30 * (place % 2):02d}"
        )
    true = days.mean(axis=0)
    place = int(true.argmax())
    lines.append(f"  the truth: peak {true[place]:.2f} kW at {place // 2:02d}:{30 * (place % 2):02d}")
    lines.append("One household, 30 days of shapes at epsilon 4, second step 4:")
    lines += [f"  {name}: epsilon {level:.4f}" for name, level in meters.month(Fraction(4), Fraction(4))]
    collected = _collected(out, signed, [meters.shape_of(days)], bits)
    return Worked(
        [*lines, "The first day through the service's store:", *collected[:8], f"  ... {len(book)} shapes in all"]
    )


def _campaign(out: Path, name: str, settings: str) -> SignedCampaign:
    path = out / f"{name}.toml"
    whole_text(path, settings)
    campaign, _ = read_request(path)
    return write_campaign(out / f"{name}.campaign", campaign, own_key(out / "collect.key"))


def _collected(out: Path, signed: SignedCampaign, answers: list[Ints], bits: BitSource) -> list[str]:
    """Draw everybody's report, store them as the service does, and say what is estimated."""
    asked = signed.campaign
    store = ReportStore(out / "reports.db")
    number = store.add(signed, shown=False)
    picked = uniform_below_many(len(asked.questions), len(answers[0]), bits)
    lines = []
    for place, question in enumerate(asked.questions):
        mine = answers[place][picked == place] if asked.share is LevelShare.ONE else answers[place]
        drawn = question.channel.draw(mine, bits)
        if asked.repetition.second is not None:
            drawn = asked.repetition.step(question.channel).draw(drawn, bits)
        heap = Heap(place, write_value(question.channel, drawn), drawn)
        store.write([Batch(number, bytes.fromhex(nonce()), (heap,))], (), this_hour())
        found = estimate(question.channel, asked.repetition, store.total(number, place))
        held = found.intervals(CONFIDENCE)
        true = np.bincount(answers[place], minlength=len(question.labels)) / len(answers[place])
        lines.append(f"{question.question} ({len(mine):,} reports, worth {found.effective_people:,.0f} open answers)")
        lines += [
            f"  {label:<12} {100 * found.frequencies[x]:6.1f} % [{100 * held.lower[x]:.1f}, "
            f"{100 * held.upper[x]:.1f}], true {100 * true[x]:.1f}"
            for x, label in enumerate(question.labels)
        ]
    store.close()
    return lines
