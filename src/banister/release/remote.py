"""A team's table at the front door: `bn.connect("https://…", key=…)`, then plan, then release, as with `bn.open`.

Plans are made here, from the public schema, by the same code as on the server, which makes them again and refuses where
the two differ. What crosses the wire is the question, its price and the account's own key for the request.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from fractions import Fraction
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from banister import keys
from banister.core.exact.numbers import Number
from banister.errors import BadValue, BudgetExceeded, LedgerUnreachable, ShareExceeded
from banister.release.dataset import Dataset
from banister.tables.schema import Schema

if TYPE_CHECKING:
    from banister.accounting.book import Remaining
    from banister.accounting.shares import BudgetShare
    from banister.release.answering.answers import Answers
    from banister.release.planning.asking import Asking
    from banister.release.planning.plan import Plan
    from banister.release.practice import Practice

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MOST_BYTES = 1 << 28


def connect(address: str, *, key: str) -> "RemoteTable":
    """A table on a team's server, for whoever holds the account's key (or a session) there.

    >>> connect("http://team.example", key="k")
    Traceback (most recent call last):
        ...
    banister.errors.BadValue: 'http://team.example' is not safe: your key would travel in the clear. Use https://.
    """
    return RemoteTable(_Wire(_safe(address), key))


def _safe(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise BadValue(f"'{address}' is not safe: your key would travel in the clear. Use https://.")
    return address.rstrip("/")


class _Wire:
    """Requests to the server, and its refusals as the errors that they are here."""

    __slots__ = ("_key", "address")

    def __init__(self, address: str, key: str) -> None:
        self.address = address
        self._key = key

    def ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        request = urllib.request.Request(
            f"{self.address}/api{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:  # The scheme was checked.
                return json.loads(answer.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        except (OSError, HTTPException, ValueError) as error:  # No answer, half of one, or what is none.
            raise LedgerUnreachable(
                f"The team's server at {self.address} does not answer ({type(error).__name__}). Ask again under the "
                "same key: nothing is charged twice."
            ) from None


class RemoteTable:
    """A team's table, as an analyst uses it: what is planned, asked and left is hers.

    >>> [name for name in ("plan", "release", "practice", "remaining") if not hasattr(RemoteTable, name)]
    []
    """

    __slots__ = ("_asked", "_local", "_wire", "project")

    def __init__(self, wire: _Wire, *, project: str = "") -> None:
        self._wire = wire
        schema = Schema.of_text(str(wire.ask("GET", "/schema")["schema"])).for_questions()
        self._local = Dataset(schema, folder=Path(), frames={})
        self._asked: dict[str, dict[str, object]] = {}
        self.project = project
        """The project that releases count in; empty for none."""

    @classmethod
    def by_password(cls, address: str, *, name: str, password: str, code: str = "") -> "RemoteTable":
        """The same for who has a password; with a code from an owner it is set first. The session ends by itself."""
        wire = _Wire(_safe(address), "")
        if code:
            wire.ask("POST", "/recover", {"code": code, "password": password})
        session = str(wire.ask("POST", "/sign-in", {"name": name, "password": password})["secret"])
        return cls(_Wire(wire.address, session))

    @property
    def schema(self) -> Schema:
        """What is public about the table; where it lies is not."""
        return self._local.schema

    def plan(
        self,
        sql: "str | Asking",
        *,
        epsilon: Number,
        delta: Number = 0,
        confidence: Number = 0.95,
        weights: Mapping[str, Number] | None = None,
        dialect: str | None = None,
        consistent: bool = False,
        check_bounds: Number = 0,
        rows: int | None = None,
        groups: int | None = None,
        extremes: Number = 0,
    ) -> "Plan":
        """Plan a release as `Dataset.plan`, here and without the server: mechanism, loss and error of every answer."""
        plan = self._local.plan(
            sql,
            epsilon=epsilon,
            delta=delta,
            confidence=confidence,
            weights=weights,
            dialect=dialect,
            consistent=consistent,
            check_bounds=check_bounds,
            rows=rows,
            groups=groups,
            extremes=extremes,
        )
        self._asked[plan.digest] = {
            "question": str(sql),
            "epsilon": str(_exact(epsilon)),
            "delta": str(_exact(delta)),
            "confidence": str(_exact(confidence)),
            "weights": {name: str(_exact(weight)) for name, weight in (weights or {}).items()},
            "dialect": dialect,
            "consistent": consistent,
            "check_bounds": str(_exact(check_bounds)),
            "rows": rows,
            "groups": groups,
            "extremes": str(_exact(extremes)),
        }
        return plan

    def plan_within(
        self,
        sql: "str | Asking",
        *,
        within: Number,
        size: int | None = None,
        delta: Number = 0,
        confidence: Number = 0.95,
        dialect: str | None = None,
        consistent: bool = False,
        check_bounds: Number = 0,
        rows: int | None = None,
        groups: int | None = None,
        extremes: Number = 0,
    ) -> "Plan":
        """The least epsilon that is so accurate, as `Dataset.plan_within`; its release asks what is left."""
        found = self._local.plan_within(
            sql,
            within=within,
            size=size,
            delta=delta,
            confidence=confidence,
            dialect=dialect,
            consistent=consistent,
            check_bounds=check_bounds,
            rows=rows,
            groups=groups,
            extremes=extremes,
        )
        return self.plan(
            sql,
            epsilon=found.guarantee.epsilon,
            delta=delta,
            confidence=confidence,
            dialect=dialect,
            consistent=consistent,
            check_bounds=check_bounds,
            rows=rows,
            groups=groups,
            extremes=extremes,
        )

    def ask(self) -> "Asking":
        """Build a question step by step, as `Dataset.ask`."""
        return self._local.ask()

    def practice(self) -> "Practice":
        """A table made from the schema alone, here: plans are tried on it for nothing."""
        return self._local.practice()

    def release(self, plan: "Plan", *, key: str = "", non_negative: bool = False) -> "Answers":
        """Pay and draw on the server. Above a share it waits for an owner; `ShareExceeded` says so, and it is not paid.

        The same key gives the same answers however often it is called, also once an owner has said yes.
        """
        from banister.release.answering.answers import Answers
        from banister.release.answering.keeping import released_of

        asked = self._asked.get(plan.digest)
        if asked is None:
            raise BadValue("The plan was not made by this connection. Plan again with it.")
        body = asked | {"key": key or keys.nonce(), "project": self.project, "non_negative": non_negative}
        found = self._wire.ask("POST", "/release", body | {"plan": _hash(plan)})
        state, words = str(found["state"]), str(found["words"])
        if state == "waiting":
            raise ShareExceeded(f"{words} The request '{found['key']}' waits for an owner; ask again under that key.")
        if state != "answered":
            raise BudgetExceeded(words or f"The request is {state}.")
        answer = found["answer"]
        assert self.schema.budget is not None
        return Answers(
            released_of(plan, answer["document"], non_negative=non_negative),
            _remaining(answer["remaining"]),
            self.schema.budget,
            head=str(answer["head"]),
        )

    def requests(self) -> list[dict[str, Any]]:
        """One's requests, the newest first: state, price, and what was said to them."""
        return list(self._wire.ask("GET", "/requests"))

    def decide(self, account: str, key: str, *, allow: bool) -> str:
        """For owners: say yes or no to a request that waits, and hear what became of it."""
        path = f"/requests/{quote(account, safe='')}/{quote(key, safe='')}/decision"
        return str(self._wire.ask("POST", path, {"allow": allow})["state"])

    def add_member(self, name: str, role: str) -> str:
        """For owners: make an account as owner, analyst or auditor; gives the code with which its password is set."""
        return str(self._wire.ask("POST", "/accounts", {"name": name, "role": role})["secret"])

    def share_out(self, shares: "Sequence[BudgetShare]") -> None:
        """For owners: share the budget out, or anew; what was used does not come back."""
        self._wire.ask("PUT", "/shares", {"shares": [_share(each) for each in shares]})

    def make_key(self, label: str) -> str:
        """A key for a program of one's own, shown this once."""
        return str(self._wire.ask("POST", "/keys", {"label": label})["secret"])

    def charges(self) -> list[dict[str, Any]]:
        """For owners and auditors: every line of the ledger, whose it is, and who allowed what was above a share."""
        return list(self._wire.ask("GET", "/history"))

    def log(self) -> list[dict[str, Any]]:
        """For owners and auditors: every request to the server, checked from the first line to the last."""
        return list(self._wire.ask("GET", "/log"))

    def remaining(self) -> "Remaining":
        """What is left of the whole budget."""
        return _remaining(self._wire.ask("GET", "/budget")["left"])

    def shares(self) -> list[str]:
        """The shares that one may see, in words."""
        return [str(each["words"]) for each in self._wire.ask("GET", "/budget")["shares"]]

    def __repr__(self) -> str:
        return f"RemoteTable({self._wire.address!r})"


