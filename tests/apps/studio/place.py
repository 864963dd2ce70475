"""A studio over a small table, for tests: quick to plan, quick to release."""

import re
from pathlib import Path

import pandas as pd
from starlette.testclient import TestClient

from banister.apps.studio.site import studio
from banister.apps.web.gate import Place
from banister.apps.web.site import Site
from tests.apps.web.visit import OURS, PORT, owner

SCHEMA = """
[source]
table = "people.csv"
neighbours = "add-remove"
people = 200

[budget]
epsilon = {budget}
delta = 1e-6
ledger = "people.ledger"

[columns]
age = {{ kind = "integer", range = [0, 100], nulls = false, bins = [0, 30, 60, 100] }}
plan = {{ kind = "category", values = ["free", "<b>paid</b>"] }}
"""
QUESTION = "SELECT plan, COUNT(*) AS n FROM data GROUP BY plan"


def schema(folder: Path, *, budget: str = "1.0") -> Path:
    """A schema and its table."""
    pd.DataFrame({"age": [20, 40] * 100, "plan": ["free", "<b>paid</b>"] * 100}).to_csv(
        folder / "people.csv", index=False
    )
    path = folder / "people.toml"
    path.write_text(SCHEMA.format(budget=budget))
    return path


def at_work(path: Path) -> tuple[Site, TestClient]:
    """The studio over a schema, and its owner."""
    site = studio(Place.loopback(PORT), str(path))
    return site, owner(site)


def fields(site: Site, **more: str) -> dict[str, str]:
    """What the form sends."""
    return {"key": site.forms.key(), "question": QUESTION, "epsilon": "0.1", **more}


def released(site: Site, visitor: TestClient, form: dict[str, str]) -> str:
    """Send a release and wait; gives the address of its answer."""
    answer = visitor.post("/ask/release", data=form, headers=OURS)
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"]
    if where.startswith("/work/"):
        state = site.jobs.find(where.removeprefix("/work/")).wait(60)
        assert state.result, state
        where = state.result
    return where


def charges(visitor: TestClient) -> int:
    """How many charges the account shows."""
    found = re.search(r"<dt>charges</dt><dd>(\d+)</dd>", visitor.get("/account").text)
    return int(found.group(1)) if found else 0
