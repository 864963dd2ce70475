"""Two surveys to try: patients on their health, and households on their electricity."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from banister import files, need
from banister.core.programs.linear import Floats, Ints

if TYPE_CHECKING:
    from banister.local.collect.campaign import SignedCampaign

PATIENTS = (("excellent", 11_019), ("good", 7_309), ("fair", 1_560), ("poor", 302))
"""Self-rated health in the RAND Health Insurance Experiment (one entry per person and year; public domain)."""

_HOUSEHOLDS = 60_000
_LOAD_CLASSES = 48


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """Labels, the answer of each person, and a rough prior that a planner could have beforehand."""

    name: str
    origin: str
    labels: list[str]
    answers: Ints
    prior: Floats

    @property
    def truth(self) -> Floats:
        """The true frequencies, which the collector never sees."""
        return np.bincount(self.answers, minlength=len(self.labels)) / self.answers.size


def patients() -> Example:
    """20 190 answers to "how is your health?"; the prior is round numbers, not the truth.

    >>> patients().truth.round(3).tolist()
    [0.546, 0.362, 0.077, 0.015]
    """
    counts = [count for _, count in PATIENTS]
    return Example(
        "patients",
        "Self-rated health, RAND experiment (public domain).",
        [label for label, _ in PATIENTS],
        np.repeat(np.arange(len(counts)), counts),
        np.array([0.5, 0.35, 0.1, 0.05]),
    )


def households() -> Example:
    """60 000 evening loads in 48 classes of 0.25 kW. Generated (no meter was read); the same on every machine."""
    uniform = stream("households", 4 * _HOUSEHOLDS).reshape(4, _HOUSEHOLDS)
    normal = np.sqrt(-2 * np.log(uniform[0])) * np.cos(2 * np.pi * uniform[1])
    base = np.exp(0.1 + 0.55 * normal)  # Lights and cooking, in kW.
    heating = np.where(uniform[2] < 0.25, 2.5 + 2 * uniform[3], 0.0)
    charging = np.where(uniform[2] > 0.92, 7.2, 0.0)
    answers = np.minimum(((base + heating + charging) / 0.25).astype(np.int64), _LOAD_CLASSES - 1)
    edges = 0.25 * np.arange(_LOAD_CLASSES)
    labels = [f"{low:.2f} kW" for low in edges[:-1]] + [f"{edges[-1]:.2f} kW or more"]
    return Example(
        "households",
        "Evening loads, generated; no meter was read.",
        labels,
        answers,
        np.full(_LOAD_CLASSES, 1 / _LOAD_CLASSES),
    )


def example(name: str) -> Example:
    """The example of that name."""
    return {"patients": patients, "households": households}[need.one_of("example", name, ("patients", "households"))]()


def write_example(chosen: Example, folder: Path) -> tuple[Path, Path, Path]:
    """prior.csv, answers.csv and truth.csv in the folder."""
    files.folder(folder)
    prior, answers, truth = folder / "prior.csv", folder / "answers.csv", folder / "truth.csv"
    _write_law(prior, chosen.labels, chosen.prior)
    _write_law(truth, chosen.labels, chosen.truth)
    lines = [chosen.labels[x] for x in chosen.answers]
    files.whole_text(answers, "\n".join(["answer", *lines]) + "\n")
    return prior, answers, truth


def stream(name: str, count: int) -> Floats:
    """Numbers strictly between 0 and 1 that look random and are always the same: for examples, never for privacy."""
    words = np.frombuffer(hashlib.shake_256(name.encode()).digest(8 * count), dtype="<u8")
    return ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _write_law(path: Path, labels: list[str], law: Floats) -> None:
    lines = [f"{label},{float(p)!r}" for label, p in zip(labels, law, strict=True)]
    files.whole_text(path, "\n".join(["category,probability", *lines]) + "\n")


def signed_example() -> "SignedCampaign":
    """A small campaign under a key that everybody knows: for examples only."""
    from banister.keys import SigningKey
    from banister.local.channels.response import RandomizedResponse
    from banister.local.collect.campaign import Campaign, read_campaign
    from banister.local.document import Survey

    asked = Survey(RandomizedResponse(1, categories=2), ["yes", "no"], "Do you smoke?", "A clinic")
    made = Campaign.of_one(asked, title="Smoking", asked_by="A clinic", until="2999-12-31", people=1000)
    return read_campaign(made.signed(SigningKey.of_bytes(bytes(range(32)))))
