"""What lies on the curator's workbench: the table that is open, and the plans that were looked at."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import banister as bn
from banister import need
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue, BanisterError, LedgerMissing
from banister.release.dataset import Dataset
from banister.release.demo import write_demo

if TYPE_CHECKING:  # The first page plans nothing, so it waits for no planner.
    from banister.accounting.book import Remaining
    from banister.accounting.ledger import Ledger
    from banister.apps.studio.foreseen import BudgetWords, QuestionRows
    from banister.questions.question import Question
    from banister.release.planning.plan import Plan
    from banister.release.planning.request import PlanRequest

DEMO = "demo"
DEMO_FOLDER = Path("health")
KEPT_PLANS = 512
KEPT_TEXTS = 64
NO_LEDGER = "none"
"""In place of a ledger's head, where the first release would make the ledger."""
SERIES: tuple[str, ...] = ("1", "1.1", "1.25", "1.4", "1.6", "1.8", "2", "2.2", "2.5", "2.8")
SERIES = (*SERIES, "3.2", "3.6", "4", "4.5", "5", "5.6", "6.3", "7.1", "8", "9")
"""Twenty steps a decade, each about 12 % more than the one before; as good as even on a logarithmic scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskForm:
    """What somebody asks in the page, as it is written there."""

    question: str
    epsilon: str
    delta: str = "0"
    confidence: str = "0.95"
    project: str = ""
    """For which project it is asked, where a team shares a budget out by projects."""

    @classmethod
    def of_fields(cls, fields: "dict[str, str]") -> "AskForm":
        """Read the fields of the page; what is empty is asked for in the library's words."""
        return cls(
            question=fields.get("question", "").replace("\r\n", "\n").strip(),
            epsilon=fields.get("epsilon", "").strip(),
            delta=fields.get("delta", "").strip() or "0",
            confidence=fields.get("confidence", "").strip() or "0.95",
            project=fields.get("project", "").strip(),
        )

    def fault(self) -> tuple[str, str] | None:
        """The first field besides the question that cannot be read, and why; nothing where all can."""
        checks = (
            ("epsilon", lambda: need.positive("epsilon", self.epsilon) if self.epsilon else self.checked()),
            ("delta", lambda: Guarantee(1, self.delta)),
            ("confidence", lambda: need.strictly_between("confidence", confidence_of(self), 0, 1)),
        )
        for name, check in checks:
            try:
                check()
            except BanisterError as error:
                return name, str(error)
        return None

    def checked(self) -> "AskForm":
        """The same, if there is something to plan. A path is no question here: a page reads no files by name."""
        if not self.question:
            raise BadValue("Write a question first, e.g. SELECT COUNT(*) FROM data.")
        if self.question.lower().endswith(".sql") and "\n" not in self.question:
            raise BadValue("Write the question itself; a page does not read the file of a question.")
        if not self.epsilon:
            raise BadValue("Say what the answers may cost: an epsilon such as 0.3.")
        return self


@dataclass(slots=True, kw_only=True)
class Looked:
    """A plan that was looked at: in words, and what it takes of the ledger as that was when its head was this."""

    plan: "Plan"
    questions: "tuple[QuestionRows, ...]"
    budget: "BudgetWords | None" = None
    """Nothing before the ledger was asked."""
    head: str = ""


