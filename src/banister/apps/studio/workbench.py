"""What lies on the curator's workbench: the table that is open, and the plans that were looked at."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import banister as bn
from banister import need
from banister.apps.studio.foreseen import BudgetWords, QuestionRows, budget_words, question_rows
from banister.errors import BadValue, LedgerMissing
from banister.release.dataset import Dataset
from banister.release.demo import write_demo
from banister.release.planning.plan import Plan

DEMO = "demo"
DEMO_FOLDER = Path("health")
KEPT_PLANS = 512
SERIES: tuple[str, ...] = ("1", "1.1", "1.25", "1.4", "1.6", "1.8", "2", "2.2", "2.5", "2.8")
SERIES = (*SERIES, "3.2", "3.6", "4", "4.5", "5", "5.6", "6.3", "7.1", "8", "9")
"""Twenty steps a decade, each about 12 % more than the one before; as good as even on a logarithmic scale."""

UNKNOWN = BudgetWords(words="", fits=False, used=0.0, after=1.0)
"""Before the ledger was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskForm:
    """What somebody asks in the page, as it is written there."""

    question: str
    epsilon: str
    delta: str = "0"
    confidence: str = "0.95"

    @classmethod
    def of_fields(cls, fields: "dict[str, str]") -> "AskForm":
        """Read the fields of the page; what is empty is asked for in the library's words."""
        return cls(
            question=fields.get("question", "").replace("\r\n", "\n").strip(),
            epsilon=fields.get("epsilon", "").strip(),
            delta=fields.get("delta", "").strip() or "0",
            confidence=fields.get("confidence", "").strip() or "0.95",
        )

    def checked(self) -> "AskForm":
        """The same, if there is something to plan. A path is no question here: a page reads no files by name."""
        if not self.question:
            raise BadValue("Write a question first, e.g. SELECT COUNT(*) FROM data.")
        if self.question.lower().endswith(".sql") and "\n" not in self.question:
            raise BadValue("Write the question itself; a page does not read the file of a question.")
        if not self.epsilon:
            raise BadValue("Say what the answers may cost: an epsilon such as 0.3.")
        return self


class Drafts:
    """What was asked but not paid yet, by the key of its form: a page can be loaded again, and gone back to."""

    def __init__(self) -> None:
        self._drafts: OrderedDict[str, AskForm] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, key: str, asked: AskForm) -> None:
        with self._lock:
            self._drafts[key] = asked
            while len(self._drafts) > KEPT_PLANS:
                self._drafts.popitem(last=False)

    def find(self, key: str) -> AskForm | None:
        with self._lock:
            return self._drafts.get(key)


@dataclass(slots=True, kw_only=True)
class Looked:
    """A plan that was looked at: in words, and what it takes of the ledger as that was when its head was this."""

    plan: Plan
    questions: tuple[QuestionRows, ...]
    budget: BudgetWords = UNKNOWN
    head: str = ""


class Workbench:
    """The open table. Plans are kept, since a slider comes back to where it was."""

    def __init__(self) -> None:
        self._dataset: Dataset | None = None
        self.path = Path()
        self._plans: OrderedDict[AskForm, Looked] = OrderedDict()
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
        with self._lock:
            self._dataset, self.path = opened, path
            self._plans.clear()

    def look(self, asked: AskForm) -> "Looked":
        """What is asked, planned and put into words, once."""
        with self._lock:
            found = self._plans.get(asked)
            if found is not None:
                self._plans.move_to_end(asked)
                return found
        asked.checked()
        plan = self.dataset.plan(
            asked.question, epsilon=asked.epsilon, delta=asked.delta, confidence=confidence_of(asked)
        )
        made = Looked(plan=plan, questions=question_rows(plan))
        with self._lock:
            self._plans[asked] = made
            while len(self._plans) > KEPT_PLANS:
                self._plans.popitem(last=False)
        return made

    def budget(self, looked: "Looked") -> BudgetWords:
        """What it would take of the budget; computed anew when the ledger has moved on."""
        try:
            with self.dataset.ledger() as ledger:
                if looked.head != ledger.head:
                    looked.budget, looked.head = budget_words(looked.plan, ledger), ledger.head
        except LedgerMissing:
            if not self.dataset.awaits_ledger():  # Another release was quicker.
                return self.budget(looked)
            if looked.head != "none":
                with self.dataset.trial_ledger() as trial:
                    looked.budget, looked.head = budget_words(looked.plan, trial).without_ledger(), "none"
        return looked.budget

    def plan_within(self, asked: AskForm, within: str) -> Plan:
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
