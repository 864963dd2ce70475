"""What goes over the wire, as pydantic checks it and OpenAPI describes it."""

from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from banister.apps.team.desk import Asked, TeamRequest
from banister.release.answering.answers import Answers

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.@-]{1,60}$")]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Number = Annotated[str, Field(pattern=r"^[0-9eE.+/-]{1,40}$", examples=["0.3"])]
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9_. -]{1,60}$", examples=["june-report"])]
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
Secret = Annotated[str, Field(max_length=1000)]


class Body(BaseModel):
    """Nothing that is not declared."""

    model_config = ConfigDict(extra="forbid")


class SignInBody(Body):
    name: Name
    password: Secret


class PasswordBody(Body):
    old: Secret
    new: Secret


class RecoverBody(Body):
    code: Secret
    password: Secret


class KeyBody(Body):
    label: Annotated[str, Field(min_length=1, max_length=60)]


class AccountBody(Body):
    name: Name
    role: Literal["owner", "analyst", "auditor"]


class AskBody(Body):
    """A question at a price."""

    question: Text
    epsilon: Number
    delta: Number = "0"
    confidence: Number = "0.95"
    project: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.@-]{0,60}$")] = ""
    non_negative: bool = False
    weights: Annotated[dict[Annotated[str, Field(max_length=200)], Number], Field(max_length=200)] = {}
    dialect: Annotated[str, Field(pattern=r"^[a-z]{1,30}$")] | None = None
    consistent: bool = False
    check_bounds: Number = "0"
    rows: Count | None = None
    groups: Count | None = None
    extremes: Number = "0"

    def asked(self) -> Asked:
        return Asked(**{each.name: getattr(self, each.name) for each in fields(Asked)})


class ReleaseBody(AskBody):
    """The same, to be paid for, under a key of the account's own."""

    key: Key
    plan: Annotated[str, Field(max_length=64)] = ""


class DecisionBody(Body):
    allow: bool


class OpensBody(Body):
    start: Annotated[str, Field(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$")]
    months: Annotated[int, Field(ge=1, le=1200)]


class ShareBody(Body):
    epsilon: Number
    delta: Number = "0"
    analyst: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.@-]{0,60}$")] = ""
    project: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.@-]{0,60}$")] = ""
    opens: OpensBody | None = None


class SharesBody(Body):
    shares: Annotated[list[ShareBody], Field(max_length=200)]


class Said(BaseModel):
    """One sentence: what was done, or why not."""

    message: str


class Secrets(BaseModel):
    """A session, a key or a code: shown once."""

    secret: str


class Me(BaseModel):
    name: str
    role: str


class PlanSaid(BaseModel):
    plan: str
    hash: str
    price: str
    fits: Literal["yes", "ask", "no"]


class RequestSaid(BaseModel):
    """How far a request is, and its answers where it has some."""

    account: str
    key: str
    at: str
    question: str
    project: str
    state: str
    words: str
    plan: str
    price: str
    decided: str
    answer: dict[str, Any] | None
    tables: list[list[dict[str, Any]]] | None = None

    @classmethod
    def of(cls, found: TeamRequest, *, answer: bool) -> "RequestSaid":
        names = ("account", "key", "at", "state", "words", "plan", "price", "decided")
        return cls(
            **{name: getattr(found, name) for name in names},
            question=found.asked.question,
            project=found.asked.project,
            answer=found.answer if answer else None,
        )


def plain_tables(answers: Answers) -> list[list[dict[str, Any]]]:
    """The answers as JSON can say them."""
    return [[{name: _plain(value) for name, value in row.items()} for row in one.table] for one in answers]


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)
