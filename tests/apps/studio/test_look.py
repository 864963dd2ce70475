"""Look: all columns for a stated price, paid once for each form, and the schema that follows from it."""

import re
from pathlib import Path

from banister.apps.studio.look import KeptLooks
from tests.apps.studio.place import at_work, charges, schema
from tests.apps.web.visit import OURS

HTMX = {**OURS, "hx-request": "true"}


def test_a_look_is_paid_once_and_proposes_a_schema(tmp_path: Path) -> None:
    path = schema(tmp_path)
    site, visitor = at_work(path)
    assert "A private look" in visitor.get("/look").text
    data = {"key": site.forms.key(), "epsilon": "0.5", "delta": "0"}
    assert "The budget allows it" in visitor.post("/look/plan", data=data, headers=HTMX).text
    price = visitor.post("/look/price", data=data, headers=OURS).text
    key = re.search(r'name="key" value="([^"]+)"', price)
    assert key is not None
    sent = {**data, "key": key.group(1)}
    where = visitor.post("/look/release", data=sent, headers=OURS).headers["location"]
    state = site.jobs.find(where.removeprefix("/work/")).wait(60)
    assert state.result, state
    assert "age" in visitor.get(state.result).text
    assert "[columns]" in visitor.get(f"{state.result}/proposed.toml").text
    assert visitor.post("/look/release", data=sent, headers=OURS).headers["location"] == state.result
    assert charges(visitor) == 1
    KeptLooks(path).page(state.result.rpartition("/")[2]).unlink()  # As if the program had ended before it was kept.
    where = visitor.post("/look/release", data=sent, headers=OURS).headers["location"]
    ended = site.jobs.find(where.removeprefix("/work/")).wait(60)
    assert charges(visitor) == 1, "what was cut off is not paid for a second time unasked"
    assert ended.finished


def test_refusals_of_a_look_are_the_librarys(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    for epsilon, words in (("", "Say what the look may cost"), ("-1", "epsilon = -1")):
        data = {"key": site.forms.key(), "epsilon": epsilon, "delta": "0"}
        assert words in visitor.post("/look/plan", data=data, headers=HTMX).text
    assert visitor.get("/looks/" + "0" * 32).status_code == 422
