"""The desk at which a team asks: plan, release within a share, wait for an owner above it, and fetch what was paid for.

A request is written down before it is charged, charged once under the account's own key, and its answer is on disk
before anybody has it. So whatever ends in between, it goes on where it stopped: nothing is paid or answered twice.
"""

import hashlib
import json
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import banister as bn
from banister import clock
from banister.accounting.book import Remaining
from banister.accounting.ledger import Ledger
from banister.accounting.shares import BudgetShare, Whose
from banister.accounting.sharing import ShareLeft
from banister.apps.studio.given import charts_given, report_text, table_texts
from banister.apps.team.people import NotYours, Role, TeamMember, must_be
from banister.apps.team.store import TeamStore
from banister.apps.team.written import public_schema
from banister.audit.certifying import Told, certify
from banister.core.exact.numbers import brief, brief_down
from banister.errors import BadValue, BudgetExceeded, EngineBroke, ReceiptUsed, ShareExceeded
from banister.release.answering.answers import Answers
from banister.release.answering.keeping import document_of, kept_request, released_of
from banister.release.dataset import Dataset
from banister.release.planning.plan import Plan
from banister.release.practice import Practice
from banister.release.run import Released
from banister.show.charts import IntervalChart

Fits = Literal["yes", "ask", "no"]
COLUMNS = "account, key, at, request, state, words, plan, price, decided, answer"
KEPT_PLANS = 512
"""A plan depends on the schema and the question alone, so it is made once and kept."""
DONE = ("answered", "refused", "withdrawn", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question at a price, as somebody wrote it."""

    question: str
    epsilon: str
    delta: str = "0"
    confidence: str = "0.95"
    project: str = ""
    non_negative: bool = False
    weights: dict[str, str] = field(default_factory=dict)
    dialect: str | None = None
    consistent: bool = False
    check_bounds: str = "0"
    rows: int | None = None
    groups: int | None = None
    extremes: str = "0"

    def planned(self, dataset: Dataset) -> Plan:
        """The plan for it. A path is no question here: nobody reads files by name."""
        text = self.question.strip()
        if not text or (text.lower().endswith(".sql") and "\n" not in text):
            raise BadValue("Write the question itself, e.g. SELECT COUNT(*) FROM data.")
        return dataset.plan(
            self.question,
            epsilon=self.epsilon,
            delta=self.delta,
            confidence=self.confidence,
            weights=self.weights or None,
            dialect=self.dialect,
            consistent=self.consistent,
            check_bounds=self.check_bounds,
            rows=self.rows,
            groups=self.groups,
            extremes=self.extremes,
        )

    def as_text(self) -> str:
        """All of it, as it is kept; whatever is asked alike reads alike."""
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRequest:
    """A request with how far it is: running, waiting, allowed, answered, refused, withdrawn or failed."""

    account: str
    key: str
    at: str
    asked: Asked
    state: str
    words: str
    plan: str
    price: str
    decided: str
    answer: dict[str, Any] | None

    @classmethod
    def of_row(cls, row: tuple[str, ...]) -> "TeamRequest":
        account, key, at, request, state, words, plan, price, decided, answer = row
        return cls(
            account=account,
            key=key,
            at=at,
            asked=Asked(**json.loads(request)),
            state=state,
            words=words,
            plan=plan,
            price=price,
            decided=decided,
            answer=json.loads(answer) if answer else None,
        )

    @property
    def name(self) -> str:
        """The key under which it is charged: the account's own."""
        return f"team/{self.account}/{self.key}"


class TeamDesk:
    """Questions about one table, for all members of a team."""

    def __init__(self, dataset: Dataset, store: TeamStore, *, witness: str = "") -> None:
        """Open the ledger, or make it; one that is behind its witness is refused here."""
        self.dataset = dataset
        self.store = store
        self.mathematics = threading.RLock()
        """Held while anything is computed: the precision of certified numbers belongs to the process, not a thread."""
        with suppress(bn.LedgerFault):
            if dataset.awaits_ledger():
                dataset.create_ledger().close()
        self.ledger = dataset.ledger(witness=witness)
        self._practice: Practice | None = None
        self._plans: dict[str, Plan] = {}

    def plan(self, asked: Asked) -> Plan:
        """The plan for a question, made once and kept."""
        wanted = replace(asked, project="", non_negative=False).as_text()
        with self.mathematics:
            if wanted not in self._plans:
                made = asked.planned(self.dataset)
                if len(self._plans) >= KEPT_PLANS:
                    self._plans.clear()
                self._plans[wanted] = made
            return self._plans[wanted]

    def fits(self, member: TeamMember, asked: Asked, plan: Plan) -> "Fits":
        """Whether the member's shares and the whole have room, in a word: yes, ask (an owner may allow it) or no."""
        with self.mathematics:
            hers = self.ledger.on_behalf(Whose(analyst=member.name, project=asked.project))
            if hers.choice(plan.costs, neighbours=plan.neighbours)[1]:
                return "yes"
            whole = self.ledger.choice(plan.costs, neighbours=plan.neighbours)[1]
        return "ask" if whole else "no"

    def release(self, member: TeamMember, asked: Asked, key: str, *, plan_hash: str = "") -> TeamRequest:
        """Pay and draw within the member's shares, or wait for an owner; once for a key, however often it is asked."""
        must_be(member, Role.ANALYST, Role.OWNER)
        if not (key and key.isprintable() and len(key) <= 60 and "/" not in key):
            raise BadValue("A release needs a key of 1 to 60 characters without a slash, such as 'june-report'.")
        found = self.find(member.name, key)
        if found is not None and found.asked != asked:
            raise BadValue(f"Your key '{key}' belongs to another request. Nothing was charged. Give each its own.")
        plan = self.plan(asked)
        if plan_hash and plan_hash != hash_of(plan):
            raise BadValue(
                "The server plans this question otherwise than you: the schema was changed, or another version of "
                "banister is at work. Nothing was charged. Connect again and look at the plan."
            )
        if found is None:
            self._begin(member, asked, key, plan)
        return self.go_on(member.name, key, plan)

    def _begin(self, member: TeamMember, asked: Asked, key: str, plan: Plan) -> None:
        level = plan.guarantee
        price = f"epsilon {brief(level.epsilon)}" + (f", delta {brief(level.delta)}" if level.delta else "")
        row = (member.name, key, clock.now(), asked.as_text(), "running", "", str(plan), price, "", "")
        with self.store.writing() as connection:
            connection.execute(f"INSERT OR IGNORE INTO asked ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)", row)

    def go_on(self, account: str, key: str, plan: Plan | None = None) -> TeamRequest:
        """Bring a request as far as it can come by itself."""
        found = self.find(account, key)
        if found is None:
            raise NotYours(f"There is no request '{key[:60]}' of '{account[:60]}'.")
        if found.state in DONE or found.state == "waiting":
            return found
        plan = plan or self.plan(found.asked)
        whose = Whose(analyst=account, project=found.asked.project, allowed=found.decided)
        hers = self.ledger.on_behalf(whose)
        try:
            with self.mathematics:
                document = self._drawn(plan, found, hers)
        except ReceiptUsed:  # The same request came twice at once, and the other has been answered by now.
            now = self.find(account, key)
            if now is None or now.state not in DONE:
                raise
            return now
        except ShareExceeded as error:
            return self._set(found, "waiting", str(error))
        except BudgetExceeded as error:
            return self._set(found, "refused", str(error))
        except EngineBroke as error:
            return self._set(found, "failed", str(error))
        # Nothing is computed any more: whoever waits to compute need not wait for a disk.
        done = self._set(found, "answered", "", json.dumps(document))
        if hers.kept is not None:
            hers.kept.given(kept_request(plan, found.name, non_negative=found.asked.non_negative))
        return done

    def _drawn(self, plan: Plan, found: TeamRequest, hers: Ledger) -> dict[str, Any]:
        flag = found.asked.non_negative
        answers = self.dataset.release(plan, ledger=hers, key=found.name, non_negative=flag)
        return {
            "document": document_of(Released(plan, answers.tables, answers.proof, flag)),
            "remaining": remaining_document(answers.remaining),
            "head": answers.head,
        }

    def decide(self, owner: TeamMember, account: str, key: str, *, allow: bool) -> TeamRequest:
        """An owner's yes or no to a request that waits; the first word counts, and no word costs anything by itself."""
        must_be(owner, Role.OWNER)
        state, words = ("allowed", "") if allow else ("refused", f"'{owner.name}' said no. Nothing was charged.")
        with self.store.writing() as connection:
            done = connection.execute(
                "UPDATE asked SET state = ?, words = ?, decided = ? "
                "WHERE account = ? AND key = ? AND state = 'waiting'",
                (state, words, owner.name, account, key),
            )
        found = self.find(account, key)
        if found is None:
            raise NotYours(f"There is no request '{key[:60]}' of '{account[:60]}'.")
        if done.rowcount == 0:
            by = f" by '{found.decided}'" if found.decided else ""
            raise BadValue(f"This request does not wait any more: it is {found.state}{by}. Nothing was changed.")
        return self.go_on(account, key) if allow else found

    def resume(self) -> int:
        """Finish what was running or allowed when a server ended; gives how many there were."""
        rows = self.store.rows("SELECT account, key FROM asked WHERE state IN ('running', 'allowed')")
        for account, key in rows:
            try:
                self.go_on(account, key)
            except (
                ReceiptUsed
            ) as error:  # Its answer was given, and this file, put back from a copy, knows nothing of it.
                found = self.find(account, key)
                assert found is not None
                self._set(found, "failed", str(error))
        return len(rows)

    def find(self, account: str, key: str) -> TeamRequest | None:
        """A request by whose it is and its key."""
        rows = self.store.rows(f"SELECT {COLUMNS} FROM asked WHERE account = ? AND key = ?", account, key)
        return TeamRequest.of_row(rows[0]) if rows else None

    def requests(self, member: TeamMember) -> list[TeamRequest]:
        """All requests, or an analyst's own; the newest first."""
        own = member.role is Role.ANALYST
        where = "WHERE account = ?" if own else ""
        rows = self.store.rows(
            f"SELECT {COLUMNS} FROM asked {where} ORDER BY at DESC LIMIT 1000", *([member.name] if own else [])
        )
        return [TeamRequest.of_row(row) for row in rows]

    def standing(self, member: TeamMember) -> str:
        """A text that changes whenever one of the member's requests does: how many there are in which state."""
        own = member.role is Role.ANALYST
        where = "WHERE account = ?" if own else ""
        rows = self.store.rows(
            f"SELECT state, count(*) FROM asked {where} GROUP BY state ORDER BY state", *([member.name] if own else [])
        )
        return ", ".join(f"{count} {state}" for state, count in rows)

    def seen(self, member: TeamMember, account: str, key: str) -> TeamRequest:
        """A request, if it is the member's to see."""
        if member.role is Role.ANALYST and account != member.name:
            raise NotYours("This request is somebody else's.")
        found = self.find(account, key)
        if found is None:
            raise NotYours(f"There is no request '{key[:60]}' of '{account[:60]}'.")
        return found

    def answers(self, found: TeamRequest) -> Answers:
        """The answers of a request that was answered."""
        if found.answer is None:
            raise BadValue(f"The request '{found.key}' has no answer: it is {found.state}.")
        plan = self.plan(found.asked)
        done = released_of(plan, found.answer["document"], non_negative=found.asked.non_negative)
        left = remaining_of(found.answer["remaining"])
        return Answers(done, left, self.ledger.terms.budget, head=found.answer["head"])

    def report(self, found: TeamRequest) -> str:
        """The page that `banister release --report` writes."""
        with self.mathematics:
            return report_text(self.answers(found))

    def tables(self, found: TeamRequest) -> tuple[str, ...]:
        """The answers to each question, as the text of a CSV file."""
        with self.mathematics:
            return table_texts(self.answers(found))

    def charts(self, found: TeamRequest) -> tuple[IntervalChart, ...]:
        """What the pictures of the report show."""
        with self.mathematics:
            return charts_given(self.answers(found))

    def certificate(self, member: TeamMember, found: TeamRequest) -> str:
        """The certificate that `banister release` writes, of the report as it is downloaded. For who may see all
        charges: its line of the ledger says what every share has used. Where the table lies is left out of its schema.
        """
        must_be(member, Role.OWNER, Role.AUDITOR)
        answers, schema = self.answers(found), self.dataset.path
        with self.mathematics, TemporaryDirectory(prefix="banister-") as place:
            report = answers.report(Path(place) / "report.html")
            shown, told = ("", Told.HASHES) if schema is None else (public_schema(schema), Told.TEXTS)
            return certify(answers, self.ledger, files=[report], schema=shown, told=told).text()

    def practised(self, asked: Asked) -> Answers:
        """The question over the practice table: nothing is read, nothing is charged."""
        plan = self.plan(asked)
        with self.mathematics:
            if self._practice is None:
                self._practice = self.dataset.practice()
            return self._practice.release(plan, non_negative=asked.non_negative)

    def practice_report(self, asked: Asked) -> str:
        """The report of practice, which says in its own words that it means nothing."""
        with self.mathematics:
            return report_text(self.practised(asked))

    def budget(self, member: TeamMember) -> tuple[Remaining, tuple[ShareLeft, ...]]:
        """What is left of the whole, and of the shares that the member may see."""
        shares = self.ledger.shares()
        if member.role is Role.ANALYST:
            shares = tuple(each for each in shares if each.share.analyst in ("", member.name))
        return self.ledger.remaining(), shares

    def state_shares(self, owner: TeamMember, shares: list[BudgetShare]) -> None:
        """Share the budget out, as an owner says."""
        must_be(owner, Role.OWNER)
        self.ledger.state_shares(shares, by=owner.name)

    def _set(self, found: TeamRequest, state: str, words: str, answer: str = "") -> TeamRequest:
        with self.store.writing() as connection:
            connection.execute(
                "UPDATE asked SET state = ?, words = ?, answer = ? WHERE account = ? AND key = ? AND state = ?",
                (state, words, answer, found.account, found.key, found.state),
            )
        now = self.find(found.account, found.key)
        assert now is not None
        return now


def hash_of(plan: Plan) -> str:
    """What two who plan the same question compare: the plan as it is printed."""
    return hashlib.sha256(str(plan).encode()).hexdigest()


def remaining_document(left: Remaining) -> dict[str, Any]:
    """What is left, with exact numbers as texts."""
    return {
        "charges": left.charges,
        "largest_epsilon": str(left.largest_epsilon),
        "used": str(left.used),
        "delta": str(left.delta),
        "free": list(left.free),
        "measure": left.measure,
    }


def remaining_of(found: dict[str, Any]) -> Remaining:
    """What was left, read back."""
    from fractions import Fraction

    return Remaining(
        charges=int(found["charges"]),
        largest_epsilon=Fraction(found["largest_epsilon"]),
        used=Fraction(found["used"]),
        delta=Fraction(found["delta"]),
        free=tuple(found["free"]),
        measure=found.get("measure", ""),
    )


def share_words(left: ShareLeft) -> str:
    """A share in a sentence."""
    return f"{left}; the whole is {brief_down(left.share.guarantee.epsilon)}"
