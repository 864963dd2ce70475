"""A plan of a release, as a value: what was decided before a record is read, what it costs, and what to expect."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from banister.accounting.charge import keeps
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import Uncertified
from banister.questions.measures import Reach
from banister.questions.question import Question
from banister.release.aggregates.aggregate import Noisy
from banister.release.aggregates.board import one_row_each
from banister.release.answering.combine import NoiseSpread
from banister.release.answering.consistent import Family
from banister.release.answering.wording import describe_looked, describe_noise, describe_person, describe_reach, number
from banister.release.payments.ladder import Ladder
from banister.release.payments.measured import Measured
from banister.release.planning.layout import Formula
from banister.tables.schema import Schema

FORMAT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """One output in a cell of a given size: typical error (root mean square) and half width of its interval.

    The half width is that of the interval which the release would give, from the answer to its farther end: for a mean
    wherever in its range the interval is widest, for a variance where the standard deviation is a quarter of the range.
    Typical errors of means and variances are those in a cell whose mean lies a quarter of the range off the middle. For
    a quantile it is the rows by which the ends of its interval are set off. `laplace` is the typical error of the
    textbook's release, for comparison.
    """

    name: str
    error: float
    half_width: float
    laplace: float
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One question of a plan."""

    question: Question
    reach: Reach
    measured: tuple[Measured, ...]
    formulas: tuple[Formula, ...]
    ladders: tuple[Ladder, ...]
    epsilon: Fraction
    delta: Fraction
    error: float
    """What was minimised: the squared errors of all measures, each as much as it matters."""
    alternative: "Part | None" = field(default=None, repr=False, compare=False)
    """The other way to make the noise, where there is one: split for joint, joint for split."""
    beyond: Measured | None = None
    """What is paid for the number of people with more rows or groups than may count; None where nobody asked."""
    agreed: Mapping[int, NoiseSpread] = field(default_factory=dict, repr=False, compare=False)
    """The law of the errors of measures that are made to agree with other questions, by their places."""

    @property
    def spreads(self) -> tuple[NoiseSpread, ...]:
        """The law of each measure's error."""
        return tuple(self.agreed.get(place) or m.spread for place, m in enumerate(self.measured))

    @property
    def cuts(self) -> bool:
        """Whether a person can have rows that do not count."""
        return not one_row_each(self.question)

    @property
    def joint(self) -> bool:
        """Whether the noise is paid for all cells at once: Gaussian, or of a shape of its own."""
        return any(m.together for m in self.measured)

    @property
    def payments(self) -> tuple[Measured | Ladder, ...]:
        """All that is paid for: noises, with the threshold of unknown values among them, choices, and the estimate of
        whom the bounds cut."""
        return (*self.measured, *self.ladders, *([] if self.beyond is None else [self.beyond]))

    def sure(self, name: str, confidence: float) -> float:
        """The confidence of an answer's own interval: higher where what is made of it needs others to hold too."""
        return 1 - (1 - confidence) / self.question.after.together(name)

    def loss(self) -> PrivacyLoss:
        """What all answers of this question give away about one person, payment by payment."""
        return PrivacyLoss.nothing().with_(*(payment.loss() for payment in self.payments))

    def forecasts(self, size: int, confidence: float) -> tuple[Forecast, ...]:
        """What to expect of each output in a cell of that many rows."""
        return self.forecasts_at((size,), confidence)[0]

    def forecasts_at(self, sizes: Sequence[int], confidence: float) -> tuple[tuple[Forecast, ...], ...]:
        """The same for several sizes, in less time than one after the other."""
        found = [self._forecast(formula, sizes, confidence) for formula in self.formulas]
        return tuple(tuple(outputs[place] for outputs in found) for place in range(len(sizes)))

    def _forecast(self, formula: Formula, sizes: Sequence[int], confidence: float) -> list[Forecast]:
        confidence = self.sure(formula.name, confidence)
        name, scale = formula.name, self._textbook_scale
        if formula.choice is not None:
            rows = self.ladders[formula.choice].rank_error(confidence)
            laplace = [formula.aggregate.laplace(scale, size) for size in sizes]
            return [Forecast(name=name, error=math.nan, half_width=rows, laplace=x, unit="rows") for x in laplace]
        measures = [paid.measure for paid in self.measured]
        made = []
        for size, wide in zip(sizes, self._half_widths(formula, sizes, confidence), strict=True):
            laws = [(w, self.spreads[place]) for place, w in formula.aggregate.slopes(formula.pieces, measures, size)]
            error = math.sqrt(sum((weight * law.deviation) ** 2 for weight, law in laws))
            laplace_error = formula.aggregate.laplace(scale, size)
            made.append(Forecast(name=name, error=error, half_width=wide, laplace=laplace_error, unit=""))
        return made

    def _half_widths(self, formula: Formula, sizes: Sequence[int], confidence: float) -> list[float]:
        """For each size the widest interval that the release itself would give for such cells, were no noise drawn."""
        measures = tuple(paid.measure for paid in self.measured)
        cells = formula.aggregate.foreseen(formula.pieces, measures)
        values = np.zeros((len(measures), len(sizes), len(cells)))
        for cell, means in enumerate(cells):
            for piece, mean in zip(formula.pieces, means, strict=True):
                values[piece.place, :, cell] = [size * mean for size in sizes]
        flat = values.reshape(len(measures), len(sizes) * len(cells))
        known = Noisy(measures=measures, values=flat, spreads=self.spreads, confidence=confidence)
        found = formula.aggregate.answer(formula.pieces, known)
        wide = np.maximum(found.high - found.values, found.values - found.low)
        return [float(each) for each in wide.reshape(len(sizes), len(cells)).max(axis=1)]

    @property
    def _textbook_scale(self) -> float:
        """The error of a count in the textbook's release: epsilon in equal parts, uncentred sums, Laplace noise.

        A mean takes two of the parts, a variance three; a neighbour touches so many cells, each with so many rows.
        """
        outputs = sum(formula.aggregate.textbook for formula in self.formulas)
        touches = max((paid.share.touches for paid in self.measured), default=1)
        return math.sqrt(2) * outputs * touches * self.reach.rows / float(self.epsilon)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything about a release that is decided before a record is read, and what it will cost.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.dataset import open
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as folder:
    ...     plan = open(write_demo(folder)[1]).plan("SELECT COUNT(*) FROM data", epsilon="0.3")
    >>> str(plan.guarantee), plan.neighbours.value, len(plan.parts)
    ('(0.3, 0)', 'add-remove', 1)
    """

    schema: Schema
    parts: tuple[Part, ...]
    guarantee: Guarantee
    confidence: float
    families: tuple[Family, ...] = ()
    """Questions whose answers are made to agree after the noise is drawn."""

    def __post_init__(self) -> None:
        if not keeps(self.loss, self.guarantee):
            raise Uncertified(
                f"What the plan would draw is not proven to keep {self.guarantee}, so it cannot be made. Plan again "
                "with plan_release, whose plans keep theirs; if it was made so, please report it."
            )

    @property
    def neighbours(self) -> Neighbours:
        return self.schema.neighbours

    def __repr__(self) -> str:
        asked = f"{len(self.parts)} question{'s' if len(self.parts) != 1 else ''}"
        return f"Plan({asked}, {self.guarantee}, {self.neighbours.value})"

    def _repr_html_(self) -> str:
        from banister.release.notebook import plan_html

        return plan_html(self)

    @cached_property
    def digest(self) -> str:
        """A hash of what will be done, by which a receipt knows the plan it was paid for."""
        text = repr((FORMAT, self.schema, self.parts, self.guarantee, self.families))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def loss(self) -> PrivacyLoss:
        """What the whole release gives away; it never exceeds the guarantee, and composes better than it."""
        return PrivacyLoss.nothing().with_(*(part.loss() for part in self.parts))

    @property
    def costs(self) -> tuple[PrivacyLoss, Guarantee]:
        """Two true descriptions of what is given away; the ledger takes the first that fits."""
        return self.loss, self.guarantee

    @property
    def label(self) -> str:
        """One line for the ledger."""
        text = "; ".join(part.question.text for part in self.parts)
        return text if len(text) <= 200 else text[:197] + "..."

    def __str__(self) -> str:
        """The plan as text: what it costs, and for each answer its interval by cell size."""
        lines = [f"Plan at {self.guarantee}, {self.neighbours.value} neighbours. {describe_person(self.schema)}"]
        lines += describe_looked(self.schema)
        for part in self.parts:
            lines += [part.question.text, describe_reach(part), *describe_noise(part, self.sizes[1], self.confidence)]
            wide = [part.forecasts(size, self.confidence) for size in self.sizes]
            for place, name in enumerate(formula.name for formula in part.formulas):
                shown = [
                    f"±{number(w[place].half_width)}{w[place].unit and ' ' + w[place].unit} (n={n})"
                    for w, n in zip(wide, self.sizes, strict=True)
                ]
                lines.append(
                    f"  {name}: {', '.join(shown)}; typically {number(wide[1][place].error)} at n={self.sizes[1]}"
                )
        return "\n".join(lines)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cell sizes for which errors are shown: around the declared number of people, else three powers of ten."""
        cells = self.parts[0].question.cells
        if self.schema.people is None or cells is None:
            return (100, 1000, 10000)
        middle = max(1, self.schema.people // cells)
        return (max(1, middle // 10), middle, middle * 10)
