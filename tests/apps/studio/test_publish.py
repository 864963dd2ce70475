"""Publish: what to expect before, one payment for one form, and how close the copy came."""

import re
from pathlib import Path

import pytest

import banister as bn
from banister.apps.studio.publish import PublishedCopies
from banister.apps.web.site import Site
from tests.apps.studio.place import at_work, charges, schema
from tests.apps.web.visit import OURS

HTMX = {**OURS, "hx-request": "true"}


def form(site: Site, **more: object) -> dict[str, object]:
    return {"key": site.forms.key(), "column": ["plan"], "epsilon": "0.2", **more}


def test_the_plan_is_that_of_the_library(tmp_path: Path) -> None:
    path = schema(tmp_path)
    site, visitor = at_work(path)
    assert "Publish" in visitor.get("/publish").text
    page = visitor.post("/publish/plan", data=form(site), headers=HTMX).text
    said = bn.publish.read_declaration(path)
    plan = bn.publish.plan_sanitize(said.domain_of(("plan",)), epsilon="0.2", neighbours=said.neighbours)
    for name, words in plan.rows(None):
        assert f"<dt>{name}</dt>" in page
        assert words.split(" ")[0] in page
    assert "The budget allows it" in page
    assert not (tmp_path / "people.ledger").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"column": []}, "Choose at least one column"),
        ({"column": ["height"]}, "height"),
        ({"epsilon": ""}, "Say what the copy may cost"),
        ({"epsilon": "-2"}, "epsilon = -2"),
    ],
)
def test_refusals_are_the_librarys(tmp_path: Path, more: dict[str, object], words: str) -> None:
    site, visitor = at_work(schema(tmp_path))
    assert words in visitor.post("/publish/plan", data=form(site, **more), headers=HTMX).text


def test_one_form_is_paid_once_and_the_copy_is_kept(tmp_path: Path) -> None:
    path = schema(tmp_path)
    site, visitor = at_work(path)
    price = visitor.post("/publish/price", data=form(site), headers=OURS).text
    key = re.search(r'name="key" value="([^"]+)"', price)
    assert key is not None
    assert "Pay epsilon 0.2 and publish" in price
    sent = form(site, key=key.group(1))
    where = visitor.post("/publish/release", data=sent, headers=OURS).headers["location"]
    state = site.jobs.find(where.removeprefix("/work/")).wait(60)
    assert state.result, state
    shown = visitor.get(state.result).text
    assert "For the owner of the table only." in shown
    copy = visitor.get(f"{state.result}/copy.csv").text
    assert set(copy.split()) <= {"plan", "free", "<b>paid</b>"}
    assert visitor.get(f"{state.result}/report.html").headers["content-disposition"].startswith("attachment")
    assert charges(visitor) == 1
    assert f'href="{state.result}"' in visitor.get("/account").text
    again = visitor.post("/publish/release", data=sent, headers=OURS)
    assert again.headers["location"] == state.result
    assert visitor.get(f"{state.result}/copy.csv").text == copy
    name = state.result.rpartition("/")[2]
    PublishedCopies(path).report(name).unlink()  # As if the program had ended before the report was written.
    where = visitor.post("/publish/release", data=sent, headers=OURS).headers["location"]
    assert site.jobs.find(where.removeprefix("/work/")).wait(60).result == state.result
    assert charges(visitor) == 1
    assert (PublishedCopies(path).place.stat().st_mode & 0o777) == 0o700


def test_names_of_copies_are_no_paths(tmp_path: Path) -> None:
    _, visitor = at_work(schema(tmp_path))
    for name in ("..%2Fpeople", "x" * 32, "0" * 32):
        assert visitor.get(f"/published/{name}/copy.csv").status_code in (404, 422)