class Workbench:
    """The open table. Plans are kept, since a slider comes back to where it was."""

    def __init__(self, changes: Callable[[Path], None] = lambda path: None) -> None:
        """`changes` hears of it when another table takes the place of one that was open, and of which."""
        self._changes = changes
        self._dataset: Dataset | None = None
        self.path = Path()
        self._plans: OrderedDict[AskForm, Looked] = OrderedDict()
        self._read: OrderedDict[str, tuple[Question, ...]] = OrderedDict()
        self._trial: Ledger | None = None
        self._left: tuple[str, Remaining] | None = None
        self._lock = threading.Lock()

    @property
    def open(self) -> bool:
        """Whether a table is open."""
        return self._dataset is not None

    @property
    def dataset(self) -> Dataset:
        """The open table; asked for in words where there is none."""
        if self._dataset is None:
            raise BadValue("No table is open yet. Name its schema on the first page, or try the demo.")
        return self._dataset

    def take(self, target: str) -> None:
        """Open a schema file, or `demo`, whose files are written into the folder `health` where they are not yet."""
        path = _demo() if target == DEMO and not Path(DEMO).exists() else Path(target)
        if path.suffix.lower() != ".toml":
            raise BadValue(
                f"'{path}' is not a schema. Give the .toml file that declares what is public about the table and whom "
                "to protect; docs/guide/tables.md shows one, and `banister studio demo` opens one."
            )
        opened = bn.open(path)
        if self.open and path.resolve() != self.path.resolve():
            self._changes(self.path)
        with self._lock:
            self._dataset, self.path = opened, path
            self._plans.clear()
            self._read.clear()
            self._trial = self._left = None

    def look(self, asked: AskForm) -> "Looked":
        """What is asked, planned and put into words, once."""
        with self._lock:
            found = self._plans.get(asked)
            if found is not None:
                self._plans.move_to_end(asked)
                return found
        from banister.apps.studio.foreseen import question_rows

        plan = self.dataset.planned(self.request(asked))
        made = Looked(plan=plan, questions=question_rows(plan))
        with self._lock:
            self._plans[asked] = made
            while len(self._plans) > KEPT_PLANS:
                self._plans.popitem(last=False)
        return made

    def request(self, asked: AskForm) -> "PlanRequest":
        """What is asked as the planner takes it; the text is read once, however often the slider moves."""
        from banister.release.planning.request import PlanRequest

        asked.checked()
        with self._lock:
            questions = self._read.get(asked.question)
        if questions is None:
            questions = self.dataset.questions(asked.question)
            with self._lock:
                self._read[asked.question] = questions
                while len(self._read) > KEPT_TEXTS:
                    self._read.popitem(last=False)
        return PlanRequest.of(questions, epsilon=asked.epsilon, delta=asked.delta, confidence=confidence_of(asked))

    def budget(self, looked: "Looked") -> "BudgetWords":
        """What it would take of the budget; computed anew when the ledger has moved on."""
        from banister.apps.studio.foreseen import budget_words

        try:
            with self.dataset.ledger() as ledger:
                if looked.budget is None or looked.head != ledger.head:
                    looked.budget, looked.head = budget_words(looked.plan, ledger, self._now(ledger)), ledger.head
        except LedgerMissing:
            if not self.dataset.awaits_ledger():  # Another release was quicker.
                return self.budget(looked)
            if looked.budget is None or looked.head != NO_LEDGER:
                trial = self._trial = self._trial or self.dataset.trial_ledger()
                said = budget_words(looked.plan, trial, self._now(trial))
                looked.budget, looked.head = said.without_ledger(), NO_LEDGER
        return looked.budget

    def _now(self, ledger: "Ledger") -> "Remaining":
        """What is left, looked for once for each state of the ledger."""
        head = ledger.head
        if self._left is None or self._left[0] != head:
            self._left = head, ledger.remaining()
        return self._left[1]

    def plan_within(self, asked: AskForm, within: str) -> "Plan":
        """The plan with the least epsilon whose intervals are within a share of the answers."""
        share = need.exact("within", within.strip().removesuffix("%").strip()) / 100
        return self.dataset.plan_within(
            asked.question, within=share, delta=asked.delta, confidence=confidence_of(asked)
        )

    def steps(self) -> tuple[str, ...]:
        """The values of the slider: from a hundredth of the budget's epsilon, or of 1, up to it."""
        budget = self.dataset.schema.budget
        return steps_to(Fraction(1) if budget is None else budget.epsilon)


def confidence_of(asked: AskForm) -> Fraction:
    """The share that the page calls 95 %, or 0.95."""
    text = asked.confidence.strip()
    number = need.exact("confidence", text.removesuffix("%").strip())
    return number / 100 if text.endswith("%") else number


def steps_to(most: Fraction) -> tuple[str, ...]:
    """Even steps on a logarithmic scale, from a hundredth of the largest to the largest, as decimals.

    >>> steps_to(Fraction(1))[:3], steps_to(Fraction(1))[-2:]
    (('0.01', '0.011', '0.0125'), ('0.9', '1'))
    """
    found = [
        Fraction(digits) * Fraction(10) ** power
        for power in range(-12, 6)
        for digits in SERIES
        if most / 100 <= Fraction(digits) * Fraction(10) ** power < most
    ]
    return tuple(decimal(value) for value in (*found, most))


def nearest(steps: tuple[str, ...], value: str) -> int:
    """The place of a slider for a value that need not be one of its own."""
    wanted = need.exact("epsilon", value)
    return min(range(len(steps)), key=lambda place: abs(Fraction(steps[place]) - wanted))


def decimal(value: Fraction) -> str:
    """A fraction as a decimal where it is one, else as it is; read back, it is the same number."""
    for places in range(16):
        if (value * 10**places).denominator == 1:
            text = f"{int(value * 10**places):0{places + 1}d}"
            return f"{text[:-places]}.{text[-places:]}" if places else text
    return str(value)


def digits_up(value: Fraction, digits: int = 3) -> str:
    """The least decimal of so many digits that is not below the value.

    >>> digits_up(Fraction(123456, 1000000)), digits_up(Fraction(2))
    ('0.124', '2')
    """
    power = 0
    while value * 10**power < 10 ** (digits - 1) and power < 30:
        power += 1
    scaled = value * 10**power
    whole = -(-scaled.numerator // scaled.denominator)
    return decimal(Fraction(whole, 10**power))


def _demo() -> Path:
    schema = DEMO_FOLDER / "health.toml"
    if not schema.exists():
        write_demo(DEMO_FOLDER)
    return schema
