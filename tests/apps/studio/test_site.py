"""The studio as a whole: what opens, what is refused, and that no route forgets to be protected."""

import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from starlette.routing import Route

import banister as bn
from banister.apps.studio.site import studio
from banister.apps.web.gate import Place
from tests.apps.studio.place import at_work, charges, fields, released, schema
from tests.apps.web.visit import OURS, PORT, client, owner

KEY = "0" * 32


def paths(method: str) -> list[str]:
    """Every address of the studio for a method, with its places filled in."""
    site = studio(Place.loopback(PORT))
    site.rest.all()
    routes = [route for route in site.app.routes if isinstance(route, Route)]
    found = [route.path for route in routes if method in (route.methods or ())]
    filled = {"{kind}": "csv", "{key}": KEY, "{place}": "1", "{name}": "gain"}
    return [re.sub(r"{\w+}", lambda place: filled[place.group(0)], path) for path in found]


@pytest.mark.parametrize("path", paths("POST"))
def test_no_post_is_taken_without_a_key_of_ours(tmp_path: Path, path: str) -> None:
    _, visitor = at_work(schema(tmp_path))
    for form in ({}, {"key": "guessed"}, {"key": f"{KEY}.{KEY}"}):
        answer = visitor.post(path, data=form, headers=OURS)
        assert "This form was not made by this server" in answer.text
    assert visitor.post(path, data={"key": "x"}, headers={"sec-fetch-site": "same-site"}).status_code == 403
    assert not (tmp_path / "people.ledger").exists()


@pytest.mark.parametrize("path", [path for path in paths("GET") if not path.startswith("/static")])
def test_no_page_is_shown_to_a_stranger(tmp_path: Path, path: str) -> None:
    site, visitor = at_work(schema(tmp_path))
    answer = client(site).get(path)
    assert answer.status_code == 403
    assert "people" not in answer.text
    assert visitor.get(path).status_code in (200, 303, 404, 422)


def test_without_a_table_the_first_page_asks_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    site = studio(Place.loopback(PORT))
    visitor = owner(site)
    assert "Open a table" in visitor.get("/").text
    for path in ("/ask", "/account", "/publish", "/table"):
        assert visitor.get(path).headers["location"] == "/"
    assert "No table is open yet" in visitor.post("/ask/plan", data=fields(site), headers=OURS).text
    for path, words in (("", "Give the path"), ("none.csv", "none.csv"), ("none.toml", "cannot be read")):
        answer = visitor.post("/open", data={"key": site.forms.key(), "path": path}, headers=OURS)
        assert answer.status_code == 422
        assert words in answer.text
    opened = visitor.post("/open", data={"key": site.forms.key(), "demo": "yes"}, headers=OURS)
    assert opened.headers["location"] == "/"
    assert "randhie.parquet" in visitor.get("/").text
    assert (tmp_path / "health" / "health.toml").exists()


def test_the_account_tells_each_charge_and_the_total(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    assert "Nothing was given away yet" in visitor.get("/account").text
    for _ in range(3):
        released(site, visitor, fields(site))
    page = visitor.get("/account").text
    assert page.count("read it") == charges(visitor) == 3
    assert "Adding up the epsilons would say 0.3" in page
    assert visitor.get("/account/budget.csv").text.count("\n") == 4
    assert visitor.get("/account/budget.svg").text.startswith("<?xml")
    assert 'width="244.8pt"' in visitor.get("/account/budget-narrow.svg").text  # 326 pixels, for a phone
    assert visitor.get("/account/region.png").content.startswith(b"\x89PNG")
    assert "cannot be drawn" in visitor.get("/account/budget.exe").text
    told = visitor.get("/account/further", params={"epsilon": "0.2"}).text
    assert "brings the use to" in told
    assert "adding up would say 0.5" in told
    assert "does not fit any more" in visitor.get("/account/further", params={"epsilon": "5"}).text
    assert "epsilon = -1" in visitor.get("/account/further", params={"epsilon": "-1"}).text


def test_the_exact_total_of_many_charges_is_below_their_sum(tmp_path: Path) -> None:
    path = schema(tmp_path, budget="10")
    _, visitor = at_work(path)

    with bn.open(path).create_ledger() as ledger:
        for place in range(60):
            ledger.charge(
                bn.Guarantee("0.05"), label=f"q{place}", neighbours=bn.Neighbours.ADD_REMOVE, protects=ledger.protects
            )
    page = visitor.get("/account").text
    exact = re.search(r"keep epsilon <b>([\d.]+)</b>", page)
    assert exact is not None
    total = bn.compose([(bn.Guarantee("0.05"), 60)]).epsilon(delta="1e-6")
    assert float(exact.group(1)) >= total, "rounded against ourselves"
    assert float(exact.group(1)) <= 1.001 * total < 3
    assert page.count("not asked here") == 60


def test_the_command_prints_an_address_that_lets_in(tmp_path: Path) -> None:
    """The program as a user starts it: one line with the address, no page without the token, nothing written down."""
    command = [sys.executable, "-c", "from banister.apps.cli import main; main()"]
    command += ["studio", str(schema(tmp_path)), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ})
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}", line)
        assert address is not None, line
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        deadline = time.monotonic() + 20
        while True:
            try:
                page = opener.open(address.group(0)).read().decode()
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        assert "people.toml" in page
    finally:
        process.terminate()
        rest, _ = process.communicate(timeout=20)
    assert "token=" not in rest, "no request is written down"


def test_a_port_that_is_taken_is_refused_in_words(tmp_path: Path) -> None:
    from banister.apps.web.serve import take_port
    from banister.errors import BadValue

    with take_port(0) as taken, pytest.raises(BadValue, match="Choose another with --port"):
        take_port(taken.getsockname()[1])
    with pytest.raises(BadValue, match="Port 99999999"):
        take_port(99999999)


LOADED = """
import asyncio, sys
from banister.apps.cli import build
build()
print([name for name in ("fastapi", "starlette", "uvicorn", "jinja2") if name in sys.modules])
from banister.apps.studio.site import studio
from banister.apps.web.gate import Place
site = studio(Place.loopback(1), sys.argv[1])
first = next(route for route in site.app.routes if route.path == "/")
assert "people.toml" in asyncio.run(first.endpoint()).body.decode()
print([name for name in ("sqlglot", "duckdb", "banister.mechanisms") if name in sys.modules])
"""


def test_help_loads_no_server_and_the_first_page_no_planner(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LOADED, str(schema(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "[]"]
