"""A plan of a release, as a value: what was decided before a record is read, what it costs, and what to expect."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from banister.accounting.charge import keeps
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import Uncertified
from banister.mechanisms import RoundedGaussian, TruncatedStaircase
from banister.questions.measures import Reach
from banister.questions.question import Aggregate, Question
from banister.release.combine import Spread
from banister.release.consistent import Family
from banister.release.foresight import Forecast, forecast, spread_of, usual_laplace
from banister.release.ladder import Ladder
from banister.release.layout import Formula
from banister.release.noises import Measured, least_bar
from banister.release.wording import describe_noise, describe_person, describe_reach, number
from banister.tables.schema import Schema

FORMAT = 1


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
    agreed: Mapping[int, Spread] = field(default_factory=dict, repr=False, compare=False)
    """The law of the errors of measures that are made to agree with other questions, by their places."""

    @property
    def spreads(self) -> tuple[Spread, ...]:
        """The law of each measure's error."""
        return tuple(self.agreed.get(place) or spread_of(m.noise) for place, m in enumerate(self.measured))

    @property
    def joint(self) -> bool:
        """Whether the noise is Gaussian, for all cells at once."""
        return any(isinstance(m.noise, RoundedGaussian) for m in self.measured)

    @property
    def bar(self) -> int:
        """The noisy number of people that an unknown value must exceed to appear."""
        noise = self.measured[0].noise
        if isinstance(noise, RoundedGaussian):
            return least_bar(noise, self.measured[0].share.touches, self.delta / 2)
        return self.selector.edge

    def loss(self) -> PrivacyLoss:
        """What all answers of this question give away about one person, measure by measure."""
        losses = [*(m.loss() for m in self.measured), *(ladder.loss() for ladder in self.ladders)]
        return self.appearance().with_(*losses)

    def appearance(self) -> PrivacyLoss:
        """What it gives away that an unknown value appears at all, beside the noisy number of people behind it.

        Truncated noise has paid for it: out of nothing it never exceeds the bar. Gaussian noise has not; one person
        alone exceeds the bar with probability delta/2 at most, over all her cells.
        """
        if self.joint and self.question.open:
            return PrivacyLoss.of_guarantee(Guarantee(0, self.delta / 2))
        return PrivacyLoss.nothing()

    @property
    def selector(self) -> TruncatedStaircase:
        """The noise on the number of people that decides which unknown values appear.

        A value appears when the noisy number of people exceeds the largest noise there is. So nothing appears out of
        nothing, and one person alone makes a value appear with probability delta at most. The optimal rule of [DVGM22]
        lets a value through one person earlier at most; there the number of people would have to be paid again.
        """
        noise = self.measured[0].noise
        assert isinstance(noise, TruncatedStaircase)
        return noise

    def forecasts(self, size: int, confidence: float) -> tuple[Forecast, ...]:
        """What to expect of each output in a cell of that many rows."""
        ladders = iter(self.ladders)
        found: list[Forecast] = []
        for formula in self.formulas:
            if formula.output.aggregate is Aggregate.QUANTILE:
                rows = next(ladders).rank_error(confidence)
                found.append(
                    Forecast(name=formula.output.name, error=math.nan, half_width=rows, laplace=math.nan, unit="rows")
                )
            else:
                found.append(forecast(formula, self, size, confidence, laplace=self._usual(formula, size)))
        return tuple(found)

    def _usual(self, formula: Formula, size: int) -> float:
        pieces = {Aggregate.MEAN: 2}
        needed = [1 if f.square is None else 3 for f in self.formulas]
        outputs = sum(max(n, pieces.get(f.output.aggregate, 1)) for n, f in zip(needed, self.formulas, strict=True))
        touches = max((m.share.touches for m in self.measured), default=1)
        return usual_laplace(
            formula, epsilon=float(self.epsilon), outputs=outputs, touches=touches, rows=self.reach.rows, size=size
        )


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything about a release that is decided before a record is read, and what it will cost."""

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
        for part in self.parts:
            lines += [part.question.text, describe_reach(part), *describe_noise(part, self.sizes[1], self.confidence)]
            wide = [part.forecasts(size, self.confidence) for size in self.sizes]
            for place, name in enumerate(formula.output.name for formula in part.formulas):
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
