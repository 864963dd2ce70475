"""Account for many releases: the exact total, beside what the usual theorems say."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from banister import need
from banister.accounting.charge import Cost, each_counted, loss_of
from banister.accounting.totals.closed_forms import ClosedForm, closed_forms
from banister.accounting.totals.written import AskedTimes, read_questions
from banister.core.exact.numbers import Bracket, Number
from banister.core.privacy.loss import RELATIVE_WIDTH, PrivacyLoss
from banister.core.privacy.region import PrivacyRegion


@dataclass(frozen=True, slots=True)
class Total:
    """What many releases give away together, when their parameters were fixed in advance.

    Exact:  the composition is optimal, [KOV15] Thm 3.3 and [MV18]; every number is rounded so that the claim is true.

    >>> from banister.core.privacy.guarantee import Guarantee
    >>> total = compose([(Guarantee("0.1"), 10)])
    >>> round(total.epsilon(delta=0), 6), round(total.epsilon(delta=1e-6), 6), round(total.delta(epsilon=1), 6)
    (1.0, 0.999371, 0.0)
    """

    loss: PrivacyLoss

    def epsilon(self, *, delta: Number) -> float:
        """The least epsilon at this delta, rounded up; infinite where there is none."""
        return self.bracket(delta=delta).up

    def delta(self, *, epsilon: Number) -> float:
        """The least delta at this epsilon, rounded up."""
        return self.delta_bracket(epsilon=epsilon).up

    def bracket(self, *, delta: Number, relative_width: float = RELATIVE_WIDTH) -> Bracket:
        """The least epsilon at this delta from both sides. A narrower bracket may take longer."""
        return self.loss.epsilon_at(delta, relative_width=relative_width)

    def delta_bracket(self, *, epsilon: Number, relative_width: float = RELATIVE_WIDTH) -> Bracket:
        """The least delta at this epsilon from both sides."""
        return self.loss.delta_at(epsilon, relative_width=relative_width)

    def region(self) -> PrivacyRegion:
        """All false-alarm and missed-detection rates an attacker can reach, rounded outwards."""
        return PrivacyRegion.of_loss(self.loss)

    def plot(self, path: str | Path) -> None:
        """Draw the region into a file: .svg, .png or .pdf."""
        from banister.show.regions import draw_regions

        draw_regions({"what an attacker can reach": self.region()}, path)


def compose(releases: Iterable[Cost | tuple[Cost, int]]) -> Total:
    """The total of many releases: guarantees, mechanisms or losses, each alone or with a count.

    >>> from banister.core.privacy.guarantee import Guarantee
    >>> total = compose([Guarantee(0.1, 0.001)] * 30)
    >>> print(f"{total.epsilon(delta=0.04):.5f}")
    0.99746
    """
    parts = [loss_of(cost).times(count) for cost, count in each_counted(releases)]
    return Total(PrivacyLoss.nothing().with_(*parts))


@dataclass(frozen=True, slots=True)
class Account:
    """The questions of a list, their exact total epsilon at a delta, and what the theorems say.

    >>> found = account("30 x (0.1, 0.001)", delta=0.05)
    >>> [round(found.gain(form), 2) for form in found.forms]
    [3.54, 2.18, 1.85]
    """

    questions: tuple[AskedTimes, ...]
    delta: float
    exact: Bracket
    forms: tuple[ClosedForm, ...]
    asked_width: float = RELATIVE_WIDTH
    """The relative width of the bracket that was asked for."""

    @property
    def as_narrow_as_asked(self) -> bool:
        """Whether the bracket is as narrow as was asked for; where it is not, both of its ends hold all the same."""
        return self.exact.meets(self.asked_width)

    def gain(self, form: ClosedForm) -> float:
        """How many times larger the theorem's epsilon is than the exact one."""
        return form.epsilon / self.exact.up if self.exact.up > 0 else 1.0


def account(text: str, *, delta: Number, relative_width: float = RELATIVE_WIDTH) -> Account:
    """The account of a list such as "500 x laplace(0.05), 3 x gaussian(sigma=8)" at a total delta.

    >>> found = account("100 x (0.1, 0)", delta="1e-6")
    >>> print(f"{found.exact.up:.4f} against {found.forms[1].epsilon:.4f}")
    4.7746 against 6.3082
    """
    target = need.between("delta", delta, 0, 1)
    questions = read_questions(text)
    total = compose((question.loss, question.count) for question in questions)
    exact = total.bracket(delta=target, relative_width=relative_width)
    return Account(questions, float(target), exact, closed_forms(total.loss, target), relative_width)