def _exact(value: Number) -> Fraction:
    from banister import need

    return need.exact("the number", value)


def _share(share: "BudgetShare") -> dict[str, object]:
    level, opens = share.guarantee, share.opens
    return {
        "analyst": share.analyst,
        "project": share.project,
        "epsilon": str(level.epsilon),
        "delta": str(level.delta),
        "opens": None if opens is None else {"start": opens.start, "months": opens.months},
    }


def _hash(plan: "Plan") -> str:
    import hashlib

    return hashlib.sha256(str(plan).encode()).hexdigest()


def _remaining(found: Mapping[str, Any]) -> "Remaining":
    from banister.accounting.book import Remaining

    return Remaining(
        charges=int(found["charges"]),
        largest_epsilon=Fraction(found["largest_epsilon"]),
        used=Fraction(found["used"]),
        delta=Fraction(found["delta"]),
        free=tuple(found["free"]),
        measure=str(found.get("measure", "")),
    )


def _refusal(error: urllib.error.HTTPError) -> Exception:
    try:
        words = str(json.loads(error.read(1 << 20))["message"])
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        words = f"The team's server answered {error.code}."
    if error.code == 503:  # The ledger's database is away, say; the request goes on when it is asked for again.
        return LedgerUnreachable(words)
    return BudgetExceeded(words) if error.code == 409 else BadValue(words)
