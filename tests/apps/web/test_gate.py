"""Nobody comes in but by the token, from a browser on this machine, by a page of ours."""

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from banister.apps.web.gate import HEADERS, Place
from banister.apps.web.site import Site
from tests.apps.web.visit import HOST, OURS, PORT, client, owner, small_site

COOKIE = f"banister-{PORT}"


@pytest.fixture
def site() -> Site:
    made = small_site()

    async def size(request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    made.app.add_route("/secret", lambda request: PlainTextResponse("secret"), methods=["GET"])
    made.app.add_route("/size", size, methods=["POST"])
    return made


def test_the_token_is_traded_for_a_strict_cookie_and_leaves_the_address(site: Site) -> None:
    answer = client(site).get(f"/secret?a=1%262&token={site.visitors.token}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/secret?a=1%262"
    set_cookie = answer.headers["set-cookie"]
    assert set_cookie.startswith(f"{COOKIE}=")
    assert set_cookie.endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert site.visitors.token not in set_cookie


def test_the_cookie_lets_in(site: Site) -> None:
    visitor = owner(site)
    assert visitor.get("/secret").text == "secret"
    assert visitor.get("/secret").text == "secret", "a second tab"


@pytest.mark.parametrize("cookie", [None, "", "x", '"', f"{COOKIE}=guessed", f"{COOKIE}=", "banister-1=x", "é=ü;;="])
def test_without_the_cookie_nothing_is_shown(site: Site, cookie: str | None) -> None:
    answer = client(site).get("/secret", headers={} if cookie is None else {b"cookie": cookie.encode("latin-1")})
    assert answer.status_code == 403
    assert "secret" not in answer.text
    assert "Open the whole address that was printed" in answer.text


@pytest.mark.parametrize("token", ["", "x", "0" * 32, "é", "%00"])
def test_a_wrong_token_is_refused_in_a_sentence(site: Site, token: str) -> None:
    answer = client(site).get("/secret", params={"token": token})
    if token:
        assert "not the one that was printed" in answer.text
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_a_ticket_works_once(site: Site) -> None:
    ticket = site.visitors.ticket()
    assert client(site).get("/", params={"token": ticket}).status_code == 303
    assert client(site).get("/", params={"token": ticket}).status_code == 403


def test_who_comes_by_a_link_elsewhere_is_led_on_by_a_page_of_ours(site: Site) -> None:
    answer = client(site).get(
        "/secret",
        params={"token": site.visitors.token, "b": '"><script>'},
        headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    )
    assert answer.status_code == 200
    assert "SameSite=Strict" in answer.headers["set-cookie"]
    assert "url=/secret?b=%22%3E%3Cscript%3E" in answer.text
    assert site.visitors.token not in answer.text


@pytest.mark.parametrize("path", ["//evil.example/x", "/\\evil.example", "///evil.example"])
def test_the_trade_never_leads_away(site: Site, path: str) -> None:
    scope_path = path.replace("\\", "%5C")
    answer = client(site).get(f"http://{HOST}{scope_path}?token={site.visitors.token}")
    assert answer.headers["location"].startswith("/evil.example")


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1.evil.example:{PORT}"]
)
def test_a_foreign_host_is_refused_even_with_the_cookie(site: Site, host: str) -> None:
    answer = owner(site).get("/secret", headers={"host": host})
    assert answer.status_code == 421
    assert "secret" not in answer.text


@pytest.mark.parametrize("host", [HOST, f"localhost:{PORT}", f"LOCALHOST:{PORT}"])
def test_the_names_of_this_machine_are_known(site: Site, host: str) -> None:
    assert client(site).get("/secret", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "null"},
        {"origin": "http://evil.example"},
        {"origin": f"http://127.0.0.1:{PORT + 1}", "sec-fetch-site": "same-site"},
        {"origin": f"https://{HOST}"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"origin": "null", "sec-fetch-site": "same-site"},
        {"origin": "null", "sec-fetch-site": "none"},
        {"origin": f"http://{HOST}", "sec-fetch-site": "cross-site"},
        {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
    ],
)
def test_a_post_from_elsewhere_is_refused(site: Site, headers: dict[str, str]) -> None:
    answer = owner(site).post("/size", content=b"12", headers=headers)
    assert answer.status_code == 403
    assert "came from another page than ours" in answer.text


@pytest.mark.parametrize(
    "headers", [{"origin": f"http://{HOST}"}, {"origin": "null", **OURS}, {"origin": f"http://{HOST}", **OURS}]
)
def test_a_post_from_a_page_of_ours_goes_on(site: Site, headers: dict[str, str]) -> None:
    assert owner(site).post("/size", content=b"12", headers=headers).text == "2"


@pytest.mark.parametrize("where", ["same-site", "cross-site"])
def test_another_page_cannot_load_ours_as_a_piece_of_itself(site: Site, where: str) -> None:
    assert owner(site).get("/secret", headers={"sec-fetch-site": where, "sec-fetch-mode": "no-cors"}).status_code == 403
    assert owner(site).get("/secret", headers={"sec-fetch-site": where, "sec-fetch-mode": "navigate"}).text == "secret"


@pytest.mark.parametrize(
    "path", ["/", "/secret", "/static/style.css", "/static/ours/htmx.min.js", "/nowhere", "/work/x"]
)
@pytest.mark.parametrize("inside", [True, False])
def test_every_answer_has_every_header(site: Site, path: str, inside: bool) -> None:
    answer = (owner(site) if inside else client(site)).get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert answer.headers["cache-control"] == ("no-cache" if path.startswith("/static/") else "no-store")
    assert "server" not in answer.headers


def test_the_policy_allows_nothing_inline_and_nobody_else() -> None:
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";"))
    assert policy.pop("default-src") == "'none'"
    assert policy.pop("base-uri") == policy.pop("frame-ancestors") == "'none'"
    assert set(policy.values()) == {"'self'"}


@pytest.mark.parametrize("streamed", [True, False])
def test_what_is_too_large_is_not_read(site: Site, streamed: bool) -> None:
    content = (b"x" * 1000 for _ in range(11)) if streamed else b"x" * 11_000
    answer = owner(site).post("/size", content=content, headers=OURS)
    assert answer.status_code == 413
    assert "larger than 10 kB" in answer.text


@pytest.mark.parametrize("length", ["-1", "1e9", "", "9" * 5000])
def test_a_length_that_is_none_is_refused(site: Site, length: str) -> None:
    answer = owner(site).post("/size", content=b"", headers={**OURS, "content-length": length})
    assert answer.status_code in (400, 413)


def test_a_place_with_encryption_has_a_secure_cookie() -> None:
    place = Place(scheme="https", hosts=("team.example",), cookie="banister", most_bytes=1)
    assert place.set_cookie("x").endswith("; Secure")
    assert place.origins == ("https://team.example",)
